/*
 * radix.c: the sparse index behind the page cache.
 *
 * Six bits of the number choose one of 64 places in each node, highest bits first; the tree is
 * just as high as its largest number needs:
 *
 *      height 0: empty      height 1: 0..63      height 2: 0..4095   ...   height 11: all 64 bits
 *
 *      root -> [ 0 | 1 | 2 | ... | 63 ]      a node counts its used places and goes back to the
 *                    |                       allocator when none is left
 *                    +-> [ ... ] -> item
 *
 * No lock here: the owner (mapping.lock) guards the tree, and the allocator does not sleep.
 */
#include "lib/radix.h"
#include "lib/abi/errno.h"

enum { WAY_BITS = 6, WAYS = 1 << WAY_BITS, HEIGHT_MAX = 11 };

struct radix_node {
    void *place[WAYS]; /* nodes, or at the lowest level items */
    u32 used;
};
_Static_assert(sizeof(struct radix_node) <= RADIX_NODE_SIZE,
               "a node fits what the allocator gives");

static const struct radix_allocator *node_allocator;

void radix_set_allocator(const struct radix_allocator *allocator)
{
    node_allocator = allocator;
}

static unsigned way(u64 index, u32 level) /* level 1: items */
{
    return index >> (WAY_BITS * (level - 1)) & (WAYS - 1);
}

/* Does index lie beyond what a tree of this height can hold? */
static bool too_high(u64 index, u32 height)
{
    return height < HEIGHT_MAX && index >> (WAY_BITS * height) != 0;
}

void *radix_get(const struct radix_tree *tree, u64 index)
{
    void *at = tree->root;

    if (too_high(index, tree->height))
        return NULL;
    for (u32 level = tree->height; at && level > 0; level--)
        at = ((struct radix_node *)at)->place[way(index, level)];
    return at;
}

/* Drop nodes on top whose only use is to lead to place 0, and an empty root. */
static void shrink(struct radix_tree *tree)
{
    while (tree->root && tree->root->used == (tree->root->place[0] != NULL)) {
        struct radix_node *top = tree->root;
        if (tree->height == 1 && top->used)
            return;
        tree->root = top->place[0];
        tree->height = tree->root ? tree->height - 1 : 0;
        node_allocator->free(top);
    }
}

/* Add nodes on top until index fits; an empty tree starts as high as it has to be. */
static int grow(struct radix_tree *tree, u64 index)
{
    while (!tree->root || too_high(index, tree->height)) {
        struct radix_node *top = node_allocator->alloc();
        if (!top)
            return -ENOMEM;
        top->place[0] = tree->root;
        top->used = tree->root != NULL;
        do
            tree->height++;
        while (!tree->root && too_high(index, tree->height));
        tree->root = top;
    }
    return 0;
}

/* Clear index's place and free the nodes on its way that are left empty, or that were empty
 * already. */
static void *clear_place(struct radix_tree *tree, u64 index)
{
    struct radix_node *path[HEIGHT_MAX + 1];
    struct radix_node *node = tree->root;
    u32 level = tree->height;
    void *item = NULL;

    for (; level > 1 && node->place[way(index, level)]; level--) {
        path[level] = node;
        node = node->place[way(index, level)];
    }
    if (level == 1) {
        item = node->place[way(index, 1)];
        node->place[way(index, 1)] = NULL;
        node->used -= item != NULL;
    }
    while (node->used == 0 && level < tree->height) {
        node_allocator->free(node);
        node = path[++level];
        node->place[way(index, level)] = NULL;
        node->used--;
    }
    shrink(tree);
    return item;
}

int radix_insert(struct radix_tree *tree, u64 index, void *item)
{
    if (grow(tree, index) != 0) {
        shrink(tree);
        return -ENOMEM;
    }
    struct radix_node *node = tree->root;
    for (u32 level = tree->height; level > 1; level--) {
        void **place = &node->place[way(index, level)];
        if (!*place) {
            *place = node_allocator->alloc();
            if (!*place) {
                clear_place(tree, index);
                return -ENOMEM;
            }
            node->used++;
        }
        node = *place;
    }
    void **place = &node->place[way(index, 1)];
    if (*place)
        return -EEXIST;
    *place = item;
    node->used++;
    return 0;
}

void *radix_remove(struct radix_tree *tree, u64 index)
{
    if (!tree->root || too_high(index, tree->height))
        return NULL;
    return clear_place(tree, index);
}

/* The first item at *index or above below node, whose places cover numbers from base on. */
static void *next_below(struct radix_node *node, u32 level, u64 base, u64 *index)
{
    u64 span = 1ul << (WAY_BITS * (level - 1));
    unsigned first = *index <= base ? 0 : way(*index, level);

    for (unsigned i = first; i < WAYS && (level < HEIGHT_MAX || i < 16); i++) {
        u64 start = base + i * span;
        void *item = node->place[i];
        if (!item)
            continue;
        if (level > 1)
            item = next_below(item, level - 1, start, index);
        else
            *index = start;
        if (item)
            return item;
    }
    return NULL;
}

void *radix_next(const struct radix_tree *tree, u64 *index)
{
    if (!tree->root || too_high(*index, tree->height))
        return NULL;
    return next_below(tree->root, tree->height, 0, index);
}
