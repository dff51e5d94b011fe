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

struct ioctl_info {
    u32 cmd;
    u8 size;
    bool in, out;
};

static const struct ioctl_info ioctls[] = {
    {TCGETS, sizeof(struct abi_termios), false, true},
    {TCSETS, sizeof(struct abi_termios), true, false},
    {TCSETSW, sizeof(struct abi_termios), true, false},
    {TCSETSF, sizeof(struct abi_termios), true, false},
    {TIOCGWINSZ, sizeof(struct abi_winsize), false, true},
    {TIOCGPGRP, sizeof(u32), false, true},
    {TIOCSPGRP, sizeof(u32), true, false},
    {FIONREAD, sizeof(u32), false, true},
};

/* FIONREAD of a regular file: to its end from here; it may lie behind. */
static s32 bytes_ahead(struct file *file)
{
    struct inode *inode = file_inode(file);
    u64 size = inode->proc ? 0 : READ_ONCE(inode->mapping.size);
    return (s32)(size - READ_ONCE(file->pos));
}

/* What is the same for all files. -ENOTTY: it is not. */
static long ioctl_common(struct file *file, int fd, u32 cmd, vaddr_t addr)
{
    u32 word;
    switch (cmd) {
    case FIOCLEX:
    case FIONCLEX:
        return files_set_cloexec(current_files(), fd, cmd == FIOCLEX);
    case FIONBIO:
    case FIOASYNC:
        if (get_user(&word, addr, sizeof(word)))
            return -EFAULT;
        if (cmd == FIONBIO)
            WRITE_ONCE(file->flags,
                       word ? file->flags | O_NONBLOCK : file->flags & ~(u32)O_NONBLOCK);
        return 0; /* nobody sends SIGIO, so FIOASYNC changes nothing */
    case FIONREAD:
        if (!S_ISREG(file_inode(file)->mode))
            return -ENOTTY;
        word = (u32)bytes_ahead(file);
        return put_user(addr, &word, sizeof(word));
    }
    return -ENOTTY;
}

static long ioctl_run(struct file *file, const struct ioctl_info *info, vaddr_t addr)
{
    u8 buf[64] = {0};
    if (info->in && get_user(buf, addr, info->size))
        return -EFAULT;
    long ret = file->ops->ioctl(file, info->cmd, buf);
    if (ret == 0 && info->out)
        ret = put_user(addr, buf, info->size);
    return ret;
}

long sys_ioctl(const u64 *arg)
{
    struct file *file = file_of(arg[0]);
    if (!file)
        return -EBADF;
    long ret = ioctl_common(file, arg[0], arg[1], arg[2]);
    for (size_t i = 0; ret == -ENOTTY && i < ARRAY_SIZE(ioctls) && file->ops->ioctl; i++)
        if (ioctls[i].cmd == (u32)arg[1])
            ret = ioctl_run(file, &ioctls[i], arg[2]);
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

/* What poll says of one descriptor now. */
static short poll_one(const struct abi_pollfd *p)
{
    if (p->fd < 0)
        return 0;
    struct file *file = file_of(p->fd);
    if (!file)
        return POLLNVAL;
    u32 ready = file->ops->poll ? file->ops->poll(file) : POLLIN | POLLOUT;
    file_put(file);
    return ready & ((u16)p->events | POLLERR | POLLHUP);
}

/* Ask all, and again every tick, until one is ready or it is deadline. -RESTART_NOHAND: a signal came first. */
static long poll_loop(vaddr_t addr, u64 count, u64 deadline)
{
    if (count > current_files()->limit)
        return -EINVAL;
    struct abi_pollfd *fds = kmalloc((count + 1) * sizeof(*fds));
    if (!fds)
        return -ENOMEM;
    long ret = get_user(fds, addr, count * sizeof(*fds)), ready = 0;
    while (ret == 0) {
        for (u64 i = 0; i < count; i++) {
            fds[i].revents = poll_one(&fds[i]);
            ready += fds[i].revents != 0;
        }
        if (ready || time_ns() >= deadline)
            break;
        if (!sched_sleep_tick(deadline))
            ret = -RESTART_NOHAND;
    }
    if (ret == 0)
        ret = put_user(addr, fds, count * sizeof(*fds));
    kfree(fds);
    return ret < 0 ? ret : ready;
}

/* arg: array, count, deadline. Also what restart_syscall calls. */
static long poll_until(const u64 *arg)
{
    long ret = poll_loop(arg[0], arg[1], arg[2]);
    return ret == -RESTART_NOHAND ? restart_by(poll_until, arg) : ret;
}

long sys_poll(const u64 *arg)
{
    s64 ms = (s32)arg[2];
    const u64 poll[4] = {arg[0], (u32)arg[1], ms < 0 ? ~0ul : time_ns() + (u64)ms * 1000000};
    return poll_until(poll);
}

/* What is left of ppoll's time; nobody minds if it cannot be told. */
static void put_rest(vaddr_t to, u64 deadline)
{
    u64 now = time_ns(), left = deadline > now ? deadline - now : 0;
    struct abi_timespec ts = {left / NSEC_PER_SEC, left % NSEC_PER_SEC};
    if (deadline != ~0ul && put_user(to, &ts, sizeof(ts)))
        return;
}

/* With a mask of signals that is in force while it waits, and until a signal that ended it was handled. */
long sys_ppoll(const u64 *arg)
{
    struct signals *s = &proc_current()->signals;
    u64 ns = ~0ul, set;
    if (arg[2]) {
        long ret = user_timespec(arg[2], &ns);
        if (ret < 0)
            return ret;
    }
    if (arg[3]) {
        if (arg[4] != sizeof(set))
            return -EINVAL;
        if (get_user(&set, arg[3], sizeof(set)))
            return -EFAULT;
        s->saved_mask = proc_current()->blocked;
        signal_block(set);
    }
    u64 deadline = add_saturating(time_ns(), ns);
    long ret = poll_loop(arg[0], (u32)arg[1], deadline);
    if (arg[3] && ret == -RESTART_NOHAND)
        s->mask_saved = true;
    else if (arg[3])
        signal_block(s->saved_mask);
    if (arg[2])
        put_rest(arg[2], deadline);
    return ret;
}
