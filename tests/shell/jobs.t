#!/usr/bin/env python3
"""jobs.t: job control and the terminal's modes, by keys typed at the console, in busybox's shell and in bash."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import console
import suite

tap = suite.Tap()
console.need_shell(tap)


def jobs(c, name):
    def ok(good, what):
        tap.ok(good, f"{name}: {what}", c.seen)

    def line(command, pattern, what=None, **more):
        console.check(tap, c, command, pattern, what=f"{name}: {what or command}", **more)

    c.start("while :; do :; done")
    c.key("\x03")
    line("echo alive", r"^alive$", "Ctrl-C ends a busy loop of the shell's own")
    # A loop of short programs is tried in busybox's shell only: bash once read an end of input after it. Not explained; perhaps its
    # child took the terminal after the prompt was there.
    loops = ["while :; do /bin/true; done"] if name != "bash" else []
    for busy in ["yes > /dev/null", *loops, "cat /dev/zero | cat > /dev/null"]:
        c.start(busy)
        for _ in range(3):  # a key that comes between two programs of a loop may meet neither, as on any Unix
            c.key("\x03")
            c.rest(0.2)
        line("echo alive", r"^alive$", f"Ctrl-C ends {busy}, wherever the kernel is")
    c.start("sleep 100 | cat")
    c.key("\x1a")
    ok(c.expect(r"Stopped", 10), "Ctrl-Z stops a pipeline")
    line("jobs", r"^\[1\]\+\s+Stopped\s+sleep 100", "jobs shows it")
    line("bg", r"sleep 100")
    line("jobs", r"^\[1\]\+?\s+Running\s+sleep 100", "bg lets it run")
    c.key("fg\r")
    ok(c.expect(r"sleep 100 \| cat\r?\n"), "fg takes it back")
    c.rest()
    c.key("\x03")
    line("jobs; echo none", r"\Anone$", "Ctrl-C ends it")
    line("cat & sleep 0.3", r"", "a background job that reads")
    line("jobs", r"Stopped.*\bcat$", "is stopped (SIGTTIN)")
    c.start("fg")
    c.key("typed\r")
    ok(c.expect(r"typed\r?\ntyped\r?\n"), "and reads in the foreground")
    c.key("\x04")
    line("jobs; echo none", r"\Anone$", "Ctrl-D ends it")
    c.key("(trap '' TTOU; stty -echo; stty echo; echo deaf) & wait\r")
    ok(c.expect(r"deaf\r?\n"), "who ignores SIGTTOU may change the terminal")
    line("(stty -echo) & sleep 0.3", r"", "who does not")
    line("jobs", r"Stopped.*stty -echo", "is stopped (SIGTTOU)")
    line("kill -9 %1; sleep 0.1; echo $(jobs | grep -c Stopped)", r"^0$", "SIGKILL ends what is stopped")
    line("stty tostop; echo x & sleep 0.2; stty -tostop", r"", "with tostop a background job that writes")
    line("jobs", r"Stopped.*echo x", "is stopped, too")
    line("kill -9 %1; sleep 0.1; echo", r"")
    line("trap 'echo caught' INT; kill -INT $$; trap - INT", r"^caught$", "a trap")
    line("sh -c 'trap \"echo resized\" WINCH; stty rows 33; :' ; stty size", r"^resized\n33 300$", "a new size is told by SIGWINCH")
    line("echo 50 > /proc/sys/tty/rows; stty size", r"^50 300$", "or set by a knob")


with console.Console() as c:
    tap.ok(c.expect("# "), "a prompt", c.seen)
    jobs(c, "ash")
    c.start("cat > /tmp/edited")
    c.key("one  two\x17three\tx\x7f\x7f\x7f\x7f\x16\x03four\x15gone\x15ä\x7f last\r\x04")
    console.check(tap, c, "od -c /tmp/edited", r"^0000000 +l +a +s +t +\\n$", what="erase, word, kill, literal")
    c.start("stty raw -echo min 3 time 0; dd bs=16 count=1 2>/dev/null | od -c; stty sane")
    for key in "a\rb":
        c.key(key)
    tap.ok(c.expect(r"a +\\r +b"), "raw mode: VMIN bytes, and no key is special", c.seen)
    console.check(tap, c, "stty raw -echo min 0 time 2; head -c 5 | wc -c; stty sane", r"^0$",
                  what="VTIME ends a read")
    c.start("cat /dev/tty")
    c.key("\x13typed\r")
    tap.ok(not c.expect(r"typed\r?\ntyped", 0.5), "Ctrl-S holds output", c.seen)
    c.key("\x11")
    tap.ok(c.expect(r"typed\r?\n"), "Ctrl-Q lets it go on", c.seen)
    c.key("\x03")
    console.check(tap, c, "setsid sh -c 'echo x > /dev/tty' 2>/tmp/said; "
                          "until [ -s /tmp/said ]; do sleep 0.1; done; cat /tmp/said", r"No such device or address",
                  what="who has no terminal cannot open /dev/tty")

if os.path.exists(console.BASH):
    with console.Console(["bash"], ["--add", console.BASH + ":/bin/bash"]) as c:
        tap.ok(c.expect("# "), "bash: a prompt", c.seen)
        console.check(tap, c, "echo ${BASH_VERSION%%.*}", r"^\d$", what="bash: it is bash")
        jobs(c, "bash")
        console.check(tap, c, "diff <(seq 3) <(seq 4)", r"^\+4|^> 4$", status=1, what="bash: process substitution")
        console.check(tap, c, "a=(1 2 3); echo ${#a[@]} ${a[-1]}", r"^3 3$", what="bash: arrays")
else:
    tap.skip("bash", "bash-static is not installed")
tap.done()
