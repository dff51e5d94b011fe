/*
 * pipe.c: pipes: bytes that go in at one end and come out at the other, in order.
 *
 *      head .............. tail        ever growing; the byte at n is in slot[n / PAGE_SIZE % PIPE_SLOTS]
 *      | written, not read |
 *
 * One reader and one writer at a time copy straight between these pages and their caller's memory with no lock held, since that
 * memory may fault: the reader owns the bytes from head on, the writer those from tail on. Who wants to be the one
 * waits for `reading` or `writing`. A write of up to a page waits until it fits whole, so that it is never mixed with another's.
 *
 * Lock: wait.lock guards everything but the slots, which belong to the writer until tail has passed them. All who wait do so in one
 * queue and look again when anything has changed.
 */
#include "kernel/fs/pipe.h"

#include "kernel/core/restart.h"
#include "kernel/core/time.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/thread.h"
#include "lib/abi/system.h"
#include "lib/format.h"

enum { PIPE_SLOTS = 16, PIPE_SIZE = PIPE_SLOTS * PAGE_SIZE };

enum { END_READ, END_WRITE };

struct pipe {
    struct wait_queue wait;
    u64 head, tail;
    u32 readers, writers; /* open files at each end */
    u32 opened[2];        /* how often for reading, for writing */
    bool reading, writing;
    struct page *slot[PIPE_SLOTS];
};

static struct pipe *pipe_of(const struct file *file)
{
    return file_inode(file)->pipe;
}

void pipe_free(struct pipe *pipe)
{
    for (u32 i = 0; pipe && i < PIPE_SLOTS; i++)
        if (pipe->slot[i])
            page_put(pipe->slot[i]);
    kfree(pipe);
}

/* ---- opening and closing ---- */

static void count_ends(struct file *file, u32 change)
{
    struct pipe *pipe = pipe_of(file);
    u64 flags = spin_lock_irq(&pipe->wait.lock);
    if (file->mm.access & MM_FILE_READ) {
        pipe->readers += change;
        pipe->opened[END_READ] += change == 1;
    }
    if (file->mm.access & MM_FILE_WRITE) {
        pipe->writers += change;
        pipe->opened[END_WRITE] += change == 1;
    }
    if (!pipe->readers && !pipe->writers) /* of a FIFO nobody has open nothing stays */
        pipe->head = pipe->tail;
    wait_wake_all_locked(&pipe->wait);
    spin_unlock_irq(&pipe->wait.lock, flags);
}

/* A FIFO's opener waits until the other end is open, or was for a moment. 0, -RESTART_SYS. */
static int wait_for_end(struct pipe *pipe, int end)
{
    int ret = 0;
    u64 flags = spin_lock_irq(&pipe->wait.lock);
    const u32 *there = end == END_READ ? &pipe->readers : &pipe->writers;
    u32 before = pipe->opened[end];
    while (!*there && pipe->opened[end] == before && ret == 0)
        if (!wait_sleep_interruptible(&pipe->wait, &flags))
            ret = -RESTART_SYS;
    spin_unlock_irq(&pipe->wait.lock, flags);
    return ret;
}

/* => counted already as an end. */
static int fifo_open(struct file *file)
{
    struct pipe *pipe = pipe_of(file);
    bool reads = file->mm.access & MM_FILE_READ, writes = file->mm.access & MM_FILE_WRITE;
    if (reads && writes)
        return 0;
    if (!(file->flags & O_NONBLOCK))
        return wait_for_end(pipe, reads ? END_WRITE : END_READ);
    return writes && !READ_ONCE(pipe->readers) ? -ENXIO : 0;
}

static int pipe_open(struct file *file)
{
    count_ends(file, 1);
    int ret = file->entry->bare ? 0 : fifo_open(file);
    if (ret < 0)
        count_ends(file, -1u);
    return ret;
}

static void pipe_release(struct file *file)
{
    count_ends(file, -1u);
}

/* ---- waiting; => wait.lock held, which is let go meanwhile ---- */

