/*
 * boot.h: between the assembly that the loader enters and the C that it calls; included by both.
 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#define BOOT_KERNEL_BASE 0xffffffff80000000 /* KERNEL_BASE of memory_map.h, without a C suffix */
#define BOOT_STACK_SIZE 16384
#define BOOT_EARLY_DIRECT_GIB 4 /* how much the early tables map at DIRECT_MAP_BASE and at 0 */

#ifndef __ASSEMBLER__

#include "kernel/core/boot_info.h"

/* Reads what a PVH loader left at physical address info. NULL, or what is wrong with it. => Early
 * tables. */
const char *pvh_read(struct boot_info *out, u64 info);

/* A set of addresses as sorted, disjoint, non-adjacent regions (regions.c). False: no room for one
 * more, and the set is left without the part that did not fit. An empty or wrapping range changes
 * nothing. */
bool regions_add(struct boot_info *info, u64 start, u64 end);
bool regions_remove(struct boot_info *info, u64 start, u64 end);

#endif
#endif
