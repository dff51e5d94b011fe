/*
 * sys_poll.c: poll, select and their relatives: waiting for one of many descriptors.
 *
 * Each file says what it is ready for (ops->poll); nobody registers anywhere. Who waits looks at all of them, and again every
 * tick: with at most a few dozen descriptors that is cheaper than it sounds. No data, no locks.
 */
#include "kernel/core/restart.h"
#include "kernel/core/time.h"
#include "kernel/mm/slab.h"
#include "kernel/sys/sys.h"
#include "lib/abi/time.h"

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

/* ---- a mask of signals for the time of the wait ---- */

/* Put the mask at addr in force (0: none). 0, -EFAULT, -EINVAL. */
static long mask_enter(vaddr_t addr, u64 size)
{
    struct proc *proc = proc_current();
    u64 set;
    if (!addr)
        return 0;
    if (size != sizeof(set))
        return -EINVAL;
    if (get_user(&set, addr, sizeof(set)))
        return -EFAULT;
    proc->signals.saved_mask = proc->blocked;
    signal_block(set);
    return 0;
}

/* The old one again, or once the signal that ended the wait was handled. */
static void mask_leave(vaddr_t addr, long ret)
{
    struct signals *s = &proc_current()->signals;
    if (addr && ret == -RESTART_NOHAND)
        s->mask_saved = true;
    else if (addr)
        signal_block(s->saved_mask);
}

/* What is left of the time; nobody minds if it cannot be told. */
static void put_rest(vaddr_t to, u64 deadline, u64 unit)
{
    u64 now = time_ns(), left = deadline > now ? deadline - now : 0;
    struct abi_timespec ts = {left / NSEC_PER_SEC, left % NSEC_PER_SEC / unit};
    if (to && put_user(to, &ts, sizeof(ts)))
        return;
}

/* The deadline that a timespec asks for; none: for ever. 0, -EFAULT, -EINVAL. */
static long deadline_of(vaddr_t addr, u64 *deadline)
{
    u64 ns;
    *deadline = ~0ul;
    if (!addr)
        return 0;
    long ret = user_timespec(addr, &ns);
    if (ret == 0)
        *deadline = add_saturating(time_ns(), ns);
    return ret;
}

long sys_ppoll(const u64 *arg)
{
    u64 deadline;
    long ret = deadline_of(arg[2], &deadline);
    if (ret == 0)
        ret = mask_enter(arg[3], arg[4]);
    if (ret < 0)
        return ret;
    ret = poll_loop(arg[0], (u32)arg[1], deadline);
    mask_leave(arg[3], ret);
    put_rest(arg[2], deadline, 1);
    return ret;
}

/* ---- select ---- */

enum { SETS = 3, WORDS = FILES_MAX / 64 }; /* to read, to write, exceptions */

struct select {
    u32 count, words; /* descriptors; words of a set */
    u64 in[SETS][WORDS], out[SETS][WORDS];
};

/* What poll has to say for a descriptor to be in a set; as Linux. */
static const u32 set_bits[SETS] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, 0};

/* 0, -EFAULT, -EINVAL, -EBADF. A set is as long as the words that hold count bits. */
static long select_get(struct select *s, s32 count, const u64 *sets)
{
    if (count < 0)
        return -EINVAL;
    memset(s, 0, sizeof(*s));
    s->count = min_u64(count, FILES_MAX);
    s->words = (s->count + 63) / 64;
    for (int i = 0; i < SETS; i++)
        if (sets[i] && get_user(s->in[i], sets[i], s->words * sizeof(u64)))
            return -EFAULT;
    return 0;
}

/* True: its bits in out are set as it is ready. */
static long select_one(struct select *s, u32 fd, long *ready)
{
    u64 bit = 1ul << (fd % 64);
    u32 word = fd / 64;
    if (!((s->in[0][word] | s->in[1][word] | s->in[2][word]) & bit))
        return 0;
    struct file *file = file_of(fd);
    if (!file)
        return -EBADF;
    u32 state = file->ops->poll ? file->ops->poll(file) : POLLIN | POLLOUT;
    file_put(file);
    for (int i = 0; i < SETS; i++)
        if ((s->in[i][word] & bit) && (state & set_bits[i])) {
            s->out[i][word] |= bit;
            ++*ready;
        }
    return 0;
}

/* How many are ready; -EBADF, -RESTART_NOHAND. */
static long select_wait(struct select *s, u64 deadline)
{
    long ret = 0, ready = 0;
    for (;;) {
        for (u32 fd = 0; fd < s->count && ret == 0; fd++)
            ret = select_one(s, fd, &ready);
        if (ret < 0)
            return ret;
        if (ready || time_ns() >= deadline)
            return ready;
        if (!sched_sleep_tick(deadline))
            return -RESTART_NOHAND;
    }
}

/* arg: as select's, without the time. */
static long select_until(const u64 *arg, u64 deadline)
{
    struct select *s = kmalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    long ret = select_get(s, arg[0], arg + 1);
    if (ret == 0)
        ret = select_wait(s, deadline);
    for (int i = 0; i < SETS && ret >= 0; i++)
        if (arg[1 + i] && put_user(arg[1 + i], s->out[i], s->words * sizeof(u64)))
            ret = -EFAULT;
    kfree(s);
    return ret;
}

long sys_select(const u64 *arg)
{
    s64 tv[2];
    u64 deadline = ~0ul;
    if (arg[4]) {
        if (get_user(tv, arg[4], sizeof(tv)))
            return -EFAULT;
        if (tv[0] < 0 || tv[1] < 0)
            return -EINVAL;
        u64 seconds = min_u64((u64)tv[0], 1ul << 33), micros = min_u64((u64)tv[1], 1ul << 43);
        deadline = add_saturating(time_ns(), seconds * NSEC_PER_SEC + micros * 1000);
    }
    long ret = select_until(arg, deadline);
    put_rest(arg[4], deadline, 1000);
    return ret;
}

long sys_pselect6(const u64 *arg)
{
    u64 mask[2] = {0, 0}, deadline; /* address and size */
    long ret = deadline_of(arg[4], &deadline);
    if (ret == 0 && arg[5])
        ret = get_user(mask, arg[5], sizeof(mask));
    if (ret == 0)
        ret = mask_enter(mask[0], mask[1]);
    if (ret < 0)
        return ret;
    ret = select_until(arg, deadline);
    mask_leave(mask[0], ret);
    put_rest(arg[4], deadline, 1);
    return ret;
}
