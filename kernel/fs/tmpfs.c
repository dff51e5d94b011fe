/*
 * tmpfs.c: the contents of regular files. A file's bytes live in the pages of its struct mapping and nowhere else, so
 * read, write and every mmap see the same memory; a page that was never written is not there and reads as zero.
 *
 *      pos:    0        4096      8192           size
 *              | page 0 | (hole)  | page 2       |.....tail: kept zero below the size's page end
 *
 * read copies straight from the page, held by a reference and no lock, so the caller's memory may fault, even on this very
 * file. write copies a page's worth from the caller into a bounce page first (that may fault), then into the file under the
 * inode's lock (that cannot). Stores through a mapping past the end of the file reach the tail of the last page;
 * they are wiped whenever the file grows over them.
 *
 * Locks: the inode's lock for write and truncate; write_lock around a whole write, so that those of two processes don't mix;
 * mm's mapping.h for the rest.
 */
#include "kernel/core/panic.h"
#include "kernel/core/time.h"
#include "kernel/fs/file.h"
#include "kernel/sched/thread.h"
#include "lib/abi/time.h"

static const u64 DAY_NS = 24 * 3600 * NSEC_PER_SEC;

static const u8 zero_bytes[PAGE_SIZE];

/* One page's share of a read. Returns bytes stored, or -EFAULT when none were. */
static long read_step(struct mapping *m, struct io *io, u64 pos, size_t n)
{
    struct page *page = NULL;
    int ret = mapping_page(m, pos >> PAGE_SHIFT, false, &page);
    if (ret < 0)
        return ret;
    const u8 *src = page ? (const u8 *)page_to_virt(page) + (pos & ~PAGE_MASK) : zero_bytes;
    size_t done = io_put(io, src, n);
    if (page)
        page_put(page);
    return done ? (long)done : -EFAULT;
}

long mapping_read(struct mapping *m, struct io *io, u64 *pos)
{
    u64 done = 0;
    long error = 0;
    while (io->left) {
        u64 size = READ_ONCE(m->size);
        if (*pos >= size)
            break;
        size_t n = min_u64(min_u64(io->left, PAGE_SIZE - (*pos & ~PAGE_MASK)), size - *pos);
        long ret = read_step(m, io, *pos, n);
        if (ret < 0) {
            error = ret;
            break;
        }
        *pos += ret;
        done += ret;
        sched_yield_point();
        if ((size_t)ret < n) { /* the caller's memory ended */
            error = -EFAULT;
            break;
        }
    }
    return io_result(done, error);
}

/* The time of access moves only when it tells something new, or is a day old (Linux's relatime). */
static void touch_access(struct inode *inode)
{
    u64 now = time_wall_ns(), atime = READ_ONCE(inode->atime);
    if (atime <= inode->mtime || atime <= inode->ctime || now - atime >= DAY_NS)
        WRITE_ONCE(inode->atime, now);
}

static long tmpfs_read(struct file *file, struct io *io, u64 *pos)
{
    long ret = mapping_read(&file_inode(file)->mapping, io, pos);
    if (ret >= 0 && !(file->flags & O_NOATIME))
        touch_access(file_inode(file));
    return ret;
}

/* Wipe what mappings stored past the end in the last page, before the end moves up. => inode's lock held. */
static void zero_tail(struct mapping *m)
{
    struct page *page = NULL;
    u64 tail = m->size & ~PAGE_MASK;
    if (tail && mapping_page(m, m->size >> PAGE_SHIFT, false, &page) == 0 && page) {
        memset((u8 *)page_to_virt(page) + tail, 0, PAGE_SIZE - tail);
        page_put(page);
    }
}

static void set_size(struct inode *inode, u64 size)
{
    if (size > inode->mapping.size)
        zero_tail(&inode->mapping);
    mapping_truncate(&inode->mapping, size);
}

/* Put n bytes, all within one page, into the file. 0 or -ENOMEM, the file unchanged. => inode's lock held. */
static int write_step(struct inode *inode, const void *src, size_t n, u64 pos)
{
    struct mapping *m = &inode->mapping;
    struct page *page = NULL;
    int ret = mapping_page(m, pos >> PAGE_SHIFT, true, &page);
    if (ret < 0)
        return ret;
    if (pos + n > m->size)
        set_size(inode, pos + n);
    memcpy((u8 *)page_to_virt(page) + (pos & ~PAGE_MASK), src, n);
    page->dirty = 1;
    page_put(page);
    return 0;
}

