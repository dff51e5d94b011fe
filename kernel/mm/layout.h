/*
 * layout.h: the layout that this kernel was built with (make LAYOUT=...), and what follows from it for all.
 */
#ifndef KERNEL_MM_LAYOUT_H
#define KERNEL_MM_LAYOUT_H

#ifdef LAYOUT_HEADER
#include LAYOUT_HEADER
#else
#include "kernel/mm/layout/x86_64.h"
#endif

#define PAGE_SIZE (1ul << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define PT_ENTRIES (1ul << PT_LEVEL_BITS)
#define LEVEL_TOP (PT_LEVELS - 1)

/* User addresses are [0, USER_END): one page below the limit, as on Linux. */
#define USER_LIMIT (1ul << USER_ADDRESS_BITS)
#define USER_END (USER_LIMIT - PAGE_SIZE)

/* Bytes that one entry of a level covers. */
#define LEVEL_SHIFT(level) (PAGE_SHIFT + PT_LEVEL_BITS * (level))
#define LEVEL_SPAN(level) (1ul << LEVEL_SHIFT(level))

static inline unsigned level_index(vaddr_t addr, int level)
{
    return (addr >> LEVEL_SHIFT(level)) & (PT_ENTRIES - 1);
}

/* End of the entry that covers addr at level, cut to end. addr < end; right also at the top of 2^64. */
static inline vaddr_t level_end(vaddr_t addr, vaddr_t end, int level)
{
    vaddr_t boundary = (addr | (LEVEL_SPAN(level) - 1)) + 1;
    return boundary - 1 < end - 1 ? boundary : end;
}

/* The one overflow check of user ranges: [start, start + length) lies in user space. */
static inline bool user_range_ok(vaddr_t start, u64 length)
{
    return length <= USER_END && start <= USER_END - length;
}

static inline u64 page_align_up(u64 x)
{
    return (x + PAGE_SIZE - 1) & PAGE_MASK;
}

#endif
