#!/usr/bin/env python3
"""leave.t: init's shell: the banner, PID 1 that nothing ends, and all ways to leave."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import console
import suite

tap = suite.Tap()
console.need_shell(tap)
QUICK = ["--append", "vm.max_map_count=100"]  # the table is another test's; a mail that fails is quick


def boot():
    c = console.Console(["/bin/init"], QUICK)
    tap.ok(c.expect(r"Worth typing:", 60) and c.expect(r"# ", 10), "init: banner and prompt", c.seen)
    return c


with boot() as c:
    status, out = c.run("kill -9 1; kill -TERM $PPID; echo $PPID")
    tap.ok(c.end(10) == 1, "SIGKILL does nothing to PID 1; SIGTERM, as reboot sends it, ends the machine", out, c.status)

with boot() as c:
    console.check(tap, c, "kill -9 1; kill -HUP 1; kill -SEGV 1; kill -STOP 1; ps | grep -c ' [/]bin/init'", r"^1$",
                  what="no signal ends or stops PID 1")
    console.check(tap, c, "sh -c '(sleep 0.1; echo orphan done) & '; sleep 0.5; ps | grep -c [s]leep", r"orphan done",
                  status=1, what="an orphan runs on, and PID 1 takes it in")
    console.check(tap, c, "sh -c 'sleep 1 & exec true' ; sleep 1.2; "
                          "ps -o stat | grep -c Z", r"^0$", status=1, what="no zombie stays")
    c.key("kill -9 $$\r")
    tap.ok(c.expect(r"the shell was ended by signal 9; here is another") and c.expect("# "), "a killed shell is replaced", c.seen)
    console.check(tap, c, "sleep 9 & jobs; kill %1", r"Running", what="and has job control")
    c.key("poweroff\r")
    tap.ok(c.end(10) == 1, "poweroff: the status is the table's", c.status, c.seen)

for command in ("reboot", "halt", "poweroff -f", "exit", "\x04"):
    with boot() as c:
        c.key(command + "\r" if len(command) > 1 else command)
        want = 0 if "-f" in command else 1
        tap.ok(c.end(10) == want, f"{command!r} leaves", c.status, c.seen)
tap.done()
