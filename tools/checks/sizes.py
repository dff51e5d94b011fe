#!/usr/bin/env python3
"""sizes.py [ROOT [--show]]: files stay under 450 lines, functions under 60, kernel/mm under 6,000, the reading path under 2,000.

A function is what lies between a line "{" and a line "}" in the first column. What is longer needs a
reason in exceptions.txt. The reading path is what a student has to read first: fault, mmap, munmap, walk
and the VMA store, with the headers of the last two.
"""
import re
import sys

import source

FILE_MAX, FUNCTION_MAX, MM_MAX, PATH_MAX = 450, 60, 6000, 2000
ENDINGS = (".c", ".h", ".S", ".py", ".sh", ".ld")
READING_PATH = ("fault.c", "mmap.c", "munmap.c", "walk.c", "zap.c", "vma.c", "vma_find.c", "vma.h", "pt.h")


def functions(text):
    """(name, number of lines) of each function of C text."""
    start, name = None, None
    lines = source.bare(text).split("\n")
    for number, line in enumerate(lines):
        if line.rstrip() == "{" and start is None:
            head = " ".join(lines[max(0, number - 4):number])
            names = re.findall(r"(\w+)\s*\(", re.split(r"[;}]", head)[-1])
            start, name = number, names[0] if names else "?"
        elif line.startswith("}") and start is not None:
            yield name, number - start + 1
            start = None


def count(root, path):
    return source.read(root, path).count("\n")


def main(argv):
    root = argv[1] if len(argv) > 1 else "."
    allowed = source.exceptions("size")
    problems = []
    for path in source.files(root, *ENDINGS):
        text = source.read(root, path)
        if count(root, path) > FILE_MAX and path not in allowed:
            problems.append("%s has %d lines, more than %d" % (path, count(root, path), FILE_MAX))
        if path.endswith(".c"):
            problems += ["%s: %s has %d lines, more than %d" % (path, name, length, FUNCTION_MAX)
                         for name, length in functions(text)
                         if length > FUNCTION_MAX and "%s:%s" % (path, name) not in allowed]
    mm = source.files(root, ".c", ".h", ".S", below=("kernel/mm",))
    reading = [p for p in mm if p[len("kernel/mm/"):] in READING_PATH]
    for what, paths, most in (("kernel/mm", mm, MM_MAX), ("the reading path", reading, PATH_MAX)):
        total = sum(count(root, path) for path in paths)
        if total > most:
            problems.append("%s has %d lines, more than %d" % (what, total, most))
        if "--show" in argv:
            print("%s: %d lines of at most %d" % (what, total, most))
    source.finish(problems)


if __name__ == "__main__":
    main(sys.argv)
