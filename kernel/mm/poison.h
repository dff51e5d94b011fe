/*
 * poison.h: what free memory looks like in checking builds, so that a use after free is seen.
 *
 * The page and slab allocators fill memory that becomes free with POISON_BYTE, and look at it again
 * before they hand it out: a byte that changed was written after free. The host tests overlay this
 * header with one that also tells AddressSanitizer, which then catches reads as well, at the very
 * instruction.
 */
#ifndef KERNEL_MM_POISON_H
#define KERNEL_MM_POISON_H

#include "kernel/core/panic.h"
#include "lib/string.h"

enum { POISON_BYTE = 0x6b };
#define POISON_WORD 0x6b6b6b6b6b6b6b6bul

/* [p, p + n) is free from now on. p and n are multiples of 8. */
static inline void poison_fill(void *p, size_t n)
{
    if (CONFIG_CHECK)
        memset(p, POISON_BYTE, n);
}

/* [p, p + n) is about to be used; its contents do not matter. */
static inline void poison_lift(const void *p, size_t n)
{
    (void)p;
    (void)n;
}

/* Offset of the first word of [p, p + n) that is not poison, n if all is well. => lifted. */
static inline size_t poison_intact(const void *p, size_t n)
{
    const u64 *word = p;

    for (size_t i = 0; i < n / sizeof(*word); i++)
        if (word[i] != POISON_WORD)
            return i * sizeof(*word);
    return n;
}

/* One word inside free memory: the link of a free list. */
static inline void *poison_link_get(void *const *link)
{
    return *link;
}

static inline void poison_link_set(void **link, void *next)
{
    *link = next;
}

#endif
