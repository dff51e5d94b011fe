/*
 * path.h: from a path to an entry.
 */
#ifndef KERNEL_FS_PATH_H
#define KERNEL_FS_PATH_H

#include "kernel/fs/tree.h"

enum path_flags {
    PATH_FOLLOW = 1, /* a symbolic link as the last component is followed */
    PATH_PARENT =
        2, /* the caller will make, remove or replace the last name: never follow it, slash or not */
};

enum path_last { PATH_NAME, PATH_DOT, PATH_DOTDOT, PATH_ROOT };

enum { PATH_LINKS_MAX = 40 }; /* as Linux's MAXSYMLINKS: more is ELOOP */

struct path_result {
    struct entry
        *dir; /* where the last name was looked up; the found directory itself for . .. and / */
    struct entry *entry; /* NULL: no such name in dir */
    const char *
        name; /* the last name; in the caller's path or a link's target, valid under the tree lock */
    size_t length;
    enum path_last last;
    bool slash; /* the path ended in a slash: a directory is wanted */
};

/* Walk path, of at most ABI_PATH_MAX bytes with its NUL, from start (from the root when it begins with a slash).
 * => tree lock held; start a directory. Entries in the result are without references. 0 also when only the last name is missing
 * (entry NULL); -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG. */
int path_walk(struct entry *start, const char *path, unsigned flags, struct path_result *result);

/* path_walk that wants the entry to exist. *out comes with a reference. => tree lock not held. */
int path_find(struct entry *start, const char *path, unsigned flags, struct entry **out);

#endif
