#!/usr/bin/env python3
"""Every exit status of the launcher, against a QEMU that is none."""
import os
import pty
import subprocess
import time

from tap import holds, main, same


def program_status(tree):
    """the program's own status, 0 to 255"""
    for number in (0, 1, 77, 124, 125, 126, 255):
        done = tree.run("--", "exit", str(number))
        same((done.returncode, done.stdout, done.stderr), (number, b"", b""), "exit %d" % number)


def signals(tree):
    """128+N for a signal"""
    same(tree.run("--", "signal", "11").returncode, 139, "SIGSEGV")
    same(tree.run("--", "signal", "9").returncode, 137, "SIGKILL")


def told_signals(tree):
    """the kernel's reason for a kill is told; a mere signal only at a terminal"""
    done = tree.run("--", "signal", "9", "out", "of", "memory")
    same((done.returncode, done.stderr), (137, b"tools/run: the kernel ended /bin/signal: out of memory\n"), "out of memory")
    done = tree.run("--", "signal", "11")
    same((done.returncode, done.stderr), (139, b""), "to a pipe")
    ours, its = pty.openpty()
    done = subprocess.run([tree.run_path, "--", "signal", "11"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=its, env=tree.environment, timeout=60)
    os.close(its)
    same((done.returncode, os.read(ours, 1000)),
         (139, b"tools/run: /bin/signal: Segmentation fault (see --log)\r\n"), "to a terminal")
    os.close(ours)


def hidden_dashes(tree):
    """a "--" is found in --append however it is quoted; and so is a quote that does not end"""
    for text in ('"--"', "\\--", 'a -"-"', '""--', 'a "--" b', "a\v--", 'x "y'):
        done = tree.run("--append", text, "--", "exit", "0")
        same((done.returncode, done.stderr.count(b"\n"), done.stderr[:11]), (125, 1, b"tools/run: "), text)
        holds(b"--append takes no" in done.stderr or b"--append ends inside" in done.stderr, "the reason: %r" % done.stderr)
    for text in ('a"--"', '" --"', "a --x", "\\ --", "a\\"):
        same(tree.run("--append", text, "--", "exit", "0").returncode, 0, text)


def bad_environment(tree):
    """125 and a line for FATHOM_QEMU_ARGS that cannot be read"""
    done = tree.run("--", "exit", "0", env={"FATHOM_QEMU_ARGS": "-cpu 'a"})
    same((done.returncode, done.stderr), (125, b"tools/run: FATHOM_QEMU_ARGS: no closing quotation\n"), "status")


def little_memory(tree):
    """125 and a line, no traceback, for a fault of the launcher's own and for lack of memory"""
    for fault, text in (("MemoryError()", b"not enough memory"), ("KeyError(1)", b"internal error: KeyError")):
        with open(os.path.join(tree.root, "tools", "launcher", "image.py"), "a") as f:
            f.write("\n\ndef kernel_path(layout):\n    raise %s\n" % fault)
        done = tree.run("--", "exit", "0")
        same((done.returncode, done.stderr.count(b"\n")), (125, 1), fault)
        holds(text in done.stderr, "it is told: %r" % done.stderr)


def unread_help(tree):
    """--help for a reader who has gone is no error"""
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([tree.run_path, "--help"], stdin=subprocess.DEVNULL, stdout=write_end, stderr=subprocess.PIPE,
                          env=tree.environment, timeout=60)
    os.close(write_end)
    same((done.returncode, done.stderr), (0, b""), "the end")


def poweroff(tree):
    """a power-off is status 0"""
    same(tree.run("--", "poweroff").returncode, 0, "status")


def panic(tree):
    """126 and the kernel log after a panic"""
    done = tree.run("--", "panic")
    same(done.returncode, 126, "status")
    same(done.stdout, b"", "stdout")
    holds(b"the kernel panicked: counts are wrong\n" in done.stderr, "the message is told")
    holds(b"fathom: hello\npanic: counts are wrong\n" in done.stderr, "the log is printed")


def triple_fault(tree):
    """126 and the registers after a triple fault"""
    done = tree.run("--", "triple")
    same(done.returncode, 126, "status")
    for text in (b"triple fault", b"RIP 0xffffffff80001234", b"CR2 0x0000000000000bad", b"fathom: hello"):
        holds(text in done.stderr, "%r is told in %r" % (text, done.stderr))


def deaths(tree):
    """126 whenever the machine ends without a result, or with one that makes no sense"""
    for name, text in (("vanish", b"without saying why"), ("nonsense", b"sausage"), ("garbled", b"unknown type 9")):
        done = tree.run("--", name)
        same(done.returncode, 126, name)
        holds(text in done.stderr and b"fathom: hello" in done.stderr, "%s is explained: %r" % (name, done.stderr))


def timeout(tree):
    """124 after --timeout, with the output so far"""
    began = time.monotonic()
    done = tree.run("--timeout", "0.7", "--", "hang")
    same(done.returncode, 124, "status")
    holds(done.stdout.strip().isdigit(), "what was written before is there")
    holds(b"timeout" in done.stderr, "it is said")
    holds(time.monotonic() - began < 5, "in time")


def lingering(tree):
    """a QEMU that does not end after the record is ended, and the record counts"""
    same(tree.run("--", "linger").returncode, 3, "status")


def qemu_fails(tree):
    """125 with QEMU's own words when QEMU fails"""
    done = tree.run("--", "fail")
    same(done.returncode, 125, "status")
    holds(b"qemu: no such thing" in done.stderr and b"status 1" in done.stderr, "its words are passed on")
    done = tree.run("--", "crash")
    same(done.returncode, 125, "status of a crash")
    holds(b"signal 11" in done.stderr, "the signal is named")


def qemu_missing(tree):
    """125 and the package's name without QEMU"""
    done = tree.run("--", "exit", "0", env={"FATHOM_QEMU": "no-such-qemu"})
    same(done.returncode, 125, "status")
    holds(b"qemu-system-x86" in done.stderr, "the package is named")


def nothing_built(tree):
    """125 and "run make first" without a kernel or an initramfs"""
    os.unlink(os.path.join(tree.root, "build", "initramfs.cpio"))
    done = tree.run("--", "exit", "0")
    same(done.returncode, 125, "status")
    holds(b"build/initramfs.cpio is missing: run make first" in done.stderr, "it says so: %r" % done.stderr)
    done = tree.run("--layout", "pdp11", "--", "exit", "0")
    same(done.returncode, 125, "status")
    holds(b"make LAYOUT=pdp11" in done.stderr, "it names the layout")


def damaged_initramfs(tree):
    """125 and the offset for a damaged initramfs"""
    path = os.path.join(tree.root, "build", "initramfs.cpio")
    with open(path, "r+b") as f:
        f.seek(0)
        f.write(b"sausage")
    done = tree.run("--", "exit", "0")
    same(done.returncode, 125, "status")
    holds(b"offset 0" in done.stderr, "the offset is named")


def wrong_options(tree):
    """125 for each wrong use"""
    for args in (["--mem", "much", "--", "exit"], ["--smp", "0", "--", "exit"], ["--timeout", "-1", "--", "exit"],
                 ["--timeout", "nan", "--", "exit"], ["--layout", "../x", "--", "exit"], ["--sausage", "--", "exit"],
                 ["exit", "0"], ["--"], [], ["--", ""], ["--append", "a -- b", "--", "exit"],
                 ["--add", "/no/such/file", "--", "exit"], ["--log", "/no/such/place/log", "--", "exit"],
                 ["--time", "3", "--", "exit"], ["--mem"], ["--uefi", "--", "exit"], ["--iso", "/no/such.iso", "--", "exit"],
                 ["--iso", "tools/run", "--add", "tools/run", "--", "exit"],
                 ["--iso", "tools/run", "--", "./tools/launcher/status.t"]):
        done = tree.run(*args)
        same(done.returncode, 125, args)
        holds(done.stderr.startswith(b"tools/run: ") and done.stderr.count(b"\n") == 1, "one line: %r" % done.stderr)


def help_text(tree):
    """--help lists every option and status and is status 0"""
    done = tree.run("--help")
    same((done.returncode, done.stderr), (0, b""), "status")
    for word in b"--layout --mem --smp --icount --timeout --append --add --iso --uefi --log 124 125 126 128+N Ctrl-A".split():
        holds(word in done.stdout, "%r is there" % word)


main([program_status, signals, told_signals, hidden_dashes, bad_environment, little_memory, unread_help,
      poweroff, panic, triple_fault, deaths, timeout, lingering, qemu_fails, qemu_missing,
      nothing_built, damaged_initramfs, wrong_options, help_text])
