/*
 * boot.h: between the assembly that the loader enters and the C that it calls; included by both.
 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#define BOOT_KERNEL_BASE 0xffffffff80000000 /* KERNEL_BASE of memory_map.h, without a C suffix */
#define BOOT_STACK_SIZE 16384
#define BOOT_EARLY_DIRECT_GIB 4 /* how much the early tables map at DIRECT_MAP_BASE and at 0 */

#define BOOT_MULTIBOOT2_MAGIC 0x36d76289 /* in EAX; PVH leaves anything else there */

#ifndef __ASSEMBLER__

#include "kernel/core/boot_info.h"

/* Reads what a PVH loader left at physical address info. NULL, or what is wrong with it. => Early
 * tables. */
const char *pvh_read(struct boot_info *out, u64 info);

/* The same for a Multiboot2 loader. */
const char *multiboot2_read(struct boot_info *out, u64 info);

/* What both share (loader.c). An entry of a memory map looks the same in both protocols. */
struct boot_memory_entry {
    u64 address, size;
    u32 type, reserved;
};
_Static_assert(sizeof(struct boot_memory_entry) == 24, "an entry of both memory maps");
enum { BOOT_MEMORY_RAM = 1 };

/* size bytes at physical address pa, or NULL when the early tables do not reach them. */
const void *boot_view(u64 pa, u64 size);
/* Copy the command line: the text at pa, ended by a zero byte or by size. "" when out of reach. */
void boot_take_cmdline(struct boot_info *out, u64 pa, u64 size);
/* Fill in the regions from n entries of stride bytes each, all readable. */
void boot_take_memory(struct boot_info *out, const void *entries, u32 n, u32 stride);
/* After boot_take_memory. What does not lie in usable memory, clear of the kernel and below 4 GiB,
 * is left out with a warning. */
void boot_take_initramfs(struct boot_info *out, u64 start, u64 size);
/* The physical address behind the kernel's image, which begins at 1 MiB (early_memory.c). */
u64 boot_kernel_end(void);

/* A set of addresses as sorted, disjoint, non-adjacent regions (regions.c). False: no room for one
 * more, and the set is left without the part that did not fit. An empty or wrapping range changes
 * nothing. */
bool regions_add(struct boot_info *info, u64 start, u64 end);
bool regions_remove(struct boot_info *info, u64 start, u64 end);

#endif
#endif
