#!/usr/bin/env python3
"""die.t: programs that must end by a signal or with a status, and do the kernel no harm."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

tap = suite.Tap()
for command, want in suite.DEATHS.items():
    status, out, err = suite.in_fathom([suite.program("guest"), command], timeout=60)
    tap.ok(status == want, f"{command}: status {want}", f"got {status}", err.decode(errors="replace"))
status, out, err = suite.in_fathom([suite.program("guest"), "die-far-32"], timeout=60)
tap.ok(status == 139, "die-far-32: 32-bit code, which Linux would run, is SIGSEGV", f"got {status}", err.decode(errors="replace"))
tap.done()
