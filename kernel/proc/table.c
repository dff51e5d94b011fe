/*
 * table.c: the process table: numbers, looking processes up, references, groups and sessions.
 *
 *      radix tree: pid -> struct proc, one reference each; the next number is the one after the last given out, round
 *      and round up to PID_MAX, so that a number comes back as late as can be
 *
 * A number stays taken while a process, a group or a session goes by it. Lock: proc_table_lock guards the tree,
 * all families, groups and sessions, and is held with interrupts off. What it guards of a process is in proc.h.
 */
#include "kernel/proc/proc.h"

#include "kernel/core/panic.h"
#include "kernel/core/time.h"
#include "kernel/mm/slab.h"
#include "kernel/x86/stack.h"
#include "lib/abi/errno.h"
#include "lib/radix.h"

struct spinlock proc_table_lock = {.rank = RANK_PROC};

static struct radix_tree table;
static u32 count;
static u32 last_pid;
static bool wrapped; /* numbers were used before */

/* ---- looking up ---- */

struct proc *proc_find_locked(u32 pid)
{
    return radix_get(&table, pid);
}

struct proc *proc_next_locked(u32 after_pid)
{
    u64 index = (u64)after_pid + 1;
    return radix_next(&table, &index);
}

struct proc *proc_find(u32 pid)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct proc *proc = proc_find_locked(pid);
    if (proc)
        proc_get(proc);
    spin_unlock_irq(&proc_table_lock, flags);
    return proc;
}

struct proc *proc_next(u32 after_pid)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct proc *proc = proc_next_locked(after_pid);
    if (proc)
        proc_get(proc);
    spin_unlock_irq(&proc_table_lock, flags);
    return proc;
}

u32 proc_count(void)
{
    return READ_ONCE(count);
}

u32 proc_last_pid(void)
{
    return READ_ONCE(last_pid);
}

/* ---- references ---- */

struct proc *proc_get(struct proc *proc)
{
    __atomic_fetch_add(&proc->refs, 1, __ATOMIC_RELAXED);
    return proc;
}

void proc_put(struct proc *proc)
{
    if (__atomic_fetch_sub(&proc->refs, 1, __ATOMIC_ACQ_REL) != 1)
        return;
    ASSERT(!proc->mm && !proc->files && !proc->cwd && !proc->exe && list_empty(&proc->children),
           "process %u goes and still holds something", proc->pid);
    kfree(proc);
}

struct mm *proc_mm_get(struct proc *proc)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct mm *mm = proc->mm ? mm_get(proc->mm) : NULL;
    spin_unlock_irq(&proc_table_lock, flags);
    return mm;
}

struct files *proc_files_get(struct proc *proc)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct files *files = proc->files ? files_share(proc->files) : NULL;
    spin_unlock_irq(&proc_table_lock, flags);
    return files;
}

struct entry *proc_cwd_get(struct proc *proc)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct entry *entry = proc->cwd ? entry_get(proc->cwd) : NULL;
    spin_unlock_irq(&proc_table_lock, flags);
    return entry;
}

struct entry *proc_exe_get(struct proc *proc)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct entry *entry = proc->exe ? entry_get(proc->exe) : NULL;
    spin_unlock_irq(&proc_table_lock, flags);
    return entry;
}

/* ---- coming and going ---- */

/* Kernel stacks of all processes are at most a sixteenth of memory: half of Linux's limit, so that many small processes meet
 * this one (EAGAIN, and their parent goes on) before they meet the end of memory. */
u32 proc_count_max(void)
{
    u64 most = page_total_count() * PAGE_SIZE / (16 * THREAD_STACK_SIZE);
    return min_u64(max_u64(most, 16), PID_MAX - 1);
}

/* Does a group or session still go by the number of a process that is gone? => table lock held. */
static bool number_lives_on(u32 pid)
{
    for (struct proc *p = proc_next_locked(0); p; p = proc_next_locked(p->pid))
        if (p->pgid == pid || p->sid == pid)
            return true;
    return false;
}

