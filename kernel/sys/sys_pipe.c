/*
 * sys_pipe.c: pipe and pipe2. No data, no locks of its own.
 */
#include "kernel/fs/pipe.h"
#include "kernel/sys/sys.h"

/* Two descriptors, or -EMFILE with none. */
static int reserve_two(int fd[2], bool cloexec)
{
    for (int i = 0; i < 2; i++) {
        fd[i] = files_reserve(current_files(), 0, cloexec);
        if (fd[i] >= 0)
            continue;
        if (i == 1)
            files_unreserve(current_files(), fd[0]);
        return fd[i];
    }
    return 0;
}

static void unreserve_two(const int fd[2])
{
    files_unreserve(current_files(), fd[0]);
    files_unreserve(current_files(), fd[1]);
}

static long make_pipe(vaddr_t to, u32 flags)
{
    struct file *end[2];
    int fd[2];
    if (flags & ~(O_CLOEXEC | O_NONBLOCK))
        return -EINVAL;
    long ret = reserve_two(fd, flags & O_CLOEXEC);
    if (ret < 0)
        return ret;
    ret = pipe_create(flags & O_NONBLOCK, end);
    if (ret < 0) {
        unreserve_two(fd);
        return ret;
    }
    if (put_user(to, fd, sizeof(fd))) {
        file_put(end[0]);
        file_put(end[1]);
        unreserve_two(fd);
        return -EFAULT;
    }
    files_install(current_files(), fd[0], end[0]);
    files_install(current_files(), fd[1], end[1]);
    return 0;
}

long sys_pipe(const u64 *arg)
{
    return make_pipe(arg[0], 0);
}

long sys_pipe2(const u64 *arg)
{
    return make_pipe(arg[0], arg[1]);
}
