/*
 * sys_io.c: read, write and their relatives: the user's vector as a struct io.
 *
 * Order of checks as Linux's vfs_read: descriptor, opened for it, operation there, memory in user space, position and count
 * make sense; then at most ABI_RW_MAX bytes. The copy goes a piece at a time and stops at the first byte that cannot be
 * reached, so the count is short exactly there.
 */
#include "kernel/mm/slab.h"
#include "kernel/sys/sys.h"

struct user_io {
    struct io io;
    struct abi_iovec one;          /* for calls with a single buffer */
    const struct abi_iovec *piece; /* the piece being filled */
    u64 offset;                    /* done of it */
};

/* The next stretch of at most n bytes of user memory. */
static vaddr_t next_piece(struct user_io *u, size_t *n)
{
    while (u->offset == u->piece->length) {
        u->piece++;
        u->offset = 0;
    }
    *n = min_u64(*n, u->piece->length - u->offset);
    return u->piece->base + u->offset;
}

static size_t user_put(struct io *io, const void *src, size_t n)
{
    struct user_io *u = container_of(io, struct user_io, io);
    size_t done = 0;
    while (done < n) {
        size_t part = n - done;
        vaddr_t to = next_piece(u, &part);
        size_t bad = copy_to_user(to, (const u8 *)src + done, part);
        u->offset += part - bad;
        done += part - bad;
        if (bad)
            break;
    }
    return done;
}

static size_t user_get(struct io *io, void *dst, size_t n)
{
    struct user_io *u = container_of(io, struct user_io, io);
    size_t done = 0;
    while (done < n) {
        size_t part = n - done;
        vaddr_t from = next_piece(u, &part);
        size_t bad = copy_from_user((u8 *)dst + done, from, part);
        u->offset += part - bad;
        done += part - bad;
        if (bad)
            break;
    }
    return done;
}

static const struct io_ops user_io_ops = {.put = user_put, .get = user_get};

static void io_from_buffer(struct user_io *u, vaddr_t base, u64 length)
{
    u->one = (struct abi_iovec){base, length};
    u->piece = &u->one;
    u->offset = 0;
    u->io = (struct io){&user_io_ops, length};
}

/* Fetch a vector of count pieces. 0 and *out (kfree), -EINVAL, -EFAULT, -ENOMEM. */
static long vector_get(struct user_io *u, vaddr_t addr, u64 count, struct abi_iovec **out)
{
    if (count > ABI_IOV_MAX)
        return -EINVAL;
    struct abi_iovec *vector = kmalloc((count + 1) * sizeof(*vector));
    if (!vector)
        return -ENOMEM;
    long ret = get_user(vector, addr, count * sizeof(*vector));
    u64 total = 0;
    for (u64 i = 0; i < count && ret == 0; i++) {
        if ((s64)vector[i].length < 0)
            ret = -EINVAL;
        else if (!user_range_ok(vector[i].base, vector[i].length))
            ret = -EFAULT;
        else
            total += vector[i].length = min_u64(vector[i].length, ABI_RW_MAX - total);
    }
    if (ret < 0) {
        kfree(vector);
        return ret;
    }
    *u = (struct user_io){.io = {&user_io_ops, total}, .piece = vector};
    *out = vector;
    return 0;
}

/* The transfer itself, at *pos, once the memory is known to lie in user space. */
static long transfer(struct file *file, struct user_io *u, u64 *pos, bool write)
{
    if (!file->ops->stream && ((s64)*pos < 0 || (s64)(*pos + u->io.left) < 0))
        return -EINVAL;
    u->io.left = min_u64(u->io.left, ABI_RW_MAX);
    if (!write)
        return file->ops->read(file, &u->io, pos);
    long ret = file->ops->write(file, &u->io, pos);
    if (ret == -EPIPE)
        signal_send(proc_current(), SIGPIPE);
    return ret;
}

/* The same at *at, or at the file's own position, which moves on. */
static long transfer_at(struct file *file, struct user_io *u, const u64 *at, bool write)
{
    u64 pos;
    if (at) {
        pos = *at;
        return transfer(file, u, &pos, write);
    }
    file_pos_lock(file);
    pos = file->pos;
    long ret = transfer(file, u, &pos, write);
    WRITE_ONCE(file->pos, pos);
    file_pos_unlock(file);
    return ret;
}

/* May file be read or written so? */
static long transfer_check(const struct file *file, bool write)
{
    if (!(file->mm.access & (write ? MM_FILE_WRITE : MM_FILE_READ)))
        return -EBADF;
    if (S_ISDIR(file_inode(file)->mode))
        return -EISDIR;
    return (write ? (void *)file->ops->write : (void *)file->ops->read) ? 0 : -EINVAL;
}