/* The next free number; 0: none. => table lock held. */
static u32 free_number(void)
{
    for (u32 tries = 0; tries < PID_MAX; tries++) {
        if (++last_pid >= PID_MAX) {
            last_pid = PID_INIT + 1;
            wrapped = true;
        }
        if (!radix_get(&table, last_pid) && !(wrapped && number_lives_on(last_pid)))
            return last_pid;
    }
    return 0;
}

/* => table lock held. */
static int enter(struct proc *proc)
{
    if (count >= proc_count_max() || !(proc->pid = free_number()))
        return -EAGAIN;
    int ret = radix_insert(&table, proc->pid, proc);
    if (ret == 0)
        count++;
    return ret;
}

int proc_create(struct proc **out)
{
    struct proc *proc = kzalloc(sizeof(*proc));
    *out = NULL;
    if (!proc)
        return -ENOMEM;
    proc->refs = 1;
    proc->start_ns = time_ns();
    list_init(&proc->children);
    list_init(&proc->sibling);
    wait_init(&proc->wait);
    signal_create(proc);
    u64 flags = spin_lock_irq(&proc_table_lock);
    int ret = enter(proc);
    spin_unlock_irq(&proc_table_lock, flags);
    if (ret < 0) {
        kfree(proc);
        return ret;
    }
    *out = proc;
    return 0;
}

void proc_remove_locked(struct proc *proc)
{
    void *was = radix_remove(&table, proc->pid);
    ASSERT(was == proc, "process %u is not in the table", proc->pid);
    list_del(&proc->sibling);
    list_init(&proc->sibling);
    proc->parent = NULL;
    count--;
}

void proc_remove(struct proc *proc)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    proc_remove_locked(proc);
    spin_unlock_irq(&proc_table_lock, flags);
    proc_put(proc);
}

/* ---- groups and sessions ---- */

static bool group_in_session(u32 pgid, u32 sid)
{
    for (struct proc *p = proc_next_locked(0); p; p = proc_next_locked(p->pid))
        if (p->pgid == pgid && p->sid == sid)
            return true;
    return false;
}

bool proc_group_orphaned(u32 pgid)
{
    for (struct proc *p = proc_next_locked(0); p; p = proc_next_locked(p->pid))
        if (p->pgid == pgid && p->parent && p->parent->pgid != pgid && p->parent->sid == p->sid)
            return false;
    return true;
}

/* => table lock held. Linux's checks, in its order. */
static long set_group(struct proc *caller, u32 pid, u32 pgid)
{
    struct proc *proc = proc_find_locked(pid);
    if (!proc)
        return -ESRCH;
    if (proc->parent == caller) {
        if (proc->sid != caller->sid)
            return -EPERM;
        if (proc->execed)
            return -EACCES;
    } else if (proc != caller) {
        return -ESRCH;
    }
    if (proc->sid == proc->pid) /* leads a session */
        return -EPERM;
    if (pgid != pid && !group_in_session(pgid, caller->sid))
        return -EPERM;
    proc->pgid = pgid;
    return 0;
}

long proc_set_group(struct proc *caller, u32 pid, u32 pgid)
{
    if (!pid)
        pid = caller->pid;
    if (!pgid)
        pgid = pid;
    if ((s32)pgid < 0)
        return -EINVAL;
    u64 flags = spin_lock_irq(&proc_table_lock);
    long ret = set_group(caller, pid, pgid);
    spin_unlock_irq(&proc_table_lock, flags);
    return ret;
}

long proc_set_session(struct proc *caller)
{
    long ret = caller->pid;
    u64 flags = spin_lock_irq(&proc_table_lock);
    for (struct proc *p = proc_next_locked(0); p; p = proc_next_locked(p->pid))
        if (p->pgid == caller->pid)
            ret = -EPERM;
    if (ret > 0)
        caller->sid = caller->pgid = caller->pid;
    spin_unlock_irq(&proc_table_lock, flags);
    return ret;
}
