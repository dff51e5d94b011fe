/*
 * mem.c: the devices without hardware: /dev/null, zero, full, random and urandom, and the names that lead to a process's own
 * descriptors. Reads of zero and full give zeroes from one constant page; a map of zero is anonymous memory, private
 * or shared (mm_file.zero). random and urandom are the same, and never wait. None has a position: it stays 0. No state, no
 * locks.
 */
#include "kernel/core/random.h"
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
    (void)file, (void)io, (void)pos;
    return -ENOSPC;
}

static int zero_open(struct file *file)
{
    file->mm.zero = true;
    return 0;
}

static long random_read(struct file *file, struct io *io, u64 *pos)
{
    u8 buf[256];
    u64 done = 0;
    (void)file, (void)pos;
    while (io->left) {
        size_t want = min_u64(io->left, sizeof(buf));
        random_fill(buf, want);
        size_t n = io_put(io, buf, want);
        done += n;
        if (n < want)
            return io_result(done, -EFAULT);
        if (fs_interrupted())
            break;
        sched_yield_point();
    }
    return done;
}

/* What is written would be mixed in, if there were a secret to protect; so its bytes only have to be readable. */
static long random_write(struct file *file, struct io *io, u64 *pos)
{
    u8 buf[256];
    u64 done = 0;
    (void)file, (void)pos;
    while (io->left) {
        size_t want = min_u64(io->left, sizeof(buf)), n = io_get(io, buf, want);
        done += n;
        if (n < want)
            return io_result(done, -EFAULT);
        sched_yield_point();
    }
    return done;
}

static const struct file_ops null_ops = {.read = null_read, .write = null_write, .unplaced = true};
static const struct file_ops zero_ops = {
    .open = zero_open, .read = zero_read, .write = null_write, .unplaced = true};
static const struct file_ops full_ops = {.read = zero_read, .write = full_write, .unplaced = true};
static const struct file_ops random_ops = {
    .read = random_read, .write = random_write, .unplaced = true};

static void make_names(void)
{
    static const char *const links[][2] = {{"/dev/fd", "/proc/self/fd"},
                                           {"/dev/stdin", "/proc/self/fd/0"},
                                           {"/dev/stdout", "/proc/self/fd/1"},
                                           {"/dev/stderr", "/proc/self/fd/2"}};
    for (size_t i = 0; i < ARRAY_SIZE(links); i++)
        fs_symlink(fs_root, links[i][0], links[i][1]);
    fs_mkdir(fs_root, "/dev/shm", 01777); /* the whole tree is a tmpfs */
}

void mem_devices_init(void)
{
    dev_make("null", 1, 3, &null_ops);
    dev_make("zero", 1, 5, &zero_ops);
    dev_make("full", 1, 7, &full_ops);
    dev_make("random", 1, 8, &random_ops);
    dev_make("urandom", 1, 9, &random_ops);
    make_names();
}
