/*
 * sys_copy.c: sendfile, fallocate, the kernel log, and nodes: calls that move or make things without a user buffer of their
 * own kind. No data, no locks.
 */
#include "kernel/core/printk.h"
#include "kernel/mm/slab.h"
#include "kernel/sys/sys.h"

/* ---- sendfile ---- */

/* Write n bytes at the file's own position. How many went, or a negative errno. */
static long write_kernel(struct file *out, void *buf, size_t n)
{
    struct io_kernel k;
    io_kernel_init(&k, buf, n);
    file_pos_lock(out);
    u64 pos = out->pos;
    long ret = out->ops->write(out, &k.io, &pos);
    WRITE_ONCE(out->pos, pos);
    file_pos_unlock(out);
    if (ret == -EPIPE)
        signal_send(proc_current(), SIGPIPE);
    return ret;
}

/* Up to n bytes from *pos of in, which moves on by what went. */
static long send_step(struct file *out, struct file *in, u64 *pos, u8 *buf, size_t n)
{
    struct io_kernel k;
    u64 at = *pos;
    io_kernel_init(&k, buf, n);
    long got = in->ops->read(in, &k.io, &at);
    if (got <= 0)
        return got;
    long ret = write_kernel(out, buf, got);
    *pos += ret > 0 ? ret : 0;
    return ret;
}

static long send_all(struct file *out, struct file *in, u64 *pos, u64 count)
{
    u64 done = 0;
    long ret = 0;
    u8 *buf = kmalloc(PAGE_SIZE);
    if (!buf)
        return -ENOMEM;
    while (done < count) {
        size_t want = min_u64(count - done, PAGE_SIZE);
        ret = send_step(out, in, pos, buf, want);
        done += ret > 0 ? ret : 0;
        if (ret <= 0 || (size_t)ret < want || fs_interrupted())
            break;
        sched_yield_point();
    }
    kfree(buf);
    return io_result(done, ret < 0 ? ret : 0);
}

static long send_check(const struct file *out, const struct file *in)
{
    if (!(out->mm.access & MM_FILE_WRITE) || !(in->mm.access & MM_FILE_READ))
        return -EBADF;
    if (in->ops->stream || !in->ops->read || !out->ops->write || (out->flags & O_APPEND))
        return -EINVAL;
    return 0;
}

/* At in's own position it is moved as a plain word: two who send from one open file at once get in each other's way, as there is
 * no order in which two positions could be locked. */
static long send_files(struct file *out, struct file *in, vaddr_t offset, u64 count)
{
    u64 pos = READ_ONCE(in->pos);
    long ret = send_check(out, in);
    if (ret == 0 && offset)
        ret = get_user(&pos, offset, sizeof(pos));
    if (ret == 0 && (s64)pos < 0)
        ret = -EINVAL;
    if (ret < 0)
        return ret;
    ret = send_all(out, in, &pos, min_u64(count, ABI_RW_MAX));
    if (!offset)
        WRITE_ONCE(in->pos, pos);
    else if (put_user(offset, &pos, sizeof(pos)))
        return -EFAULT;
    return ret;
}

long sys_sendfile(const u64 *arg)
{
    struct file *out = file_of(arg[0]), *in = file_of(arg[1]);
    long ret = out && in ? send_files(out, in, arg[2], arg[3]) : -EBADF;
    if (in)
        file_put(in);
    if (out)
        file_put(out);
    return ret;
}

/* Pages of a file come when they are written, from a store that others share: nothing is set aside. */
long sys_fallocate(const u64 *arg)
{
    struct file *file = file_of(arg[0]);
    if (!file)
        return -EBADF;
    long ret = -EOPNOTSUPP;
    if ((s64)arg[2] < 0 || (s64)arg[3] <= 0)
        ret = -EINVAL;
    else if (!(file->mm.access & MM_FILE_WRITE))
        ret = -EBADF;
    else if (file->ops->stream)
        ret = -ESPIPE;
    file_put(file);
    return ret;
}

/* ---- nodes ---- */

static long mknod_at(int dirfd, vaddr_t path, u32 mode)
{
    struct user_at at;
    u32 type = mode & S_IFMT ? mode & S_IFMT : S_IFREG;
    if (type == S_IFDIR || type == S_IFLNK)
        return type == S_IFDIR ? -EPERM : -EINVAL;
    if (type != S_IFREG && type != S_IFIFO) /* devices are where the kernel makes them */
        return -EPERM;
    long ret = user_at_get(&at, dirfd, path);
    if (ret < 0)
        return ret;
    u32 rights = mode & 07777 & ~proc_current()->umask;
    ret = fs_make(at.start, at.path, type | rights, 0, NULL);
    user_at_put(&at);
    return ret;
}

long sys_mknod(const u64 *arg)
{
    return mknod_at(AT_FDCWD, arg[0], arg[1]);
}

long sys_mknodat(const u64 *arg)
{
    return mknod_at(arg[0], arg[1], arg[2]);
}

/* ---- the kernel log: dmesg ---- */

enum {
    LOG_CLOSE = 0,
    LOG_OPEN,
    LOG_READ_ALL = 3,
    LOG_READ_CLEAR,
    LOG_CLEAR,
    LOG_SIZE_UNREAD = 9,
    LOG_SIZE = 10
};
enum { LOG_OFF = 6, LOG_LEVEL = 8 }; /* which messages a console shows: none does */

static u64 cleared; /* READ_ALL begins here */

/* The last size bytes of the log since it was cleared. */
static long log_to_user(vaddr_t to, u64 size)
{
    char piece[256];
    u64 start = READ_ONCE(cleared), end = printk_end(&start);
    if (end - start > size)
        start = end - size;
    for (u64 at = start; at < end; at += sizeof(piece)) {
        size_t n = min_u64(end - at, sizeof(piece));
        printk_copy(piece, n, at);
        if (put_user(to + (at - start), piece, n))
            return -EFAULT;
    }
    return end - start;
}

long sys_syslog(const u64 *arg)
{
    u32 type = arg[0];
    u64 start = 0, end = printk_end(&start);
    long ret = 0;
    switch (type) {
    case LOG_READ_ALL:
    case LOG_READ_CLEAR:
        if ((s32)arg[2] < 0 || !arg[1])
            return -EINVAL;
        ret = log_to_user(arg[1], (u32)arg[2]);
        break;
    case LOG_SIZE_UNREAD:
    case LOG_SIZE:
        return end - start;
    case LOG_CLOSE:
    case LOG_OPEN:
    case LOG_CLEAR:
        break;
    default: /* LOG_READ waits for a log daemon's next line */
        return type >= LOG_OFF && type <= LOG_LEVEL ? 0 : -EINVAL;
    }
    if (ret >= 0 && (type == LOG_READ_CLEAR || type == LOG_CLEAR))
        WRITE_ONCE(cleared, end);
    return ret;
}
