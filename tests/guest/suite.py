"""suite.py: how the guest tests' .t scripts run programs in Fathom, or on this Linux, and pass their results on.

A script runs one suite once for each choice of knobs. The suite prints TAP of its own; here its checks are numbered anew and
named after the choice, and one more check for each run says that it ended as it should: with status 0 and a plan that
fits. The programs are built when they are missing, so that a script runs by itself.
"""

import os
import platform
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(TOP, "build", "user", "tests")
RUN = os.path.join(TOP, "tools", "run")
WAYS = [f"vm.zap={zap} vm.find={find}" for zap in ("work", "block") for find in ("gap", "list")]


class Tap:
    """Numbers checks and prints the plan at the end."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, good, what, *notes):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}")
        if not good:  # prove shows standard error only
            for line in (f"failed: {what}", *(line for note in notes for line in str(note).splitlines())):
                print(f"# {line}", file=sys.stderr)
        sys.stdout.flush()

    def skip(self, what, why):
        self.count += 1
        print(f"ok {self.count} - {what} # SKIP {why}")

    def done(self):
        print(f"1..{self.count}")
        sys.exit(self.failed != 0)


def program(name):
    """The path of a test program; made if it is not there."""
    path = os.path.join(PROGRAMS, name)
    if not os.path.exists(path):
        subprocess.run(["make", "-s", "-C", TOP, f"build/user/tests/{name}"], stdout=2, check=True)
    return path


def in_fathom(arguments, append="", timeout=120, mem=None, stdin=b"", add=()):
    """Run a program by the launcher. Returns status, standard output, standard error (bytes)."""
    command = [RUN, "--timeout", str(timeout), "--layout", os.environ.get("LAYOUT", "x86_64")]
    if append:
        command += ["--append", append]
    if mem:
        command += ["--mem", mem]
    for name in add:
        command += ["--add", name]
    done = subprocess.run(command + ["--"] + arguments, input=stdin, capture_output=True,
                          cwd=TOP, timeout=timeout + 60)
    return done.returncode, done.stdout, done.stderr


def on_linux(arguments, timeout=120, stdin=b""):
    """Run a program on this machine; a signal is 128 + its number, as the launcher tells it."""
    done = subprocess.run(arguments, input=stdin, capture_output=True, timeout=timeout)
    status = done.returncode
    return 128 - status if status < 0 else status, done.stdout, done.stderr


def is_amd64_linux():
    return platform.system() == "Linux" and platform.machine() == "x86_64"


def pass_on(tap, label, status, out, err):
    """Pass the checks of a suite's TAP on, under a label."""
    seen, plan, failed = 0, None, False
    for line in out.decode("utf-8", "replace").splitlines():
        check = re.match(r"(not ok|ok) \d+(?: - )?(.*)", line)
        if re.match(r"1\.\.\d+$", line):
            plan = int(line[3:])
        elif check:
            seen += 1
            failed |= check.group(1) == "not ok"
            tap.ok(check.group(1) == "ok", f"{label}: {check.group(2).strip()}")
        else:
            print(line if line.startswith("#") else f"# {line}", file=sys.stderr if failed else sys.stdout)
    good = plan == seen and seen > 0 and status == failed
    tap.ok(good, f"{label}: ends well", f"status {status}, plan {plan}, checks {seen}",
           err.decode("utf-8", "replace")[-4000:])


def run_suite(name, appends=("",), timeout=120, mem=None, seeds=("",)):
    """The whole of a .t script for one suite."""
    tap = Tap()
    for append in appends:
        for seed in seeds:
            arguments = [program("guest"), name] + ([str(seed)] if seed != "" else [])
            label = " ".join(filter(None, [name, str(seed), append]))
            try:
                result = in_fathom(arguments, append, timeout, mem)
            except subprocess.TimeoutExpired:
                tap.ok(False, f"{label}: the launcher does not end")
                continue
            pass_on(tap, label, *result)
    tap.done()


# How each command of die.c has to end, in Fathom and on Linux.
DEATHS = {
    "die-segv-null": 139, "die-segv-null-write": 139, "die-write-ro": 139, "die-write-text": 139,
    "die-write-protected": 139, "die-read-none": 139, "die-exec-nx": 139,
    "die-exec-protected": 139, "die-after-munmap": 139, "die-bus-eof": 135, "die-bus-cut": 135,
    "die-kernel-addr": 139, "die-kernel-write": 139, "die-kernel-exec": 139,
    "die-noncanonical": 139, "die-noncanonical-exec": 139, "die-last-page": 139, "die-ill": 132, "die-term": 143, "die-kill": 137,
    "die-fpe": 136, "die-privileged": 139, "die-port": 139, "die-trap": 133, "die-int": 139,
    "die-bad-stack": 139, "die-no-stack": 139, "die-stack-overflow": 139, "die-abort": 134,
    "die-far-kernel": 139, "die-far-no-stack": 139, "die-iret": 139, "far-return": 57, "far-return-untouched": 59, "iret": 58,
    "flags": 55, "exit-0": 0, "exit-77": 77, "exit-259": 3, "exit-thread": 9, "exec-good": 42,
}
