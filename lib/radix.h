/*
 * radix.h: a sparse index from a 64-bit number to a pointer, 64 ways a node, as high as the
 * largest number needs. Nodes come from the allocator that radix_set_allocator named (slab in the
 * kernel). The owner locks.
 */
#ifndef LIB_RADIX_H
#define LIB_RADIX_H

#include "lib/types.h"

struct radix_node;

struct radix_tree {
    struct radix_node *root;
    u32 height; /* levels of nodes; 0: empty */
};

enum { RADIX_NODE_SIZE = 64 * 8 + 16 };

struct radix_allocator {
    void *(*alloc)(void); /* RADIX_NODE_SIZE bytes, zeroed; NULL: out of memory */
    void (*free)(void *node);
};
void radix_set_allocator(const struct radix_allocator *allocator);

void *radix_get(const struct radix_tree *tree, u64 index);
/* Set an empty place to item (not NULL). 0; -ENOMEM, the tree unchanged in meaning; -EEXIST. */
int radix_insert(struct radix_tree *tree, u64 index, void *item);
/* Empty a place and give back nodes that became empty; returns what was there. */
void *radix_remove(struct radix_tree *tree, u64 index);
/* The first item at *index or above; *index becomes its number. NULL: none. */
void *radix_next(const struct radix_tree *tree, u64 *index);

#endif
