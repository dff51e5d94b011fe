/*
 * sys_sched.c: priorities and scheduling policies. All threads take turns alike, so a nice value is kept and told but changes
 * nothing; of the policies there are those that promise nothing (other, batch, idle). Lock: proc_table_lock for nice.
 */
#include "kernel/core/time.h"
#include "kernel/sys/sys.h"
#include "kernel/x86/clock.h"
#include "lib/abi/time.h"

enum { PRIO_PROCESS, PRIO_PGRP, PRIO_USER };
enum {
    NICE_MIN = -20,
    NICE_MAX = 19,
    NICE_SHIFT = 20
}; /* the call's result is 20 - nice, never negative */
enum { SCHED_OTHER = 0, SCHED_FIFO = 1, SCHED_RR = 2, SCHED_BATCH = 3, SCHED_IDLE = 5 };

/* Does proc belong to whom the call is about? => proc_table_lock held. */
static bool meant(const struct proc *proc, u32 which, u32 who)
{
    const struct proc *self = proc_current();
    if (which == PRIO_PROCESS)
        return proc->pid == (who ? who : self->pid);
    if (which == PRIO_PGRP)
        return proc->pgid == (who ? who : self->pgid);
    return who == 0; /* root has them all */
}

/* Set nice of all that are meant (new not NULL). The lowest that one of them has; NICE_MAX + 1: there is none. */
static s32 each_nice(u32 which, u32 who, const s32 *new)
{
    s32 lowest = NICE_MAX + 1;
    u64 flags = spin_lock_irq(&proc_table_lock);
    for (struct proc *p = proc_next_locked(0); p; p = proc_next_locked(p->pid)) {
        if (!meant(p, which, who))
            continue;
        if (new)
            p->nice = *new;
        lowest = p->nice < lowest ? p->nice : lowest;
    }
    spin_unlock_irq(&proc_table_lock, flags);
    return lowest;
}

long sys_getpriority(const u64 *arg)
{
    if ((u32)arg[0] > PRIO_USER)
        return -EINVAL;
    s32 nice = each_nice(arg[0], arg[1], NULL);
    return nice > NICE_MAX ? -ESRCH : NICE_SHIFT - nice;
}

long sys_setpriority(const u64 *arg)
{
    s32 nice = arg[2];
    if ((u32)arg[0] > PRIO_USER)
        return -EINVAL;
    nice = nice < NICE_MIN ? NICE_MIN : nice > NICE_MAX ? NICE_MAX : nice;
    return each_nice(arg[0], arg[1], &nice) > NICE_MAX ? -ESRCH : 0;
}

static long exists(s32 pid)
{
    if (pid < 0)
        return -EINVAL;
    struct proc *proc = pid ? proc_find(pid) : proc_get(proc_current());
    if (!proc)
        return -ESRCH;
    proc_put(proc);
    return 0;
}

long sys_sched_getscheduler(const u64 *arg)
{
    long ret = exists(arg[0]);
    return ret < 0 ? ret : SCHED_OTHER;
}

long sys_sched_getparam(const u64 *arg)
{
    const u32 priority = 0;
    long ret = exists(arg[0]);
    return ret < 0 ? ret : put_user(arg[1], &priority, sizeof(priority));
}

/* A priority of its own is only for the policies that are not here. */
static long check_priority(s32 pid, vaddr_t at)
{
    u32 priority;
    long ret = get_user(&priority, at, sizeof(priority));
    if (ret == 0 && priority)
        ret = -EINVAL;
    return ret < 0 ? ret : exists(pid);
}

long sys_sched_setparam(const u64 *arg)
{
    return check_priority(arg[0], arg[1]);
}

long sys_sched_setscheduler(const u64 *arg)
{
    u32 policy = arg[1];
    if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
        return -EINVAL;
    return check_priority(arg[0], arg[2]);
}

static long priority_limit(u32 policy, long real_time)
{
    switch (policy) {
    case SCHED_FIFO:
    case SCHED_RR:
        return real_time;
    case SCHED_OTHER:
    case SCHED_BATCH:
    case SCHED_IDLE:
        return 0;
    }
    return -EINVAL;
}

long sys_sched_get_priority_max(const u64 *arg)
{
    return priority_limit(arg[0], 99);
}

long sys_sched_get_priority_min(const u64 *arg)
{
    return priority_limit(arg[0], 1);
}

long sys_sched_rr_get_interval(const u64 *arg)
{
    const struct abi_timespec slice = {0, NSEC_PER_SEC / TICK_HZ};
    long ret = exists(arg[0]);
    return ret < 0 ? ret : put_user(arg[1], &slice, sizeof(slice));
}
