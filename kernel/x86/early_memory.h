/*
 * early_memory.h: pages before there is a page allocator, and the hand-over to it.
 */
#ifndef KERNEL_X86_EARLY_MEMORY_H
#define KERNEL_X86_EARLY_MEMORY_H

#include "kernel/core/boot_info.h"

enum { MEMORY_MIB_MIN = 64 };

/* Start from what boot_info calls usable, less the first MiB, the kernel and the initramfs. Refuses
 * a machine with less than MEMORY_MIB_MIN. */
void early_memory_init(const struct boot_info *info);
/* One zeroed page of 4 KiB, never given back. Panics when there is none. */
paddr_t early_memory_page(void);
/* All of memory is mapped now, not only the first BOOT_EARLY_DIRECT_GIB. */
void early_memory_lift_limit(void);
/* Give the rest to the page allocator. Nothing of this header may be called afterwards. */
void early_memory_hand_over(void);

#endif
