#!/usr/bin/env python3
"""originals.t: programs with the system calls of the mails' own run to their end, and end there as they should.

With FATHOM_LONG, Shutemov's is as long as in the mail: 4 GiB, ten times. With FATHOM_MAILS=DIR, the program texts are taken
from the mails in that directory (*.txt), compiled as they are, and run, too.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

PAGE, START, LIMIT = 4096, 0x70000000, 65530
MANY = "vm.max_map_count=1100000"
LONG = os.environ.get("FATHOM_LONG")
tap = suite.Tap()
scratch = tempfile.TemporaryDirectory()
data = os.path.join(scratch.name, "test.dat")
with open(data, "wb") as file:
    file.write(bytes(PAGE))


def epler_ends(what, status, out, err):
    """Every 10,000 maps a line, then ENOMEM (12), after limit + 1 - the program's own maps."""
    text = out.decode()
    failed = re.search(r"^Failed 0x([0-9a-f]+) 12$", text, re.M)
    tap.ok(status < 128 and failed and not err, f"{what}: ends with ENOMEM", status, text, err)
    maps = (START - int(failed.group(1), 16)) // PAGE - 1 if failed else 0
    own = LIMIT + 1 - maps
    tap.ok(4 <= own <= 30, f"{what}: at the limit of {LIMIT} maps, not at a library", f"{maps} maps, {own} others")
    tap.ok(re.findall(r"^ (\d+)  Time: \d+$", text, re.M) == [str(n * 10000) for n in range(1, 7)],
           f"{what}: a line for every 10,000", text)


def run_holt(what, path):
    result = suite.in_fathom([path])
    tap.ok(result == (0, b"", b""), f"{what}: ends well, without a word", result)


def run_epler(what, path):
    epler_ends(what, *suite.in_fathom([path], timeout=240, add=[data + ":/test.dat"]))


def run_shutemov(what, path, mib, timeout):
    mem = f"{mib * 3 // 2 if mib >= 4096 else 512}M"
    result = suite.in_fathom([path], append=MANY, mem=mem, timeout=timeout)
    tap.ok(result == (0, b"", b""), f"{what}: {mib} MiB to the end", result)


def from_mail(path):
    """The program in a mail: from its first preprocessor line to the brace that closes main."""
    lines = open(path, encoding="utf-8", errors="replace").read().split("\n")
    first = next(i for i, line in enumerate(lines) if re.match(r"\s*#(include|define)\b", line))
    indent = re.match(r"\s*", lines[first]).group()
    last = next(i for i in range(first, len(lines)) if lines[i] == indent + "}")
    return "\n".join(lines[first:last + 1]) + "\n"


def compiled(path):
    source = os.path.join(scratch.name, os.path.basename(path) + ".c")
    program = source[:-2]
    with open(source, "w") as file:
        file.write(from_mail(path))
    subprocess.run([os.environ.get("USER_CC", "gcc"), "-std=gnu89", "-w", "-O2", "-static", "-o", program, source], check=True)
    return program


run_holt("holt", suite.program("holt_original"))
run_epler("epler", suite.program("epler_original"))
run_shutemov("shutemov", suite.program("shutemov_original"), 64, 240)
if LONG:
    run_shutemov("shutemov", suite.program("shutemov_original_4096"), 4096, 3000)

mails = os.environ.get("FATHOM_MAILS")
for path in sorted(glob.glob(os.path.join(mails, "*.txt"))) if mails else []:
    name, program = os.path.basename(path), compiled(path)
    if "holt" in name:
        run_holt(name, program)
    elif "epler" in name:
        run_epler(name, program)
    elif LONG:
        run_shutemov(name, program, 4096, 3000)
tap.done()
