"""machine.py: a machine without the launcher, for what the launcher would never do: a damaged initramfs, and somebody who types at the
console. QEMU is killed on every way out, and by a timeout."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools"))

import cpio  # noqa: E402
from launcher.qemu import CPU, dies_with_parent, find_program  # noqa: E402

KERNEL = os.path.join(TOP, "build", os.environ.get("LAYOUT", "x86_64"), "fathom.elf")


def archive(files):
    """The bytes of an initramfs with these host files, by guest path."""
    made = cpio.Archive()
    for guest, host in files.items():
        made.add_file(guest, host)
    return made.to_bytes()


class Machine:
    def __init__(self, initramfs, command_line, mem="128M"):
        self.directory = tempfile.mkdtemp()
        with open(self.path("initramfs"), "wb") as f:
            f.write(initramfs)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self.path("console"))
        listener.listen(1)
        listener.settimeout(20)
        args = ["-machine", "pc", "-accel", "tcg", "-cpu", CPU, "-m", mem, "-nodefaults", "-no-user-config", "-display", "none",
                "-no-reboot", "-chardev", "socket,id=console,path=console", "-serial", "chardev:console", "-serial", "file:log",
                "-serial", "null", "-serial", "file:result", "-device", "isa-debug-exit,iobase=0xf4,iosize=0x04",
                "-kernel", os.path.abspath(KERNEL), "-initrd", "initramfs", "-append", command_line]
        self.process = subprocess.Popen([find_program()] + args, cwd=self.directory, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=dies_with_parent())
        self.console, _ = listener.accept()
        listener.close()
        self.seen = b""

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.process.kill()
        self.process.wait()
        self.console.close()
        shutil.rmtree(self.directory)

    def path(self, name):
        return os.path.join(self.directory, name)

    def text(self, name):
        if not os.path.exists(self.path(name)):
            return ""
        with open(self.path(name), errors="replace") as f:
            return f.read()

    def wait_log(self, text, seconds=20):
        """Wait until the kernel log has text."""
        end = time.monotonic() + seconds
        while text not in self.text("log") and time.monotonic() < end:
            time.sleep(0.05)

    def type(self, text):
        self.console.sendall(text)

    def expect(self, text, seconds=20):
        """Wait until the console has shown text, after what earlier calls waited for. Returns whether it has."""
        end = time.monotonic() + seconds
        while text not in self.seen and time.monotonic() < end:
            self.console.settimeout(max(0.01, end - time.monotonic()))
            try:
                got = self.console.recv(4096)
            except (TimeoutError, socket.timeout, ConnectionError):
                break
            if not got:
                break
            self.seen += got
        before, found, after = self.seen.partition(text)
        if found:
            self.seen = after
        return bool(found)

    def result(self, seconds=30):
        """The record of the machine's end."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return "still running"
        return self.text("result")
