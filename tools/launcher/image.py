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
from launcher import firmware, terminal, words
from launcher.options import ROOT, LauncherError

PT_INTERP = 3
ARGUMENTS = "init.args"         # in the guest's root; the kernel (kernel/proc/proc.c) takes it away
STRING_MAX = 128 << 10          # Linux's limits, which are the kernel's, too; some room is left for what
ARGUMENTS_MAX = (2 << 20) - 8192    # else is on a new program's stack
PATH_MAX = 4000
INITRAMFS = os.path.join(ROOT, "build", "initramfs.cpio")


def kernel_path(layout):
    path = os.path.join(ROOT, "build", layout, "fathom.elf")
    for needed in (path, INITRAMFS):
        if not os.path.isfile(needed):
            raise LauncherError("%s is missing: run make first%s" % (
                os.path.relpath(needed, ROOT), "" if layout == "x86_64" else " (make LAYOUT=%s)" % layout))
    return path


def read_initramfs():
    """Its bytes, and what is in it."""
    with open(INITRAMFS, "rb") as f:
        data = f.read()
    try:
        return data, cpio.names(data)
    except ValueError as error:
        raise LauncherError("build/initramfs.cpio is damaged: %s" % error)


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


def look_up(names, path):
    """The mode of the guest's `path`, following the archive's symbolic links; 0: it is not there."""
    for _ in range(16):
        walked, mode = "", stat.S_IFDIR
        for part in cpio.Archive.clean(path).split("/"):
            walked = (walked + "/" + part).lstrip("/")
            mode, target = names.get(walked, (0, None)) if walked else (stat.S_IFDIR, None)
            if target is not None:
                rest = cpio.Archive.clean(path)[len(walked):]
                path = os.path.join("/" + os.path.dirname(walked), target) + rest
                break
        else:
            return mode
    return 0


def find_in_guest(names, path):
    return stat.S_ISREG(look_up(names, path))


def check_program(path):
    """Refuse what can never run, with a better word than the kernel's ENOEXEC."""
    if not os.path.isfile(path):
        raise LauncherError("%s is not a file" % path)      # a FIFO would make us wait for its writer
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


def check_place(names, path, mode):
    """Whether the kernel can unpack `path` after what is in `names`: later archives replace files, no more."""
    if path in ("", ARGUMENTS) or path.split("/")[0] == "proc":
        raise LauncherError("the guest's /%s is the kernel's own" % path)
    if len(os.fsencode(path)) > PATH_MAX:
        raise LauncherError("the guest's path /%.60s... is too long" % path)
    parent = os.path.dirname(path)
    while parent:
        if parent in names and not stat.S_ISDIR(look_up(names, parent)):
            raise LauncherError("/%s cannot be, as the guest's /%s is no directory" % (path, parent))
        parent = os.path.dirname(parent)
    there, _ = names.get(path, (mode, None))
    if stat.S_ISDIR(there) and not stat.S_ISDIR(mode):
        raise LauncherError("the guest's /%s is a directory (for a file in it, say /%s/)" % (path, path))
    if stat.S_ISDIR(mode) and not stat.S_ISDIR(there):
        raise LauncherError("the guest's /%s is no directory" % path)


def find_added(texts, names):
    """The archive of what --add names; `names` learns of it."""
    added = cpio.Archive()
    for text in texts:
        host, guest = split_add(text)
        try:
            added.add_file(guest, host)
        except ValueError as error:
            raise LauncherError("--add: %s" % error)
    names.setdefault("dev", (stat.S_IFDIR, None))       # the kernel makes them
    names.setdefault("tmp", (stat.S_IFDIR, None))
    for path in sorted(added.entries):      # parents come before what is in them
        mode, data = added.entries[path]
        check_place(names, path, mode)
        names[path] = (mode, os.fsdecode(data) if stat.S_ISLNK(mode) else None)
    return added


def add_arguments(added, arguments):
    """The program's arguments go in a file, which has no limit of size and no quoting: ended by NULs."""
    strings = [os.fsencode(word) + b"\0" for word in arguments]
    if any(len(string) > STRING_MAX for string in strings):
        raise LauncherError("an argument of the program is longer than 128 KiB")
    if sum(len(string) + 8 for string in strings) > ARGUMENTS_MAX:
        raise LauncherError("the program's arguments are longer than 2 MiB together")
    if strings:
        added.put(ARGUMENTS, stat.S_IFREG | 0o600, b"".join(strings))


