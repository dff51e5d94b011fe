#!/usr/bin/env python3
"""oracle.t: the guest programs on this machine's Linux, with the very answers that Fathom has to give.

An expectation that Linux does not share is wrong, whatever Fathom says. Skipped where this is no amd64 Linux.
"""
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "guest"))
import suite

if not suite.is_amd64_linux():
    print("1..0 # SKIP this is not Linux on amd64")
    sys.exit(0)

tap = suite.Tap()
guest = suite.program("guest")
status, names, err = suite.on_linux([guest, "--list"])
tap.ok(status == 0 and names, "the suites' names", status, err)
for name in names.decode().split():
    suite.pass_on(tap, name, *suite.on_linux([guest, name]))
for seed in range(2, 6):
    suite.pass_on(tap, f"random {seed}", *suite.on_linux([guest, "random", str(seed)]))
for command, want in suite.DEATHS.items():
    status, out, err = suite.on_linux([guest, command])
    tap.ok(status == want, f"{command}: status {want}", f"got {status}", err)

for name, want in (("hello", (0, b"hello, world\n", b"")), ("hello-pie", (0, b"hello, world\n", b"")),
                   ("true", (0, b"", b"")), ("false", (1, b"", b"")),
                   ("bytes", (0, bytes(range(256)), bytes(reversed(range(256)))))):
    got = suite.on_linux([suite.program(name)])
    tap.ok(got == want, f"{name} does what it should", got)
got = suite.on_linux([suite.program("echo")], stdin=b"x" * 50000)
tap.ok(got == (0, b"x" * 50000, b"50000 bytes\n"), "echo returns its input", got[0], got[2])


def mail(name, *arguments):
    """A mail's program, on Linux."""
    path = os.path.join(TOP, "build", "user", name)
    if not os.path.exists(path):
        subprocess.run(["make", "-s", "-C", TOP, "build/user/" + name], stdout=2, check=True)
    return suite.on_linux([path, *arguments])


status, out, err = mail("holt2005", "--json")
if status == 1 and b"cannot map" in err:
    tap.skip("holt2005 on Linux", "this /tmp holds no file of 16 TiB")
else:
    row = json.loads(out)["rows"][0] if status == 0 else {}
    tap.ok(row.get("zap") == "this kernel" and row.get("ns", 0) > 0 and "turns" not in row,
           "holt2005 on Linux: time only", status, out, err)
    status, out, err = mail("holt2005")
    tap.ok(status == 0 and b"no counters" in out, "and its table says so", status, out, err)
    status, out, err = mail("holt2005", "--zap", "work")
    tap.ok(status == 2 and b"usage:" in err, "--zap is refused there", status, out, err)

status, out, err = mail("shutemov2015", "--json", "--pages", "7", "--restore")
row = json.loads(out)["rows"][0] if status == 0 else {}
tap.ok(row.get("trail") == [2, 3, 4, 4, 6, 7, 7] and row.get("trail_restore") == [7, 6, 4, 4, 3, 2, 1],
       "shutemov2015 on Linux: seven pages, there and back", status, out, err)
status, out, err = mail("shutemov2015", "--json", "--mib", "300", "--keep-limit")
what = json.loads(out) if status == 0 else {"rows": [{}]}
refusal = what["rows"][0].get("refused", {})
if what.get("limit", 0) > 70000:
    tap.skip("shutemov2015 on Linux: the limit", "vm.max_map_count is higher here")
else:
    tap.ok(refusal.get("call") == what.get("limit", 0) - what.get("others", 0) and refusal.get("errno") == "ENOMEM",
           "shutemov2015 on Linux: the call that is refused", status, out, err)
for variant, errno in (("open", "EMFILE"), ("keep", "ENOMEM"), ("down", "ENOMEM"), ("unmap", None), ("anon", None)):
    status, out, err = mail("epler2001", "--json", "--variant", variant, "--maps", "0")
    what = json.loads(out) if status == 0 else {"rows": [{}]}
    row = what["rows"][0]
    if errno == "ENOMEM" and what.get("limit", 0) > 190000:
        tap.skip(f"epler2001 on Linux: {variant}", "vm.max_map_count is higher here")
        continue
    tap.ok(status == 0 and row.get("errno") == errno, f"epler2001 on Linux: {variant} ends with {errno}", status, out, err)
    if errno == "ENOMEM":
        tap.ok(row.get("vmas") == what["limit"] + 1, "at limit + 1 VMAs", out)
    if variant == "open":
        tap.ok(row.get("descriptors") == row.get("descriptors_limit") == 1024, "at 1,024 descriptors", out)
status, out, err = mail("epler2001")
tap.ok(status == 0 and b"no counters" in out, "epler2001's table on Linux says that there are no counters", status, out, err)
tap.done()
