/*
 * sys_ioctl.c: ioctl: what kind of argument each command has. What it does is the file's; FIONBIO and its like are every
 * descriptor's. A command that is not in the table is ENOTTY. Data: the table.
 */
#include "kernel/sys/sys.h"

enum argument {
    ARG_NONE,
    ARG_VALUE,
    ARG_IN,
    ARG_OUT
}; /* VALUE: the number itself; IN, OUT: behind a pointer */

struct ioctl_info {
    u32 cmd;
    u8 size;
    enum argument argument;
};

static const struct ioctl_info ioctls[] = {
    {TCGETS, sizeof(struct abi_termios), ARG_OUT},
    {TCSETS, sizeof(struct abi_termios), ARG_IN},
    {TCSETSW, sizeof(struct abi_termios), ARG_IN},
    {TCSETSF, sizeof(struct abi_termios), ARG_IN},
    {TCGETS2, sizeof(struct abi_termios2), ARG_OUT},
    {TCSETS2, sizeof(struct abi_termios2), ARG_IN},
    {TCSETSW2, sizeof(struct abi_termios2), ARG_IN},
    {TCSETSF2, sizeof(struct abi_termios2), ARG_IN},
    {TCSBRK, 0, ARG_VALUE},
    {TCSBRKP, 0, ARG_VALUE},
    {TCXONC, 0, ARG_VALUE},
    {TCFLSH, 0, ARG_VALUE},
    {TIOCSCTTY, 0, ARG_VALUE},
    {TIOCNOTTY, 0, ARG_NONE},
    {TIOCGPGRP, sizeof(u32), ARG_OUT},
    {TIOCSPGRP, sizeof(u32), ARG_IN},
    {TIOCGSID, sizeof(u32), ARG_OUT},
    {TIOCGWINSZ, sizeof(struct abi_winsize), ARG_OUT},
    {TIOCSWINSZ, sizeof(struct abi_winsize), ARG_IN},
    {TIOCOUTQ, sizeof(u32), ARG_OUT},
    {FIONREAD, sizeof(u32), ARG_OUT},
};

static long ioctl_run(struct file *file, const struct ioctl_info *info, u64 arg)
{
    u64 buf[8] = {info->argument == ARG_VALUE ? arg : 0};
    if (info->argument == ARG_IN && get_user(buf, arg, info->size))
        return -EFAULT;
    long ret = file->ops->ioctl(file, info->cmd, buf);
    if (ret == 0 && info->argument == ARG_OUT)
        ret = put_user(arg, buf, info->size);
    return ret;
}

static long set_nonblocking(struct file *file, vaddr_t arg)
{
    u32 on;
    if (get_user(&on, arg, sizeof(on)))
        return -EFAULT;
    WRITE_ONCE(file->flags, on ? file->flags | O_NONBLOCK : file->flags & ~O_NONBLOCK);
    return 0;
}

/* FIONREAD of a regular file: to its end from here; it may lie behind. */
static long bytes_ahead(struct file *file, vaddr_t arg)
{
    struct inode *inode = file_inode(file);
    u64 size = inode->proc ? 0 : READ_ONCE(inode->mapping.size);
    s32 ahead = (s32)(size - READ_ONCE(file->pos));
    return put_user(arg, &ahead, sizeof(ahead));
}

static long ioctl_find(struct file *file, int fd, u32 cmd, u64 arg)
{
    if (cmd == FIOCLEX || cmd == FIONCLEX)
        return files_set_cloexec(current_files(), fd, cmd == FIOCLEX);
    if (cmd == FIONBIO)
        return set_nonblocking(file, arg);
    if (cmd == FIOASYNC) /* nobody sends SIGIO, so it changes nothing */
        return get_user(&(u32){0}, arg, sizeof(u32));
    if (cmd == FIONREAD && S_ISREG(file_inode(file)->mode))
        return bytes_ahead(file, arg);
    for (size_t i = 0; i < ARRAY_SIZE(ioctls) && file->ops->ioctl; i++)
        if (ioctls[i].cmd == cmd)
            return ioctl_run(file, &ioctls[i], arg);
    return -ENOTTY;
}

long sys_ioctl(const u64 *arg)
{
    struct file *file = file_of(arg[0]);
    if (!file)
        return -EBADF;
    long ret = ioctl_find(file, arg[0], arg[1], arg[2]);
    file_put(file);
    return ret;
}
