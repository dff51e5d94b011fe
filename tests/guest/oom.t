#!/usr/bin/env python3
"""oom.t: a program that uses up memory gets ENOMEM (it then ends with status 50) or is killed, and the kernel lives."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

tap = suite.Tap()
for command in ("oom", "oom-file", "oom-tables"):
    for mem in ("64M", "160M"):
        status, out, err = suite.in_fathom([suite.program("guest"), command], mem=mem, timeout=120)
        tap.ok(status in (50, 137), f"{command} with {mem}: ENOMEM or SIGKILL", f"got {status}",
               err.decode(errors="replace"))
tap.done()
