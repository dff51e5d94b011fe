/*
 * memory_map.h: where things are in the kernel half. The addresses are the same in every layout and
 * canonical with four and with five levels. docs/memory-map.md draws this.
 */
#ifndef KERNEL_X86_MEMORY_MAP_H
#define KERNEL_X86_MEMORY_MAP_H

#include "lib/types.h"

#define DIRECT_MAP_BASE 0xffff800000000000ul /* all of physical memory, 64 TiB at most */
#define DIRECT_MAP_SIZE 0x0000400000000000ul
#define PAGE_ARRAY_BASE 0xffffc00000000000ul /* struct page of each frame that is memory */
#define STACKS_BASE 0xffffd00000000000ul     /* kernel stacks, a guard page below each */
#define KERNEL_BASE 0xffffffff80000000ul     /* the kernel image, linked at + 1 MiB */

static inline void *phys_to_virt(paddr_t pa)
{
    return (void *)(pa.v + DIRECT_MAP_BASE);
}

/* va must lie in the direct map. */
static inline paddr_t virt_to_phys(const void *va)
{
    return (paddr_t){(u64)va - DIRECT_MAP_BASE};
}

#endif
