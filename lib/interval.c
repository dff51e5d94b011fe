/*
 * interval.c: a red-black tree augmented with ends; see interval.h.
 */
#include "lib/interval.h"

static struct interval_node *node_of(struct rb_node *rb)
{
    return rb ? container_of(rb, struct interval_node, rb) : NULL;
}

static u64 largest_last(struct interval_node *node, const struct interval_kind *kind)
{
    u64 last = kind->last(node);

    if (node->rb.left)
        last = max_u64(last, node_of(node->rb.left)->last_below);
    if (node->rb.right)
        last = max_u64(last, node_of(node->rb.right)->last_below);
    return last;
}

bool interval_update(struct rb_node *node, const struct interval_kind *kind)
{
    u64 last = largest_last(node_of(node), kind);
    bool changed = node_of(node)->last_below != last;

    node_of(node)->last_below = last;
    return changed;
}

void interval_insert(struct rb_root *root, struct interval_node *node,
                     const struct interval_kind *kind)
{
    struct rb_node **link = &root->node, *parent = NULL;
    u64 first = kind->first(node);

    while (*link) {
        parent = *link;
        link = first < kind->first(node_of(parent)) ? &parent->left : &parent->right;
    }
    rb_insert(root, &node->rb, parent, link, kind->update);
}

void interval_remove(struct rb_root *root, struct interval_node *node,
                     const struct interval_kind *kind)
{
    rb_erase(root, &node->rb, kind->update);
}

/* The first one in order of this subtree that reaches from. */
static struct interval_node *first_reaching(struct rb_node *rb, u64 from,
                                            const struct interval_kind *kind)
{
    while (rb && node_of(rb)->last_below >= from) {
        if (rb->left && node_of(rb->left)->last_below >= from)
            rb = rb->left;
        else if (kind->last(node_of(rb)) >= from)
            return node_of(rb);
        else
            rb = rb->right;
    }
    return NULL;
}

struct interval_node *interval_next(const struct rb_root *root, struct interval_node *node,
                                    u64 from, const struct interval_kind *kind)
{
    struct interval_node *found = first_reaching(node ? node->rb.right : root->node, from, kind);

    if (!node || found)
        return found;
    for (struct rb_node *n = &node->rb, *p; (p = rb_parent(n)) != NULL; n = p) {
        if (p->left != n)
            continue;
        if (kind->last(node_of(p)) >= from)
            return node_of(p);
        if ((found = first_reaching(p->right, from, kind)) != NULL)
            return found;
    }
    return NULL;
}

bool interval_check(const struct rb_root *root, const struct interval_kind *kind)
{
    u64 before = 0;

    if (rb_check(root->node) < 0)
        return false;
    for (struct rb_node *rb = rb_first(root); rb; rb = rb_next(rb)) {
        if (node_of(rb)->last_below != largest_last(node_of(rb), kind) ||
            kind->first(node_of(rb)) < before)
            return false;
        before = kind->first(node_of(rb));
    }
    return true;
}
