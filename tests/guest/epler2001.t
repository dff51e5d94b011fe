#!/usr/bin/env python3
"""epler2001.t: the reproduction of Epler's mail: steps a map, the true causes of its ends, and what it refuses."""
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

tap = suite.Tap()


def epler(*arguments, **options):
    return suite.in_fathom(["/bin/epler2001", *arguments], timeout=300, **options)


def refused(*arguments):
    """What is wrong anywhere is tried on Linux where that is possible: it is quicker."""
    if suite.is_amd64_linux():
        return suite.on_linux([os.path.join(suite.TOP, "build", "user", "epler2001"), *arguments])
    return epler(*arguments)


def rows(*arguments, **options):
    status, out, err = epler("--json", *arguments, **options)
    tap.ok(status == 0 and not err, f"{arguments}: status 0", status, out, err)
    try:
        result = json.loads(out)
    except ValueError as error:
        tap.ok(False, f"{arguments}: JSON", error, out)
        return {}
    return {(row["variant"], row["find"]): row for row in result["rows"]}


def last_steps(row):
    return [batch.get("last_steps") for batch in row.get("batches", [])]


found = rows("--variant", "all", "--maps", "20000")
tap.ok(set(found) == {(v, f) for v in ("open", "keep", "unmap", "down", "anon") for f in ("list", "gap")}, "every variant, both ways", list(found))
keep = found.get(("keep", "list"), {})
first, second = (last_steps(keep) + [0, 0])[:2]
tap.ok(second - first == 10000, "keep, list: the steps grow by exactly one a map", last_steps(keep))
steps = [batch["steps"] for batch in keep.get("batches", [])]
tap.ok(len(steps) == 2 and steps[1] - steps[0] == 10000 * 10000, "all of them: a batch has 10,000 * 10,000 more than the one before", steps)
tap.ok(keep.get("vmas") == keep.get("vmas_before", 0) + 20000, "20,000 VMAs more", keep)
gap = found.get(("keep", "gap"), {})
bound = 2 * math.log2(gap.get("vmas", 2)) + 2
tap.ok(last_steps(gap) and all(0 < n <= 2 * bound for n in last_steps(gap)), f"keep, gap: two descents of at most {bound:.0f} nodes", last_steps(gap))
for variant in ("unmap", "anon", "down"):
    for find in ("list", "gap"):
        row = found.get((variant, find), {})
        tap.ok(row.get("maps") == 20000 and last_steps(row) and all(n <= 2 * bound for n in last_steps(row)),
               f"{variant}, {find}: few steps", row)
for find in ("list", "gap"):
    row = found.get(("anon", find), {})
    tap.ok(row.get("vmas") == row.get("vmas_before", 0) + 1 and row["batches"][1]["merges"] == 10000,
           f"anon, {find}: merged into one VMA", row)
    row = found.get(("unmap", find), {})
    tap.ok(row.get("vmas") == row.get("vmas_before"), f"unmap, {find}: nothing is left", row)
    row = found.get(("open", find), {})
    tap.ok(row.get("failed") == "open" and row.get("errno") == "EMFILE" and row.get("opens") == 1021 and row.get("descriptors") == 1024,
           f"open, {find}: EMFILE after 1,021 opens, 1,024 descriptors", row)

found = rows("--variant", "keep", "--maps", "0", "--find", "gap")
tap.ok(list(found) == [("keep", "gap")], "only the way that was asked for", list(found))
for variant in ("keep", "down"):
    row = found.get((variant, "gap"), {}) or rows("--variant", variant, "--maps", "0", "--find", "gap").get((variant, "gap"), {})
    tap.ok(row.get("failed") == "mmap" and row.get("errno") == "ENOMEM" and row.get("vmas") == 65531, f"{variant}: ENOMEM with 65,531 VMAs", row)
    tap.ok(row.get("maps") == 65531 - row.get("vmas_before", 0), "which are the maps and those before", row)
    if variant == "down":
        tap.ok(int(row.get("hint", "0"), 16) == 0x70000000 - 4096 * row.get("maps", 0), "down: at the hint that follows", row)
if os.environ.get("FATHOM_LONG"):
    row = rows("--maps", "0", "--find", "list").get(("keep", "list"), {})
    tap.ok(row.get("vmas") == 65531 and row.get("errno") == "ENOMEM", "by the list, too", row)

status, out, err = epler("--variant", "down", "--maps", "0")
text = out.decode()
tap.ok(status == 0 and not err, "the table: status 0", status, err)
tap.ok(all(len(line) <= 80 for line in text.splitlines()), "fits 80 columns", text)
for words in ("ENOMEM", "65,531 VMAs", "65,530 + 1 = 65,531", "no collision", "0x60007000", "65,529", "65,537"):
    tap.ok(words in text, f"it tells of {words}", text)
tap.ok(len(re.findall(r"^(list|gap) +\d0,000 ", text, re.M)) == 12, "a line for every 10,000 maps", text)
status, out, err = epler("--find", "junk")
tap.ok(status == 2 and b"does not offer: junk" in err and not out, "a way that is not offered", status, out, err)
status, out, err = epler("--help")
tap.ok(status == 0 and out.startswith(b"usage:") and not err, "--help", status, out, err)
for bad in (["junk"], ["--junk"], ["--variant", "junk"], ["--variant", ""], ["--variant"], ["--find", "junk"], ["--maps", "-1"],
            ["--maps", "x"], ["--maps", "1048577"], ["--maps", ""]):
    status, out, err = refused(*bad)
    tap.ok(status == 2 and b"usage:" in err and not out, f"{bad}: refused with usage", status, out, err)
tap.done()
