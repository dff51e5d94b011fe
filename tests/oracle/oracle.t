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

holt = os.path.join(TOP, "build", "user", "holt2005")
if not os.path.exists(holt):
    subprocess.run(["make", "-s", "-C", TOP, "build/user/holt2005"], stdout=2, check=True)
status, out, err = suite.on_linux([holt, "--json"])
if status == 1 and b"cannot map" in err:
    tap.skip("holt2005 on Linux", "this /tmp holds no file of 16 TiB")
else:
    row = json.loads(out)["rows"][0] if status == 0 else {}
    tap.ok(row.get("zap") == "this kernel" and row.get("ns", 0) > 0 and "turns" not in row,
           "holt2005 on Linux: time only", status, out, err)
    status, out, err = suite.on_linux([holt])
    tap.ok(status == 0 and b"no counters" in out, "and its table says so", status, out, err)
    status, out, err = suite.on_linux([holt, "--zap", "work"])
    tap.ok(status == 2 and b"usage:" in err, "--zap is refused there", status, out, err)
tap.done()
