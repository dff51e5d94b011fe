#!/usr/bin/env python3
"""What the machine is given: the program, its arguments, added files, QEMU's options."""
import os
import resource
import shutil
import stat
import struct
import sys

from tap import FAKE, holds, main, same
import cpio
from launcher import firmware

PT_LOAD, PT_INTERP = 1, 3


def make_elf(path, segment_type=PT_LOAD):
    """A static (or, with PT_INTERP, dynamic) x86-64 program of one program header."""
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x401000, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    with open(path, "wb") as f:
        f.write(header + struct.pack("<IIQQQQQQ", segment_type, 5, 0, 0x401000, 0, 120, 120, 4096))
    os.chmod(path, 0o644)


def guest_names(tree, *options):
    done = tree.run(*options, "--", "initramfs")
    same((done.returncode, done.stderr), (0, b""), "the run")
    return cpio.names(done.stdout)


def arguments(tree):
    """arguments arrive as they are: spaces, quotes, backslashes, nothing, dashes, UTF-8, bytes"""
    words = [b"one", b"two words", b"", b'"', b"\\", b'a\\"b', b"--", b"-x", b"vm.zap=block", b"\tt", b"\n", b"'", b"$HOME",
             "\u00e9\u20ac".encode(), b"\xff\xfe"]
    done = tree.run("--", "arguments", *[os.fsdecode(w) for w in words], env={"LC_ALL": "C.UTF-8"})
    same((done.returncode, done.stdout.split(b"\0")[:-1]), (0, words), "arguments")


def command_line(tree):
    """the kernel's command line is as its readers expect it"""
    done = tree.run("--append", "vm.zap=block", "--append", "strace=1 x=y", "--", "command", "a b")
    same(done.stdout, b"stdio=link init=/bin/command vm.zap=block strace=1 x=y", "command line")


def long_command_lines(tree):
    """what QEMU would cut off is 125; arguments are not part of it, up to Linux's limits"""
    room = 4095 - len("stdio=link init=/bin/command ")
    done = tree.run("--append", "x" * room, "--", "command")
    same((done.returncode, len(done.stdout)), (0, 4095), "the longest")
    done = tree.run("--append", "x" * (room + 1), "--", "command")
    same((done.returncode, done.stderr.count(b"\n")), (125, 1), "one more")
    holds(b"4095" in done.stderr, "the limit is named: %r" % done.stderr)
    words = [b"x" * 100000] * 12 + [b"end"]
    done = tree.run("--", "arguments", *[os.fsdecode(w) for w in words])
    same((done.returncode, done.stdout.split(b"\0")[:-1] == words), (0, True), "a megabyte of arguments")


def too_many_arguments(tree):
    """more arguments than the kernel takes are 125"""
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    done = tree.run("--", "arguments", *["x" * 130000] * 17,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (hard, hard)))
    same((done.returncode, done.stderr), (125, b"tools/run: the program's arguments are longer than 2 MiB together\n"), "the end")


def guest_paths(tree):
    """a bare name is in /bin, a path may be relative, links are followed"""
    for program in ("exit", "/bin/exit", "bin/exit", "/usr/exit", "alias", "/bin/../bin/exit"):
        same(tree.run("--", program, "5").returncode, 5 if program != "alias" else 0, program)


def not_there(tree):
    """125 for a program that is nowhere, with a hint when it is on the host"""
    with open(os.path.join(tree.root, "here"), "w") as f:
        f.write("text")
    for program, text in (("nowhere", b"the guest has no /bin/nowhere"), ("/no/where", b"the guest has no /no/where"),
                          ("here", b"say ./here"), ("./here", b"is not an ELF program")):
        done = tree.run("--", program)
        same(done.returncode, 125, program)
        holds(text in done.stderr, "%r in %r" % (text, done.stderr))


def host_program(tree):
    """a host file with a slash is put into /bin and run; the guest's path wins over the same host path"""
    program = os.path.join(tree.root, "command")
    make_elf(program)
    for path in ("./command", program):
        same(tree.run("--", path).stdout, b"stdio=link init=/bin/command", path)
    os.rename(program, os.path.join(tree.root, "initramfs"))
    done = tree.run("--", "./initramfs")
    mode, _ = cpio.names(done.stdout)["bin/initramfs"]
    same(oct(mode), oct(stat.S_IFREG | 0o755), "it can be executed")
    with open(os.path.join(tree.root, "initramfs"), "rb") as f:
        holds(f.read() in done.stdout, "it is in the archive")
    done = tree.run("--", "/bin/exit", "9")
    same(done.returncode, 9, "the guest's /bin/exit")


