#!/usr/bin/env python3
"""broken.t: images that are not right. A missing module, a damaged initramfs and a wrong command line give their messages
on console and log, and end the machine; a memory map full of holes at odd bytes does no harm."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cd

HOLES = """
serial --unit=0
terminal_output serial
insmod regexp
insmod smbios
smbios --type 11 --get-string 4 --set oem
regexp --set=1:words '^fathom [^ ]+ (.*)$' "$oem"
cutmem 0x1000001 0x1000002
cutmem 0x1fffff0 0x2345678
cutmem 0x2400fff 0x2401001
cutmem 0x2402001 0x2402fff
cutmem 0x3000000 0x3000fff
cutmem 0x5000800 0x5001800
cutmem 0x6000000 0x6800001
multiboot2 /boot/x86_64/fathom.elf $words
module2 /boot/initramfs.cpio
boot
"""

cd.skip_without()
tap = cd.Tap()


def dies(what, message, *options, iso=cd.ISO):
    """The machine ends with that message: status 126, and it is said in the log."""
    run = cd.Run(*options, iso=iso)
    tap.ok(run.status == 126 and ("the kernel panicked: " + message).encode() in run.err, f"{what}: {message}", *run.notes())
    tap.ok(message in run.log, f"{what}: in the log", run.log)


with tempfile.TemporaryDirectory() as scratch:
    image = os.path.join(scratch, "fathom.iso")

    missing = "cannot run the first program /bin/init: ENOENT (the boot loader brought no initramfs)"
    cd.make_image(image, "-")
    dies("no module", missing, iso=image)
    status, shown = cd.in_terminal([], iso=image)
    tap.ok(status == 126 and shown.count(missing.encode()) == 3, "on the console too, beside record and log", status, shown)

    damaged = os.path.join(scratch, "damaged.cpio")
    with open(cd.INITRAMFS, "rb") as f:
        data = bytearray(f.read())
    data[60] = ord("?")
    with open(damaged, "wb") as f:
        f.write(data)
    cd.make_image(image, damaged)
    dies("damaged", "initramfs damaged at offset 60: ", iso=image)
    status, shown = cd.in_terminal([], iso=image)
    tap.ok(shown.count(b"initramfs damaged at offset 60: ") == 3, "on the console too", status, shown)

    config = os.path.join(scratch, "holes.cfg")
    with open(config, "w") as f:
        f.write(HOLES)
    cd.make_image(image, cd.INITRAMFS, config)
    run = cd.Run("--mem", "128M", iso=image)
    tap.ok(run.shows_table(), "a memory map full of holes: the table, status 0", *run.notes())
    tap.ok("boot: memory 0x0002345678 to 0x0002400fff" in run.log and run.log.count("boot: memory ") == 9,
           "they were there", run.log)

dies("wrong first program", "cannot run the first program /bin/none: ENOENT", "--append", "init=/bin/none")
run = cd.Run("--append", "sausage=1 vm.zap=never stdio=link", program=("/bin/init", "/bin/holt2005", "--help"))
tap.ok(run.status == 0, "words that are wrong but do no harm", *run.notes())
tap.ok("unknown option sausage=1" in run.log and "vm.zap=never refused" in run.log, "are reported in the log", run.log)
tap.done()
