#!/usr/bin/env python3
"""words.py [ROOT]: words that do not belong.

    everywhere          marks of unfinished work; blanks at the end of a line, tabs outside Makefiles and assembly
    outside kernel/x86  assembly
    comments            names of files that there are not
    docs, README.md     a line that is only A_PLACE_HOLDER, for what was never put there
    kernel/mm           4096, 512 and the like: the geometry of the page tables is in kernel/mm/layout alone
"""
import os
import re
import sys

import source

# Written apart, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK|W" r"IP)\b")
ASSEMBLY = re.compile(r"\b(__asm__|asm)\b")
GEOMETRY = re.compile(r"\b(4096|512|0xfff|0x1000|0xfffUL?|~0xfff)[uUlL]*\b")
FILE_NAME = re.compile(r"[\w./-]*\w\.(?:c|h|S|py|t|sh|mk|ld|md)\b")
PLACEHOLDER = re.compile(r"^[A-Z]+_[A-Z_]+$")
ENDINGS = (".c", ".h", ".S", ".py", ".sh", ".ld", ".t", ".mk", ".txt")


def file_names(root):
    """All files below root, by their last name."""
    found = {}
    for place, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f != "build" and not f.startswith((".", "__"))]
        for name in names:
            found.setdefault(name, []).append(os.path.relpath(os.path.join(place, name), root))
    return found


def missing_files(path, text, there, foreign):
    """Comments of C and assembly that name a file by its path's end, where no file's path ends so."""
    for comment in re.finditer(r"/\*.*?\*/|//[^\n]*", text, re.DOTALL):
        for word in FILE_NAME.findall(comment.group(0)):
            if word not in foreign and not any(("/" + at).endswith("/" + word)
                                               for at in there.get(os.path.basename(word), ())):
                yield "%s: there is no file %s" % (path, word)


def placeholders(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if PLACEHOLDER.match(line):
            yield "%s:%d: something is still to be put here: %s" % (path, number, line)


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
    allowed, foreign, there = source.exceptions("word"), source.exceptions("foreign"), file_names(root)
    found = [problem for path in source.files(root, *ENDINGS) if path not in allowed
             for problem in problems_of(path, source.read(root, path))]
    for path in source.files(root, ".c", ".h", ".S"):
        found += missing_files(path, source.read(root, path), there, foreign)
    for path in source.files(root, ".md", below=("docs",)) + ["README.md"] * ("README.md" in there):
        found += placeholders(path, source.read(root, path))
    source.finish(found)


if __name__ == "__main__":
    main(sys.argv)
