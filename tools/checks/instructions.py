#!/usr/bin/env python3
"""instructions.py KERNEL OBJDUMP: the kernel uses no SSE, MMX or x87, and no red zone.

The floating-point state belongs to the running program and is switched only by the functions of STATE.
A red zone is memory below the stack pointer that a function uses without moving it; an interrupt would
overwrite it. So no instruction may touch memory below %rsp. The flags that the compiler wrote into the
debug information are looked at, too: they also cover what the disassembly does not show, a red zone by way
of the frame pointer. Only .text is looked at: what lies in .boot is 32-bit code and the boot's tables.
"""
import re
import subprocess
import sys

import source

STATE = re.compile(r"^(fpu|fx)_?\w*$")
REGISTER = re.compile(r"%(?:[xyz]mm\d+|mm\d+|st(?:\(\d\))?)\b")
X87 = re.compile(r"^(?:f(?!s)[a-z0-9]+|v?(?:ld|st)mxcsr|x(?:save|rstor)\w*|emms)$")
BELOW = re.compile(r"-0x[0-9a-f]+\(%rsp[,)]")
LABEL = re.compile(r"^[0-9a-f]+ <(.+)>:$")
FLAGS = ("-mno-red-zone", "-mgeneral-regs-only", "-mcmodel=kernel")


def disassemble(kernel, objdump):
    out = subprocess.run([objdump, "-d", "-j", ".text", "--no-show-raw-insn", kernel], stdout=subprocess.PIPE, check=True)
    return out.stdout.decode("utf-8", "replace").splitlines()


def look(lines):
    """Problems of a disassembly; also how many instructions were seen."""
    function, seen, problems = "?", 0, []
    for line in lines:
        label = LABEL.match(line)
        if label:
            function = label.group(1)
            continue
        parts = line.split("\t")
        if len(parts) < 2:
            continue
        seen += 1
        text = parts[-1].split("#")[0].strip()
        words = text.split(None, 1)
        name = words[0] if words else ""
        arguments = words[1] if len(words) > 1 else ""
        where = "%s: %s" % (function, text)
        if (REGISTER.search(arguments) or X87.match(name)) and not STATE.match(function):
            problems.append(where + ": touches the floating-point state")
        if BELOW.search(arguments) and not name.startswith("lea"):
            problems.append(where + ": uses memory below the stack pointer")
    return problems, seen


def producers(kernel, objdump):
    """Problems of the compiler's flags, as the debug information has them."""
    readelf = objdump[:-len("objdump")] + "readelf"
    out = subprocess.run([readelf, "--debug-dump=info", "--dwarf-depth=1", kernel], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=True).stdout.decode("utf-8", "replace")
    flags = [line for line in out.splitlines() if "DW_AT_producer" in line and "GNU C" in line]
    problems = ["compiled without %s: %s" % (flag, line.strip())
                for line in flags for flag in FLAGS if flag not in line]
    return problems or ([] if flags else ["the debug information names no compiler"])


def main(argv):
    kernel, objdump = argv[1], argv[2]
    problems, seen = look(disassemble(kernel, objdump))
    if seen < 100:
        problems.append("only %d instructions were found in %s" % (seen, kernel))
    source.finish(problems + producers(kernel, objdump))


if __name__ == "__main__":
    main(sys.argv)
