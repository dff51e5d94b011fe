/*
 * bitmap.c: the search of bitmap.h, a word at a time.
 */
#include "lib/bitmap.h"

size_t bitmap_find_clear(const u64 *map, size_t bits, size_t from)
{
    while (from < bits) {
        u64 clear = ~map[from / 64] >> (from % 64);
        if (clear) {
            from += (size_t)__builtin_ctzl(clear);
            return from < bits ? from : bits;
        }
        from = (from / 64 + 1) * 64;
    }
    return bits;
}
