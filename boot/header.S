/*
 * header.S: what loaders look for in the file.
 *
 * The Multiboot2 header (specification 2.0, section 3.1) must lie in the first 32768 bytes, aligned
 * to 8; the linker script puts it first and asserts it. The PVH note (Xen, public/elfnote.h) gives
 * qemu -kernel the physical address to enter in 32-bit protected mode. Its segment must be aligned
 * to 4: QEMU rounds the name's size up to that.
 */
#define MB2_MAGIC 0xe85250d6
#define MB2_ARCH_I386 0
#define XEN_ELFNOTE_PHYS32_ENTRY 18

        .section .multiboot2, "a"
        .balign 8
        .globl multiboot2_header
multiboot2_header:
        .long MB2_MAGIC
        .long MB2_ARCH_I386
        .long multiboot2_end - multiboot2_header
        .long -(MB2_MAGIC + MB2_ARCH_I386 + (multiboot2_end - multiboot2_header))
        .balign 8
        .word 1, 0                      /* tags wanted: command line, module, memory map */
        .long 20
        .long 1, 3, 6
        .balign 8
        .word 6, 0                      /* modules begin on a page */
        .long 8
        .balign 8
        .word 3, 0                      /* entry address: the same as PVH's, EAX tells them apart */
        .long 12
        .long boot_entry
        .balign 8
        .word 0, 0                      /* end of tags */
        .long 8
multiboot2_end:

        .section .note.pvh, "a", @note
        .balign 4
        .long 4                         /* length of the name */
        .long 8                         /* length of the value */
        .long XEN_ELFNOTE_PHYS32_ENTRY
        .asciz "Xen"
        .quad boot_entry

        .section .note.GNU-stack, "", @progbits
