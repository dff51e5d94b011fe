#!/usr/bin/env python3
"""mapfuzz.t: the same random memory calls on this machine's Linux and in Fathom: every answer, every byte read and the
whole of /proc/self/maps after each call have to be the same, with both searches and both ways to unmap.

Skipped where Linux is older than 6.12: it merged a little less then.
"""
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "guest"))
import suite

STEPS = 4000 if os.environ.get("FATHOM_LONG") else 1200


def linux_is_new():
    try:
        return tuple(int(n) for n in os.uname().release.split(".")[:2]) >= (6, 12)
    except ValueError:
        return False


if not suite.is_amd64_linux() or not linux_is_new():
    print("1..0 # SKIP this is not Linux 6.12 or later on amd64")
    sys.exit(0)

tap = suite.Tap()
mapfuzz = suite.program("mapfuzz")
knobs = [(find, zap) for find in ("gap", "list") for zap in ("work", "block")]
for seed, (find, zap) in enumerate(knobs, 11):
    arguments = [mapfuzz, str(seed), str(STEPS)]
    status, want, err = suite.on_linux(arguments)
    tap.ok(status == 0 and want, f"seed {seed} on Linux", status, err)
    status, got, err = suite.in_fathom(arguments, append=f"vm.find={find} vm.zap={zap}")
    same = status == 0 and got == want
    notes = [status, err]
    for line, (a, b) in enumerate(zip(want.splitlines(), got.splitlines())):
        if a != b:
            notes.append(f"line {line}: Linux {a}, Fathom {b}")
            break
    tap.ok(same, f"seed {seed}: {STEPS} calls, vm.find={find} vm.zap={zap}", *notes)
tap.done()
