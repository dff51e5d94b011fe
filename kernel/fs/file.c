/*
 * file.c: opening, and the end of an open file.
 *
 * Data: the slab of struct file. open holds the tree lock from the walk until the entry is pinned, so a name cannot vanish
 * between being found and being opened; truncation and the operations' own open come after it is dropped.
 *
 *      path_walk -> [make it] -> checks -> struct file (pins the entry) -> unlock -> O_TRUNC -> ops->open
 *
 * A regular file that is open for writing counts as such in its inode until its end, so that nobody runs it meanwhile.
 */
#include "kernel/fs/file.h"

#include "kernel/core/time.h"
#include "kernel/fs/fs.h"
#include "kernel/mm/slab.h"

static struct slab_cache file_cache;
static const struct file_ops path_file_ops; /* O_PATH: a place in the tree, no contents */

/* Does this access keep a program from being run? */
static bool writes_contents(const struct inode *inode, u32 access)
{
    return (access & MM_FILE_WRITE) && S_ISREG(inode->mode) && !inode->proc;
}

static void file_release(struct mm_file *mm)
{
    struct file *file = container_of(mm, struct file, mm);
    if (file->ops->release && !file->refused)
        file->ops->release(file);
    if (writes_contents(file_inode(file), mm->access))
        inode_write_end(file_inode(file));
    entry_put(file->entry);
    slab_free(&file_cache, file);
}

static int file_describe(struct mm_file *mm, char *path, size_t size, u32 *major, u32 *minor,
                         u64 *inode)
{
    struct file *file = container_of(mm, struct file, mm);
    tree_lock();
    size_t length = tree_path(file->entry, path, size);
    tree_unlock();
    *major = 0;
    *minor = 1; /* as inode_stat */
    *inode = file_inode(file)->ino;
    return length;
}

static void file_modified(struct mm_file *mm)
{
    struct inode *inode = file_inode(container_of(mm, struct file, mm));
    inode->mtime = inode->ctime = time_wall_ns();
}

static const struct mm_file_ops file_mm_ops = {
    .release = file_release, .describe = file_describe, .modified = file_modified};

void file_init(void)
{
    slab_cache_init(&file_cache, "file", sizeof(struct file), 8);
}

static u32 access_of(u32 flags)
{
    static const u32 access[] = {MM_FILE_READ, MM_FILE_WRITE, MM_FILE_READ | MM_FILE_WRITE, 0};
    return flags & O_PATH ? 0 : access[flags & O_ACCMODE];
}

/* A struct file over entry, which gets a reference. 0 and *out, -ETXTBSY, -ENOMEM. */
static int file_create(struct entry *entry, u32 flags, struct file **out)
{
    bool writes = writes_contents(entry->inode, access_of(flags));
    int ret = writes ? inode_write_begin(entry->inode) : 0;
    if (ret < 0)
        return ret;
    struct file *file = slab_alloc_zeroed(&file_cache);
    if (!file) {
        if (writes)
            inode_write_end(entry->inode);
        return -ENOMEM;
    }
    file->mm.ops = &file_mm_ops;
    file->mm.refs = 1;
    file->mm.access = access_of(flags);
    mutex_init(&file->pos_lock, RANK_POSITION);
    file->entry = entry_get(entry);
    file->ops = flags & O_PATH ? &path_file_ops : entry->inode->file_ops;
    file->flags = flags & ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC);
    if (file->ops->mappable)
        file->mm.mapping = &entry->inode->mapping;
    *out = file;
    return 0;
}

/* The last name is not there: make a regular file. => tree lock held. */
static int open_create(const struct open_request *q, struct path_result *r)
{
    struct inode *inode = inode_create(S_IFREG | (q->mode & 07777));
    if (!inode)
        return -ENOMEM;
    int ret = tree_link(r->dir, r->name, r->length, inode, &r->entry);
    inode_put(inode);
    return ret;
}

/* May what was found be opened so? Order of errors as Linux's do_open and may_open. => tree lock held. */
static int open_check(const struct open_request *q, const struct path_result *r, bool created)
{
    const struct inode *inode = r->entry->inode;
    bool wants_write = (q->flags & O_ACCMODE) != O_RDONLY || (q->flags & O_TRUNC);
    if (q->flags & O_CREAT) {
        if ((q->flags & O_EXCL) && !created)
            return -EEXIST;
        if (S_ISDIR(inode->mode))
            return -EISDIR;
    }
    if ((q->flags & O_DIRECTORY) && !S_ISDIR(inode->mode))
        return -ENOTDIR;
    if (q->flags & O_PATH)
        return 0;
    if (S_ISLNK(inode->mode))
        return -ELOOP;
    if (S_ISDIR(inode->mode) && wants_write)
        return -EISDIR;
    return inode->file_ops ? 0 : -ENXIO;
}

