/*
 * tree.c: entries and inodes: making, linking, unlinking, and the end of both.
 *
 * Data: the root, the slab of inodes, the counter of inode numbers. Locks as tree.h says. Callers: path.c walks,
 * dir.c changes the tree, file.c pins entries.
 *
 * The life of a file:   inode_create (1: the maker) -> tree_link (+1: the entry) -> maker's inode_put
 *                       open: entry_get; unlink: the tree's entry reference goes; last close or munmap: entry_put
 *                       -> entry freed -> inode_put -> mapping_destroy: the pages come back.
 */
#include "kernel/fs/children.h"

#include "kernel/core/panic.h"
#include "kernel/core/time.h"
#include "kernel/fs/file.h"
#include "kernel/fs/pipe.h"
#include "kernel/fs/procfs.h"
#include "kernel/mm/slab.h"
#include "lib/abi/errno.h"
#include "lib/format.h"
#include "lib/string.h"

struct mutex fs_tree_lock;
struct entry *fs_root;

static struct entry *kept; /* chain of those to be put at tree_unlock; tree lock */
static struct slab_cache inode_cache;
static u64 last_ino;

static void inode_init_contents(struct inode *inode)
{
    switch (inode->mode & S_IFMT) {
    case S_IFREG:
        mapping_init(&inode->mapping);
        inode->file_ops = &tmpfs_file_ops;
        break;
    case S_IFDIR:
        inode->next_cookie = 2; /* 0 and 1 are "." and ".." */
        inode->file_ops = &dir_file_ops;
        break;
    }
}

struct inode *inode_create(u32 mode)
{
    struct inode *inode = slab_alloc_zeroed(&inode_cache);
    if (!inode)
        return NULL;
    inode->refs = 1;
    inode->mode = mode;
    inode->ino = __atomic_add_fetch(&last_ino, 1, __ATOMIC_RELAXED);
    inode->atime = inode->mtime = inode->ctime = time_wall_ns();
    mutex_init(&inode->lock, RANK_INODE);
    mutex_init(&inode->write_lock, RANK_WRITE);
    inode_init_contents(inode);
    return inode;
}

void inode_put(struct inode *inode)
{
    if (__atomic_fetch_sub(&inode->refs, 1, __ATOMIC_ACQ_REL) != 1)
        return;
    if (S_ISREG(inode->mode))
        mapping_destroy(&inode->mapping);
    else if (S_ISLNK(inode->mode) && !inode->proc) /* /proc's are constant */
        kfree(inode->target);
    else if (S_ISFIFO(inode->mode))
        pipe_free(inode->pipe);
    slab_free(&inode_cache, inode);
}

