/*
 * hwpt.h: the tables that this CPU walks, whatever layout mm has. For kernel/x86 only: the kernel
 * half, and in software-walked layouts the cache. Intel SDM volume 3, section 4.5.
 */
#ifndef KERNEL_X86_HWPT_H
#define KERNEL_X86_HWPT_H

#include "lib/types.h"

#define HW_P (1ul << 0)
#define HW_W (1ul << 1)
#define HW_U (1ul << 2)
#define HW_A (1ul << 5)
#define HW_D (1ul << 6)
#define HW_LARGE (1ul << 7) /* in the two levels above the lowest: a page, not a table */
#define HW_G (1ul << 8)
#define HW_XD (1ul << 63)
#define HW_FRAME 0x000ffffffffff000ul

#define HW_PAGE_SIZE 4096ul
#define HW_LARGE_SIZE (1ul << 21)
#define HW_HUGE_SIZE (1ul << 30)

enum { HW_ENTRIES = 512, HW_KERNEL_HALF = 256, HW_LEVELS = 4 };

/* Rights of kernel pages. Accessed and dirty are set beforehand, so the CPU never writes these
 * entries. */
#define HW_KERNEL_TEXT (HW_P | HW_G | HW_A)
#define HW_KERNEL_RODATA (HW_P | HW_G | HW_A | HW_XD)
#define HW_KERNEL_DATA (HW_P | HW_W | HW_G | HW_A | HW_D | HW_XD)
#define HW_KERNEL_TABLE (HW_P | HW_W | HW_A)

/* Level 3: root, 0: lowest. */
static inline unsigned hw_index(vaddr_t addr, int level)
{
    return (addr >> (12 + 9 * level)) & (HW_ENTRIES - 1);
}

#endif
