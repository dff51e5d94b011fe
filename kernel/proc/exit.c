/*
 * exit.c: the end of a process.
 *
 *      give back memory, files, directories  ->  children go to PID 1  ->  zombie, the parent is told  ->  thread ends
 *
 * All is given back before the parent can learn of the end: who has waited for a child finds its memory free. A zombie
 * whose parent ignores SIGCHLD goes at once. PID 1's end is the end of the machine, whoever else still runs:
 *
 *      exit N      it called exit or exit_group
 *      signal N    a signal ended it; "signal 9 out of memory" if that was for lack of memory
 */
#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/fs/fs.h"
#include "kernel/proc/proc.h"
#include "kernel/x86/usercopy.h"
#include "lib/abi/wait.h"
#include "lib/errno_name.h"
#include "lib/format.h"

void (*proc_wake_futex)(vaddr_t addr);

void proc_leave_memory(struct proc *proc)
{
    u32 zero = 0;
    vaddr_t tid = proc->clear_child_tid;
    proc->clear_child_tid = proc->robust_list = 0;
    if (!tid || __atomic_load_n(&proc->mm->refs, __ATOMIC_RELAXED) == 1)
        return; /* nobody could look */
    if (copy_to_user(tid, &zero, sizeof(zero)) == 0 && proc_wake_futex)
        proc_wake_futex(tid);
}

static void give_back(struct proc *proc)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct proc_usage usage;
    proc_usage_locked(proc, &usage);
    struct mm *mm = proc->mm;
    struct files *files = proc->files;
    struct entry *cwd = proc->cwd, *exe = proc->exe;
    proc->mm = NULL;
    proc->files = NULL;
    proc->cwd = proc->exe = NULL;
    proc->usage.max_rss = usage.max_rss;
    spin_unlock_irq(&proc_table_lock, flags);
    proc->thread->space = NULL;
    mmu_switch(NULL);
    mm_put(mm);
    proc_vfork_done(proc);
    files_put(files);
    entry_put(cwd);
    exe_put(exe);
}

/* Tell the zombie's parent. If that wants no zombies it goes to the list dead. => table lock held. */
static void notify_parent(struct proc *zombie, struct list_head *dead)
{
    struct proc *parent = zombie->parent;
    bool gone = zombie->exit_signal == SIGCHLD && signal_reaps_children(parent);
    signal_parent(zombie);
    if (gone) {
        proc_remove_locked(zombie);
        list_add_tail(dead, &zombie->sibling);
    }
    proc_child_news(parent);
}

/* Children go to PID 1, which is told of the zombies among them. => table lock held. */
static void orphan_children(struct proc *proc, struct list_head *dead)
{
    struct proc *init = proc_find_locked(PID_INIT);
    while (!list_empty(&proc->children)) {
        struct proc *child = list_entry(proc->children.next, struct proc, sibling);
        list_del(&child->sibling);
        list_add_tail(&init->children, &child->sibling);
        child->parent = init;
        child->exit_signal = SIGCHLD;
        u32 death_signal = READ_ONCE(child->death_signal);
        if (death_signal && child->state == PROC_ALIVE)
            signal_send(child, death_signal);
        if (child->state == PROC_ZOMBIE)
            notify_parent(child, dead);
    }
}

static void become_zombie(struct proc *proc, u32 status)
{
    struct list_head dead;
    list_init(&dead);
    u64 flags = spin_lock_irq(&proc_table_lock);
    orphan_children(proc, &dead);
    proc_usage_locked(proc, &proc->usage);
    proc->thread = NULL;
    proc->wait_status = status;
    proc->state = PROC_ZOMBIE;
    notify_parent(proc, &dead);
    spin_unlock_irq(&proc_table_lock, flags);
    while (!list_empty(&dead)) {
        struct proc *gone = list_entry(dead.next, struct proc, sibling);
        list_del(&gone->sibling);
        list_init(&gone->sibling);
        proc_put(gone);
    }
}

/* => PID 1, which has given all back. */
NORETURN static void end_machine(const struct proc *init, u32 status)
{
    char record[32];
    u32 signal = wait_signal_of(status);
    format_to(record, sizeof(record), "%s %u%s", signal ? "signal" : "exit",
              signal ? signal : status >> 8,
              signal == SIGKILL && init->oom_victim ? " out of memory" : "");
    upcall_machine_end(record);
}

NORETURN static void end(u32 status)
{
    struct proc *proc = proc_current();
    struct thread *t = proc->thread;
    signal_exit(proc);
    proc_leave_memory(proc);
    give_back(proc);
    if (proc->pid == PID_INIT)
        end_machine(proc, status);
    if (proc->pid == proc->sid && fs_hooks.session_ends)
        fs_hooks.session_ends(proc->sid);
    become_zombie(proc, status);
    t->proc = NULL;
    proc_put(proc); /* the thread's */
    thread_exit();
}

void proc_exit(u32 status)
{
    end(wait_exit_status(status));
}

void proc_exit_signal(u32 signal)
{
    struct proc *proc = proc_current();
    printk("%s (process %u): ended by signal %u (%s)\n", proc->name, proc->pid, signal,
           signal_name(signal));
    end(signal);
}