def dynamic_program(tree):
    """125 and advice for a program that needs shared libraries"""
    make_elf(os.path.join(tree.root, "prog"), PT_INTERP)
    done = tree.run("--", "./prog")
    same(done.returncode, 125, "status")
    holds(b"-static" in done.stderr, "advice")


def cut_off_program(tree):
    """a damaged ELF program is the kernel's to refuse"""
    for length in (5, 63, 64, 119):
        path = os.path.join(tree.root, "exit")
        make_elf(path)
        os.truncate(path, length)
        same(tree.run("--", "./exit", "8").returncode, 8, length)


def added_files(tree):
    """--add puts files and directories where they belong, with the parents they need"""
    os.makedirs(os.path.join(tree.root, "some dir", "below"))
    for name in ("file", "some dir/a", "some dir/below/b", "with:/colon"):
        os.makedirs(os.path.dirname(os.path.join(tree.root, name)) or tree.root, exist_ok=True)
        with open(os.path.join(tree.root, name), "w") as f:
            f.write("text of " + name)
    found = guest_names(tree, "--add", "file", "--add", "file:/new/place/x", "--add", "some dir", "--add", "some dir/a:/bin/",
                        "--add", "with:/colon")
    for path in ("file", "new/place/x", "some dir/a", "some dir/below/b", "bin/a", "colon"):
        holds(path in found and stat.S_ISREG(found[path][0]), "%s is there as a file" % path)
    for path in ("new", "new/place", "some dir", "some dir/below"):
        holds(path in found and stat.S_ISDIR(found[path][0]), "%s is there as a directory" % path)
    done = tree.run("--add", FAKE + ":/odd/command", "--", "/odd/command")
    same(done.stdout, b"stdio=link init=/odd/command", "an added file can be run")


def add_links(tree):
    """links in an added directory stay links: dangling ones, cycles and good ones"""
    place = os.path.join(tree.root, "links")
    os.mkdir(place)
    for name, target in (("dangling", "/no/such"), ("cycle", "cycle"), ("up", ".."), ("good", "/bin/exit")):
        os.symlink(target, os.path.join(place, name))
    found = guest_names(tree, "--add", "links")
    same({name: found["links/" + name][1] for name in ("dangling", "cycle", "up", "good")},
         {"dangling": "/no/such", "cycle": "cycle", "up": "..", "good": "/bin/exit"}, "the targets")
    same(tree.run("--add", "links", "--", "/links/good", "0").returncode, 0, "a program behind a link")
    os.symlink(FAKE, os.path.join(tree.root, "named"))
    holds(stat.S_ISREG(guest_names(tree, "--add", "named")["named"][0]), "a link that is named is followed")


def add_conflicts(tree):
    """125 for what contradicts the guest's files, in one line"""
    os.makedirs(os.path.join(tree.root, "dir", "below"))
    for args in (["./tools/run:/bin"], ["dir:/bin/exit"], ["tools/run:/bin/exit/x"], ["tools/run:/proc/x"], ["tools/run:/dev"],
                 ["tools/run:/init.args"], ["tools/run:/.."], ["tools/run:/a", "tools/run:/a/b"], ["dir:/a", "tools/run:/a"],
                 ["tools/run:/a", "dir:/a"], ["tools/run:/bin/alias/x"], ["tools/run:/" + "x/" * 3000 + "y"]):
        done = tree.run(*[word for text in args for word in ("--add", text)], "--", "exit", "0")
        same((done.returncode, done.stderr.count(b"\n"), done.stderr[:11]), (125, 1, b"tools/run: "), args)
    found = guest_names(tree, "--add", "dir:/bin", "--add", "tools/run:/usr/new", "--add", "tools/run:/bin/exit")
    holds("bin/below" in found and "usr/new" in found, "what is no contradiction goes on: %s" % sorted(found))


def special_files(tree):
    """125, not a wait for ever, for a FIFO or a device as file, program or log"""
    os.mkdir(os.path.join(tree.root, "d"))
    for fifo in ("fifo", "d/fifo"):
        os.mkfifo(os.path.join(tree.root, fifo))
    for args in (["--add", "fifo", "--", "exit"], ["--add", "d", "--", "exit"], ["--add", "/dev/zero", "--", "exit"], ["--", "./fifo"],
                 ["--", "./d"], ["--", "/dev/zero"], ["--log", "fifo", "--", "exit"]):
        done = tree.run(*args)
        same((done.returncode, done.stderr.count(b"\n"), done.stderr[:11]), (125, 1, b"tools/run: "), args)


