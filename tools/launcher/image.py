"""What the machine is given: kernel, initramfs and kernel command line, all in one private directory.

QEMU runs with that directory as its working directory and is given only plain names in it, so neither
spaces and commas in paths nor the 108 bytes of a unix socket's name can do harm.
"""
import os
import re
import shutil
import stat
import struct
import tempfile

import cpio
from launcher import terminal
from launcher.options import ROOT, LauncherError

PT_INTERP = 3
INITRAMFS = os.path.join(ROOT, "build", "initramfs.cpio")


def kernel_path(layout):
    path = os.path.join(ROOT, "build", layout, "fathom.elf")
    for needed in (path, INITRAMFS):
        if not os.path.isfile(needed):
            raise LauncherError("%s is missing: run make first%s" % (
                os.path.relpath(needed, ROOT), "" if layout == "x86_64" else " (make LAYOUT=%s)" % layout))
    return path


def make_directory():
    """A fresh directory for this run. Those of launchers that were killed by force are swept first."""
    place = os.path.join(ROOT, "build", "run")
    try:
        os.makedirs(place, exist_ok=True)
        for name in os.listdir(place):
            owner = re.match(r"(\d+)-", name)
            if owner and not alive(int(owner.group(1))):
                shutil.rmtree(os.path.join(place, name), ignore_errors=True)
        return tempfile.mkdtemp(prefix="%d-" % os.getpid(), dir=place)
    except OSError:
        return tempfile.mkdtemp(prefix="fathom-")


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def find_in_guest(names, path):
    """Whether the guest has `path`, following the archive's symbolic links."""
    for _ in range(16):
        walked = ""
        for part in cpio.Archive.clean(path).split("/"):
            walked = (walked + "/" + part).lstrip("/")
            mode, target = names.get(walked, (0, None))
            if target is not None:
                rest = cpio.Archive.clean(path)[len(walked):]
                path = os.path.join("/" + os.path.dirname(walked), target) + rest
                break
        else:
            return stat.S_ISREG(mode)
    return False


def check_program(path):
    """Refuse what can never run, with a better word than the kernel's ENOEXEC."""
    with open(path, "rb") as f:
        data = f.read(64)
        if data[:4] != b"\x7fELF":
            raise LauncherError("%s is not an ELF program" % path)
        if len(data) < 64 or data[4] != 2:
            return
        offset, = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        if offset > os.fstat(f.fileno()).st_size:
            return
        f.seek(offset)
        table = f.read(size * count)
    for at in range(0, len(table) - 3, max(size, 4)):
        if struct.unpack_from("<I", table, at)[0] == PT_INTERP:
            raise LauncherError("%s needs shared libraries: link it with -static" % path)


def find_program(program, names):
    """(guest path, host file or None): see "which program" in --help."""
    if "/" not in program:
        guest, host = "/bin/" + program, None
    elif program.startswith("/") and find_in_guest(names, program):
        guest, host = program, None
    elif os.path.exists(program):
        check_program(program)
        guest, host = "/bin/" + os.path.basename(program), program
    else:
        guest, host = "/" + cpio.Archive.clean(program), None
    if host is None and not find_in_guest(names, guest):
        if "/" in program and not program.startswith("/"):
            raise LauncherError("neither this directory nor the guest has %s" % program)
        hint = "; for a file of the host, say ./%s" % program if os.path.exists("./" + program) else ""
        raise LauncherError("the guest has no %s%s" % (guest, hint))
    return guest, host


def split_add(text):
    """HOST[:GUEST] of --add. Only a colon before a slash divides, and a host file of the whole name wins."""
    host, guest = text, ""
    match = re.fullmatch(r"(.+):(/.*)", text, re.DOTALL)
    if match and not os.path.exists(text):
        host, guest = match.groups()
    if not os.path.exists(host):
        raise LauncherError("--add: there is no %s" % host)
    if not guest or guest.endswith("/"):
        guest += "/" + os.path.basename(os.path.abspath(host))
    return host, guest


def quote(word):
    """One word as kernel/core/cmdline.h reads it."""
    if word and not re.search(r'[\s"\\]', word):
        return word
    return '"' + re.sub(r'(["\\])', r"\\\1", word) + '"'


class Image:
    """The files in the directory, ready for QEMU: `kernel`, `initramfs`; and the command line."""

    def __init__(self, options, console):
        kernel = kernel_path(options.layout)
        with open(INITRAMFS, "rb") as f:
            first = f.read()
        try:
            names = cpio.names(first)
        except ValueError as error:
            raise LauncherError("build/initramfs.cpio is damaged: %s" % error)
        added = cpio.Archive()
        for text in options.add:
            host, guest = split_add(text)
            added.add_file(guest, host)
        names_with_added = dict(names)
        names_with_added.update((path, (mode, None)) for path, (mode, _) in added.entries.items())
        guest, host = find_program(options.program, names_with_added)
        if host is not None:
            added.add_file(guest, host)
            mode, data = added.entries[cpio.Archive.clean(guest)]
            added.entries[cpio.Archive.clean(guest)] = (mode | 0o111, data)
        words = ["stdio=" + ("console" if console else "link"), quote("init=" + guest)]
        words += terminal.size_words() if console else []
        words += options.append + ["--"] + [quote(word) for word in options.arguments]
        self.command_line = " ".join(words)
        self.kernel = kernel
        self.directory = make_directory()
        os.symlink(kernel, os.path.join(self.directory, "kernel"))
        if not added.entries:
            os.symlink(INITRAMFS, os.path.join(self.directory, "initramfs"))
            return
        with open(os.path.join(self.directory, "initramfs"), "wb") as f:
            f.write(cpio.pad(first))
            f.write(added.to_bytes(names))

    def remove(self):
        """Once QEMU has read everything nothing of it is needed; may be called again."""
        shutil.rmtree(self.directory, ignore_errors=True)
