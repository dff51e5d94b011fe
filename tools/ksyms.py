#!/usr/bin/env python3
"""ksyms.py: the kernel's symbol table, for panics, as assembly source.

The kernel is linked twice. The first link has an empty .ksyms section; its symbols are listed by nm, this program
makes a table of the functions, and the second link puts it in. The section lies behind the text (linker.ld), so no
function moves between the two links.

    ld -o kernel.1.elf ...objects...
    nm -n kernel.1.elf | tools/ksyms.py >ksyms.S
    cc -c ksyms.S -o ksyms.o
    ld -o kernel.elf ...objects... ksyms.o
    nm -n kernel.elf | tools/ksyms.py --check ksyms.S      # status 1 if a function did move

Format of the section: kernel/core/symbols.c. Python 3's standard library only.
"""

import argparse
import sys

KERNEL_BASE = 0xFFFFFFFF80000000


def read_functions(lines):
    """Sorted (address, name) of the functions in nm's output; of several names for one address, the first."""
    functions = {}
    for line in lines:
        fields = line.split()
        if len(fields) != 3 or fields[1] not in "tTwW":
            continue
        address, name = int(fields[0], 16), fields[2]
        if address >= KERNEL_BASE and not name.startswith((".L", "kernel_text_")):
            functions.setdefault(address, name)
    return sorted(functions.items())


def make_source(functions):
    names_at = 4 + 8 * len(functions)
    entries, names, offset = [], [], names_at
    for address, name in functions:
        entries.append(f"        .long   {address & 0xFFFFFFFF:#010x}, {offset}")
        names.append(f'        .asciz  "{name}"')
        offset += len(name) + 1
    head = [
        "/* Made by tools/ksyms.py: do not edit. */",
        '        .section .ksyms, "a"',
        "        .balign 8",
        f"        .long   {len(functions)}",
    ]
    tail = ['        .section .note.GNU-stack, "", @progbits']
    return "\n".join(head + entries + names + tail) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", metavar="FILE", help="compare with FILE instead of printing")
    options = parser.parse_args()
    source = make_source(read_functions(sys.stdin))
    if not options.check:
        sys.stdout.write(source)
        return 0
    with open(options.check, encoding="ascii") as old:
        if old.read() != source:
            print(f"ksyms.py: functions moved: {options.check} is not the table of this kernel", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