def command_line(options, program, console):
    found = ["stdio=" + ("console" if console else "link"), words.quote("init=" + program)]
    found += (terminal.size_words() if console else []) + options.append
    text = " ".join(found)
    if len(os.fsencode(text)) > words.COMMAND_LINE_MAX:
        raise LauncherError("the kernel command line (--append) has %d bytes, and QEMU takes %d" % (
            len(os.fsencode(text)), words.COMMAND_LINE_MAX))
    return text


def memory_bytes(text):
    return int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1].upper()]


def loader_words(layout, found):
    """The words as the menu of the CD takes them over (boot/grub.cfg): a loader in between would put quotes
    of its own around a word with a blank, so there must be none."""
    for word in found:
        if not word or re.search(r'[\s"\'\\$*?\[\]]', word):
            raise LauncherError("with --iso, %r cannot be passed on: no blanks, quotes or wildcards" % word)
    return " ".join(["fathom", layout] + found)


class CdImage:
    """The same for a machine that boots a CD: `cd`, with UEFI `code` and `variables` as well. The kernel and
    initramfs are those on the CD, which ours are taken to be: for names in a trace, and to find a program."""

    def __init__(self, options, console):
        self.kernel = kernel_path(options.layout)
        if not os.path.isfile(options.iso):
            raise LauncherError("%s is missing: run make iso first" % options.iso)
        guest, host = find_program(options.program, read_initramfs()[1])
        if host is not None:
            raise LauncherError("--iso runs what is on the CD, and %s is not" % options.program)
        self.program = guest
        found = ["stdio=" + ("console" if console else "link"), "init=" + guest]
        found += terminal.size_words() if console else []
        found += [word for text in options.append for word in text.split()]
        found += ["--"] + options.arguments if options.arguments else []
        self.command_line = loader_words(options.layout, found)
        files = firmware.find(shutil.which(os.environ.get("FATHOM_QEMU") or "qemu-system-x86_64"))
        if options.uefi and not files:
            raise LauncherError("no UEFI firmware (OVMF) is there: install the package ovmf")
        self.directory = make_directory()
        os.symlink(os.path.abspath(options.iso), os.path.join(self.directory, "cd"))
        if options.uefi:
            os.symlink(files[0], os.path.join(self.directory, "code"))
            shutil.copyfile(files[1], os.path.join(self.directory, "variables"))

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)


class Image:
    """The files in the directory, ready for QEMU: `kernel`, `initramfs`; and the command line."""

    def __init__(self, options, console):
        self.kernel = kernel_path(options.layout)
        first, names = read_initramfs()
        known = dict(names)
        added = find_added(options.add, known)
        self.program, host = find_program(options.program, known)
        if host is not None:
            path = cpio.Archive.clean(self.program)
            check_place(known, path, stat.S_IFREG)
            added.entries[path] = (stat.S_IFREG | 0o755, cpio.HostFile(host, os.path.getsize(host)))
        add_arguments(added, options.arguments)
        self.command_line = command_line(options, self.program, console)
        if len(first) + added.size() > memory_bytes(options.mem):
            raise LauncherError("%d MiB of files do not fit into the machine: see --mem" %
                                ((len(first) + added.size()) >> 20))
        self.directory = make_directory()
        try:
            self.write(first, added, names)
        except BaseException:
            self.remove()
            raise

    def write(self, first, added, names):
        os.symlink(self.kernel, os.path.join(self.directory, "kernel"))
        path = os.path.join(self.directory, "initramfs")
        if not added.entries:
            os.symlink(INITRAMFS, path)
            return
        with open(path, "wb") as f:
            f.write(first + cpio.padding(len(first)))
            try:
                added.write(f, names)
            except ValueError as error:
                raise LauncherError(str(error))

    def remove(self):
        """Once QEMU has read everything nothing of it is needed; may be called again."""
        shutil.rmtree(self.directory, ignore_errors=True)
