/*
 * children.c: two red-black trees in each directory, so that a hundred thousand names are as quick as ten:
 *
 *      by_name      in the order of their bytes: lookups
 *      by_cookie    in the order in which they came: getdents64, which goes on after the last cookie it told
 *
 * Cookies only grow, so names that come or go meanwhile never move the others. Both trees' nodes lie in struct entry; nothing
 * here allocates or fails. Lock: the tree lock. Called by tree.c and dir.c.
 */
#include "kernel/fs/children.h"

#include "kernel/core/panic.h"
#include "lib/string.h"

static struct entry *named(struct rb_node *node)
{
    return container_of(node, struct entry, by_name);
}

static struct entry *placed(struct rb_node *node)
{
    return container_of(node, struct entry, by_cookie);
}

/* name, which need not end in NUL, against the whole of child's. */
static int compare(const char *name, size_t length, const struct entry *child)
{
    int order = strncmp(name, child->name, length);
    return order == 0 && child->name[length] ? -1 : order;
}

struct entry *children_find(const struct inode *dir, const char *name, size_t length)
{
    struct rb_node *node = dir->by_name.node;
    while (node) {
        int order = compare(name, length, named(node));
        if (order == 0)
            return named(node);
        node = order < 0 ? node->left : node->right;
    }
    return NULL;
}

struct entry *children_from(const struct inode *dir, u64 pos)
{
    struct rb_node *node = dir->by_cookie.node;
    struct entry *found = NULL;
    while (node) {
        bool enough = placed(node)->cookie >= pos;
        found = enough ? placed(node) : found;
        node = enough ? node->left : node->right;
    }
    return found;
}

static void add_by_name(struct inode *dir, struct entry *child)
{
    struct rb_node **link = &dir->by_name.node, *parent = NULL;
    size_t length = strlen(child->name);
    while (*link) {
        int order = compare(child->name, length, named(*link));
        CHECK(order != 0, "%s is there already", child->name);
        parent = *link;
        link = order < 0 ? &parent->left : &parent->right;
    }
    rb_insert(&dir->by_name, &child->by_name, parent, link, NULL);
}

void children_add(struct inode *dir, struct entry *child)
{
    struct rb_node *last = rb_last(&dir->by_cookie);
    child->cookie = dir->next_cookie++;
    rb_insert(&dir->by_cookie, &child->by_cookie, last, last ? &last->right : &dir->by_cookie.node,
              NULL);
    add_by_name(dir, child);
}

void children_remove(struct inode *dir, struct entry *child)
{
    rb_erase(&dir->by_cookie, &child->by_cookie, NULL);
    rb_erase(&dir->by_name, &child->by_name, NULL);
}
