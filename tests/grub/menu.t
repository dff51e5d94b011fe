#!/usr/bin/env python3
"""menu.t: GRUB's menu in the terminal: it is shown, it waits, its entries set the knobs, and then the terminal is
Fathom's console. Words that the menu would not pass on as they are do not reach it."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cd

DOWN = b"\x1b[B"

cd.skip_without()
tap = cd.Tap()
with tempfile.NamedTemporaryFile() as log:
    status, shown = cd.in_terminal([(b"executed automatically", DOWN), (b"as it was before", b"\r"),
                                      (b"and docs/.", b"\x01x")], "--log", log.name)
    text = log.read().decode()
    tap.ok(status == 0 and cd.is_table(shown), "the second entry: the table, status 0", status, shown)
    tap.ok(b"layout x86_64, as it was before" in shown, "the menu is shown", shown)
    tap.ok("vm.zap=block vm.find=list" in text and "stdio=console" in text, "with its knobs, on the console", text)
    tap.ok(b"error" not in shown and b"warning" not in shown.lower(), "GRUB complains of nothing", shown)

run = cd.Run("--append", "vm.zap=block", program=("/bin/init", "/bin/holt2005", "--help"))
tap.ok(run.status == 0 and run.out.startswith(b"usage: holt2005"), "a program with arguments", *run.notes())
tap.ok("vm.zap=block -- /bin/holt2005 --help\n" in run.log, "and words for the kernel", run.log)
for what, options in (("a blank", ("init", "a b")), ("a quote", ("init", 'a"b')), ("a wildcard", ("init", "/boot/*"))):
    run = cd.Run(program=options)
    tap.ok(run.status == 125 and b"cannot be passed on" in run.err, f"{what} in an argument is refused", *run.notes())
run = cd.Run(program=(os.path.join(cd.TOP, "tests", "run"),))
tap.ok(run.status == 125, "a program of the host is refused", *run.notes())
run = cd.Run("--add", "README.md")
tap.ok(run.status == 125 and b"--add" in run.err, "so is --add", *run.notes())
run = cd.Run(iso="/no/such.iso")
tap.ok(run.status == 125 and b"make iso" in run.err, "no image: what to do", *run.notes())
tap.done()
