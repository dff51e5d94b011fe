/*
 * dir.c: open directories, and the calls that change the tree: mkdir, rmdir, unlink, symlink, link, rename.
 *
 * All of it runs under the tree lock. Each call walks with PATH_PARENT, so that the last name is looked at and never
 * followed, refuses, and only then changes anything. Positions of an open directory: 0 is ".", 1 is "..", above that the
 * children's cookies, which only grow, so that names made or removed meanwhile never shift the others; from
 * PROC_DYNAMIC on what a directory of /proc makes on demand.
 */
#include "kernel/fs/file.h"
#include "kernel/fs/fs.h"
#include "kernel/fs/pipe.h"
#include "kernel/fs/procfs.h"
#include "kernel/mm/slab.h"

const struct file_ops dir_file_ops = {.stream = false};

static void dir_item_set(struct dir_item *item, const char *name, const struct inode *inode,
                         u64 next)
{
    string_copy(item->name, name, sizeof(item->name));
    item->ino = inode->ino;
    item->type = (inode->mode & S_IFMT) >> 12;
    item->next = next;
}

bool dir_next(struct file *dir, u64 pos, struct dir_item *item)
{
    struct entry *at = dir->entry;
    struct list_head *link;
    bool found = true;
    tree_lock();
    if (pos < 2) {
        struct entry *named = pos == 0 || at == fs_root ? at : at->parent;
        dir_item_set(item, pos == 0 ? "." : "..", named->inode, pos + 1);
        goto out;
    }
    list_for_each (link, &at->inode->children) {
        struct entry *child = list_entry(link, struct entry, link);
        if (child->cookie >= pos) {
            dir_item_set(item, child->name, child->inode, child->cookie + 1);
            goto out;
        }
    }
    const struct proc_entry *proc = at->inode->proc;
    found = proc && proc->next && proc->next(at, max_u64(pos, PROC_DYNAMIC), item);
out:
    tree_unlock();
    return found;
}

/* Enter a new inode of mode at path. 0 or a negative errno, nothing made. *out as tree_link; => tree lock held. */
static int make_locked(struct entry *start, const char *path, u32 mode, struct entry **out)
{
    struct path_result r;
    int ret = path_walk(start, path, PATH_PARENT, &r);
    if (ret < 0)
        return ret;
    if (r.entry)
        return -EEXIST;
    if (r.slash && !S_ISDIR(mode))
        return -ENOENT;
    struct inode *inode = inode_create(mode);
    if (!inode)
        return -ENOMEM;
    ret = S_ISFIFO(mode) ? pipe_attach(inode) : 0;
    if (ret == 0)
        ret = tree_link(r.dir, r.name, r.length, inode, out);
    inode_put(inode);
    return ret;
}

int fs_make(struct entry *start, const char *path, u32 mode, u64 rdev, const struct file_ops *ops)
{
    struct entry *entry;
    tree_lock();
    int ret = make_locked(start, path, mode, &entry);
    if (ret == 0 && rdev) {
        entry->inode->rdev = rdev;
        entry->inode->file_ops = ops;
    }
    tree_unlock();
    return ret;
}

int fs_mkdir(struct entry *start, const char *path, u32 mode)
{
    return fs_make(start, path, S_IFDIR | (mode & 01777), 0, NULL);
}

int fs_symlink(struct entry *start, const char *path, const char *target)
{
    size_t length = strlen(target);
    if (!length)
        return -ENOENT;
    char *copy = kmalloc(length + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, target, length + 1);
    struct entry *entry;
    tree_lock();
    int ret = make_locked(start, path, S_IFLNK | 0777, &entry);
    if (ret == 0)
        entry->inode->target = copy;
    tree_unlock();
    if (ret < 0)
        kfree(copy);
    return ret;
}