/* 0: something has changed, look again. -EAGAIN, -RESTART_SYS. */
static long pipe_wait(struct pipe *pipe, const struct file *file, u64 *flags)
{
    if (file->flags & O_NONBLOCK)
        return -EAGAIN;
    return wait_sleep_interruptible(&pipe->wait, flags) ? 0 : -RESTART_SYS;
}

/* Become the reader, with something to read. 1; 0: the end, nobody writes any more; or a negative errno. */
static long reader_enter(struct pipe *pipe, const struct file *file)
{
    long ret = 0;
    u64 flags = spin_lock_irq(&pipe->wait.lock);
    for (;;) {
        if (!pipe->reading && pipe->head != pipe->tail) {
            pipe->reading = true;
            ret = 1;
            break;
        }
        if (!pipe->reading && !pipe->writers)
            break;
        ret = pipe_wait(pipe, file, &flags);
        if (ret < 0)
            break;
    }
    spin_unlock_irq(&pipe->wait.lock, flags);
    return ret;
}

/* Become the writer. 0, or -EPIPE, -EAGAIN, -RESTART_SYS. */
static long writer_enter(struct pipe *pipe, const struct file *file)
{
    long ret = 0;
    u64 flags = spin_lock_irq(&pipe->wait.lock);
    while (ret == 0) {
        if (!pipe->readers) {
            ret = -EPIPE;
        } else if (!pipe->writing) {
            pipe->writing = true;
            break;
        } else {
            ret = pipe_wait(pipe, file, &flags);
        }
    }
    spin_unlock_irq(&pipe->wait.lock, flags);
    return ret;
}

/* => this thread is the writer. Room for at least `least` bytes: how much; or a negative errno. */
static long writer_room(struct pipe *pipe, const struct file *file, u64 least)
{
    long ret = 0;
    u64 room = 0, flags = spin_lock_irq(&pipe->wait.lock);
    while (ret == 0) {
        room = PIPE_SIZE - (pipe->tail - pipe->head);
        if (!pipe->readers)
            ret = -EPIPE;
        else if (room >= least)
            break;
        else
            ret = pipe_wait(pipe, file, &flags);
    }
    spin_unlock_irq(&pipe->wait.lock, flags);
    return ret < 0 ? ret : (long)room;
}

static void leave(struct pipe *pipe, bool *place)
{
    u64 flags = spin_lock_irq(&pipe->wait.lock);
    *place = false;
    wait_wake_all_locked(&pipe->wait);
    spin_unlock_irq(&pipe->wait.lock, flags);
}

static void advance(struct pipe *pipe, u64 *end, u64 n)
{
    u64 flags = spin_lock_irq(&pipe->wait.lock);
    *end += n;
    wait_wake_all_locked(&pipe->wait);
    spin_unlock_irq(&pipe->wait.lock, flags);
}

/* ---- moving bytes ---- */

static u8 *place_of(struct pipe *pipe, u64 at)
{
    return (u8 *)page_to_virt(pipe->slot[at / PAGE_SIZE % PIPE_SLOTS]) + at % PAGE_SIZE;
}

static long pipe_read(struct file *file, struct io *io, u64 *pos)
{
    struct pipe *pipe = pipe_of(file);
    u64 done = 0;
    bool bad = false;
    (void)pos;
    if (!io->left)
        return 0;
    long ret = reader_enter(pipe, file);
    if (ret <= 0)
        return ret;
    u64 there = __atomic_load_n(&pipe->tail, __ATOMIC_ACQUIRE) - pipe->head;
    while (io->left && there) {
        size_t n = min_u64(min_u64(io->left, there), PAGE_SIZE - pipe->head % PAGE_SIZE);
        size_t put = io_put(io, place_of(pipe, pipe->head), n);
        bad = put < n;
        if (bad) /* as in Linux the piece stays whole, to be read again */
            break;
        there -= n;
        done += n;
        advance(pipe, &pipe->head, n);
    }
    leave(pipe, &pipe->reading);
    return io_result(done, bad ? -EFAULT : 0);
}

