#!/usr/bin/env bash
# The kernel's ELF file: the PVH note, rights of the segments, no section that nobody placed.
. "$(dirname "$0")/tap.sh"
[ -f "$KERNEL" ] || skip_all "$KERNEL is not built"
readelf=${CROSS_COMPILE}readelf

has_note() { # Xen's note 18 (XEN_ELFNOTE_PHYS32_ENTRY) with an address, and the entry is below 4 GiB
    "$readelf" -nW "$KERNEL" | grep -A2 -E '^ *Xen ' | grep -E 'PHYS32_ENTRY|0x00000012'
}
no_segment_is_both() { ! "$readelf" -lW "$KERNEL" | grep -E '^ *LOAD.* RWE '; }
segments() { [ "$("$readelf" -lW "$KERNEL" | grep -cE '^ *LOAD')" -ge 3 ]; }
nothing_undefined() { ! "$readelf" -sW "$KERNEL" | awk '$7 == "UND" && $8 != ""' | grep .; }
no_dynamic() { ! "$readelf" -lW "$KERNEL" | grep -E 'DYNAMIC|INTERP'; }
static_address() { "$readelf" -hW "$KERNEL" | grep -qE 'Type: *EXEC'; }

passes "the PVH note is there" has_note
passes "no segment is both writable and executable" no_segment_is_both
passes "text, constants and data are segments of their own" segments
passes "no symbol is undefined" nothing_undefined
passes "nothing is dynamic" no_dynamic
passes "it is linked to a fixed address" static_address

orphan() { # a section that linker.ld does not know must stop the link
    echo 'int lost __attribute__((section("lost_section"))) = 1;' >"$SCRATCH/lost.c"
    "${CROSS_COMPILE}gcc" -ffreestanding -mcmodel=kernel -fno-pic -c -o "$SCRATCH/lost.o" "$SCRATCH/lost.c" &&
        "${CROSS_COMPILE}ld" -m elf_x86_64 -nostdlib -static --orphan-handling=error --unresolved-symbols=ignore-all \
            -T linker.ld -o "$SCRATCH/lost.elf" "$SCRATCH/lost.o"
}
refuses "a section that nobody placed stops the link" "lost_section" orphan
finish
