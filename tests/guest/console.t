#!/usr/bin/env python3
"""console.t: the terminal: line editing, its echo, Ctrl-D, Ctrl-C, and output with carriage returns."""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import machine
import suite

tap = suite.Tap()
initramfs = machine.archive({"/bin/echo": suite.program("echo"), "/bin/hello": suite.program("hello")})

with machine.Machine(initramfs, "init=/bin/hello") as m:
    tap.ok(m.expect(b"hello, world\r\n"), "a new line becomes CR LF", m.seen)
    tap.ok(m.result() == "exit 0\n", "status", m.text("log"))

with machine.Machine(initramfs, "init=/bin/echo strace=1") as m:
    m.wait_log("strace: ")
    m.type(b"helx\x7flo\r")
    tap.ok(m.expect(b"helx\b \blo\r\nhello\r\n"), "erase takes a byte back, on the screen too", m.seen)
    m.type(b"gone\x15stays\r")
    tap.ok(m.expect(b"gone" + b"\b \b" * 4 + b"stays\r\nstays\r\n"), "kill takes the line back", m.seen)
    m.type(b"part\x04")
    tap.ok(m.expect(b"partpart"), "Ctrl-D hands over an unfinished line", m.seen)
    m.type(b"\x04")
    tap.ok(m.result() == "exit 0\n", "Ctrl-D alone is the end of input", m.text("log"))

with machine.Machine(initramfs, "init=/bin/echo strace=1") as m:
    m.wait_log("strace: ")
    m.type(b"line\r")
    tap.ok(m.expect(b"line\r\nline\r\n"), "a line before it", m.seen)
    m.type(b"\x03")
    tap.ok(m.result() == "signal 2\n", "Ctrl-C is SIGINT", m.text("log"))
    tap.ok("SIGINT" in m.text("log"), "and the log says so", m.text("log"))

catcher = machine.archive({"/bin/interrupt": suite.program("interrupt")})
with machine.Machine(catcher, "init=/bin/interrupt") as m:
    tap.ok(m.expect(b"ready"), "a program that catches SIGINT", m.seen)
    for n in (b"1", b"2", b"3"):
        time.sleep(0.3)  # the program has to be in its read again
        m.type(b"\x03")
        tap.ok(m.expect(b"interrupted " + n), "Ctrl-C ends its read, and it goes on", m.seen)
    tap.ok(m.result() == "exit 3\n", "it ends itself", m.text("log"))

tap.done()
