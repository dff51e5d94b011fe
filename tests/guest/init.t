#!/usr/bin/env python3
"""init.t: the first program: its banner, the table of the mails, and what it runs when told to."""
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

tap = suite.Tap()
start = time.monotonic()
status, out, err = suite.in_fathom(["/bin/init"])
took = time.monotonic() - start
text = out.decode(errors="replace")
tap.ok(status == 0 and not err, "init alone: status 0", status, err)
tap.ok("Fathom" in text and "Ctrl-A" in text, "says what this is and how to leave", text)
tap.ok(bool(re.search(r"^Holt, 2005 .* 536,870,816\* +1$", text, re.M)), "shows Holt's turns", text)
tap.ok(bool(re.search(r"^Shutemov, 2015 .* 1 +4,096$", text, re.M)), "shows Shutemov's VMAs", text)
tap.ok(bool(re.search(r"^Epler, 2001 .* 10,000 +\d\d$", text, re.M)), "shows Epler's steps", text)
tap.ok(all(len(line) <= 80 for line in text.splitlines()), "fits 80 columns", text)
tap.ok(took < 120, "within two minutes", took)
status, out, err = suite.in_fathom(["/bin/init"], append="vm.max_map_count=100")
tap.ok(status == 1 and b"epler2001" in out and b"failed" in out, "a mail that fails is shown, and is the status", status, out, err)
tap.ok(b"536,870,816" in out, "and the others are shown all the same", out)
status, out, err = suite.in_fathom(["/bin/init", "/bin/holt2005", "--help"])
tap.ok(status == 0 and out.startswith(b"usage: holt2005"), "runs a program with arguments", status, out, err)
status, out, err = suite.in_fathom(["/bin/init", "/no/such/program"])
tap.ok(status == 127 and b"/no/such/program" in err, "one that is missing: 127", status, out, err)
tap.done()