/* at: the position given, or NULL for the file's own. */
static long buffer_call(u64 fd, vaddr_t buf, u64 count, const u64 *at, bool write)
{
    if (at && (s64)*at < 0)
        return -EINVAL;
    struct file *file = file_of(fd);
    if (!file)
        return -EBADF;
    struct user_io u;
    long ret = at && file->ops->stream ? -ESPIPE : transfer_check(file, write);
    if (ret == 0 && (count > USER_LIMIT || !user_range_ok(buf, count)))
        ret = -EFAULT;
    if (ret == 0) {
        io_from_buffer(&u, buf, count);
        ret = transfer_at(file, &u, at, write);
    }
    file_put(file);
    return ret;
}

static long vector_call(u64 fd, vaddr_t addr, u64 count, const u64 *at, bool write)
{
    if (at && (s64)*at < 0)
        return -EINVAL;
    struct file *file = file_of(fd);
    if (!file)
        return -EBADF;
    struct user_io u;
    struct abi_iovec *vector;
    long ret = at && file->ops->stream ? -ESPIPE : transfer_check(file, write);
    if (ret == 0)
        ret = vector_get(&u, addr, count, &vector);
    if (ret == 0) {
        ret = u.io.left ? transfer_at(file, &u, at, write) : 0;
        kfree(vector);
    }
    file_put(file);
    return ret;
}

long sys_read(const u64 *arg)
{
    return buffer_call(arg[0], arg[1], arg[2], NULL, false);
}

long sys_write(const u64 *arg)
{
    return buffer_call(arg[0], arg[1], arg[2], NULL, true);
}

long sys_pread64(const u64 *arg)
{
    return buffer_call(arg[0], arg[1], arg[2], &arg[3], false);
}

long sys_pwrite64(const u64 *arg)
{
    return buffer_call(arg[0], arg[1], arg[2], &arg[3], true);
}

long sys_readv(const u64 *arg)
{
    return vector_call(arg[0], arg[1], arg[2], NULL, false);
}

long sys_writev(const u64 *arg)
{
    return vector_call(arg[0], arg[1], arg[2], NULL, true);
}

long sys_preadv(const u64 *arg)
{
    return vector_call(arg[0], arg[1], arg[2], &arg[3], false);
}

long sys_pwritev(const u64 *arg)
{
    return vector_call(arg[0], arg[1], arg[2], &arg[3], true);
}

/* SEEK_DATA and SEEK_HOLE: the first page at or after pos that is (not) there. */
static s64 seek_page(struct mapping *m, u64 pos, bool data)
{
    u64 size = READ_ONCE(m->size);
    if (pos >= size)
        return -ENXIO;
    for (u64 at = pos; at < size;) {
        struct page *page = NULL;
        u64 index = at >> PAGE_SHIFT;
        spin_lock(&m->lock);
        page = radix_get(&m->pages, index);
        if (data && !page) {
            index++;
            page = radix_next(&m->pages, &index);
            at = page ? index << PAGE_SHIFT : size;
        }
        spin_unlock(&m->lock);
        if (at < size && data == (page != NULL))
            return at;
        if (!data)
            at = (index + 1) << PAGE_SHIFT;
    }
    return data ? -ENXIO : (s64)size;
}

static s64 seek_target(struct file *file, s64 offset, u64 whence)
{
    struct inode *inode = file_inode(file);
    bool regular = S_ISREG(inode->mode) && !inode->proc;
    s64 base = 0;
    switch (whence) {
    case SEEK_SET:
        break;
    case SEEK_CUR:
        base = READ_ONCE(file->pos);
        break;
    case SEEK_END:
        if (inode->proc && S_ISREG(inode->mode))
            return -EINVAL; /* a text has no length before it is made */
        base = regular ? READ_ONCE(inode->mapping.size) : 0;
        break;
    case SEEK_DATA:
    case SEEK_HOLE:
        if (!regular)
            return -EINVAL;
        return offset < 0 ? -ENXIO : seek_page(&inode->mapping, offset, whence == SEEK_DATA);
    default:
        return -EINVAL;
    }
    s64 target;
    if (__builtin_add_overflow(base, offset, &target) || target < 0)
        return -EINVAL;
    return target;
}

long sys_lseek(const u64 *arg)
{
    struct file *file = file_of(arg[0]);
    if (!file)
        return -EBADF;
    s64 ret = -ESPIPE;
    u32 whence = arg[2];
    file_pos_lock(file);
    if (whence > SEEK_HOLE)
        ret = -EINVAL;
    else if (file->ops->unplaced)
        ret = 0;
    else if (!file->ops->stream)
        ret = seek_target(file, arg[1], whence);
    if (ret >= 0)
        WRITE_ONCE(file->pos, ret);
    file_pos_unlock(file);
    file_put(file);
    return ret;
}
