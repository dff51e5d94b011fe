/*
 * sys_file.c: calls that make, copy, change and close descriptors. open reserves its number first, so a full table is
 * EMFILE before a file is made. No data, no locks of its own.
 */
#include "kernel/core/restart.h"
#include "kernel/core/time.h"
#include "kernel/mm/slab.h"
#include "kernel/sys/sys.h"
#include "lib/abi/time.h"

static long open_at(int dirfd, vaddr_t path, u32 flags, u32 mode)
{
    struct user_at at;
    long ret = user_at_get(&at, dirfd, path);
    if (ret < 0)
        return ret;
    int fd = files_reserve(current_files(), 0, flags & O_CLOEXEC);
    if (fd < 0) {
        user_at_put(&at);
        return fd;
    }
    struct open_request q = {at.start, at.path, flags, mode & 07777 & ~proc_current()->umask};
    struct file *file;
    ret = file_open(&q, &file);
    if (ret < 0)
        files_unreserve(current_files(), fd);
    else
        files_install(current_files(), fd, file);
    user_at_put(&at);
    return ret < 0 ? ret : fd;
}

long sys_open(const u64 *arg)
{
    return open_at(AT_FDCWD, arg[0], arg[1], arg[2]);
}

long sys_openat(const u64 *arg)
{
    return open_at(arg[0], arg[1], arg[2], arg[3]);
}

long sys_creat(const u64 *arg)
{
    return open_at(AT_FDCWD, arg[0], O_CREAT | O_WRONLY | O_TRUNC, arg[1]);
}

long sys_close(const u64 *arg)
{
    return files_close(current_files(), arg[0]);
}

static long dup_from(int old, u32 min, bool cloexec)
{
    struct file *file = files_get(current_files(), old);
    if (!file)
        return -EBADF;
    int fd = files_reserve(current_files(), min, cloexec);
    if (fd < 0)
        file_put(file);
    else
        files_install(current_files(), fd, file);
    return fd;
}

long sys_dup(const u64 *arg)
{
    return dup_from(arg[0], 0, false);
}

long sys_dup2(const u64 *arg)
{
    int old = arg[0], new = arg[1];
    if (old != new)
        return files_dup_to(current_files(), old, new, false);
    int ret = files_get_cloexec(current_files(), old);
    return ret < 0 ? ret : new;
}

long sys_dup3(const u64 *arg)
{
    int old = arg[0], new = arg[1];
    if ((arg[2] & 0xffffffff & ~(u64)O_CLOEXEC) || old == new)
        return -EINVAL;
    return files_dup_to(current_files(), old, new, arg[2] & O_CLOEXEC);
}

enum { SETTABLE = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME | O_ASYNC };

long sys_fcntl(const u64 *arg)
{
    int fd = arg[0];
    u32 cmd = arg[1];
    struct file *file = files_get(current_files(), fd);
    if (!file)
        return -EBADF;
    long ret = -EINVAL;
    bool path = file->flags & O_PATH;
    if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
        ret = arg[2] >= current_files()->limit ? -EINVAL
                                               : dup_from(fd, arg[2], cmd == F_DUPFD_CLOEXEC);
    else if (cmd == F_GETFD)
        ret = files_get_cloexec(current_files(), fd);
    else if (cmd == F_SETFD)
        ret = files_set_cloexec(current_files(), fd, arg[2] & FD_CLOEXEC);
    else if (cmd == F_GETFL)
        ret = file->flags | (path ? 0 : O_LARGEFILE);
    else if (path)
        ret = -EBADF;
    else if (cmd == F_SETFL) {
        WRITE_ONCE(file->flags, (file->flags & ~SETTABLE) | (arg[2] & SETTABLE));
        ret = 0;
    }
    file_put(file);
    return ret;
}

long sys_ftruncate(const u64 *arg)
{
    if ((s64)arg[1] < 0)
        return -EINVAL;
    struct file *file = file_of(arg[0]);
    if (!file)
        return -EBADF;
    long ret = -EINVAL;
    if (S_ISREG(file_inode(file)->mode) && (file->mm.access & MM_FILE_WRITE))
        ret = inode_truncate(file_inode(file), arg[1]);
    file_put(file);
    return ret;
}

long sys_truncate(const u64 *arg)
{
    struct user_at at;
    struct entry *entry;
    if ((s64)arg[1] < 0)
        return -EINVAL;
    long ret = user_at_get(&at, AT_FDCWD, arg[0]);
    if (ret < 0)
        return ret;
    ret = path_find(at.start, at.path, PATH_FOLLOW, &entry);
    if (ret == 0) {
        ret = inode_truncate(entry->inode, arg[1]);
        entry_put(entry);
    }
    user_at_put(&at);
    return ret;
}

/* Memory is as safe as it gets here. */
static long check_fd(u64 fd)
{
    struct file *file = file_of(fd);
    if (!file)
        return -EBADF;
    bool ok = S_ISREG(file_inode(file)->mode) || S_ISDIR(file_inode(file)->mode);
    file_put(file);
    return ok ? 0 : -EINVAL;
}

long sys_fsync(const u64 *arg)
{
    return check_fd(arg[0]);
}

long sys_fdatasync(const u64 *arg)
{
    return check_fd(arg[0]);
}

long sys_sync(const u64 *arg)
{
    (void)arg;
    return 0;
}

long sys_fadvise64(const u64 *arg)
{
    struct file *file = file_of(arg[0]);
    if (!file)
        return -EBADF;
    long ret = file->ops->stream ? -ESPIPE : (s64)arg[2] < 0 || arg[3] > 5 ? -EINVAL : 0;
    file_put(file);
    return ret;
}

/* One record into user memory. Returns its length, 0 when room is too small, -EFAULT. */
static long put_dirent(vaddr_t to, u64 room, const struct dir_item *item)
{
    size_t name = strlen(item->name) + 1, length = align_up(sizeof(struct abi_dirent64) + name, 8);
    union {
        struct abi_dirent64 head;
        u8 bytes[sizeof(struct abi_dirent64) + ABI_NAME_MAX + 1 + 8];
    } record;
    if (length > room)
        return 0;
    memset(&record, 0, length);
    record.head.d_ino = item->ino;
    record.head.d_off = item->next;
    record.head.d_reclen = length;
    record.head.d_type = item->type;
    memcpy(record.bytes + sizeof(struct abi_dirent64), item->name, name);
    return put_user(to, &record, length) ? -EFAULT : (long)length;
}

long sys_getdents64(const u64 *arg)
{
    struct file *file = file_of(arg[0]);
    if (!file)
        return -EBADF;
    u64 size = (u32)arg[2], done = 0;
    long ret = S_ISDIR(file_inode(file)->mode) ? 0 : -ENOTDIR;
    struct dir_item *item = ret == 0 ? kmalloc(sizeof(*item)) : NULL;
    if (ret == 0 && !item)
        ret = -ENOMEM;
    file_pos_lock(file);
    while (ret == 0 && dir_next(file, file->pos, item)) {
        long n = put_dirent(arg[1] + done, size - done, item);
        if (n == 0 && done == 0)
            ret = -EINVAL; /* not even one fits */
        else if (n < 0)
            ret = n;
        if (n <= 0)
            break;
        done += n;
        WRITE_ONCE(file->pos, item->next);
    }
    file_pos_unlock(file);
    kfree(item);
    file_put(file);
    return io_result(done, ret);
}
