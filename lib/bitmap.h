/*
 * bitmap.h: sets of small numbers, a bit each, in an array of u64. Nothing here locks.
 */
#ifndef LIB_BITMAP_H
#define LIB_BITMAP_H

#include "lib/types.h"

#define BITMAP_WORDS(bits) (((bits) + 63) / 64)

static inline bool bitmap_test(const u64 *map, size_t bit)
{
    return map[bit / 64] >> (bit % 64) & 1;
}

static inline void bitmap_set(u64 *map, size_t bit)
{
    map[bit / 64] |= 1ul << (bit % 64);
}

static inline void bitmap_clear(u64 *map, size_t bit)
{
    map[bit / 64] &= ~(1ul << (bit % 64));
}

/* The first clear bit of [from, bits), or bits when there is none. */
size_t bitmap_find_clear(const u64 *map, size_t bits, size_t from);

#endif
