/*
 * interval.h: intervals of numbers in a red-black tree, ordered by where they begin. Each node
 * knows the largest end in its subtree, so a search for who reaches a number skips the rest:
 *
 *                      [10,19] last 90
 *                     /               \
 *             [2,5] last 7       [40,90] last 90        who reaches 60? [2,5] and what is below it
 *                  \                                    end before
 *                 [3,7] last 7
 *
 * Where an interval lies is told by the owner (struct interval_kind), so a node need not store it.
 * Intervals are closed and may overlap. No locks, no allocation; the owner guards the root.
 */
#ifndef LIB_INTERVAL_H
#define LIB_INTERVAL_H

#include "lib/rbtree.h"

struct interval_node {
    struct rb_node rb; /* first */
    u64 last_below;    /* largest last of this subtree */
};

struct interval_kind {
    u64 (*first)(const struct interval_node *node);
    u64 (*last)(const struct interval_node *node);
    rb_update_fn *update; /* interval_update with this kind */
};

bool interval_update(struct rb_node *node, const struct interval_kind *kind);
/* An interval does not change while it is in. */
void interval_insert(struct rb_root *root, struct interval_node *node,
                     const struct interval_kind *kind);
void interval_remove(struct rb_root *root, struct interval_node *node,
                     const struct interval_kind *kind);
/* The next in order after node (NULL: the first) that reaches `from`: last >= from. NULL: none. */
struct interval_node *interval_next(const struct rb_root *root, struct interval_node *node,
                                    u64 from, const struct interval_kind *kind);
bool interval_check(const struct rb_root *root, const struct interval_kind *kind); /* all is well */

#endif
