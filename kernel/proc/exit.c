/*
 * exit.c: the end of a process. It gives back all it holds, so that a checking build can count pages, and for PID 1 tells the
 * host how it went and ends the machine:
 *
 *      exit N      it called exit or exit_group
 *      signal N    a signal ended it
 */
#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/mm/slab.h"
#include "kernel/proc/proc.h"
#include "lib/errno_name.h"
#include "lib/format.h"

static void give_back(struct proc *proc)
{
    struct mm *mm = proc->mm;
    signal_exit(proc);
    files_put(proc->files);
    entry_put(proc->cwd);
    entry_put(proc->exe);
    proc->mm = NULL;
    proc->thread->space = NULL;
    mmu_switch(NULL);
    mm_put(mm);
    proc->files = NULL;
    proc->cwd = proc->exe = NULL;
    proc->thread->proc = NULL;
    proc_remove(proc);
    proc_put(proc); /* the thread's */
}

NORETURN static void end(const char *how, u32 n)
{
    struct proc *proc = proc_current();
    char record[32];
    ASSERT(proc->pid == 1, "process %u", proc->pid);
    give_back(proc);
    format_to(record, sizeof(record), "%s %u", how, n);
    upcall_machine_end(record);
}

void proc_exit(u32 status)
{
    end("exit", status & 0xff);
}

void proc_exit_signal(u32 signal)
{
    struct proc *proc = proc_current();
    printk("%s (process %u): ended by signal %u (%s)\n", proc->name, proc->pid, signal,
           signal_name(signal));
    end("signal", signal);
}
