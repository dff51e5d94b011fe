#!/usr/bin/env python3
"""bios.t: the disk image on BIOS boots to the table of the mails and ends with status 0, in machines of several kinds."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cd

cd.skip_without()
tap = cd.Tap()

MACHINES = (
    ("256 MiB", (), ""),
    ("64 MiB", ("--mem", "64M"), ""),
    ("8 GiB", ("--mem", "8G"), ""),
    ("4 CPUs", ("--smp", "4"), ""),
    ("another chip set", (), "-machine q35"),
    ("the image as a USB stick or disk", (), f"-boot order=c -drive 'file={cd.ISO.replace(',', ',,')},format=raw,snapshot=on,"
     "if=none,id=stick' -device ahci,id=ahci -device ide-hd,drive=stick,bus=ahci.0,bootindex=0"),
)
for what, options, qemu in MACHINES:
    run = cd.Run(*options, qemu=qemu)
    if run.status == 125 and b"cannot set up guest memory" in run.err:
        tap.skip(what, "this system has too little memory for it")
        continue
    tap.ok(run.shows_table(), f"{what}: the table, status 0", *run.notes())
    tap.ok(run.err == b"", f"{what}: nothing on standard error", run.err)

checker = subprocess.run(["tools/iso", "--find", "file"], cwd=cd.TOP, stdout=subprocess.PIPE, text=True).stdout.strip()
if checker:
    bad = subprocess.run([checker, "--is-x86-multiboot2", os.path.join(cd.TOP, "build/x86_64/fathom.elf")]).returncode
    tap.ok(bad == 0, "grub-file finds the Multiboot2 header")
else:
    tap.skip("grub-file finds the Multiboot2 header", "there is no grub-file")
checker = shutil.which("grub-script-check") or shutil.which("grub2-script-check")
if checker:
    tap.ok(subprocess.run([checker, "boot/grub.cfg"], cwd=cd.TOP).returncode == 0, "grub-script-check reads the menu")
else:
    tap.skip("grub-script-check reads the menu", "there is no grub-script-check")
with open(cd.ISO, "rb") as f:
    tap.ok(os.fsencode(cd.TOP) not in f.read(), "no path of this system is in the image")
done = subprocess.run(["make", "-s", "run", "BOOT=grub", "UEFI=0"], cwd=cd.TOP, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
tap.ok(done.returncode == 0 and cd.is_table(done.stdout), "make run: the table, status 0", done.stdout, done.stderr)
tap.done()
