#!/usr/bin/env python3
"""strace.t: strace=1 names every system call in the log, with arguments, result and error; and what Linux has but Fathom has not."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

tap = suite.Tap()
with tempfile.TemporaryDirectory() as directory:
    log = os.path.join(directory, "log")
    subprocess.run([suite.RUN, "--timeout", "60", "--log", log, "--append", "strace=1", "--", suite.program("hello")],
                   stdout=subprocess.PIPE, check=False)
    with open(log, errors="replace") as f:
        text = f.read()
    for pattern, what in ((r"strace: brk\(NULL\) = 0x[0-9a-f]+$", "an address"),
                          (r"strace: arch_prctl\(0x1002, 0x[0-9a-f]+\) = 0$", "numbers"),
                          (r'strace: readlink(at)?\(.*"/proc/self/exe", 0x[0-9a-f]+, \d+\) = 10$', "a string"),
                          (r"strace: ioctl\(1, 0x5401, 0x[0-9a-f]+\) = -1 ENOTTY$", "an error's name"),
                          (r"strace: mprotect\(0x[0-9a-f]+, 0x[0-9a-f]+, PROT_READ\) = 0$", "bits by name"),
                          (r"strace: write\(1, 0x[0-9a-f]+, 13\) = 13$", "a count"),
                          (r"strace: exit_group\(0\) \.\.\.$", "a call that does not return")):
        tap.ok(re.search(pattern, text, re.MULTILINE), what, text)
    subprocess.run([suite.RUN, "--timeout", "60", "--log", log, "--", suite.program("hello")], stdout=subprocess.PIPE,
                   check=False)
    with open(log, errors="replace") as f:
        tap.ok("strace:" not in f.read(), "nothing without it")
    subprocess.run([suite.RUN, "--timeout", "60", "--log", log, "--", suite.program("guest"), "junk"], stdout=subprocess.PIPE,
                   check=False)
    with open(log, errors="replace") as f:
        text = f.read()
    tap.ok(text.count("system call 500 (no name) is not implemented: ENOSYS") == 1, "a missing call is named, once", text[-2000:])
tap.done()