def huge_files(tree):
    """125 for files that fit neither into an archive nor into the machine, without reading them"""
    for size in (5 << 30, 1 << 30):
        with open(os.path.join(tree.root, "huge"), "wb") as f:
            f.truncate(size)
        done = tree.run("--add", "huge", "--", "exit", "0")
        same((done.returncode, done.stderr.count(b"\n"), done.stderr[:11]), (125, 1, b"tools/run: "), size)


def options(tree):
    """QEMU is told what was asked for"""
    done = tree.run("--mem", "64", "--smp", "3", "--icount", "--", "qemu")
    args = done.stdout.decode().split("\n")
    for pair in (("-m", "64M"), ("-smp", "3"), ("-icount", "shift=0,sleep=off"), ("-accel", "tcg"),
                 ("-cpu", "qemu64,+smep,+smap,+umip,+la57,+fsgsbase")):
        same(args[args.index(pair[0]) + 1], pair[1], pair[0])
    for flag in ("-no-reboot", "-nodefaults"):
        holds(flag in args, flag)
    args = tree.run("--", "qemu").stdout.decode().split("\n")
    holds("-icount" not in args and "-S" not in args, "only what was asked for")
    done = tree.run("--", "qemu", env={"FATHOM_QEMU_ARGS": "-cpu 'a b'"})
    args = done.stdout.decode().split("\n")
    same(args[-2:], ["-cpu", "a b"], "more options come last")


def cd(tree):
    """--iso boots a CD and hands its menu the words; --uefi adds firmware with variables of this run's own"""
    image = os.path.join(tree.root, "a, b.iso")
    with open(image, "w") as f:
        f.write("an image")
    done = tree.run("--iso", image, "--append", "vm.zap=block strace=1", "--", "command", "one", "2")
    same((done.returncode, done.stderr), (0, b""), "status")
    same(done.stdout, b"stdio=link init=/bin/command vm.zap=block strace=1 -- one 2", "words")
    args = tree.run("--iso", image, "--layout", "x86_64", "--append", "a=b,c", "--", "qemu").stdout.decode().split("\n")
    holds("-kernel" not in args and "-initrd" not in args and "-append" not in args, "the kernel comes from the CD")
    same(args[args.index("-smbios") + 1], "type=11,value=fathom x86_64 stdio=link init=/bin/qemu a=b,,c", "layout, commas")
    holds("file=cd,format=raw,media=cdrom,readonly=on" in args, "the CD is a short name, whatever the image's is")
    holds(not [a for a in args if "pflash" in a], "no firmware unless asked for")
    for bad in ("a b", 'a"b', "a\\b", "$x", "*", ""):
        done = tree.run("--iso", image, "--", "command", bad)
        same(done.returncode, 125, "%r cannot be passed on" % bad)
    if firmware.find():
        args = tree.run("--iso", image, "--uefi", "--", "qemu").stdout.decode().split("\n")
        holds("if=pflash,unit=0,format=raw,readonly=on,file=code" in args, "firmware")
        holds("if=pflash,unit=1,format=raw,file=variables" in args, "its variables")
    same(tree.leftovers(), [], "nothing is left")


def archive(tree):
    """the archive writer gives the same bytes for the same input, and refuses damage with the offset"""
    one, two = cpio.Archive(), cpio.Archive()
    one.add_file("/b", FAKE), one.add_dir("/a"), one.add_link("/c/d", "../b")
    two.add_link("c/d", "../b"), two.add_dir("a/"), two.add_file("//b", FAKE)
    same(one.to_bytes(), two.to_bytes(), "order of adding")
    same(sorted(cpio.names(one.to_bytes() * 2 + bytes(8))), ["a", "b", "c", "c/d"], "names")
    data = one.to_bytes()
    for cut in (1, 109, len(data) - 1):
        try:
            cpio.names(data[:cut])
        except ValueError as error:
            holds("offset" in str(error), "the offset is named")
        else:
            raise AssertionError("a cut at %d was not noticed" % cut)


def archive_and_real_cpio(tree):
    """the archive is what cpio itself reads"""
    if not shutil.which("cpio"):
        return
    made = os.path.join(tree.base, "made")
    status = os.spawnlp(os.P_WAIT, sys.executable, sys.executable, os.path.join(tree.root, "tools", "cpio.py"), made,
                        "file:/bin/init=" + FAKE, "dir:/tmp", "link:/bin/sh=init")
    same(status, 0, "cpio.py")
    out = os.popen("cpio -it --quiet < '%s' 2>&1" % made).read()
    same(out.split(), ["bin", "bin/init", "bin/sh", "tmp"], "listing")


main([arguments, command_line, long_command_lines, too_many_arguments, guest_paths, not_there, host_program, dynamic_program, cut_off_program, added_files,
      add_links, add_conflicts, special_files, huge_files, options, cd,
      archive, archive_and_real_cpio])
