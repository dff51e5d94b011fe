#!/usr/bin/env python3
"""init.t: the first program: its banner, the mails, and what it runs when told to."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

tap = suite.Tap()
status, out, err = suite.in_fathom(["/bin/init"])
tap.ok(status == 0, "init alone: status 0", status, err)
tap.ok(b"Fathom" in out and b"Ctrl-A" in out, "says what this is and how to leave", out)
tap.ok(b"536,870,816" in out, "and shows the mail's table", out)
status, out, err = suite.in_fathom(["/bin/init", "/bin/holt2005", "--help"])
tap.ok(status == 0 and out.startswith(b"usage: holt2005"), "runs a program with arguments", status, out, err)
status, out, err = suite.in_fathom(["/bin/init", "/no/such/program"])
tap.ok(status == 127 and b"/no/such/program" in err, "one that is missing: 127", status, out, err)
tap.done()
