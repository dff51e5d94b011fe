#!/usr/bin/env python3
"""layers.py [ROOT [OBJECTS NM]]: calls and includes go only rightwards.

    sys -> proc -> fs -> mm -> sched -> core -> x86 -> lib        dev -> fs, sched, core

Checked by the includes of all sources, and, when OBJECTS (the build directory of a kernel) is given, by
the symbols that each object takes from another room's: a declaration by hand gets past the includes.
Calls against the layers are those of kernel/core/upcall.h alone. Within mm, the store of the VMAs and the
walk of the page tables do not know each other. Programs share with the kernel only lib/abi.
"""
import fnmatch
import os
import re
import subprocess
import sys

import source

CHAIN = ["sys", "proc", "fs", "mm", "sched", "core", "x86", "lib"]
MAY_USE = {room: set(CHAIN[i:]) for i, room in enumerate(CHAIN)}
MAY_USE["dev"] = {"dev", "fs", "sched", "core", "x86", "lib"}
MAY_USE["boot"] = {"boot", "core", "x86", "lib"}
# The machine's own code reports to the core: it panics, logs and takes locks.
MAY_USE["x86"] |= {"core", "boot"}

STORE = ("kernel/mm/vma*",)
WALK = ("kernel/mm/pt*", "kernel/mm/walk*", "kernel/mm/zap*", "kernel/mm/gather*")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def room_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "kernel" and len(parts) > 2 else parts[0]


def like(path, patterns):
    return any(fnmatch.fnmatch(path, pattern) for pattern in patterns)


def excepted(path, header, allowed):
    return any(fnmatch.fnmatch(path + ">" + header, pattern) for pattern in allowed)


def check_include(path, header, allowed):
    """What is wrong with this include, or None."""
    here, there = room_of(path), room_of(header)
    if like(path, STORE) and like(header, WALK) or like(path, WALK) and like(header, STORE):
        return "the VMA store and the walk of the page tables do not know each other"
    if here in MAY_USE:
        if there not in MAY_USE[here] and not excepted(path, header, allowed):
            return "%s may not use %s" % (here, there)
    elif here == "user" and not header.startswith(("user/", "lib/abi/")):
        return "a program shares only lib/abi with the kernel"
    return None


def check_includes(root):
    allowed = source.exceptions("layer")
    problems = []
    for path in source.files(root, ".c", ".h", ".S", below=("boot", "lib", "kernel", "user")):
        for match in INCLUDE.finditer(source.read(root, path)):
            header = match.group(1)
            wrong = check_include(path, header, allowed)
            if "/" not in header or not os.path.exists(os.path.join(root, header)):
                wrong = "is not a path from the top of the checkout"
            if wrong:
                problems.append("%s includes %s: %s" % (path, header, wrong))
    return problems


def symbols(objects, nm):
    """For each source path: (names it defines, names it needs)."""
    found = {}
    for place, _, names in os.walk(objects):
        for name in names:
            path = os.path.relpath(os.path.join(place, name), objects)
            if name.endswith(".o") and room_of(path) in MAY_USE:
                out = subprocess.run([nm, os.path.join(place, name)], stdout=subprocess.PIPE, check=True).stdout.decode()
                entries = [line.split()[-2:] for line in out.splitlines()]
                found[path[:-2]] = ({n for kind, n in entries if kind.isupper() and kind not in "UC"},
                                    {n for kind, n in entries if kind in "Uw"})
    return found


def check_symbols(root, objects, nm):
    allowed = source.exceptions("layer")
    table = {path: both for path, both in symbols(objects, nm).items() if os.path.exists(os.path.join(root, path))}
    owner = {name: path for path, (defined, _) in table.items() for name in defined}
    problems = []
    for path, (_, needed) in sorted(table.items()):
        here = room_of(path)
        for name in sorted(needed):
            there = room_of(owner[name]) if name in owner else here
            if there in MAY_USE[here] or name.startswith("upcall_"):
                continue
            if excepted(path, owner[name], allowed):
                continue
            # An excepted include brings the functions of that header, whichever file defines them.
            headers = [h for h in INCLUDE.findall(source.read(root, path)) if room_of(h) == there]
            if not any(excepted(path, h, allowed) for h in headers):
                problems.append("%s uses %s of %s: %s may not use %s" % (path, name, owner[name], here, there))
    return problems


def main(argv):
    root = argv[1] if len(argv) > 1 else "."
    problems = check_includes(root)
    if len(argv) > 3:
        problems += check_symbols(root, argv[2], argv[3])
    source.finish(problems)


if __name__ == "__main__":
    main(sys.argv)
