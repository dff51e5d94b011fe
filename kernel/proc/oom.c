/*
 * oom.c: no memory for a page that a program touches. Somebody has to go: the process that has most pages, as its end gives back
 * most; the one that faults waits for that and tries again.
 *
 *      fault: no page -> SIGKILL to the largest -> give way until it has ended -> the fault again
 *
 * One goes at a time. If the one that faults is the largest itself, or the victim does not get to its end (it waits
 * for a lock that the faulting process holds, say), the faulting process goes. Lock: proc_table_lock.
 */
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/proc/proc.h"

enum { PATIENCE = 1000 }; /* turns given to others before the process itself goes */

static u64 pages_of(const struct proc *proc)
{
    const struct mm *mm = proc->mm;
    return mm ? mm->rss[RSS_ANON] + mm->rss[RSS_FILE] + mm->pt.tables : 0;
}

/* Has a process been sent away that still has memory? => table lock held. */
static struct proc *going(void)
{
    for (struct proc *p = proc_next_locked(0); p; p = proc_next_locked(p->pid))
        if (p->mm && p->oom_victim)
            return p;
    return NULL;
}

/* Of equals the youngest. PID 1, whose end is the machine's, and who shares its memory, only if it has more than all others
 * together. => table lock held. */
static struct proc *largest(void)
{
    struct proc *init = proc_find_locked(PID_INIT), *found = NULL;
    u64 others = 0;
    for (struct proc *p = proc_next_locked(PID_INIT); p; p = proc_next_locked(p->pid)) {
        if (!p->mm || p->mm == init->mm)
            continue;
        if (!found || pages_of(p) >= pages_of(found))
            found = p;
        others += pages_of(p);
    }
    return found && pages_of(init) <= others ? found : init;
}

/* All that share the victim's memory go with it, or it would not come back. => table lock held. */
static void kill_all_of(const struct mm *mm)
{
    for (struct proc *p = proc_next_locked(0); p; p = proc_next_locked(p->pid)) {
        if (p->mm != mm)
            continue;
        p->oom_victim = true;
        signal_send(p, SIGKILL);
    }
}

/* True: the running process is among those that have to go. */
static bool choose(void)
{
    struct proc *self = proc_current();
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct proc *victim = going();
    if (!victim && (victim = largest()) != NULL) {
        printk("out of memory: %s (process %u) ends, the largest, with %lu KiB\n", victim->name,
               victim->pid, pages_of(victim) * (PAGE_SIZE / 1024));
        kill_all_of(victim->mm);
    }
    bool mine = self->oom_victim;
    spin_unlock_irq(&proc_table_lock, flags);
    return mine;
}

/* The victim does not get to its end: the running process goes instead. */
static void go_oneself(void)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    proc_current()->oom_victim = true;
    spin_unlock_irq(&proc_table_lock, flags);
}

enum fault_result oom_fault(struct mm *mm, vaddr_t addr, enum fault_access access)
{
    enum fault_result result = FAULT_OOM;
    for (u32 turns = 0; result == FAULT_OOM && turns < PATIENCE; turns++) {
        if (choose() || upcall_signal_wanted(true))
            return FAULT_OOM;
        sched_yield();
        result = mm_fault(mm, addr, access);
    }
    if (result == FAULT_OOM)
        go_oneself();
    return result;
}