/* Put n bytes, a page's worth at most, at *pos, or with append at the end, wherever that has moved to. *pos goes behind them. 0,
 * -EFBIG, -ENOMEM. => no lock held. */
static int write_bounce(struct inode *inode, const u8 *src, size_t n, u64 *pos, bool append)
{
    int ret = 0;
    mutex_lock(&inode->lock);
    u64 at = append ? inode->mapping.size : *pos;
    if (at + n > ABI_FILE_MAX)
        ret = -EFBIG;
    for (size_t done = 0, part; done < n && ret == 0; done += part, at += part) {
        part = min_u64(n - done, PAGE_SIZE - (at & ~PAGE_MASK));
        ret = write_step(inode, src + done, part, at);
        if (ret == 0)
            *pos = at + part;
    }
    inode->mtime = inode->ctime = time_wall_ns();
    mutex_unlock(&inode->lock);
    return ret;
}

static long write_loop(struct file *file, struct io *io, u64 *pos, void *bounce)
{
    struct inode *inode = file_inode(file);
    bool append = file->flags & O_APPEND;
    u64 done = 0;
    long error = 0;
    while (io->left && !error) {
        u64 at = append ? READ_ONCE(inode->mapping.size) : *pos;
        if (at >= ABI_FILE_MAX) {
            error = -EFBIG;
            break;
        }
        size_t want = min_u64(min_u64(io->left, PAGE_SIZE - (at & ~PAGE_MASK)), ABI_FILE_MAX - at);
        size_t n = io_get(io, bounce, want);
        if (n < want)
            error = -EFAULT;
        if (n == 0)
            break;
        int ret = write_bounce(inode, bounce, n, pos, append);
        if (ret < 0)
            return io_result(done, ret);
        done += n;
        sched_yield_point();
    }
    return io_result(done, error);
}

static long tmpfs_write(struct file *file, struct io *io, u64 *pos)
{
    if (!io->left)
        return 0;
    struct page *bounce = page_alloc(0, PAGE_KERNEL);
    if (!bounce)
        return -ENOMEM;
    mutex_lock(&file_inode(file)->write_lock);
    long ret = write_loop(file, io, pos, page_to_virt(bounce));
    mutex_unlock(&file_inode(file)->write_lock);
    page_put(bounce);
    return ret;
}

int inode_truncate(struct inode *inode, u64 size)
{
    if (S_ISDIR(inode->mode))
        return -EISDIR;
    if (!S_ISREG(inode->mode))
        return -EINVAL;
    if (inode->proc) /* a text made on demand has no length to set */
        return 0;
    CHECK(size <= ABI_FILE_MAX, "size %llx", (unsigned long long)size);
    int ret = inode_write_begin(inode);
    if (ret < 0)
        return ret;
    mutex_lock(&inode->lock);
    set_size(inode, size);
    inode->mtime = inode->ctime = time_wall_ns();
    mutex_unlock(&inode->lock);
    inode_write_end(inode);
    return 0;
}

void inode_stat(const struct inode *inode, struct abi_stat *st)
{
    u64 ns = NSEC_PER_SEC;
    *st = (struct abi_stat){
        .st_dev = inode->proc ? abi_makedev(0, 5) : abi_makedev(0, 1),
        .st_ino = inode->ino,
        .st_nlink = inode->nlink,
        .st_mode = inode->mode,
        .st_rdev = inode->rdev,
        .st_blksize = PAGE_SIZE,
        .st_atime = inode->atime / ns,
        .st_atime_nsec = inode->atime % ns,
        .st_mtime = inode->mtime / ns,
        .st_mtime_nsec = inode->mtime % ns,
        .st_ctime = inode->ctime / ns,
        .st_ctime_nsec = inode->ctime % ns,
    };
    if (S_ISREG(inode->mode) && !inode->proc) {
        st->st_size = READ_ONCE(inode->mapping.size);
        st->st_blocks = READ_ONCE(inode->mapping.count) * (PAGE_SIZE / 512);
    } else if (S_ISLNK(inode->mode) && !inode->proc) {
        st->st_size = strlen(inode->target);
    }
}

const struct file_ops tmpfs_file_ops = {.read = tmpfs_read, .write = tmpfs_write, .mappable = true};