/* At most room bytes, within one page. Bytes moved (*bad: the caller's memory ended), or -ENOMEM. */
static long write_step(struct pipe *pipe, struct io *io, u64 room, bool *bad)
{
    struct page **slot = &pipe->slot[pipe->tail / PAGE_SIZE % PIPE_SLOTS];
    if (!*slot && !(*slot = page_alloc(0, PAGE_KERNEL)))
        return -ENOMEM;
    size_t n = min_u64(min_u64(io->left, room), PAGE_SIZE - pipe->tail % PAGE_SIZE);
    size_t got = io_get(io, place_of(pipe, pipe->tail), n);
    *bad = got < n;
    if (*bad) /* the piece is dropped as a whole */
        return 0;
    advance(pipe, &pipe->tail, n);
    return n;
}

/* => this thread is the writer. */
static long write_all(struct pipe *pipe, struct file *file, struct io *io)
{
    u64 done = 0, least = io->left <= PAGE_SIZE ? io->left : 1;
    long ret = 0;
    bool bad = false;
    while (io->left && ret >= 0 && !bad) {
        ret = writer_room(pipe, file, least);
        if (ret < 0)
            break;
        ret = write_step(pipe, io, ret, &bad);
        done += ret > 0 ? ret : 0;
        least = 1;
    }
    return io_result(done, bad ? -EFAULT : ret < 0 ? ret : 0);
}

static long pipe_write(struct file *file, struct io *io, u64 *pos)
{
    struct pipe *pipe = pipe_of(file);
    (void)pos;
    if (!io->left)
        return 0;
    long ret = writer_enter(pipe, file);
    if (ret < 0)
        return ret;
    ret = write_all(pipe, file, io);
    leave(pipe, &pipe->writing);
    return ret;
}

static u32 pipe_poll(struct file *file)
{
    struct pipe *pipe = pipe_of(file);
    u32 ready = 0;
    u64 flags = spin_lock_irq(&pipe->wait.lock);
    if (file->mm.access & MM_FILE_READ)
        ready |= (pipe->head != pipe->tail ? POLLIN : 0) | (pipe->writers ? 0 : POLLHUP);
    if (file->mm.access & MM_FILE_WRITE)
        ready |= (PIPE_SIZE - (pipe->tail - pipe->head) >= PAGE_SIZE ? POLLOUT : 0) |
                 (pipe->readers ? 0 : POLLERR);
    spin_unlock_irq(&pipe->wait.lock, flags);
    return ready;
}

static int pipe_ioctl(struct file *file, u32 cmd, void *arg)
{
    struct pipe *pipe = pipe_of(file);
    if (cmd != FIONREAD)
        return -ENOTTY;
    u64 flags = spin_lock_irq(&pipe->wait.lock);
    *(u32 *)arg = pipe->tail - pipe->head;
    spin_unlock_irq(&pipe->wait.lock, flags);
    return 0;
}

static const struct file_ops pipe_ops = {
    .open = pipe_open,
    .release = pipe_release,
    .read = pipe_read,
    .write = pipe_write,
    .ioctl = pipe_ioctl,
    .poll = pipe_poll,
    .stream = true,
};

/* ---- making one ---- */

int pipe_attach(struct inode *inode)
{
    inode->pipe = kzalloc(sizeof(*inode->pipe));
    if (!inode->pipe)
        return -ENOMEM;
    wait_init(&inode->pipe->wait);
    inode->file_ops = &pipe_ops;
    return 0;
}

static struct entry *pipe_entry(void)
{
    char name[32];
    struct inode *inode = inode_create(S_IFIFO | 0600);
    if (!inode)
        return NULL;
    struct entry *entry = NULL;
    inode->nlink = 1;
    if (pipe_attach(inode) == 0) {
        format_to(name, sizeof(name), "pipe:[%lu]", inode->ino);
        entry = tree_orphan(inode, name, true);
    }
    inode_put(inode);
    return entry;
}

int pipe_create(u32 flags, struct file *end[2])
{
    struct entry *entry = pipe_entry();
    if (!entry)
        return -ENOMEM;
    int ret = file_open_entry(entry, O_RDONLY | flags, &end[0]);
    if (ret == 0) {
        ret = file_open_entry(entry, O_WRONLY | flags, &end[1]);
        if (ret < 0)
            file_put(end[0]);
    }
    entry_put(entry);
    return ret;
}
