#!/usr/bin/env python3
"""initramfs.t: a machine with a damaged initramfs, or one that does not fit, says where and what, and ends."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import machine
import suite

tap = suite.Tap()
good = machine.archive({"/bin/hello": suite.program("hello")})
trailer = good.index(b"TRAILER!!!") - 110


def check(what, initramfs, record, command_line="init=/bin/hello", mem="128M"):
    with machine.Machine(initramfs, command_line, mem) as m:
        got = m.result()
        tap.ok(got.startswith(record), what, got, m.text("log"))


check("a good one", good, "exit 0\n")
check("two, with zeroes between them", good + bytes(512) + good, "exit 0\n")
check("cut in a file", good[:trailer - 5000], "panic initramfs damaged at offset ")
check("cut in the trailer's header", good[:trailer + 50],
      f"panic initramfs damaged at offset {trailer}: the archive ends inside a header\n")
check("without a trailer", good[:trailer], f"panic initramfs damaged at offset {trailer}: ")
check("a bad magic number", b"x" + good[1:], "panic initramfs damaged at offset 0: ")
check("a bad digit", good[:60] + b"?" + good[61:], "panic initramfs damaged at offset 60: ")
check("rubbish behind it", good + b"rubbish", f"panic initramfs damaged at offset {len(good)}: ")
check("no first program", good, "panic cannot run the first program /bin/none: ENOENT\n", "init=/bin/none")
with tempfile.NamedTemporaryFile() as big:
    big.truncate(80 << 20)
    check("more than fits", machine.archive({"/big": big.name}), "panic initramfs needs more memory: ", mem="140M")
tap.done()
