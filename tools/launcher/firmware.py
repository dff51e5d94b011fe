"""UEFI firmware for the machine: OVMF, under the names that it has in different systems.

It comes in two parts: the code, and a template of the variables, of which each run gets a copy of its own.
Run as a program it prints where the code is, status 1: nowhere.
"""
import os
import shutil
import sys

# (code, variables), the usual first. Only builds without secure boot, which would want more of the machine.
NAMES = (
    ("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),              # Debian, Ubuntu
    ("/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"),                    # older ones
    ("/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd"),          # Fedora
    ("/usr/share/edk2/x64/OVMF_CODE.4m.fd", "/usr/share/edk2/x64/OVMF_VARS.4m.fd"),      # Arch
    ("/usr/share/edk2-ovmf/x64/OVMF_CODE.fd", "/usr/share/edk2-ovmf/x64/OVMF_VARS.fd"),  # Arch, Gentoo
    ("/usr/share/qemu/ovmf-x86_64-code.bin", "/usr/share/qemu/ovmf-x86_64-vars.bin"),    # openSUSE
    ("/usr/share/qemu/edk2-x86_64-code.fd", "/usr/share/qemu/edk2-i386-vars.fd"),        # QEMU's own
)


def find(qemu=None):
    """The two paths, or None. QEMU's own copy is also looked for beside the program, where Homebrew has it."""
    names = list(NAMES)
    if qemu:
        for path in (qemu, os.path.realpath(qemu)):
            share = os.path.join(os.path.dirname(os.path.dirname(path)), "share", "qemu")
            names.append((os.path.join(share, "edk2-x86_64-code.fd"), os.path.join(share, "edk2-i386-vars.fd")))
    for code, variables in names:
        if os.path.isfile(code) and os.path.isfile(variables):
            return code, variables
    return None


if __name__ == "__main__":
    found = find(shutil.which(os.environ.get("FATHOM_QEMU") or "qemu-system-x86_64"))
    if found is None:
        sys.exit(1)
    print(found[0])
