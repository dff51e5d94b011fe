#!/usr/bin/env python3
"""The launcher with the real QEMU and the real kernel: how runs end, and what a machine that is not right says."""
import os
import pty
import re
import select
import socket
import subprocess
import sys
import time

from tap import children_of, ROOT, Checkout, holds, main, same
import cpio

PROGRAMS = os.path.join(ROOT, "build", "user", "tests")
LIMIT = ("--timeout", "60")


def guest(name):
    return os.path.join(PROGRAMS, name)


def statuses(tree):
    """0, 1, 77, and 139 for a SIGSEGV"""
    for command, status in ((("true",), 0), (("false",), 1), (("guest", "exit-77"), 77), (("guest", "die-segv-null"), 139)):
        done = tree.run(*LIMIT, "--", guest(command[0]), *command[1:])
        same(done.returncode, status, command)


def streams(tree):
    """all 256 bytes on both outputs, 100 KiB of input, 1 MiB of output"""
    done = tree.run(*LIMIT, "--", guest("bytes"))
    same((done.returncode, done.stdout, done.stderr), (0, bytes(range(256)), bytes(range(256))[::-1]), "bytes")
    data = os.urandom(100 * 1024)
    done = tree.run(*LIMIT, "--", guest("echo"), input=data)
    same((done.returncode, done.stdout == data), (0, True), "input")
    data = os.urandom(1024 * 1024)
    done = tree.run(*LIMIT, "--", guest("echo"), input=data)
    same((done.returncode, done.stdout == data), (0, True), "output")


def panics(tree):
    """each way to break the kernel ends in 126, a message and a backtrace with names"""
    for word, text in (("assert", "zero == 1"), ("null", "panic"), ("stack", "stack overflow"), ("divide", "panic"),
                       ("text", "panic"), ("exec", "panic"), ("live", "live")):
        done = tree.run(*LIMIT, "--append", "debug.crash=" + word, "--", "init")
        same((done.returncode, done.stdout), (126, b""), word)
        said = done.stderr.decode()
        holds("the kernel panicked: " in said.split("\n")[0] and text in said, "%s is told: %s" % (word, said))
        holds(re.search(r"#\d+ +crash_\w+\+0x", said) or re.search(r"#\d+ +check_table\+0x", said), "names: %s" % said)


def timeout(tree):
    """124 when the program waits for ever"""
    read_end, write_end = os.pipe()
    done = tree.run("--timeout", "2", "--", guest("echo"), stdin=read_end)
    same(done.returncode, 124, "status")
    os.close(read_end), os.close(write_end)


def machines_that_cannot(tree):
    """too little memory, or a CPU that lacks what is needed: it says so and stops"""
    done = tree.run(*LIMIT, "--mem", "32M", "--", "init")
    same(done.returncode, 126, "status with 32 MiB")
    holds(b"64 MiB" in done.stderr, "memory is named: %r" % done.stderr)
    done = tree.run(*LIMIT, "--", "init", env={"FATHOM_QEMU_ARGS": "-cpu qemu32"})
    same(done.returncode, 126, "status with a 32-bit CPU")
    holds(b"CPU" in done.stderr, "the CPU is named: %r" % done.stderr)
    same(tree.run(*LIMIT, "--mem", "64M", "--", guest("true")).returncode, 0, "64 MiB are enough")
    done = tree.run(*LIMIT, "--", guest("true"), env={"FATHOM_QEMU_ARGS": "-cpu qemu64"})
    same(done.returncode, 0, "without SMEP, SMAP and UMIP it runs")


def damaged_initramfs(tree):
    """a damaged initramfs is refused with the offset, by the kernel too"""
    good = os.path.join(ROOT, "build", "initramfs.cpio")
    bad = os.path.join(tree.base, "bad.cpio")
    with open(good, "rb") as f:
        data = f.read()
    with open(bad, "wb") as f:
        f.write(b"sausage" + data[7:])
    done = tree.run(*LIMIT, "--", "init", env={"FATHOM_QEMU_ARGS": "-initrd '%s'" % bad})
    same(done.returncode, 126, "status")
    holds(b"offset" in done.stderr, "the offset is named: %r" % done.stderr)


