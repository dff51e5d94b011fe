/*
 * entry.S: from the loader's 32-bit protected mode to C in the higher half.
 *
 * In:  EBX = physical address of the loader's information, EAX = its magic (Multiboot2) or anything
 *      (PVH); flat segments, paging off, interrupts off. PVH: Xen docs/misc/pvh.pandoc.
 * Out: kernel_main(EAX, EBX) on the boot stack with the early tables:
 *
 *      0                    first 4 GiB, so that this code survives the switch
 *      DIRECT_MAP_BASE      the same 4 GiB; what C reads the loader's data through
 *      KERNEL_BASE          the first GiB, in which the kernel lies
 *
 * All early mappings are writable and executable; kernel/x86/paging.c replaces them by the real
 * tables, which have neither the low half nor a page that is both.
 */
#include "boot/boot.h"

#define PHYS(symbol) ((symbol) - BOOT_KERNEL_BASE)

#define ENTRY_PRESENT_WRITE 0x003
#define ENTRY_LARGE 0x083               /* present, writable, 2 MiB */
#define PD_ENTRIES (512 * BOOT_EARLY_DIRECT_GIB)
#define DIRECT_MAP_INDEX 256            /* pgd entry of DIRECT_MAP_BASE */
#define KERNEL_PGD_INDEX 511
#define KERNEL_PUD_INDEX 510

#define CR0_PE_MP_NE_WP_AM_PG 0x80050023
#define CR4_PAE_PGE 0x0a0
#define MSR_EFER 0xc0000080
#define EFER_SCE_LME_NXE 0x901
#define MSR_GS_BASE 0xc0000101

        .section .boot.text, "ax"
        .code32
        .globl boot_entry
boot_entry:
        cli
        cld
        movl    %eax, %edx              /* .bss: a loader short of memory may have put something there */
        movl    $PHYS(kernel_bss_start), %edi
        movl    $PHYS(kernel_data_end), %ecx
        subl    %edi, %ecx
        xorl    %eax, %eax
        rep     stosb
        movl    %edx, %eax
        movl    $PHYS(boot_stack_top), %esp
        pushl   %eax
        pushl   %ebx
        call    boot_check_cpu          /* comes back only if this CPU will do */
        call    boot_make_tables
        popl    %esi                    /* kernel_main's second argument */
        popl    %edi                    /* and its first */

        movl    $CR4_PAE_PGE, %eax
        movl    %eax, %cr4
        movl    $PHYS(early_pgd), %eax
        movl    %eax, %cr3
        movl    $MSR_EFER, %ecx
        rdmsr
        orl     $EFER_SCE_LME_NXE, %eax
        wrmsr
        movl    $CR0_PE_MP_NE_WP_AM_PG, %eax
        movl    %eax, %cr0
        lgdt    boot_gdt_pointer
        ljmp    $8, $boot_long_mode

/* Fill the early tables, which are zero as .bss is. Clobbers all but ESP. */
boot_make_tables:
        movl    $PHYS(early_pgd), %edi
        movl    $PHYS(early_pud_low) + ENTRY_PRESENT_WRITE, %eax
        movl    %eax, (%edi)
        movl    %eax, 8 * DIRECT_MAP_INDEX(%edi)
        movl    $PHYS(early_pud_kernel) + ENTRY_PRESENT_WRITE, 8 * KERNEL_PGD_INDEX(%edi)

        movl    $PHYS(early_pmds) + ENTRY_PRESENT_WRITE, %eax
        movl    %eax, PHYS(early_pud_kernel) + 8 * KERNEL_PUD_INDEX
        movl    $PHYS(early_pud_low), %edi
        movl    $BOOT_EARLY_DIRECT_GIB, %ecx
1:      movl    %eax, (%edi)
        addl    $4096, %eax
        addl    $8, %edi
        loop    1b

        movl    $PHYS(early_pmds), %edi
        movl    $ENTRY_LARGE, %eax
        movl    $PD_ENTRIES, %ecx
2:      movl    %eax, (%edi)
        addl    $0x200000, %eax
        addl    $8, %edi
        loop    2b
        ret

        .code64
boot_long_mode:
        movabsq $boot_high, %rax
        jmp     *%rax

        .balign 8
boot_gdt:                               /* accessed bits set: the CPU has nothing to write */
        .quad   0
        .quad   0x00af9b000000ffff      /* 64-bit code */
boot_gdt_pointer:
        .word   . - boot_gdt - 1
        .quad   boot_gdt

        .text
/* The first instructions at the kernel's own address. No data segment is used from here on. */
boot_high:
        xorl    %eax, %eax
        movl    %eax, %ds
        movl    %eax, %es
        movl    %eax, %ss
        movl    %eax, %fs
        movl    %eax, %gs
        movq    $boot_stack_top, %rsp
        movq    $cpu_boot, %rax         /* this_cpu() works from here on */
        movq    %rax, %rdx
        shrq    $32, %rdx
        movl    $MSR_GS_BASE, %ecx
        wrmsr
        movl    %edi, %edi              /* the upper halves were never ours */
        movl    %esi, %esi
        xorl    %ebp, %ebp              /* backtraces end here */
        call    kernel_main
1:      hlt
        jmp     1b

        .bss
        .balign 4096
        .globl boot_stack_guard, boot_stack, boot_stack_top
boot_stack_guard:                       /* paging.c leaves this page out */
        .skip   4096
boot_stack:
        .skip   BOOT_STACK_SIZE
boot_stack_top:
early_pgd:
        .skip   4096
early_pud_low:
        .skip   4096
early_pud_kernel:
        .skip   4096
early_pmds:
        .skip   4096 * BOOT_EARLY_DIRECT_GIB

        .section .note.GNU-stack, "", @progbits
