#!/usr/bin/env python3
"""busybox.py: what the shell adds to the initramfs, as a list for tools/cpio.py.

    tools/busybox.py APPLETS [BUSYBOX]

BUSYBOX is the distribution's busybox-static, taken as it is; without it the first of /bin/busybox and
/usr/bin/busybox is taken that is a static x86-64 program. It becomes /bin/busybox, with a link for
each of its applets; /sbin, /usr/bin and /usr/sbin lead to /bin, for scripts. Which applets it has it
says itself; where it cannot run they are read from the file APPLETS. Without a busybox nothing is
listed, and the image has no shell: a line on standard error says so.
"""
import os
import platform
import struct
import subprocess
import sys

PLACES = ("/bin/busybox", "/usr/bin/busybox")
PT_INTERP, EM_X86_64 = 3, 62
# init is Fathom's own; so is linuxrc, an old name of it.
LEFT_OUT = {"init", "linuxrc", "busybox"}


def is_static_x86_64(path):
    try:
        with open(path, "rb") as f:
            head = f.read(64)
            if len(head) < 64 or head[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", head, 18)[0] != EM_X86_64:
                return False
            offset, = struct.unpack_from("<Q", head, 32)
            size, count = struct.unpack_from("<HH", head, 54)
            f.seek(offset)
            table = f.read(size * count)
    except OSError:
        return False
    return all(struct.unpack_from("<I", table, at)[0] != PT_INTERP for at in range(0, size * count, size))


def applets(path, listed):
    if platform.system() == "Linux" and platform.machine() == "x86_64":
        try:
            return subprocess.run([path, "--list"], capture_output=True, text=True, check=True,
                                  timeout=10).stdout.split()
        except (OSError, subprocess.SubprocessError):
            pass
    with open(listed) as f:
        return f.read().split()


def main(argv):
    if len(argv) not in (2, 3):
        print(__doc__)
        return 2
    found = next(filter(is_static_x86_64, argv[2:] or PLACES), None)
    if found is None:
        print("No shell: %s is not a static x86-64 busybox (Debian: busybox-static)." %
              " or ".join(argv[2:] or PLACES), file=sys.stderr)
        return 0
    lines = ["file:/bin/busybox=" + found]
    lines += ["link:/bin/%s=busybox" % name for name in sorted(set(applets(found, argv[1])) - LEFT_OUT)]
    lines += ["link:/sbin=bin", "link:/usr/bin=../bin", "link:/usr/sbin=../bin"]
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