static unsigned open_walk_flags(u32 flags)
{
    unsigned walk = flags & O_CREAT ? PATH_PARENT : 0;
    bool exclusive = (flags & O_CREAT) && (flags & O_EXCL);
    return walk | (flags & O_NOFOLLOW || exclusive ? 0 : PATH_FOLLOW);
}

/* Walk, make, check and pin. => tree lock held. */
static int open_locked(const struct open_request *q, struct file **out, bool *created)
{
    struct path_result r;
    int ret = path_walk(q->start, q->path, open_walk_flags(q->flags), &r);
    if (ret < 0)
        return ret;
    if ((q->flags & O_CREAT) && r.slash)
        return -EISDIR;
    if (!r.entry) {
        if (!(q->flags & O_CREAT))
            return -ENOENT;
        ret = open_create(q, &r);
        if (ret < 0)
            return ret;
        *created = true;
    }
    ret = open_check(q, &r, *created);
    if (ret < 0)
        return ret;
    ret = file_create(r.entry, q->flags, out);
    if (ret < 0 && *created) { /* no memory: nothing was opened, nothing was made */
        tree_unlink(r.entry);
        *created = false;
    }
    return ret;
}

/* The operations' own part of opening, if all went well so far. Takes file over. */
static int open_finish(struct file *file, int ret, struct file **out)
{
    if (ret == 0 && file->ops->open)
        ret = file->ops->open(file);
    if (ret < 0) {
        file->refused = true;
        file_put(file);
        return ret;
    }
    *out = file;
    return 0;
}

int file_open_entry(struct entry *entry, u32 flags, struct file **out)
{
    struct file *file;
    int ret = file_create(entry, flags, &file);
    return ret < 0 ? ret : open_finish(file, 0, out);
}

int file_create_nameless(const char *name, u32 mode, u32 flags, struct file **out)
{
    struct inode *inode = inode_create(S_IFREG | (mode & 07777));
    if (!inode)
        return -ENOMEM;
    struct entry *entry = tree_orphan(inode, name, false);
    inode_put(inode);
    if (!entry)
        return -ENOMEM;
    int ret = file_create(entry, flags, out);
    entry_put(entry);
    return ret;
}

/* O_TMPFILE: a regular file in the directory path that never has a name. */
static int open_unnamed(const struct open_request *q, struct file **out)
{
    struct entry *dir;
    int ret = path_find(q->start, q->path, PATH_FOLLOW, &dir);
    if (ret < 0)
        return ret;
    ret = !S_ISDIR(dir->inode->mode) ? -ENOTDIR : dir->inode->proc ? -EOPNOTSUPP : 0;
    entry_put(dir);
    if (ret < 0)
        return ret;
    return file_create_nameless(NULL, q->mode, q->flags & ~(O_DIRECTORY | O_TMPFILE_BIT), out);
}

int file_open(const struct open_request *request, struct file **out)
{
    struct open_request q = *request;
    bool created = false;
    if (q.flags & O_PATH)
        q.flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    if (q.flags & O_TMPFILE_BIT) {
        bool ok =
            (q.flags & O_DIRECTORY) && !(q.flags & O_CREAT) && (q.flags & O_ACCMODE) != O_RDONLY;
        return ok ? open_unnamed(&q, out) : -EINVAL;
    }
    if ((q.flags & O_CREAT) && (q.flags & O_DIRECTORY))
        return -EINVAL;
    struct file *file = NULL;
    tree_lock();
    int ret = open_locked(&q, &file, &created);
    tree_unlock();
    if (ret < 0)
        return ret;
    if ((q.flags & O_TRUNC) && !created && S_ISREG(file_inode(file)->mode))
        ret = inode_truncate(file_inode(file), 0);
    return open_finish(file, ret, out);
}

long file_read_at(struct file *file, void *buf, size_t n, u64 pos)
{
    struct io_kernel k;
    io_kernel_init(&k, buf, n);
    if (!file->ops->read)
        return S_ISDIR(file_inode(file)->mode) ? -EISDIR : -EINVAL;
    return file->ops->read(file, &k.io, &pos);
}
