/*
 * sys_limits.c: resource limits (proc/limits.c) and what was used of resources.
 */
#include "kernel/core/time.h"
#include "kernel/sys/sys.h"
#include "lib/abi/time.h"

/* ---- limits ---- */

static long limit_call(struct proc *proc, u32 resource, vaddr_t new_at, vaddr_t old_at)
{
    struct abi_rlimit new, old;
    if (resource >= ABI_RLIMITS)
        return -EINVAL;
    if (new_at && get_user(&new, new_at, sizeof(new)))
        return -EFAULT;
    proc_limit_get(proc, resource, &old);
    long ret = new_at ? proc_limit_set(proc, resource, &new) : 0;
    if (ret == 0 && old_at)
        ret = put_user(old_at, &old, sizeof(old));
    return ret;
}

/* Everything runs as root, so any process's. */
long sys_prlimit64(const u64 *arg)
{
    struct proc *proc = (u32)arg[0] ? proc_find(arg[0]) : proc_get(proc_current());
    if (!proc)
        return -ESRCH;
    long ret = limit_call(proc, arg[1], arg[2], arg[3]);
    proc_put(proc);
    return ret;
}

long sys_getrlimit(const u64 *arg)
{
    struct abi_rlimit old;
    if ((u32)arg[0] >= ABI_RLIMITS)
        return -EINVAL;
    proc_limit_get(proc_current(), arg[0], &old);
    return put_user(arg[1], &old, sizeof(old));
}

long sys_setrlimit(const u64 *arg)
{
    struct abi_rlimit new;
    if (get_user(&new, arg[1], sizeof(new)))
        return -EFAULT;
    return (u32)arg[0] < ABI_RLIMITS ? proc_limit_set(proc_current(), arg[0], &new) : -EINVAL;
}

/* ---- usage ---- */

static struct abi_timeval to_timeval(u64 ns)
{
    return (struct abi_timeval){ns / NSEC_PER_SEC, ns % NSEC_PER_SEC / 1000};
}

void usage_to_user(const struct proc_usage *usage, struct abi_rusage *out)
{
    enum { MAX_RSS = 0, MINOR_FAULTS = 4 };
    *out = (struct abi_rusage){.utime = to_timeval(usage->user_ns),
                               .stime = to_timeval(usage->system_ns)};
    out->rest[MAX_RSS] = usage->max_rss * (PAGE_SIZE / 1024);
    out->rest[MINOR_FAULTS] = usage->faults;
}

enum { USAGE_SELF = 0, USAGE_CHILDREN = -1, USAGE_THREAD = 1 };

static void usage_of_children(struct proc *proc, struct proc_usage *usage)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    *usage = proc->waited;
    spin_unlock_irq(&proc_table_lock, flags);
}

long sys_getrusage(const u64 *arg)
{
    s32 who = arg[0];
    struct proc_usage usage;
    struct abi_rusage out;
    if (who != USAGE_SELF && who != USAGE_CHILDREN && who != USAGE_THREAD)
        return -EINVAL;
    if (who == USAGE_CHILDREN)
        usage_of_children(proc_current(), &usage);
    else
        proc_usage_now(proc_current(), &usage);
    usage_to_user(&usage, &out);
    return put_user(arg[1], &out, sizeof(out));
}

long sys_times(const u64 *arg)
{
    const u64 tick = NSEC_PER_SEC / 100;
    struct proc_usage own, children;
    proc_usage_now(proc_current(), &own);
    usage_of_children(proc_current(), &children);
    u64 ticks[4] = {own.user_ns / tick, own.system_ns / tick, children.user_ns / tick,
                    children.system_ns / tick};
    if (arg[0] && put_user(arg[0], ticks, sizeof(ticks)))
        return -EFAULT;
    return time_ns() / tick;
}
