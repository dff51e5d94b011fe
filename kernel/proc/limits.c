/*
 * limits.c: resource limits. A process's limits lie in struct proc, under proc_table_lock; what mm and the table of
 * descriptors keep to is copied there when it is set and when a new program begins. A child has its parent's: fork copies them
 * with the rest.
 */
#include "kernel/proc/proc.h"

#include "lib/abi/errno.h"

static const u8 resource_of[MM_LIMITS] = {
    [MM_LIMIT_AS] = RLIMIT_AS,
    [MM_LIMIT_DATA] = RLIMIT_DATA,
    [MM_LIMIT_STACK] = RLIMIT_STACK,
    [MM_LIMIT_MEMLOCK] = RLIMIT_MEMLOCK,
};

/* As Linux begins. */
enum { STACK_LIMIT = 8 << 20, MEMLOCK_LIMIT = 8 << 20, MSGQUEUE_LIMIT = 819200 };

void proc_limits_init(struct proc *proc)
{
    for (u32 i = 0; i < ABI_RLIMITS; i++)
        proc->rlimit[i] = (struct abi_rlimit){RLIM_INFINITY, RLIM_INFINITY};
    proc->rlimit[RLIMIT_STACK].cur = STACK_LIMIT;
    proc->rlimit[RLIMIT_CORE].cur = 0;
    proc->rlimit[RLIMIT_NPROC].cur = proc->rlimit[RLIMIT_NPROC].max = proc_count_max();
    proc->rlimit[RLIMIT_SIGPENDING] = proc->rlimit[RLIMIT_NPROC];
    proc->rlimit[RLIMIT_MSGQUEUE] = (struct abi_rlimit){MSGQUEUE_LIMIT, MSGQUEUE_LIMIT};
    proc->rlimit[RLIMIT_NICE] = proc->rlimit[RLIMIT_RTPRIO] = (struct abi_rlimit){0, 0};
    proc->rlimit[RLIMIT_MEMLOCK] = (struct abi_rlimit){MEMLOCK_LIMIT, MEMLOCK_LIMIT};
    proc->rlimit[RLIMIT_NOFILE] = (struct abi_rlimit){FILES_MAX, FILES_MAX};
}

void proc_limits_apply(const struct proc *proc, struct mm *mm)
{
    for (int i = 0; i < MM_LIMITS; i++)
        WRITE_ONCE(mm->limit[i], proc->rlimit[resource_of[i]].cur);
}

long proc_limit_set(struct proc *proc, u32 resource, const struct abi_rlimit *new)
{
    if (new->cur > new->max)
        return -EINVAL;
    if (resource == RLIMIT_NOFILE && new->max > FILES_MAX)
        return -EPERM;
    u64 flags = spin_lock_irq(&proc_table_lock);
    proc->rlimit[resource] = *new;
    if (proc->mm)
        proc_limits_apply(proc, proc->mm);
    if (proc->files && resource == RLIMIT_NOFILE)
        WRITE_ONCE(proc->files->limit, (u32) new->cur);
    spin_unlock_irq(&proc_table_lock, flags);
    return 0;
}

void proc_limit_get(struct proc *proc, u32 resource, struct abi_rlimit *out)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    *out = proc->rlimit[resource];
    spin_unlock_irq(&proc_table_lock, flags);
}
