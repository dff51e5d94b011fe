/*
 * signal_act.c: what a signal does, on the process's way back to user mode.
 *
 *      pending and not blocked ---> ignored      dropped
 *                              ---> default      the process ends, stops, or nothing
 *                              ---> a handler    its frame goes onto the stack (x86/sigframe.c); if another signal is ready, its
 *                                                frame goes on top: its handler then runs first, and returns into the first
 *      afterwards, if the signal ended a system call before its time: EINTR, or the call is made again (core/restart.h)
 *
 * All of it runs in the process's own thread. Data: struct proc's signal fields.
 */
#include "kernel/core/printk.h"
#include "kernel/core/restart.h"
#include "kernel/core/upcall.h"
#include "kernel/fs/fs.h"
#include "kernel/proc/altstack.h"
#include "kernel/proc/proc.h"
#include "kernel/x86/sigframe.h"
#include "kernel/x86/trap.h"
#include "lib/abi/syscall.h"
#include "lib/errno_name.h"

enum { SYSCALL_LENGTH = 2 }; /* bytes of the SYSCALL instruction */

/* ---- system calls that a signal woke ---- */

/* The RESTART_ code that the system call returned, 0: none, or no system call brought us here. */
static u32 restart_code(const struct trap_frame *frame)
{
    u64 code = -frame->rax;
    if (code - RESTART_SYS > RESTART_BLOCK - RESTART_SYS)
        return 0;
    return frame->vector == TRAP_SYSCALL && frame->error != (u64)TRAP_NO_SYSCALL ? (u32)code : 0;
}

static void call_again(struct trap_frame *frame, u64 number)
{
    frame->rax = number;
    frame->rip -= SYSCALL_LENGTH;
    frame->error = (u64)TRAP_NO_SYSCALL;
}

/* action: of the handler that is going to run; NULL: none does. */
static void finish_call(struct trap_frame *frame, const struct abi_sigaction *action)
{
    u32 code = restart_code(frame);
    if (!code)
        return;
    if (!action)
        call_again(frame, code == RESTART_BLOCK ? SYS_restart_syscall : frame->error);
    else if (code == RESTART_SYS && (action->flags & SA_RESTART))
        call_again(frame, frame->error);
    else
        frame->rax = (u64)-EINTR;
}

/* ---- default actions ---- */

static bool orphaned(const struct proc *proc)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    bool orphan = proc_group_orphaned(proc->pgid);
    spin_unlock_irq(&proc_table_lock, flags);
    return orphan;
}

static void stop(struct proc *proc, u32 signal)
{
    if (signal != SIGSTOP && orphaned(proc))
        return;
    u64 flags = spin_lock_irq(&proc->signals.lock);
    bool killed = proc->pending & (signal_bit(SIGKILL) | signal_bit(SIGCONT));
    proc->signals.stopped = killed ? 0 : signal;
    spin_unlock_irq(&proc->signals.lock, flags);
    if (killed)
        return;
    signal_parent_stop(signal);
    flags = spin_lock_irq(&signal_stopped.lock);
    while (READ_ONCE(proc->signals.stopped))
        wait_sleep(&signal_stopped, &flags);
    spin_unlock_irq(&signal_stopped.lock, flags);
    if (!(READ_ONCE(proc->pending) & signal_bit(SIGKILL)))
        signal_parent_stop(0);
}

static void act_by_default(struct proc *proc, u32 signal)
{
    switch (signal) {
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        stop(proc, signal);
        break;
    default:
        proc_exit_signal(signal);
    }
}

/* ---- handlers ---- */

/* The mask that the frame keeps for afterwards: that before sigsuspend, if that is what the signal ended. */
static u64 mask_to_keep(struct proc *proc)
{
    u64 mask = proc->signals.mask_saved ? proc->signals.saved_mask : proc->blocked;
    proc->signals.mask_saved = false;
    return mask;
}

static bool push_frame(struct proc *proc, struct trap_frame *frame,
                       const struct abi_sigaction *action, const struct abi_siginfo *info)
{
    struct frame_place place;
    bool fits = altstack_place(&proc->altstack, frame->rsp, action->flags & SA_ONSTACK, &place);
    struct sigframe_request q = {
        .at = place.frame,
        .fpstate = place.fpstate,
        .action = action,
        .info = info,
        .stack = proc->altstack,
        .sigmask = mask_to_keep(proc),
        .err = proc->signals.fault_error,
        .trapno = proc->signals.fault_vector,
        .addr = proc->signals.fault_addr,
    };
    if (!fits || !(action->flags & SA_RESTORER) || !sigframe_push(frame, &q))
        return false;
    if ((u32)proc->altstack.ss_flags & SS_AUTODISARM)
        altstack_reset(&proc->altstack);
    return true;
}

/* No frame for signal: SIGSEGV instead, and if it is that already, the end. */
static void no_frame(struct proc *proc, u32 signal)
{
    struct abi_siginfo info = {.signo = SIGSEGV, .code = SI_KERNEL};
    printk("%s (process %u): no stack for the handler of %s\n", proc->name, proc->pid,
           signal_name((int)signal));
    if (signal == SIGSEGV)
        signal_reset_action(SIGSEGV);
    signal_force(&info);
}

static void run_handler(struct proc *proc, struct trap_frame *frame, const struct abi_siginfo *info)
{
    u32 signal = (u32)info->signo;
    struct abi_sigaction action = proc->action[signal];
    if (action.flags & SA_RESETHAND)
        signal_reset_action(signal);
    finish_call(frame, &action);
    if (!push_frame(proc, frame, &action, info)) {
        no_frame(proc, signal);
        return;
    }
    u64 more = action.mask | (action.flags & SA_NODEFER ? 0 : signal_bit(signal));
    signal_block(proc->blocked | more);
}

/* Let every signal act that is ready. */
static void act_all(struct proc *proc, struct trap_frame *frame)
{
    struct abi_siginfo info;
    u32 signal;
    while ((signal = signal_take(~proc->blocked, &info))) {
        u64 handler =
            signal == SIGKILL || signal == SIGSTOP ? SIG_DFL : proc->action[signal].handler;
        if (signal != SIGKILL && signal_ignored(proc, signal))
            continue;
        if (handler == SIG_DFL)
            act_by_default(proc, signal);
        else
            run_handler(proc, frame, &info);
    }
}

void upcall_return_to_user(struct trap_frame *frame)
{
    struct proc *proc = proc_current();
    if (unlikely(READ_ONCE(fs_hooks.keys)))
        fs_hooks.send_keys();
    sched_yield_point();
    if (likely(!READ_ONCE(proc->pending) && !proc->signals.mask_saved && !restart_code(frame)))
        return;
    act_all(proc, frame);
    finish_call(frame, NULL);
    if (proc->signals
            .mask_saved) { /* sigsuspend ends without a handler: it is made again, or the process was stopped */
        proc->signals.mask_saved = false;
        signal_block(proc->signals.saved_mask);
    }
}

long signal_return(void)
{
    struct proc *proc = proc_current();
    struct trap_frame *frame = trap_user_frame(proc->thread->stack_top);
    struct abi_ucontext uc;
    struct abi_siginfo bad = {.signo = SIGSEGV, .code = SI_KERNEL};
    proc->signals.restart.call = NULL;
    /* The handler's RET has taken the restorer's address off the frame. */
    if (!sigframe_read(&uc, frame->rsp - sizeof(u64) + offsetof(struct abi_sigframe, uc)))
        goto bad_frame;
    signal_block(uc.sigmask);
    if (!sigframe_restore(frame, &uc))
        goto bad_frame;
    altstack_set(&proc->altstack, &uc.stack, frame->rsp); /* nonsense there changes nothing */
    return (long)frame->rax;
bad_frame:
    if (signal_force(&bad))
        printk("%s (process %u): rt_sigreturn from a bad frame at %#lx\n", proc->name, proc->pid,
               (unsigned long)frame->rsp);
    frame->error = (u64)TRAP_NO_SYSCALL;
    return 0;
}
