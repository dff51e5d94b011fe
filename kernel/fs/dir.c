/*
 * dir.c: open directories, and the calls that change the tree: mkdir, rmdir, unlink, symlink, link, rename.
 *
 * All of it runs under the tree lock. Each call walks with PATH_PARENT, so that the last name is looked at and never
 * followed, refuses, and only then changes anything. Positions of an open directory: 0 is ".", 1 is "..", above that the
 * children's cookies, which only grow, so that names made or removed meanwhile never shift the others; from
 * PROC_DYNAMIC on what a directory of /proc makes on demand.
 */
#include "kernel/fs/children.h"
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
    bool found = true;
    tree_lock();
    if (pos < 2) {
        struct entry *named = pos == 0 || at == fs_root ? at : at->parent;
        dir_item_set(item, pos == 0 ? "." : "..", named->inode, pos + 1);
        goto out;
    }
    struct entry *child = children_from(at->inode, pos);
    if (child) {
        dir_item_set(item, child->name, child->inode, child->cookie + 1);
        goto out;
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

/* ---- what /proc answers: it is a file system of its own, and nobody changes it ---- */

static bool in_proc(const struct entry *dir)
{
    return dir->inode->proc;
}

/* Is entry /proc, which all else lies below? */
static bool proc_top(const struct entry *entry)
{
    return in_proc(entry) && !in_proc(entry->parent);
}

/* Why a name in dir, which lies in /proc, cannot be changed: in /proc/sys the rights say no. */
static int proc_refusal(const struct entry *dir)
{
    const struct entry *below = dir;
    while (!proc_top(dir)) {
        below = dir;
        dir = dir->parent;
    }
    return strcmp(below->name, "sys") == 0 ? -EACCES : -EPERM;
}

/* ---- unlink and rmdir ---- */

static int unlink_check(const struct path_result *r)
{
    if (r->last != PATH_NAME)
        return -EISDIR;
    if (!r->entry)
        return -ENOENT;
    if (r->slash)
        return S_ISDIR(r->entry->inode->mode) ? -EISDIR : -ENOTDIR;
    if (in_proc(r->dir))
        return proc_refusal(r->dir);
    return S_ISDIR(r->entry->inode->mode) ? -EISDIR : 0;
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
    if (in_proc(r->dir))
        return proc_refusal(r->dir);
    if (proc_top(r->entry))
        return -EBUSY;
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

static int link_check(const struct entry *from, const struct path_result *r)
{
    if (r->entry)
        return -EEXIST;
    if (r->slash || in_proc(r->dir))
        return -ENOENT;
    if (from->inode->proc)
        return -EXDEV;
    if (S_ISDIR(from->inode->mode))
        return -EPERM;
    return from->inode->nlink == 0 ? -ENOENT : 0;
}

int fs_link(struct entry *from, struct entry *start, const char *path)
{
    struct path_result r;
    tree_lock();
    int ret = path_walk(start, path, PATH_PARENT, &r);
    if (ret == 0)
        ret = link_check(from, &r);
    if (ret == 0)
        ret = tree_link(r.dir, r.name, r.length, from->inode, NULL);
    tree_unlock();
    return ret;
}

static bool lies_in(const struct entry *entry, const struct entry *dir)
{
    while (entry != dir && entry != fs_root)
        entry = entry->parent;
    return entry == dir;
}

/* What has to be true of the two names. */
static int rename_check_names(const struct path_result *a, const struct path_result *b)
{
    if (in_proc(a->dir) != in_proc(b->dir))
        return -EXDEV;
    if (a->last != PATH_NAME || b->last != PATH_NAME)
        return -EBUSY;
    if (!a->entry || (!b->entry && in_proc(b->dir)))
        return -ENOENT;
    bool dir = S_ISDIR(a->entry->inode->mode);
    if (!dir && (a->slash || b->slash))
        return -ENOTDIR;
    if (dir && lies_in(b->dir, a->entry))
        return -EINVAL;
    return 0;
}

/* May from (a) become to (b)? 1: they are the same file already and nothing is to be done. */
static int rename_check(const struct path_result *a, const struct path_result *b)
{
    int ret = rename_check_names(a, b);
    if (ret < 0)
        return ret;
    if (b->entry && a->entry->inode == b->entry->inode)
        return 1;
    if (b->entry && b->entry != fs_root && lies_in(a->dir, b->entry))
        return -ENOTEMPTY;
    bool dir = S_ISDIR(a->entry->inode->mode);
    if (b->entry && S_ISDIR(b->entry->inode->mode) != dir)
        return dir ? -ENOTDIR : -EISDIR;
    if (in_proc(a->dir))
        return proc_refusal(a->dir);
    if (proc_top(a->entry) || (b->entry && proc_top(b->entry)))
        return -EBUSY;
    return b->entry && dir && !tree_empty(b->entry) ? -ENOTEMPTY : 0;
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
        ret = tree_move(a.entry, b.dir, b.name, b.length, b.entry);
    tree_unlock();
    return ret < 0 ? ret : 0;
}