def options(tree):
    """an unknown option is reported in the log, a bad value with the good ones, and strace=1 logs system calls"""
    log = os.path.join(tree.base, "log")
    done = tree.run(*LIMIT, "--log", log, "--append", "sausage=1 vm.zap=never strace=1", "--", guest("true"))
    same(done.returncode, 0, "status")
    with open(log) as f:
        text = f.read()
    holds("sausage" in text, "the unknown option: %s" % text)
    holds(re.search(r"vm\.zap.*(work.*block|block.*work)", text), "the values of vm.zap: %s" % text)
    holds("exit_group(0)" in text, "the system calls: %s" % text)


def arguments(tree):
    """arguments of any bytes and beyond any command line; those after "--" for who has no launcher; no file is left"""
    words = [b"", b"two words", b'a\\"b', b"\n", b"\xff\xfe", b"x" * 131071, b"y" * 100000, b"z" * 100000]
    done = tree.run(*LIMIT, "--", guest("args"), *[os.fsdecode(w) for w in words])
    same(done.returncode, 0, "status")
    holds(done.stdout.startswith(b"argc %d\n" % (len(words) + 1)), "their number: %.40r" % done.stdout)
    for number, word in enumerate(words, 1):
        holds(b"\nargv[%d] %s\n" % (number, word) in done.stdout, "argument %d" % number)
    done = tree.run(*LIMIT, "--append", "a=b", "--", guest("args"), env={"FATHOM_QEMU_ARGS":
                    "-append 'stdio=link init=/bin/args -- one \"t wo\"'"})
    holds(b"\nargv[1] one\nargv[2] t wo\nenv" in done.stdout, "after the dashes: %.200r" % done.stdout)
    done = tree.run(*LIMIT, "--append", "init=/init.args", "--", guest("args"), "an argument")
    holds(b"/init.args: ENOENT" in done.stderr, "the file is gone: %r" % done.stderr)


def cut_command_line(tree):
    """a command line that QEMU may have cut is told in the log; the longest that the launcher allows is whole"""
    log = os.path.join(tree.base, "log")
    room = 4095 - len("stdio=link init=/bin/true ")
    text = ("x" * 100 + " ") * 50
    done = tree.run(*LIMIT, "--log", log, "--append", text[:room - 5] + " last", "--", guest("true"))
    with open(log) as f:
        said = f.read()
    holds(done.returncode == 0 and "unknown option last\n" in said and "may be cut" not in said, "the longest: %s" % said)
    done = tree.run(*LIMIT, "--log", log, "--", guest("true"),
                    env={"FATHOM_QEMU_ARGS": "-append 'stdio=link init=/bin/true %s'" % text[:4070]})
    with open(log) as f:
        said = f.read()
    holds("may be cut" in said, "one byte more: %s" % said)


def refused_words(tree):
    """stdio= and strace= with a word that is none are told with those that are"""
    log = os.path.join(tree.base, "log")
    tree.run(*LIMIT, "--log", log, "--append", "stdio=junk stdio=link strace=junk", "--", guest("true"))
    with open(log) as f:
        said = f.read()
    holds("stdio=junk refused: give one of: console link" in said, "stdio: %s" % said)
    holds("strace=junk refused: give one of: 0 1" in said, "strace: %s" % said)


def out_of_memory(tree):
    """a program that the kernel ended for lack of memory is told, with status 137"""
    done = tree.run(*LIMIT, "--mem", "64M", "--", guest("guest"), "oom")
    same((done.returncode, done.stderr), (137, b"tools/run: the kernel ended /bin/guest: out of memory\n"), "the end")


