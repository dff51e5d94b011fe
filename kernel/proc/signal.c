/*
 * signal.c: signals, as far as this kernel goes: dispositions and masks are stored, default actions act, and handlers are
 * not run yet. A signal that a program wants to catch therefore ends it, and the log says that this is why.
 *
 *      sent -> pending -> on the way back to user mode: blocked? wait. ignored? drop. otherwise: the default action
 *
 * Data: struct proc's signal fields. pending is set from interrupts (the terminal), hence atomic.
 */
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/fs/fs.h"
#include "kernel/proc/proc.h"
#include "lib/errno_name.h"

#define UNBLOCKABLE (signal_bit(SIGKILL) | signal_bit(SIGSTOP))

static struct proc *foreground; /* who the terminal's signals go to */

/* Signals whose default action is to be ignored; stop and continue change nothing either, as there is no job control. */
static bool ignored_by_default(u32 signal)
{
    u64 bits = signal_bit(SIGCHLD) | signal_bit(SIGCONT) | signal_bit(SIGURG) |
               signal_bit(SIGWINCH) | signal_bit(SIGTSTP) | signal_bit(SIGTTIN) |
               signal_bit(SIGTTOU) | signal_bit(SIGSTOP);
    return bits & signal_bit(signal);
}

static bool ignored(const struct proc *proc, u32 signal)
{
    if (signal == SIGKILL || signal == SIGSTOP)
        return signal == SIGSTOP;
    u64 handler = proc->action[signal].handler;
    return handler == SIG_IGN || (handler == SIG_DFL && ignored_by_default(signal));
}

void signal_send(struct proc *proc, u32 signal)
{
    __atomic_fetch_or(&proc->pending, signal_bit(signal), __ATOMIC_RELAXED);
}

/* The lowest signal that has to act now; 0: none. */
static u32 next_signal(const struct proc *proc)
{
    u64 ready = READ_ONCE(proc->pending) & ~(proc->blocked & ~UNBLOCKABLE);
    for (; ready; ready &= ready - 1) {
        u32 signal = __builtin_ctzl(ready) + 1;
        if (!ignored(proc, signal))
            return signal;
    }
    return 0;
}

bool signal_wanted(const struct proc *proc)
{
    return next_signal(proc) != 0;
}

void signal_exec(struct proc *proc)
{
    for (u32 s = 1; s <= ABI_SIGNALS; s++)
        if (proc->action[s].handler != SIG_IGN)
            proc->action[s] = (struct abi_sigaction){0};
    proc->altstack = (struct abi_sigaltstack){.ss_flags = SS_DISABLE};
    foreground = proc;
}

void upcall_return_to_user(struct trap_frame *frame)
{
    (void)frame;
    struct proc *proc = proc_current();
    if (likely(!READ_ONCE(proc->pending)))
        return;
    u32 signal = next_signal(proc);
    if (!signal) { /* drop what is ignored; what is blocked stays */
        __atomic_fetch_and(&proc->pending, proc->blocked & ~UNBLOCKABLE, __ATOMIC_RELAXED);
        return;
    }
    if (signal != SIGKILL && proc->action[signal].handler != SIG_DFL)
        printk("%s: has a handler for %s, but handlers are not run by this kernel yet\n",
               proc->name, signal_name(signal));
    proc_exit_signal(signal);
}

static void hook_terminal_signal(u32 signal)
{
    struct proc *proc = READ_ONCE(foreground);
    if (proc)
        signal_send(proc, signal);
}

static bool hook_signal_pending(void)
{
    struct proc *proc = proc_current();
    return proc && signal_wanted(proc);
}

bool upcall_signal_wanted(bool fatal)
{
    struct proc *proc = proc_current();
    if (!proc)
        return false;
    return fatal ? READ_ONCE(proc->pending) & signal_bit(SIGKILL) : signal_wanted(proc);
}

void signal_init(void)
{
    fs_hooks.terminal_signal = hook_terminal_signal;
    fs_hooks.signal_pending = hook_signal_pending;
}

void signal_no_process(void)
{
    foreground = NULL;
}
