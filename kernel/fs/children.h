/*
 * children.h: the names in one directory, found by name and by position.
 *
 * => The tree lock is held for all of these. dir is a directory's inode.
 */
#ifndef KERNEL_FS_CHILDREN_H
#define KERNEL_FS_CHILDREN_H

#include "kernel/fs/tree.h"

/* NULL: there is none of that name. */
struct entry *children_find(const struct inode *dir, const char *name, size_t length);
/* The first at position pos or after; NULL: none. */
struct entry *children_from(const struct inode *dir, u64 pos);
/* Enter child under its name, which is not there yet, at a position behind all others. */
void children_add(struct inode *dir, struct entry *child);
void children_remove(struct inode *dir, struct entry *child);

static inline bool children_none(const struct inode *dir)
{
    return !dir->by_name.node;
}

#endif