def replaced(tree):
    """a later archive's file replaces a file, and a link, too"""
    made = os.path.join(tree.base, "made")
    with open(made, "wb") as f:
        for add in (lambda a: a.add_link("/bin/true", "/nowhere"), lambda a: a.add_file("/bin/true", guest("true"))):
            archive = cpio.Archive()
            add(archive)
            f.write(archive.to_bytes())
    done = tree.run(*LIMIT, "--", guest("true"), env={"FATHOM_QEMU_ARGS": "-initrd '%s'" % made})
    same((done.returncode, done.stderr), (0, b""), "a link")
    done = tree.run(*LIMIT, "--add", guest("true") + ":/bin/holt2005", "--", "holt2005")
    same((done.returncode, done.stdout), (0, b""), "a file")


def same_every_time(tree):
    """with --icount two runs are alike to the nanosecond"""
    logs = []
    for n in (1, 2):
        log = os.path.join(tree.base, "log%d" % n)
        same(tree.run(*LIMIT, "--icount", "--log", log, "--append", "strace=1", "--", guest("true")).returncode, 0, "status")
        with open(log) as f:
            logs.append(f.read())
    same(logs[0], logs[1], "the logs")


def no_orphan(tree):
    """kill -9 of the launcher takes the real QEMU along"""
    run = tree.start("--", guest("echo"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    run.stdin.write(b"x")
    run.stdin.flush()
    same(run.stdout.read(1), b"x", "it runs")
    children = children_of(run.pid)
    same(len(children), 1, "children")
    run.kill()
    run.wait()
    end = time.monotonic() + 5
    while os.path.exists("/proc/%d/exe" % children[0]) and time.monotonic() < end:
        try:
            os.readlink("/proc/%d/exe" % children[0])
        except OSError:
            break
        time.sleep(0.05)
    else:
        holds(time.monotonic() < end, "QEMU is gone")
    run.stdin.close(), run.stdout.close()


def console(tree):
    """in a terminal: lines are echoed and edited, Ctrl-A x leaves"""
    pid, master = pty.fork()
    if pid == 0:
        os.execve(tree.run_path, [tree.run_path, "--", guest("echo")], tree.environment)
    output, sent = b"", 0
    keys = [(0.0, b"hallo\x7f\r"), (0.5, b"\x01x")]
    end = time.monotonic() + 30
    next_key = time.monotonic() + 2
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                data = os.read(master, 1000)
            except OSError:
                break
            if not data:
                break
            output += data
        if sent < len(keys) and time.monotonic() > next_key:
            os.write(master, keys[sent][1])
            sent, next_key = sent + 1, time.monotonic() + 2
    os.close(master)
    status = os.waitpid(pid, 0)[1]
    same(os.WEXITSTATUS(status), 0, "status, with %r" % output)
    holds(output.count(b"hall\r\n") == 1, "what the program got and wrote: %r" % output)


def debugger(tree):
    """--gdb waits for gdb on a socket, which is gone afterwards"""
    path = os.path.join(tree.base, "a, gdb socket")
    run = tree.start("--gdb", path, "--", guest("true"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 10
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.05)
    gdb = socket.socket(socket.AF_UNIX)
    gdb.settimeout(10)
    gdb.connect(path)
    gdb.sendall(b"+$?#3f")
    holds(gdb.recv(100).startswith(b"+"), "the stub answers")
    same(run.poll(), None, "the machine waits")
    gdb.sendall(b"$D#44")
    same(run.wait(30), 0, "status after gdb has left")
    gdb.close()
    holds(not os.path.exists(path), "the socket is gone")


def make_run(tree):
    """make run BOOT=pvh without a terminal shows the mail's table and ends with status 0"""
    done = subprocess.run(["make", "-s", "run", "BOOT=pvh"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=300)
    same(done.returncode, 0, "status")
    holds(b"536,870,816" in done.stdout, "the table: %r" % done.stdout)


if not os.path.exists(os.path.join(ROOT, "build", "x86_64", "fathom.elf")):
    print("1..0 # SKIP there is no kernel: run make first")
    sys.exit(0)
main([statuses, streams, panics, timeout, machines_that_cannot, damaged_initramfs, options, arguments,
      cut_command_line, refused_words, out_of_memory, replaced, same_every_time, no_orphan,
      console, debugger, make_run], Checkout)
