/*
 * mem.c: /dev/null, /dev/zero and /dev/full. Reads of the last two give zeroes from one constant page; a map of /dev/zero is
 * made by sys_mmap as anonymous memory. No state, no locks.
 */
#include "kernel/dev/dev.h"

#include "kernel/sched/thread.h"

static long null_read(struct file *file, struct io *io, u64 *pos)
{
    (void)file, (void)io, (void)pos;
    return 0;
}

static long null_write(struct file *file, struct io *io, u64 *pos)
{
    (void)file, (void)pos;
    u64 n = io->left;
    io->left = 0;
    return n;
}

static long zero_read(struct file *file, struct io *io, u64 *pos)
{
    static const u8 zeroes[PAGE_SIZE];
    u64 done = 0;
    (void)file, (void)pos;
    while (io->left) {
        size_t want = min_u64(io->left, sizeof(zeroes)), n = io_put(io, zeroes, want);
        done += n;
        if (n < want)
            return io_result(done, -EFAULT);
        if (fs_interrupted())
            break;
        sched_yield_point();
    }
    return done;
}

static long full_write(struct file *file, struct io *io, u64 *pos)
{
    (void)file, (void)pos;
    return io->left ? -ENOSPC : 0;
}

static const struct file_ops null_ops = {.read = null_read, .write = null_write};
static const struct file_ops zero_ops = {.read = zero_read, .write = null_write};
static const struct file_ops full_ops = {.read = zero_read, .write = full_write};

void mem_devices_init(void)
{
    dev_make("null", 1, 3, &null_ops);
    dev_make("zero", 1, 5, &zero_ops);
    dev_make("full", 1, 7, &full_ops);
}
