/*
 * slab.h: memory for objects of one size, cut from pages; and kmalloc for odd sizes.
 *
 * In checking builds free objects are poisoned, and a write after free or a double free panics at
 * the next allocation. => Does not sleep. NULL when out of memory.
 */
#ifndef KERNEL_MM_SLAB_H
#define KERNEL_MM_SLAB_H

#include "kernel/core/objects.h"
#include "kernel/core/spinlock.h"
#include "lib/list.h"

struct slab_cache {
    struct object_kind kind;
    u8 order; /* pages of a slab: 2^order */
    struct spinlock lock;
    struct list_head partial; /* slabs with room */
    u64 objects;              /* allocated now */
    u64 pages;
    struct list_head link; /* registry, for /proc/slabinfo and leak checks */
};

/* At start-up, on one CPU. align: a power of two, or 0 for that of a pointer. */
void slab_cache_init(struct slab_cache *cache, const char *name, u32 size, u32 align);
void *slab_alloc(struct slab_cache *cache); /* contents undefined */
void *slab_alloc_zeroed(struct slab_cache *cache);
void slab_free(struct slab_cache *cache, void *object); /* that it gave */
struct slab_cache *slab_next(struct slab_cache *cache); /* walk the registry: first with NULL */

/* Any size from 1 byte to 4 MiB; zeroed by kzalloc. Freed with kfree (NULL is allowed). */
void *kmalloc(size_t size);
void *kzalloc(size_t size);
void kfree(void *p);

#endif
