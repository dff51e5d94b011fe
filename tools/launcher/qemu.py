"""QEMU as a child: its command line, its channels, and that it never outlives us.

The log goes to a file, which never makes the guest wait: what it logs costs the same time in every run.
Each other channel is a unix socket on which we listen and to which QEMU connects: a socket holds the guest
back when we read slowly, loses nothing, and still gives what is in it after QEMU has gone.

    COM1 console   COM2 log   COM3 link   COM4 result   and QEMU's own monitor

QEMU lives in a session of its own, so Ctrl-C of a terminal does not reach it. It is killed on every way
out. Should we be killed by force, the kernel kills it (Linux: PR_SET_PDEATHSIG), elsewhere a watcher.
"""
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys

from launcher.options import LauncherError

SERIAL = ("console", "log", "link", "result")
CHANNELS = ("console", "link", "result", "monitor")

# A model that QEMU may not change under our counts; the features are those that the kernel asks for.
CPU = "qemu64,+smep,+smap,+umip,+la57,+fsgsbase"
PR_SET_PDEATHSIG = 1


def find_program():
    name = os.environ.get("FATHOM_QEMU") or "qemu-system-x86_64"
    path = shutil.which(name)
    if path is None:
        raise LauncherError("%s is missing: install the package qemu-system-x86 (or run make doctor)" % name)
    return os.path.abspath(path)


def arguments(options, command_line, directory):
    """QEMU's command line. Files are named as they are seen from the image's directory."""
    args = ["-machine", "pc", "-accel", "tcg", "-cpu", CPU, "-m", options.mem,
            "-smp", str(options.smp), "-nodefaults", "-no-user-config", "-display", "none",
            "-no-reboot", "-no-shutdown"]
    for name in SERIAL:
        kind = "file" if name == "log" else "socket"
        args += ["-chardev", "%s,id=%s,path=%s" % (kind, name, name), "-serial", "chardev:" + name]
    args += ["-chardev", "socket,id=monitor,path=monitor", "-mon", "chardev=monitor,mode=control",
             "-device", "isa-debug-exit,iobase=0xf4,iosize=0x04"]
    if options.icount:
        args += ["-icount", "shift=0,sleep=off", "-rtc", "base=2005-10-30T00:00:00,clock=vm"]
    if options.gdb:
        path = os.path.relpath(options.gdb, directory).replace(",", ",,")
        args += ["-chardev", "socket,id=gdb,server=on,wait=off,path=" + path, "-gdb", "chardev:gdb", "-S"]
    if options.iso:
        args += cd(options, command_line)
    else:
        args += ["-kernel", "kernel", "-initrd", "initramfs", "-append", command_line]
    return args + more_arguments()


def more_arguments():
    try:
        return shlex.split(os.environ.get("FATHOM_QEMU_ARGS", ""))
    except ValueError as error:
        raise LauncherError("FATHOM_QEMU_ARGS: %s" % str(error).lower())


def cd(options, command_line):
    """A machine that boots its CD. The words for the kernel reach the CD's menu as an OEM string."""
    args = ["-boot", "order=d", "-drive", "file=cd,format=raw,media=cdrom,readonly=on",
            "-smbios", "type=11,value=" + command_line.replace(",", ",,")]
    if options.uefi:
        args += ["-drive", "if=pflash,unit=0,format=raw,readonly=on,file=code",
                 "-drive", "if=pflash,unit=1,format=raw,file=variables"]
    return args


def listen(directory):
    """A listening socket for each channel, bound by its short name."""
    here = os.open(".", os.O_RDONLY)
    listeners = {}
    try:
        os.chdir(directory)
        for name in CHANNELS:
            listeners[name] = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listeners[name].bind(name)
            listeners[name].listen(1)
            listeners[name].setblocking(False)
    finally:
        os.fchdir(here)
        os.close(here)
    return listeners


def dies_with_parent():
    """A function for the child, to be called between fork and exec; None where there is no such thing."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def ask():
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
    return ask


def watch(pid):
    """Where the system has no PDEATHSIG: a process that kills `pid` when we are gone. It sees our end of
    a pipe close; a byte in it says that all is well. Returns our end."""
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.close(write_end)
        for fd in (0, 1, 2):
            os.close(fd)
        if os.read(read_end, 1) == b"":
            os.kill(pid, signal.SIGKILL)
        os._exit(0)
    os.close(read_end)
    return write_end


class Qemu:
    def __init__(self, program, args, directory, keep=()):
        """Start it in the directory; it inherits the descriptors in `keep`."""
        death_request = dies_with_parent()
        self.watcher = None
        try:
            self.process = subprocess.Popen(
                [program] + args, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, start_new_session=True, preexec_fn=death_request,
                pass_fds=keep)
        except OSError as error:
            raise LauncherError("cannot start %s: %s" % (program, error.strerror))
        if death_request is None:
            self.watcher = watch(self.process.pid)

    @property
    def stderr(self):
        return self.process.stderr

    def status(self):
        """None while it runs; else its exit status, negative for a signal."""
        return self.process.poll()

    def kill(self):
        """Make sure that it is gone; may be called again."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.watcher is not None:
            os.write(self.watcher, b"q")
            os.close(self.watcher)
            self.watcher = None