static int unlink_check(const struct path_result *r)
{
    if (r->last != PATH_NAME)
        return -EISDIR;
    if (!r->entry)
        return -ENOENT;
    if (r->slash)
        return S_ISDIR(r->entry->inode->mode) ? -EISDIR : -ENOTDIR;
    if (S_ISDIR(r->entry->inode->mode))
        return -EISDIR;
    return r->entry->inode->proc ? -EPERM : 0;
}

static int rmdir_check(const struct path_result *r)
{
    static const int special[] = {
        [PATH_DOT] = -EINVAL, [PATH_DOTDOT] = -ENOTEMPTY, [PATH_ROOT] = -EBUSY};
    if (r->last != PATH_NAME)
        return special[r->last];
    if (!r->entry)
        return -ENOENT;
    if (!S_ISDIR(r->entry->inode->mode))
        return -ENOTDIR;
    if (r->entry->inode->proc)
        return -EPERM;
    return tree_empty(r->entry) ? 0 : -ENOTEMPTY;
}

int fs_unlink(struct entry *start, const char *path, bool directory)
{
    struct path_result r;
    tree_lock();
    int ret = path_walk(start, path, PATH_PARENT, &r);
    if (ret == 0)
        ret = directory ? rmdir_check(&r) : unlink_check(&r);
    if (ret == 0)
        tree_unlink(r.entry);
    tree_unlock();
    return ret;
}

int fs_link(struct entry *from, struct entry *start, const char *path)
{
    struct path_result r;
    if (S_ISDIR(from->inode->mode))
        return -EPERM;
    if (from->inode->proc)
        return -EXDEV;
    tree_lock();
    int ret = path_walk(start, path, PATH_PARENT, &r);
    if (ret == 0 && r.entry)
        ret = -EEXIST;
    else if (ret == 0 && (r.slash || from->inode->nlink == 0))
        ret = -ENOENT;
    if (ret == 0)
        ret = tree_link(r.dir, r.name, r.length, from->inode, NULL);
    tree_unlock();
    return ret;
}

/* May from (a) become to (b)? 1: they are the same file already and nothing is to be done. */
static int rename_check(const struct path_result *a, const struct path_result *b)
{
    if (a->last != PATH_NAME || b->last != PATH_NAME)
        return -EBUSY;
    if (!a->entry)
        return -ENOENT;
    if (!b->entry && b->dir->inode->proc)
        return -ENOENT;
    if (a->entry->inode->proc || (b->entry && b->entry->inode->proc))
        return -EPERM;
    bool dir = S_ISDIR(a->entry->inode->mode);
    if (!dir && (a->slash || b->slash))
        return -ENOTDIR;
    if (dir)
        for (struct entry *e = b->dir; e != fs_root; e = e->parent)
            if (e == a->entry)
                return -EINVAL;
    if (!b->entry)
        return 0;
    if (a->entry->inode == b->entry->inode)
        return 1;
    for (struct entry *e = a->dir; e != fs_root; e = e->parent)
        if (e == b->entry)
            return -ENOTEMPTY;
    if (S_ISDIR(b->entry->inode->mode) != dir)
        return dir ? -ENOTDIR : -EISDIR;
    return dir && !tree_empty(b->entry) ? -ENOTEMPTY : 0;
}

/* What was under the new name goes, once the move cannot fail any more. => tree lock held. */
static int rename_move(struct path_result *a, struct path_result *b)
{
    struct entry *victim = b->entry;
    int ret = tree_move(a->entry, b->dir, b->name, b->length);
    if (ret == 0 && victim)
        tree_unlink(victim);
    return ret;
}

int fs_rename(struct entry *from_start, const char *from, struct entry *to_start, const char *to)
{
    struct path_result a, b;
    tree_lock();
    int ret = path_walk(from_start, from, PATH_PARENT, &a);
    if (ret == 0)
        ret = path_walk(to_start, to, PATH_PARENT, &b);
    if (ret == 0)
        ret = rename_check(&a, &b);
    if (ret == 0)
        ret = rename_move(&a, &b);
    tree_unlock();
    return ret < 0 ? ret : 0;
}
