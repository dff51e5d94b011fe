#!/usr/bin/env python3
"""holt2005.t: the reproduction of Holt's mail: its figures as JSON, its table, and what it refuses."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

MAIL = 17592182882304
tap = suite.Tap()


def holt(*arguments):
    return suite.in_fathom(["/bin/holt2005", *arguments], timeout=120)


def refused(*arguments):
    """What is wrong anywhere is tried on Linux where that is possible: it is quicker."""
    if suite.is_amd64_linux():
        return suite.on_linux([os.path.join(suite.TOP, "build", "user", "holt2005"), *arguments])
    return holt(*arguments)


def rows(*arguments):
    status, out, err = holt("--json", *arguments)
    tap.ok(status == 0 and not err, f"{arguments}: status 0", status, out, err)
    try:
        result = json.loads(out)
    except ValueError as error:
        tap.ok(False, f"{arguments}: JSON", error, out)
        return {}, {}
    return result, {row["zap"]: row for row in result["rows"]}


def total(row):
    return sum(row.get("reads", {}).values())


result, by_way = rows()
work, block = by_way.get("work", {}), by_way.get("block", {})
tap.ok(result.get("program") == "holt2005" and result.get("layout") == "x86_64" and
       result.get("page_size") == 4096 and result.get("length") == MAIL, "what was run", result)
tap.ok(work.get("turns") == 1 and work.get("length") == MAIL, "work: one turn for it all", work)
tap.ok(work.get("reads", {}).get("pgd") == 32 and total(work) == 32, "work: 32 pgd reads only", work)
tap.ok(block.get("scaled_turns") == 536870816, "block: 536,870,816 turns, scaled", block)
tap.ok(block.get("length", 1) // 32768 == block.get("turns"), "block: a turn for 32 KiB", block)
tap.ok(total(block) == block.get("turns"), "block: a read a turn", block)
tap.ok(int(work.get("address", "0"), 16) % 2**39 == 3 << 20, "at a pgd entry plus 3 MiB", work)

for touch, reads, turns in (("neighbour", 1055, 1), ("ends", 4379, 1), ("dense:64", 23807, 2049)):
    _, by_way = rows("--touch", touch, "--zap", "work")
    row = by_way.get("work", {})
    tap.ok(total(row) == reads and row.get("turns") == turns, f"work, {touch}: {reads} reads", row)
    tap.ok(list(by_way) == ["work"], "only the way that was asked for", by_way)

_, by_way = rows("--full", "--length", str(1 << 34), "--zap", "block")
row = by_way.get("block", {})
tap.ok(row.get("turns") == 1 << 19 and "scaled_turns" not in row, "--full scales nothing", row)
_, by_way = rows("--length", "1", "--at", "any")
tap.ok(by_way and all(row["turns"] == 1 for row in by_way.values()), "one byte anywhere: one turn", by_way)
_, by_way = rows("--length", "4096", "--at", "0x123456789000")
tap.ok(by_way and all(row["address"] == "0x123456789000" for row in by_way.values()), "--at ADDR", by_way)

status, out, err = holt()
text = out.decode()
tap.ok(status == 0 and not err, "the table: status 0", status, err)
tap.ok(all(len(line) <= 80 for line in text.splitlines()), "fits 80 columns", text)
tap.ok(bool(re.search(r"^block +536,870,816\* +536,870,816\* +0 +0 +0 .*\*$", text, re.M)), "block's row", text)
tap.ok(bool(re.search(r"^work +1 +32 +0 +0 +0 ", text, re.M)), "work's row", text)
for number in ("64 turns", "32,768", "16,777,216", "256; 524,288; 1,073,741,824"):
    tap.ok(number in text, f"it tells of {number}", text)

status, out, err = holt("--zap", "junk")
tap.ok(status == 2 and b"does not offer: junk" in err and not out, "a way that is not offered", status, out, err)
status, out, err = holt("--help")
tap.ok(status == 0 and out.startswith(b"usage:") and not err, "--help", status, out, err)
for bad in (["junk"], ["--junk"], ["--zap", "junk"], ["--touch", "junk"], ["--touch", "dense:"],
            ["--touch", "dense:0"], ["--touch", "dense:-1"], ["--at", "1"], ["--at", ""],
            ["--at", "0xffff800000000000"], ["--length", "0"], ["--length", "-1"], ["--length", "1x"],
            ["--length", "99999999999999999999999"], ["--length", "140737488355328"], ["--zap"],
            ["--touch", "neighbour", "--at", "any"], ["--touch", "dense:2", "--length", "4096"]):
    status, out, err = refused(*bad)
    tap.ok(status == 2 and b"usage:" in err and not out, f"{bad}: refused with usage", status, out, err)
tap.done()