static int count_users(struct inode *inode, s32 step)
{
    s32 seen = __atomic_load_n(&inode->writers, __ATOMIC_RELAXED);
    do {
        if (seen && (seen < 0) != (step < 0))
            return -ETXTBSY;
    } while (!__atomic_compare_exchange_n(&inode->writers, &seen, seen + step, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return 0;
}

int inode_write_begin(struct inode *inode)
{
    return count_users(inode, 1);
}

void inode_write_end(struct inode *inode)
{
    __atomic_fetch_sub(&inode->writers, 1, __ATOMIC_ACQ_REL);
}

int inode_run_begin(struct inode *inode)
{
    return count_users(inode, -1);
}

void inode_run_end(struct inode *inode)
{
    __atomic_fetch_add(&inode->writers, 1, __ATOMIC_ACQ_REL);
}

static struct entry *entry_create(const char *name, size_t length, struct inode *inode)
{
    struct entry *entry = kzalloc(sizeof(*entry) + length + 1);
    if (!entry)
        return NULL;
    entry->refs = 1;
    entry->inode = inode_get(inode);
    entry->name = entry->first_name;
    memcpy(entry->name, name, length);
    return entry;
}

/* A loop, since the last reference to a deep entry may be the last to each directory above it. */
void entry_put(struct entry *entry)
{
    while (__atomic_fetch_sub(&entry->refs, 1, __ATOMIC_ACQ_REL) == 1) {
        struct entry *parent = entry->parent;
        inode_put(entry->inode);
        if (entry->name != entry->first_name)
            kfree(entry->name);
        kfree(entry);
        if (!parent)
            return;
        entry = parent;
    }
}

void tree_lock(void)
{
    mutex_lock(&fs_tree_lock);
}

void tree_unlock(void)
{
    struct entry *entry;
    while ((entry = kept) != NULL) {
        kept = entry->next_kept;
        entry->kept = false;
        entry_put(entry);
    }
    mutex_unlock(&fs_tree_lock);
}

void tree_keep(struct entry *entry)
{
    CHECK(mutex_held(&fs_tree_lock), "keeping %s unlocked", entry->name);
    if (entry->kept) { /* the list has a reference already */
        entry_put(entry);
        return;
    }
    entry->kept = true;
    entry->next_kept = kept;
    kept = entry;
}

struct entry *tree_child(struct entry *dir, const char *name, size_t length)
{
    const struct proc_entry *proc = dir->inode->proc;
    struct entry *child = children_find(dir->inode, name, length);
    if (child)
        return child;
    struct entry *made = proc && proc->lookup ? proc->lookup(dir, name, length) : NULL;
    if (made)
        tree_keep(made);
    return made;
}

static void tree_touch(struct inode *inode)
{
    inode->mtime = inode->ctime = time_wall_ns();
}

int tree_link(struct entry *dir, const char *name, size_t length, struct inode *inode,
              struct entry **out)
{
    CHECK(length >= 1 && length <= ABI_NAME_MAX, "length %zu", length);
    if (dir->deleted || (dir->inode->proc && !inode->proc)) /* nobody makes files in /proc */
        return -ENOENT;
    struct entry *entry = entry_create(name, length, inode);
    if (!entry)
        return -ENOMEM;
    entry->parent = entry_get(dir);
    children_add(dir->inode, entry);
    inode->nlink++;
    if (S_ISDIR(inode->mode)) {
        inode->nlink++;      /* its own "." */
        dir->inode->nlink++; /* its ".." */
    }
    tree_touch(dir->inode);
    if (out)
        *out = entry;
    return 0;
}

struct entry *tree_orphan(struct inode *inode, const char *name, bool bare)
{
    char number[24];
    if (!name) {
        format_to(number, sizeof(number), "#%llu", (unsigned long long)inode->ino);
        name = number;
    }
    struct entry *entry = tree_transient(fs_root, name, inode);
    if (entry) {
        entry->deleted = true;
        entry->bare = bare;
    }
    return entry;
}

struct entry *tree_transient(struct entry *dir, const char *name, struct inode *inode)
{
    struct entry *entry = entry_create(name, strlen(name), inode);
    if (entry)
        entry->parent = entry_get(dir);
    return entry;
}

void tree_unlink(struct entry *entry)
{
    struct inode *inode = entry->inode, *dir = entry->parent->inode;
    CHECK(!entry->deleted, "%s is not in the tree", entry->name);
    children_remove(dir, entry);
    entry->deleted = true;
    inode->nlink--;
    if (S_ISDIR(inode->mode)) {
        inode->nlink--;
        dir->nlink--;
    }
    inode->ctime = time_wall_ns();
    tree_touch(dir);
    entry_put(entry);
}

static void set_name(struct entry *entry, char *name)
{
    if (entry->name != entry->first_name)
        kfree(entry->name);
    entry->name = name;
}

int tree_move(struct entry *entry, struct entry *dir, const char *name, size_t length,
              struct entry *victim)
{
    struct entry *from = entry->parent;
    CHECK(!entry->deleted && length >= 1 && length <= ABI_NAME_MAX, "%s", entry->name);
    if (dir->deleted)
        return -ENOENT;
    char *copy = kzalloc(length + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, name, length);
    if (victim)
        tree_unlink(victim);
    children_remove(from->inode, entry);
    set_name(entry, copy);
    entry->parent = entry_get(dir);
    children_add(dir->inode, entry);
    if (S_ISDIR(entry->inode->mode)) {
        from->inode->nlink--;
        dir->inode->nlink++;
    }
    entry->inode->ctime = time_wall_ns();
    tree_touch(from->inode);
    tree_touch(dir->inode);
    entry_put(from);
    return 0;
}

bool tree_empty(const struct entry *dir)
{
    return children_none(dir->inode);
}

size_t tree_path(const struct entry *entry, char *buf, size_t size)
{
    const char *suffix = entry->deleted ? " (deleted)" : "";
    size_t suffix_length = strlen(suffix), length = suffix_length;
    if (entry == fs_root || entry->bare)
        return string_copy(buf, entry->bare ? entry->name : "/", size);
    for (const struct entry *e = entry; e != fs_root; e = e->parent)
        length += 1 + strlen(e->name);
    /* From the end backwards; what lies beyond size is dropped. */
    size_t at = length;
    const char *text = suffix;
    size_t n = suffix_length;
    for (const struct entry *e = entry;; text = e->name, n = strlen(e->name), e = e->parent) {
        for (size_t i = n; i > 0; i--)
            if (--at < size)
                buf[at] = text[i - 1];
        if (text != suffix && --at < size)
            buf[at] = '/';
        if (e == fs_root)
            break;
    }
    if (size)
        buf[length < size ? length : size - 1] = '\0';
    return length;
}

int tree_init(void)
{
    mutex_init(&fs_tree_lock, RANK_DIR);
    slab_cache_init(&inode_cache, "inode", sizeof(struct inode), 8);
    struct inode *inode = inode_create(S_IFDIR | 0755);
    if (!inode)
        return -ENOMEM;
    inode->nlink = 2;
    fs_root = entry_create("", 0, inode);
    inode_put(inode);
    return fs_root ? 0 : -ENOMEM;
}
