/*
 * sys_futex.c: futexes: sleep while a word of memory has a value, wake those who sleep for it.
 *
 * A word is known by its offset in its page alone: the same word may have another address in another process. So WAKE may
 * also wake sleepers of other words, and wakes all of the right one however few it was asked for. They look at their words
 * again, as every user of futexes must. What it returns is at most the number asked for.
 *
 * A sleeper is entered before it reads the word, and so no WAKE between reading and sleeping is lost. Data: the sleepers, each on its
 * own stack. Lock: futexes.lock.
 */
#include "kernel/core/restart.h"
#include "kernel/core/time.h"
#include "kernel/sys/sys.h"
#include "lib/abi/time.h"

enum { FUTEX_REALTIME = 256 };

struct sleeper {
    struct list_head link;
    u64 offset;
    bool woken;
};

static struct wait_queue futexes = {.lock = {.rank = RANK_WAIT_QUEUE},
                                    .waiters = {&futexes.waiters, &futexes.waiters}};
static struct list_head sleepers = {&sleepers, &sleepers};

static void enter(struct sleeper *s, vaddr_t addr)
{
    *s = (struct sleeper){.offset = addr & ~PAGE_MASK};
    u64 flags = spin_lock_irq(&futexes.lock);
    list_add_tail(&sleepers, &s->link);
    spin_unlock_irq(&futexes.lock, flags);
}

static void leave(struct sleeper *s)
{
    u64 flags = spin_lock_irq(&futexes.lock);
    list_del(&s->link);
    spin_unlock_irq(&futexes.lock, flags);
}

/* Sleep until woken. 0, -ETIMEDOUT, -EINTR. */
static long sleep_until_woken(struct sleeper *s, u64 deadline)
{
    long ret = 0;
    u64 flags = spin_lock_irq(&futexes.lock);
    while (!s->woken && ret == 0) {
        if (time_ns() >= deadline)
            ret = -ETIMEDOUT;
        else if (!wait_sleep_until(&futexes, &flags, deadline))
            ret = -EINTR;
    }
    ret = s->woken ? 0 : ret;
    spin_unlock_irq(&futexes.lock, flags);
    return ret;
}

/* arg: address, value, deadline. Also what restart_syscall calls. */
static long wait_until(const u64 *arg)
{
    struct sleeper s;
    u32 word;
    enter(&s, arg[0]);
    long ret = get_user(&word, arg[0], sizeof(word));
    if (ret == 0 && word != (u32)arg[1])
        ret = -EAGAIN;
    if (ret == 0)
        ret = sleep_until_woken(&s, arg[2]);
    leave(&s);
    if (ret == -EINTR)
        return arg[2] == ~0ul ? -RESTART_SYS : restart_by(wait_until, arg);
    return ret;
}

static long futex_wait(const u64 *arg, bool absolute)
{
    u64 deadline = ~0ul;
    if (arg[3]) {
        long ret = user_timespec(arg[3], &deadline);
        if (ret < 0)
            return ret;
        if (absolute && (arg[1] & FUTEX_REALTIME)) {
            u64 wall = time_wall_ns() - time_ns();
            deadline = deadline > wall ? deadline - wall : 0;
        } else if (!absolute) {
            deadline = add_saturating(time_ns(), deadline);
        }
    }
    const u64 wait[4] = {arg[0], arg[2], deadline};
    return wait_until(wait);
}

static long futex_wake(vaddr_t addr, s64 most)
{
    struct list_head *at;
    s64 woken = 0;
    u64 flags = spin_lock_irq(&futexes.lock);
    list_for_each (at, &sleepers) {
        struct sleeper *s = list_entry(at, struct sleeper, link);
        if (s->offset != (addr & ~PAGE_MASK) || s->woken)
            continue;
        s->woken = true;
        woken++;
    }
    if (woken)
        wait_wake_all_locked(&futexes);
    spin_unlock_irq(&futexes.lock, flags);
    return woken < most ? woken : most;
}

void futex_word_changed(vaddr_t addr)
{
    futex_wake(addr, 1);
}

long sys_futex(const u64 *arg)
{
    u32 command = arg[1] & FUTEX_COMMAND_MASK;
    if (arg[0] & 3)
        return -EINVAL;
    switch (command) {
    case FUTEX_WAIT:
        return futex_wait(arg, false);
    case FUTEX_WAIT_BITSET:
        return (u32)arg[5] ? futex_wait(arg, true) : -EINVAL;
    case FUTEX_WAKE_BITSET:
        if (!(u32)arg[5])
            return -EINVAL;
        /* fall through */
    case FUTEX_WAKE:
        if (!user_range_ok(arg[0], sizeof(u32)))
            return -EFAULT;
        return futex_wake(arg[0], (s32)arg[2] > 1 ? (s32)arg[2] : 1);
    }
    return -ENOSYS;
}
