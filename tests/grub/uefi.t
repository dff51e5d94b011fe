#!/usr/bin/env python3
"""uefi.t: the disk image under UEFI boots to the table of the mails and ends with status 0, with both chip sets."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cd

cd.skip_without("ovmf")
tap = cd.Tap()
for what, options, qemu in (("256 MiB", (), ""), ("another chip set, 4 CPUs", ("--smp", "4"), "-machine q35")):
    run = cd.Run("--uefi", *options, qemu=qemu)
    tap.ok(run.shows_table(), f"{what}: the table, status 0", *run.notes())
    tap.ok("boot: initramfs at" in run.log, f"{what}: with its initramfs", run.log)
tap.done()
