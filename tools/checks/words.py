#!/usr/bin/env python3
"""words.py [ROOT]: words that do not belong.

    everywhere          marks of unfinished work; blanks at the end of a line, tabs outside Makefiles and assembly
    outside kernel/x86  assembly
    kernel/mm           4096, 512 and the like: the geometry of the page tables is in kernel/mm/layout alone
"""
import re
import sys

import source

# Written apart, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK|W" r"IP)\b")
ASSEMBLY = re.compile(r"\b(__asm__|asm)\b")
GEOMETRY = re.compile(r"\b(4096|512|0xfff|0x1000|0xfffUL?|~0xfff)[uUlL]*\b")
ENDINGS = (".c", ".h", ".S", ".py", ".sh", ".ld", ".t", ".mk", ".txt")


def problems_of(path, text):
    code = source.bare(text) if path.endswith((".c", ".h", ".S")) else text
    machine = path.startswith(("kernel/x86/", "boot/"))
    for number, (line, stripped) in enumerate(zip(text.split("\n"), code.split("\n")), 1):
        at = "%s:%d: " % (path, number)
        if UNFINISHED.search(line):
            yield at + "unfinished: " + line.strip()
        if line != line.rstrip():
            yield at + "blanks at the end of the line"
        if path.endswith((".c", ".h")) and "\t" in line:
            yield at + "a tab"
        if not path.startswith(("kernel/", "lib/", "boot/")) or machine:
            continue
        if ASSEMBLY.search(stripped):
            yield at + "assembly outside kernel/x86: " + line.strip()
        if path.startswith("kernel/mm/") and not path.startswith("kernel/mm/layout/") \
                and "PATH" not in stripped and GEOMETRY.search(stripped):
            yield at + "a number of the layout's: " + line.strip()


def main(argv):
    root = argv[1] if len(argv) > 1 else "."
    allowed = source.exceptions("word")
    source.finish([problem for path in source.files(root, *ENDINGS) if path not in allowed
                   for problem in problems_of(path, source.read(root, path))])


if __name__ == "__main__":
    main(sys.argv)
