#!/usr/bin/env python3
"""No process, terminal mode or file outlives the launcher, however it ends."""
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

from tap import holds, main, processes_with, same


def gone(pid, seconds=5):
    """Whether the process ends within the time; a zombie that nobody has waited for counts as gone."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open("/proc/%d/stat" % pid) as f:
                if f.read().rpartition(")")[2].split()[0] in "ZX":
                    return True
        except OSError:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return True
        time.sleep(0.02)
    return False


def start_hanging(tree, **more):
    """A launcher whose guest hangs, and the process number of its QEMU."""
    run = tree.start("--", "hang", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    return run, int(run.stdout.readline())


def check_signal(tree, number):
    run, child = start_hanging(tree)
    run.send_signal(number)
    same(run.wait(10), -number, "how it ended")
    holds(gone(child), "QEMU is gone")
    same(run.stderr.read(), b"", "stderr")
    run.stdout.close(), run.stderr.close()


def polite_signals(tree):
    """SIGTERM, SIGINT, SIGHUP and SIGQUIT take QEMU along"""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        check_signal(tree, number)


def force(tree):
    """kill -9 takes QEMU along, and leaves no file"""
    check_signal(tree, signal.SIGKILL)


def caught(pid):
    """The set of signals that a process catches, as a number."""
    with open("/proc/%d/status" % pid) as f:
        return int([line for line in f if line.startswith("SigCgt")][0].split()[1], 16)


def early_interrupt(tree):
    """a Ctrl-C at any moment after Python's own start ends in that signal, without a traceback"""
    interrupt, term = 1 << (signal.SIGINT - 1), 1 << (signal.SIGTERM - 1)
    for delay in (0.0, 0.01, 0.03, 0.06, 0.1, 0.2):
        run = tree.start("--", "silent", "30", stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        seen = 0
        while not seen & interrupt or (caught(run.pid) & (interrupt | term)) == interrupt:
            seen |= caught(run.pid)
        time.sleep(delay)
        run.send_signal(signal.SIGINT)
        same((run.wait(10), run.stderr.read()), (-signal.SIGINT, b""), "the end after %s s" % delay)
        run.stderr.close()
    same(processes_with(tree.root), [], "processes of this tree")
    same(tree.run("--", "exit", "4").returncode, 4, "the next run")


def nohup(tree):
    """a signal that is ignored stays ignored"""
    run, child = start_hanging(tree, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    run.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    same(run.poll(), None, "it runs on")
    run.terminate()
    run.wait(10)
    holds(gone(child), "QEMU is gone")
    run.stdout.close(), run.stderr.close()


def group(tree):
    """a Ctrl-C for the whole process group is the launcher's to handle, not QEMU's"""
    run, child = start_hanging(tree, preexec_fn=os.setpgrp)
    same(os.getsid(child), child, "QEMU has a session of its own")
    os.killpg(run.pid, signal.SIGINT)
    same(run.wait(10), -signal.SIGINT, "how it ended")
    holds(gone(child), "QEMU is gone")
    run.stdout.close(), run.stderr.close()


def early_force(tree):
    """kill -9 at any moment of the start leaves no QEMU; the next run sweeps the files"""
    for delay in (0.0, 0.05, 0.1, 0.2, 0.3):
        run = tree.start("--", "silent", "30", stdin=subprocess.DEVNULL)
        time.sleep(delay)
        run.kill()
        run.wait()
    time.sleep(0.5)
    same(processes_with(tree.root), [], "processes of this tree")
    same(tree.run("--", "exit", "4").returncode, 4, "the next run")


def in_terminal(tree, keys, *command):
    """Run in a new terminal, send keys when the guest is ready: (wait status, output, settings before and after)."""
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update(tree.environment)
        os.execv(command[0], command)
    before = termios.tcgetattr(master)
    output = b""
    while select.select([master], [], [], 10)[0]:
        try:
            data = os.read(master, 1000)
        except OSError:
            break
        output += data
        if b"ready" in output and keys:
            time.sleep(0.1)
            os.write(master, keys)
            keys = b""
    status = os.waitpid(pid, 0)[1]
    try:
        after = termios.tcgetattr(master)
    except termios.error:
        after = None
    os.close(master)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -status, output, before, after


# The shell outlives the launcher, so that the terminal can be looked at afterwards.
SHELL = '"$0" -- "$@"; s=$?; stty -a | grep -c -- "-icanon"; exit $s'


def terminal(tree):
    """in a terminal the guest gets the keys, Ctrl-C too, and the terminal is restored"""
    status, output, _, _ = in_terminal(tree, b"\x03\x01\x01ab\r", "/bin/sh", "-c", SHELL, tree.run_path, "terminal")
    same(status, 0, "status")
    holds(b"got \x03\x01ab\r\r\n" in output, "the keys as typed in %r" % output)
    holds(output.endswith(b"0\r\n"), "the terminal is as it was: %r" % output)


def leaving(tree):
    """Ctrl-A x leaves with status 0, and the terminal is restored"""
    status, output, _, _ = in_terminal(tree, b"\x01x", "/bin/sh", "-c", SHELL, tree.run_path, "terminal")
    same(status, 0, "status")
    holds(b"got" not in output, "nothing of it reaches the guest")
    holds(output.endswith(b"0\r\n"), "the terminal is as it was: %r" % output)


def stderr_apart(tree):
    """with 2>FILE in a terminal the outputs are apart: no console"""
    path = os.path.join(tree.base, "errors")
    _, output, _, _ = in_terminal(tree, b"", "/bin/sh", "-c", '"$0" -- bytes 2>"$1"', tree.run_path, path)
    with open(path, "rb") as f:
        same(f.read(), bytes(range(256))[::-1], "the file")
    holds(b"\x00\x01\x02" in output, "the terminal: %r" % output)


def lost_terminal(tree):
    """a terminal that has gone by the end is no error"""
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update(tree.environment)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.execv("/bin/sh", ["/bin/sh", "-c", '"$0" -- terminal; echo $? >"$1"', tree.run_path, os.path.join(tree.base, "status")])
    output = b""
    while b"ready" not in output:
        output += os.read(master, 1000)
    os.close(master)
    os.waitpid(pid, 0)
    with open(os.path.join(tree.base, "status")) as f:
        same(f.read(), "0\n", "status")


def terminal_and_signal(tree):
    """SIGTERM in console mode restores the terminal"""
    script = '"$0" -- terminal & s=$!; sleep 1; kill $s; wait $s; stty -a | grep -c -- "-icanon"'
    _, output, _, _ = in_terminal(tree, b"", "/bin/sh", "-mc", "trap '' TTOU; " + script.replace('"$0"', 'trap "" TTOU TTIN; "$0"'),
                                  tree.run_path)
    holds(output.endswith(b"0\r\n"), "the terminal is as it was: %r" % output)


if not sys.platform.startswith("linux"):
    print("1..0 # SKIP looks into /proc")
    sys.exit(0)
main([polite_signals, force, nohup, group, early_force, early_interrupt, terminal, leaving, stderr_apart, lost_terminal, terminal_and_signal])
