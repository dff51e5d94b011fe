/*
 * smap.h: for assembly: the two places where the kernel may and may not touch user pages.
 *
 * STAC and CLAC do not exist on a CPU without SMAP, so each place is a 3-byte NOP that cpu.c writes
 * over once, before the text becomes read-only. The list of places is in section .smap_sites:
 * address, then last opcode byte.
 */
#ifndef KERNEL_X86_SMAP_H
#define KERNEL_X86_SMAP_H
/* clang-format off */
        .macro  smap_site opcode
.Lsmap_site\@:
        .byte   0x0f, 0x1f, 0x00        /* nopl (%rax) */
        .pushsection .smap_sites, "a"
        .quad   .Lsmap_site\@, \opcode
        .popsection
        .endm

        .macro  USER_ACCESS_BEGIN       /* stac: 0f 01 cb */
        smap_site 0xcb
        .endm

        .macro  USER_ACCESS_END         /* clac: 0f 01 ca */
        smap_site 0xca
        .endm

#endif
