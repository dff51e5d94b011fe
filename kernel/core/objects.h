/*
 * objects.h: a block of memory cut into objects of one size. The list of the free ones runs through
 * the objects themselves, so a block has no header and 2^n sized objects fill it without a rest:
 *
 *      struct object_block --> [ object | free  | object | free  | ... ]
 *        free ---------------------------'  next ---------^
 *
 * A free object is poisoned behind its link; that also tells a double free. Where blocks come from,
 * and the lock, is the owner's.
 */
#ifndef KERNEL_CORE_OBJECTS_H
#define KERNEL_CORE_OBJECTS_H

#include "lib/types.h"

struct object_kind {
    const char *name;
    u32 size; /* as object_size rounds it */
    u32 per_block;
};

struct object_block {
    void *free; /* list */
    u32 used;
};

/* What an object of this size takes. align: a power of two, or 0 for that of a pointer. */
u32 object_size(u32 size, u32 align);
/* Make per_block objects of the memory, all free. */
void object_cut(struct object_block *block, const struct object_kind *kind, void *memory);
/* => one is free. Panics if it was written to since. */
void *object_take(struct object_block *block, const struct object_kind *kind);
/* Panics unless object is one of the block, which begins at memory, and is in use. */
void object_give(struct object_block *block, const struct object_kind *kind, void *memory,
                 void *object);

#endif
