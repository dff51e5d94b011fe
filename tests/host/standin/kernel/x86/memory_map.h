/*
 * memory_map.h (host): physical memory is an arena that host_boot maps at a fixed address, inside
 * the part of the address space that AddressSanitizer shadows. The struct page array lies at
 * another.
 */
#ifndef KERNEL_X86_MEMORY_MAP_H
#define KERNEL_X86_MEMORY_MAP_H

#include "lib/types.h"

#define DIRECT_MAP_BASE 0x0000200000000000ul
#define DIRECT_MAP_SIZE 0x0000010000000000ul
#define PAGE_ARRAY_BASE 0x0000300000000000ul

static inline void *phys_to_virt(paddr_t pa)
{
    return (void *)(pa.v + DIRECT_MAP_BASE);
}

static inline paddr_t virt_to_phys(const void *va)
{
    return (paddr_t){(u64)va - DIRECT_MAP_BASE};
}

#endif
