#!/usr/bin/env python3
"""shutemov2015.t: the reproduction of Shutemov's mail: its figures as JSON, its table, and what it refuses."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

tap = suite.Tap()


def shutemov(*arguments, **options):
    return suite.in_fathom(["/bin/shutemov2015", *arguments], **options)


def refused(*arguments):
    """What is wrong anywhere is tried on Linux where that is possible: it is quicker."""
    if suite.is_amd64_linux():
        return suite.on_linux([os.path.join(suite.TOP, "build", "user", "shutemov2015"), *arguments])
    return shutemov(*arguments)


def result(*arguments, **options):
    status, out, err = shutemov("--json", *arguments, **options)
    tap.ok(status == 0 and not err, f"{arguments}: status 0", status, out, err)
    try:
        return json.loads(out)
    except ValueError as error:
        tap.ok(False, f"{arguments}: JSON", error, out)
        return {"rows": [{"phases": []}]}


def phases(row):
    return {phase["phase"]: phase for phase in row["phases"]}


def vmas(row):
    return {name: phase["vmas"] for name, phase in phases(row).items()}


what = result()
row = what["rows"][0]
N = 16 << 20 >> 12
tap.ok(what.get("program") == "shutemov2015" and what.get("layout") == "x86_64" and what.get("pages") == N, "what was run", what)
tap.ok(vmas(row) == {"write": 1, "remap": N, "read": N, "unmap": 0}, "VMAs: 1, N, N, none", row)
tap.ok(row.get("vmas_most") == N, "N at most", row)
remap, read = phases(row).get("remap", {}), phases(row).get("read", {})
tap.ok(remap.get("merges") == 0, "nothing merges with an even N", remap)
tap.ok(remap.get("allocs") == N and remap.get("splits") == 0, "each call takes one new VMA, and splits none: it cuts the front off the rest", remap)
tap.ok(phases(row).get("write", {}).get("faults") == N, "a fault for each page written", row)
tap.ok(read.get("allocs") == 0, "reading allocates no VMA", read)

for n, trail, back in ((7, [2, 3, 4, 4, 6, 7, 7], [7, 6, 4, 4, 3, 2, 1]), (8, [2, 3, 4, 5, 6, 7, 8, 8], [8, 7, 6, 5, 4, 3, 2, 1]),
                       (1, [1], [1])):
    row = result("--pages", str(n), "--restore")["rows"][0]
    tap.ok(row.get("trail") == trail, f"{n} pages: VMAs after each call", row)
    tap.ok(row.get("trail_restore") == back, "and on the way back, to 1", row)
    tap.ok(vmas(row).get("restore") == 1 and vmas(row).get("reread") == 1, "in one VMA", row)
for n in (1023, 1024):
    row = result("--pages", str(n), "--restore", "--passes", "2")["rows"]
    tap.ok(len(row) == 2 and all(r["vmas_most"] == n and vmas(r)["restore"] == 1 for r in row), f"{n} pages, twice", row)

what = result("--mib", "300", "--keep-limit", mem="768M", timeout=240)
others, limit, refusal = what.get("others"), what.get("limit"), what["rows"][0].get("refused", {})
tap.ok(limit == 65530 and refusal.get("errno") == "ENOMEM", "--keep-limit: ENOMEM", what)
tap.ok(refusal.get("call") == limit - others, "at call limit - others", what)
tap.ok(refusal.get("vmas") == limit + 1, "with limit + 1 VMAs", what)
row = result("--mib", "300", mem="768M", timeout=240)["rows"][0]
tap.ok(row.get("vmas_most") == 76800, "without it, it raises the limit itself", row)
if os.environ.get("FATHOM_LONG"):
    row = result("--mib", "4096", mem="6G", timeout=1200)["rows"][0]
    tap.ok(row.get("vmas_most") == 1 << 20, "4096 MiB: 1,048,576 VMAs", row)

status, out, err = shutemov()
text = out.decode()
tap.ok(status == 0 and not err, "the table: status 0", status, err)
tap.ok(all(len(line) <= 80 for line in text.splitlines()), "fits 80 columns", text)
tap.ok(bool(re.search(r"^remap in reverse .* 4,096 ", text, re.M)), "the remapping's row", text)
tap.ok("43.9 s" in text and "1,048,576 VMAs" in text, "it tells of the mail's figures", text)
status, out, err = shutemov("--pages", "9", "--restore", "--passes", "2")
tap.ok(b"VMAs after each call: 2 3 4 5 5 7 8 9 9\n" in out and b"mean of 2 passes" in out, "a small one, twice", status, out, err)
status, out, err = shutemov("--help")
tap.ok(status == 0 and out.startswith(b"usage:") and not err, "--help", status, out, err)
for bad in (["junk"], ["--junk"], ["--mib", "0"], ["--mib", "-1"], ["--mib", "x"], ["--mib", "999999999999"], ["--mib"],
            ["--pages", "0"], ["--pages", "1x"], ["--pages", "99999999999"], ["--passes", "0"], ["--passes", "1001"]):
    status, out, err = refused(*bad)
    tap.ok(status == 2 and b"usage:" in err and not out, f"{bad}: refused with usage", status, out, err)
tap.done()
