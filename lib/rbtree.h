/*
 * rbtree.h: an intrusive red-black tree that can carry a summary of each subtree.
 *
 * The caller searches (it knows its own keys), finds the empty link where the node belongs and
 * hands both to rb_insert: a hole search can so pass its position to the insertion. An augmented
 * tree gives an update function, which recomputes a node's summary from the node and its two
 * children and returns whether it changed; the tree calls it bottom-up wherever an insertion,
 * removal or rotation changed a subtree. NULL means a plain tree. No locks, no allocation; the
 * owner guards the root.
 */
#ifndef LIB_RBTREE_H
#define LIB_RBTREE_H

#include "lib/types.h"

struct rb_node {
    uintptr_t parent_color; /* parent's address; bit 0: 1 = black */
    struct rb_node *left, *right;
};

struct rb_root {
    struct rb_node *node;
    u64 rotations; /* ever done; owners count with it */
};

typedef bool rb_update_fn(struct rb_node *node);

/* Hang node at *link below parent (both from the caller's search; parent NULL: the root),
 * rebalance. */
void rb_insert(struct rb_root *root, struct rb_node *node, struct rb_node *parent,
               struct rb_node **link, rb_update_fn *update);
void rb_erase(struct rb_root *root, struct rb_node *node, rb_update_fn *update);

/* After node's own summary input changed: recompute from node upwards until nothing changes. */
void rb_propagate(struct rb_node *node, rb_update_fn *update);

static inline struct rb_node *rb_parent(const struct rb_node *node)
{
    return (struct rb_node *)(node->parent_color & ~(uintptr_t)1);
}

struct rb_node *rb_first(const struct rb_root *root);
struct rb_node *rb_last(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *rb_prev(const struct rb_node *node);

/* Black height of the subtree, or -1 where a red-black rule is broken. For checkers. */
int rb_check(const struct rb_node *node);

#endif
