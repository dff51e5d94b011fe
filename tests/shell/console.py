"""console.py: somebody at the console: tools/run in a pseudo-terminal, keys typed, the screen read.

A command is typed together with a question for its status, split in two so that the echo of what is typed is not
taken for the answer. The launcher is killed, and with it the machine, on every way out.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "guest"))

import suite  # noqa: E402 (the path comes first)

BUSYBOX = "bin/busybox"
BASH = "/bin/bash-static"
ROWS, COLUMNS = 40, 300  # wide, so that no shell breaks a line of what is typed


def has_shell():
    sys.path.insert(0, os.path.join(TOP, "tools"))
    import cpio
    with open(os.path.join(TOP, "build", "initramfs.cpio"), "rb") as f:
        return BUSYBOX in cpio.names(f.read())


def need_shell(tap):
    """Ends the test, skipped, when the image has no shell."""
    if not has_shell():
        tap.skip("everything here", "the image has no shell: busybox-static was not there when it was made")
        tap.done()


class Console:
    def __init__(self, program=("sh",), options=(), rows=ROWS, columns=COLUMNS):
        self.log = os.path.join(TOP, "build", "run", "shell-%d.log" % os.getpid())
        os.makedirs(os.path.dirname(self.log), exist_ok=True)
        self.seen = ""
        self.count = 0
        self.status = None
        layout = ["--layout", os.environ.get("LAYOUT", "x86_64"), "--log", self.log]
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(TOP)
            os.execv(suite.RUN, [suite.RUN, *layout, *options, "--", *program])

    def __enter__(self):
        return self

    def __exit__(self, *what):
        if self.status is None:
            os.kill(self.pid, signal.SIGTERM)
            self.end(10)
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
        if os.path.exists(self.log):
            os.unlink(self.log)

    def kernel_log(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def key(self, text):
        os.write(self.fd, text.encode())

    def read(self, seconds):
        """What comes within the time, added to what was seen. False: nothing came, or it is over."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data.decode(errors="replace")
        return bool(data)

    def start(self, command):
        """Type a command line, and give it time to start: what is typed earlier the shell's own line editing gets."""
        self.key(command + "\r")
        self.expect(re.escape(command[-8:]) + r"\r?\n")
        self.rest()

    def rest(self, seconds=0.4):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.1)

    def expect(self, pattern, seconds=20):
        """Wait for a regular expression behind what was waited for before. The match, or None."""
        end = time.monotonic() + seconds
        while True:
            match = re.search(pattern, self.seen)
            if match:
                self.seen = self.seen[match.end():]
                return match
            if time.monotonic() > end or not self.read(max(0.05, end - time.monotonic())):
                return None

    def run(self, command, seconds=20):
        """Type a command line and wait for its end: (its status, its output). Status None: it did not end in time."""
        self.count += 1
        mark = "%d" % (1000 + self.count)
        self.key("%s; echo \"<$?\"'>%s'\r" % (command, mark))
        # The echo has the mark behind a quote; only the answer has it behind the status.
        found = self.expect(r"(?s)^(.*?)<(\d+)>%s\r?\n" % mark, seconds)
        if not found:
            return None, self.seen
        # Its output begins behind the last echo of it: a shell may show again what was typed while it was busy.
        text = found.group(1).replace("\r", "")
        return int(found.group(2)), re.split(r"'>%s'\n" % mark, text)[-1]

    def end(self, seconds=20):
        """Wait for the launcher's end. Its status; None: it goes on."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                return self.status
        return None


def check(tap, console, command, pattern, what=None, status=0, seconds=20):
    """A command line whose status and output are as they should be."""
    got, out = console.run(command, seconds)
    tap.ok(got == status and re.search(pattern, out, re.M) is not None, what or command, "status %s" % got, out)
