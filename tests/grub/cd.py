"""cd.py: for the tests of the disk image: runs of the launcher with --iso, images of other contents, and somebody at
the terminal who chooses from GRUB's menu."""

import os
import pty
import select
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "guest"))

from suite import Tap  # noqa: E402,F401 (the tests take it from here)

ISO = os.path.join(TOP, "build", "fathom.iso")
KERNEL = os.path.join(TOP, "build", "x86_64", "fathom.iso.elf")
INITRAMFS = os.path.join(TOP, "build", "initramfs.cpio")
TABLE = (b"536,870,816", b"Shutemov, 2015", b"Epler, 2001")  # of the table of the mails
SECONDS = 120


def skip_without(*needs):
    """End the script with a reason when there is no image, or firmware is missing."""
    why = None
    if not os.path.exists(ISO):
        done = subprocess.run(["tools/iso", "--check"], cwd=TOP, stderr=subprocess.PIPE, text=True)
        why = done.stderr.splitlines()[0] if done.returncode else "build/fathom.iso is not built: make iso"
    for need in needs:
        if not why and subprocess.run(["tools/iso", "--find", need], cwd=TOP, stdout=subprocess.DEVNULL).returncode:
            why = f"{need} is not there"
    if why:
        print(f"1..0 # SKIP {why}")
        sys.exit(0)


def is_table(shown):
    return all(text in shown for text in TABLE)


class Run:
    """One run: status, out, err as bytes, and log, the kernel's, as text."""

    def __init__(self, *options, iso=ISO, program=("/bin/init",), qemu=""):
        with tempfile.NamedTemporaryFile() as log:
            command = ["tools/run", "--iso", iso, "--timeout", str(SECONDS), "--log", log.name, *options, "--", *program]
            done = subprocess.run(command, cwd=TOP, env=dict(os.environ, FATHOM_QEMU_ARGS=qemu), capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS + 60)
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
            self.log = log.read().decode("utf-8", "replace")

    def shows_table(self):
        return self.status == 0 and is_table(self.out) and "boot: Multiboot2" in self.log

    def notes(self):
        return f"status {self.status}", self.out.decode("utf-8", "replace"), self.err.decode("utf-8", "replace"), self.log


def make_image(path, initramfs, config=os.path.join(TOP, "boot", "grub.cfg")):
    """An image with another initramfs ("-": none) or menu."""
    subprocess.run(["tools/iso", path, config, initramfs, "x86_64=" + KERNEL], cwd=TOP, check=True)


def in_terminal(keys, *options, iso=ISO):
    """A run in a terminal, where each text of keys is typed once the text before it has been shown. Returns the
    status and all that was shown."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(TOP)
        os.execv("tools/run", ["tools/run", "--iso", iso, "--timeout", str(SECONDS), *options, "--", "/bin/init"])
    shown, seen = b"", 0
    keys = list(keys)
    end = time.monotonic() + SECONDS + 30
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
        if keys and keys[0][0] in shown[seen:]:
            seen = len(shown)
            try:
                os.write(terminal, keys.pop(0)[1])
            except OSError:
                break
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown
