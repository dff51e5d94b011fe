/*
 * enter.c: the point of no return of an exec: the process leaves its old program and enters the new one, which exec.c has
 * built beside it. Nothing here can fail.
 *
 *      old memory: thread number cleared, reference dropped, the parent that lent it (vfork) goes on
 *      new:        CR3, names, dispositions of signals, close-on-exec, clean registers
 *
 * => The process's own thread, no lock held. Others look at mm, exe and name under proc_table_lock.
 */
#include "kernel/proc/proc.h"
#include "kernel/x86/context.h"
#include "kernel/x86/trap.h"

void exec_commit(struct proc *proc, struct exec_image *image)
{
    if (proc->mm)
        proc_leave_memory(proc);
    u64 flags = spin_lock_irq(&proc_table_lock);
    proc_usage_locked(proc, &proc->usage); /* the largest rss, of all programs */
    proc_limits_apply(proc, image->mm);
    struct mm *old_mm = proc->mm;
    struct entry *old_exe = proc->exe;
    proc->mm = image->mm;
    proc->exe = image->exe;
    memcpy(proc->name, image->name, sizeof(proc->name));
    memcpy(proc->thread->name, image->name, sizeof(proc->thread->name));
    proc->execed = true;
    proc->exit_signal = SIGCHLD;
    spin_unlock_irq(&proc_table_lock, flags);
    proc->thread->space = &image->mm->pt.hw;
    mmu_switch(proc->thread->space);
    signal_exec(proc);
    proc->undumpable = false;
    files_close_on_exec(proc->files);
    if (old_mm)
        mm_put(old_mm);
    if (old_exe)
        exe_put(old_exe);
    proc_vfork_done(proc);
}

void proc_enter_image(struct proc *proc, struct exec_image *image)
{
    struct trap_frame frame = {.rip = image->ip, .rsp = image->sp, .rflags = 1 << 9};
    exec_commit(proc, image);
    proc->thread->fs_base = proc->thread->gs_base = 0;
    fpu_init_area(proc->thread->fxsave);
    enter_user(&frame);
}
