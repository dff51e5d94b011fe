/*
 * test_rbtree.c: the red-black tree against a sorted array. Each node carries the largest value of
 * its subtree, and after every operation order, colours, black heights and summaries are checked
 * from scratch.
 */
#include <stdlib.h>

#include "lib/rbtree.h"
#include "tests/host/tap.h"

enum { NODES = 600 };

struct item {
    struct rb_node node;
    unsigned key, value, largest;
    bool in;
};

static struct item items[NODES];
static struct rb_root root;

static struct item *item_of(struct rb_node *n)
{
    return container_of(n, struct item, node);
}

static unsigned largest_now(struct rb_node *n)
{
    unsigned best = item_of(n)->value;
    for (int side = 0; side < 2; side++) {
        struct rb_node *child = side ? n->right : n->left;
        if (child && item_of(child)->largest > best)
            best = item_of(child)->largest;
    }
    return best;
}

static bool update(struct rb_node *n)
{
    unsigned now = largest_now(n);
    bool changed = item_of(n)->largest != now;
    item_of(n)->largest = now;
    return changed;
}

static void insert(struct item *item)
{
    struct rb_node **link = &root.node, *parent = NULL;
    while (*link) {
        parent = *link;
        link = item->key < item_of(parent)->key ? &parent->left : &parent->right;
    }
    rb_insert(&root, &item->node, parent, link, update);
    item->in = true;
}

static bool summaries_right(struct rb_node *n)
{
    return !n || (item_of(n)->largest == largest_now(n) && summaries_right(n->left) &&
                  summaries_right(n->right));
}

static bool tree_right(void)
{
    unsigned count = 0, found = 0;
    struct rb_node *last = NULL;
    for (unsigned i = 0; i < NODES; i++)
        count += items[i].in;
    for (struct rb_node *n = rb_first(&root); n; last = n, n = rb_next(n), found++) {
        if (!item_of(n)->in || rb_prev(n) != last ||
            (last && item_of(last)->key >= item_of(n)->key))
            return false;
    }
    return found == count && rb_last(&root) == last && rb_check(root.node) >= 0 &&
           summaries_right(root.node);
}

static void fill(unsigned step)
{
    root = (struct rb_root){0};
    for (unsigned i = 0; i < NODES; i++)
        items[i] = (struct item){.key = i, .value = (i * 7919) % 1000};
    for (unsigned i = 0; i < NODES; i++)
        insert(&items[i * step % NODES]);
}

int main(void)
{
    srand(1);
    fill(1);
    ok(tree_right(), "ascending insertion keeps every rule");
    ok(rb_check(root.node) >= 5 && rb_check(root.node) <= 10, "black height fits 600 nodes");
    ok(root.rotations > 500, "ascending insertion rotated, and was counted");

    bool right = true;
    for (unsigned i = 0; i < NODES; i++) {
        rb_erase(&root, &items[i].node, update);
        items[i].in = false;
        right &= tree_right();
    }
    ok(right && !root.node, "erase in order down to the empty tree");

    fill(7);
    right = true;
    for (unsigned n = 0; n < 5000; n++) {
        struct item *item = &items[(unsigned)rand() % NODES];
        if (!item->in) {
            insert(item);
        } else if (rand() % 2) {
            rb_erase(&root, &item->node, update);
            item->in = false;
        } else {
            item->value = (unsigned)rand() % 1000;
            rb_propagate(&item->node, update);
        }
        right &= tree_right();
    }
    ok(right, "5000 random insertions, removals and changes of a value");

    struct rb_node *red = NULL; /* break the rules, the checker must see it */
    for (struct rb_node *n = rb_first(&root); n && !red; n = rb_next(n))
        if (!(n->parent_color & 1))
            red = n;
    red->parent_color |= 1;
    ok(rb_check(root.node) == -1, "rb_check sees a wrong black height");
    return tap_done();
}
