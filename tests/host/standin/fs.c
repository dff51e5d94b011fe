/*
 * fs.c: what kernel/fs and kernel/proc stand on beside mm, for the host tests: hooks that nobody filled in, numbers that are
 * the same in every run, a tree to start from. fs.c and the devices stay out.
 */
#include "tests/host/standin/fs.h"

#include <stdlib.h>

#include "kernel/core/panic.h"
#include "kernel/fs/procfs.h"
#include "kernel/proc/proc.h"

struct fs_hooks fs_hooks;

void random_fill(void *buf, size_t size)
{
    memset(buf, 0x5a, size);
}

void signal_exec(struct proc *proc)
{
    (void)proc;
}

void signal_create(struct proc *proc)
{
    (void)proc;
}

void host_boot_fs(u64 frames)
{
    host_boot(frames);
    mm_init_once();
    if (tree_init() < 0)
        abort();
    file_init();
    procfs_init();
    fs_mkdir(fs_root, "/tmp", 01777);
}

int host_open(const char *path, u32 flags, struct file **out)
{
    struct open_request q = {fs_root, path, flags, 0644};
    return file_open(&q, out);
}

long host_write(struct file *file, const void *bytes, size_t n, u64 pos)
{
    struct io_kernel k;
    io_kernel_init(&k, (void *)bytes, n);
    return file->ops->write(file, &k.io, &pos);
}

int host_make_file(const char *path, const void *bytes, size_t n, u32 mode)
{
    struct file *file;
    int ret = host_open(path, O_CREAT | O_TRUNC | O_WRONLY, &file);
    if (ret < 0)
        return ret;
    long done = n ? host_write(file, bytes, n, 0) : 0;
    file_inode(file)->mode = S_IFREG | mode;
    file_put(file);
    return done == (long)n ? 0 : -ENOMEM;
}

/* ---- wait queues: there is one thread, so nobody could wake it: a sleep ends at once, as by a signal ---- */

void wait_init(struct wait_queue *q)
{
    spin_init(&q->lock, RANK_WAIT_QUEUE);
    list_init(&q->waiters);
}

void wait_wake_all_locked(struct wait_queue *q)
{
    ASSERT(spin_held(&q->lock), "waking unlocked");
}

bool wait_sleep_interruptible(struct wait_queue *q, u64 *irq_flags)
{
    (void)irq_flags;
    ASSERT(spin_held(&q->lock), "sleeping unlocked");
    return false;
}
