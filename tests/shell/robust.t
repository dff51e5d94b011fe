#!/usr/bin/env python3
"""robust.t: what a shell can do to the system, and goes on: fork bomb, memory eater, a thousand programs, signals everywhere."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import console
import suite

tap = suite.Tap()
console.need_shell(tap)


def free(c):
    """Free memory in KiB, once all that is going has gone."""
    return int(re.search(r"MemFree: +(\d+)", c.run("sleep 0.3; cat /proc/meminfo")[1]).group(1))


with console.Console(options=["--mem", "64M"]) as c:
    tap.ok(c.expect("# "), "a prompt", c.seen)
    c.run("sh -c true; cat /dev/null; sh -c 'cat /proc/self/maps' | wc -l")
    before = free(c)
    status, out = c.run("i=0; while [ $i -lt 500 ]; do /bin/busybox true; (:); i=$((i+1)); done; echo $i", 60)
    tap.ok(status == 0 and "500" in out, "500 forks, and 500 with exec", status, out)
    tap.ok(before - free(c) <= 64, "leak nothing", before, free(c))

    c.start("bomb() { bomb | bomb & }; bomb 2> /tmp/bomb; sleep 3")
    status, out = c.run("echo still here", 60)
    tap.ok(status == 0 and "still here" in out, "a fork bomb: the shell lives", status, out)
    c.run("kill -9 -1; sleep 0.5", 60)
    status, out = c.run("sort /tmp/bomb | uniq -c", 30)
    tap.ok("can't fork: Resource temporarily unavailable" in out, "it had ended in EAGAIN", status, out)
    tap.ok("out of memory" not in c.kernel_log(), "and not for lack of memory", c.kernel_log()[-1000:])
    status, out = c.run("ps | grep -v -c -e PID -e ' ps$'", 30)
    tap.ok(out.strip() in ("1", "2", "3"), "all of it can be ended", out)
    tap.ok(before - free(c) <= 512, "its memory came back", before, free(c))

    status, out = c.run("awk 'BEGIN { while (1) a[i++] = i \"and more\" }'", 60)
    tap.ok("Killed" in out and status == 137, "a program that eats all memory is killed, and the shell says so", status, out)
    tap.ok(re.search(r"out of memory: (awk|busybox|sh) \(process \d+\) ends, the largest, with \d+ KiB", c.kernel_log()),
           "a line in the log says which and why", c.kernel_log()[-2000:])
    status, out = c.run("echo still here")
    tap.ok(status == 0 and "still here" in out, "and the shell lives", status, out)
    tap.ok(before - free(c) <= 512, "its memory came back", before, free(c))

    status, out = c.run("(while :; do kill -USR1 $$ 2>/dev/null; done) & trap : USR1; n=0; "
                        "while [ $n -lt 100 ]; do seq 50 | cat | wc -l; n=$((n+1)); done | sort | uniq -c; "
                        "trap - USR1; kill -9 $!", 60)
    tap.ok(re.search(r"^ +100 50$", out, re.M), "pipelines under a rain of signals lose nothing", status, out)
tap.done()
