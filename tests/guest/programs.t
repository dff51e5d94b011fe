#!/usr/bin/env python3
"""programs.t: ordinary programs: three C libraries' start, arguments, standard input and output byte for byte."""
import os
import random
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

tap = suite.Tap()
PAGE = 4096


def run(what, want, name, *arguments, **options):
    got = suite.in_fathom([suite.program(name), *arguments], **options)
    tap.ok(got == want, what, f"wanted {want}", f"got {got}")


for hello in ("hello", "hello-pie", "hello-musl"):
    if hello == "hello-musl" and not shutil.which("musl-gcc"):
        tap.skip(f"{hello} says hello", "no musl-gcc here")
    else:
        run(f"{hello} says hello", (0, b"hello, world\n", b""), hello)
run("true: status 0", (0, b"", b""), "true")
run("false: status 1", (1, b"", b""), "false")
run("all 256 bytes on both outputs", (0, bytes(range(256)), bytes(reversed(range(256)))), "bytes")

run("no input", (0, b"", b"0 bytes\n"), "echo")
for n in (1, 1023, 1024, 1025, 2048, 50000):
    data = random.Random(n).randbytes(n)
    run(f"{n} bytes of input", (0, data, b"%d bytes\n" % n), "echo", stdin=data)

words = ["plain", "two words", 'quote"inside', "back\\slash", "", "--", "tab\there", "'single'"]
status, out, err = suite.in_fathom([suite.program("args"), *words])
text = out.decode()
lines = text.split("\n")
tap.ok(status == 0, "the stack is aligned at entry", f"status {status}", err)
for i, word in enumerate(words):
    tap.ok(f"argv[{i + 1}] {word}" in lines, f"argument {i + 1}: {word!r}", text)
tap.ok(f"argc {len(words) + 1}" in lines, "argc", text)
tap.ok(bool(re.search(r"^argv\[0\] /.*args$", text, re.M)), "argv[0] is the path", text)
tap.ok("env PATH=/bin" in lines and "env HOME=/" in lines, "PATH and HOME", text)
aux = dict(map(int, line.split()[1:]) for line in lines if line.startswith("aux "))
tap.ok(aux.get(6) == PAGE, "AT_PAGESZ", aux)
for number, name in {3: "AT_PHDR", 4: "AT_PHENT", 5: "AT_PHNUM", 9: "AT_ENTRY", 25: "AT_RANDOM",
                     31: "AT_EXECFN"}.items():
    tap.ok(aux.get(number, 0) > 0, name, aux)
for number, name in {11: "AT_UID", 12: "AT_EUID", 13: "AT_GID", 14: "AT_EGID", 23: "AT_SECURE"}.items():
    tap.ok(aux.get(number) == 0, f"{name} is 0", aux)
tap.done()
