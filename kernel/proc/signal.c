/*
 * signal.c: what is pending: sending, ignoring, taking. What a signal then does is signal_act.c's, where some come from
 * signal_sources.c's.
 *
 * To send: (1) a stop signal drops a pending SIGCONT and the other way round, and SIGCONT and SIGKILL let a stopped process go on;
 * (2) what would be ignored and is not blocked is dropped at once; (3) else it is pending, and a sleep ends for it.
 * The sleeper's half of (3) is in sched_sleep.
 *
 * Data: struct proc's signal fields; queued_signal from the slab. Lock: signals.lock. The slab is never called under it.
 */
#include "kernel/core/upcall.h"
#include "kernel/mm/slab.h"
#include "kernel/proc/altstack.h"
#include "kernel/proc/proc.h"

struct queued_signal {
    struct list_head link;
    struct abi_siginfo info;
};

struct wait_queue signal_stopped = {.lock = {.rank = RANK_WAIT_QUEUE},
                                    .waiters = {&signal_stopped.waiters, &signal_stopped.waiters}};

#define STOP_SIGNALS                                                                               \
    (signal_bit(SIGSTOP) | signal_bit(SIGTSTP) | signal_bit(SIGTTIN) | signal_bit(SIGTTOU))
#define IGNORED_BY_DEFAULT                                                                         \
    (signal_bit(SIGCHLD) | signal_bit(SIGCONT) | signal_bit(SIGURG) | signal_bit(SIGWINCH))
#define EXCEPTIONS                                                                                 \
    (signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGILL) | signal_bit(SIGTRAP) |         \
     signal_bit(SIGFPE) | signal_bit(SIGSYS))

bool signal_ignored(const struct proc *proc, u32 signal)
{
    u64 ignored = IGNORED_BY_DEFAULT;
    if (proc->pid == PID_INIT) /* nobody would let it go on */
        ignored |= STOP_SIGNALS;
    u64 handler = proc->action[signal].handler;
    return handler == SIG_IGN || (handler == SIG_DFL && (ignored & signal_bit(signal)));
}

/* ---- sending ---- */

/* set is not pending any more; of real-time signals the queue has to be empty. => lock held. */
static void drop(struct proc *proc, u64 set)
{
    WRITE_ONCE(proc->pending, proc->pending & ~set);
}

/* What a signal does at once, even if it is blocked or ignored. => lock held. */
static void stop_or_go_on(struct proc *proc, u32 signal)
{
    if (STOP_SIGNALS & signal_bit(signal))
        drop(proc, signal_bit(SIGCONT));
    if (signal == SIGCONT)
        drop(proc, STOP_SIGNALS);
    if (signal == SIGCONT || signal == SIGKILL)
        WRITE_ONCE(proc->signals.stopped, 0);
}

/* End proc's sleep if signal, pending now, does that. => lock held. */
static void wake(struct proc *proc, u32 signal)
{
    bool open = !(proc->blocked & ~proc->signals.waiting_for & signal_bit(signal));
    if (proc->thread && (open || signal == SIGKILL))
        sched_interrupt(proc->thread, signal == SIGKILL);
}

/* => lock held. node: for a real-time signal, NULL: without siginfo. True: node was used. */
static bool make_pending(struct proc *proc, const struct abi_siginfo *info,
                         struct queued_signal *node)
{
    struct signals *s = &proc->signals;
    u32 signal = (u32)info->signo;
    u64 bit = signal_bit(signal);
    if (s->ended)
        return false;
    stop_or_go_on(proc, signal);
    if (signal_ignored(proc, signal) && !((proc->blocked | s->waiting_for) & bit))
        return false;
    if (signal < ABI_SIGRTMIN && !(proc->pending & bit))
        s->info[signal] = *info;
    if (node) {
        list_add_tail(&s->queue, &node->link);
        s->queued++;
    }
    WRITE_ONCE(proc->pending, proc->pending | bit);
    wake(proc, signal);
    return node != NULL;
}

static void send_standard(struct proc *proc, const struct abi_siginfo *info)
{
    u64 flags = spin_lock_irq(&proc->signals.lock);
    make_pending(proc, info, NULL);
    spin_unlock_irq(&proc->signals.lock, flags);
    if (info->signo == SIGCONT || info->signo == SIGKILL)
        wait_wake_all(&signal_stopped);
}

static long send_queued(struct proc *proc, const struct abi_siginfo *info)
{
    struct queued_signal *node = kmalloc(sizeof(*node)), *unused = node;
    if (node)
        node->info = *info;
    u64 flags = spin_lock_irq(&proc->signals.lock);
    bool full = !node || proc->signals.queued >= SIGNALS_QUEUED_MAX;
    long ret = full && info->code != SI_USER ? -EAGAIN : 0;
    if (ret == 0 && make_pending(proc, info, full ? NULL : node))
        unused = NULL;
    spin_unlock_irq(&proc->signals.lock, flags);
    kfree(unused);
    return ret;
}

/* PID 1 gets from other processes only what it has a handler for: its end would be the machine's. */
static bool spared(const struct proc *proc, const struct abi_siginfo *info)
{
    return proc->pid == PID_INIT && info->code <= SI_USER && proc != proc_current() &&
           proc->action[info->signo].handler == SIG_DFL;
}

long signal_queue(struct proc *proc, const struct abi_siginfo *info)
{
    if (spared(proc, info))
        return 0;
    if (info->signo >= ABI_SIGRTMIN)
        return send_queued(proc, info);
    send_standard(proc, info);
    return 0;
}

void signal_send(struct proc *proc, u32 signal)
{
    struct abi_siginfo info = {.signo = (s32)signal, .code = SI_KERNEL};
    signal_queue(proc, &info);
}

bool signal_force(const struct abi_siginfo *info)
{
    struct proc *proc = proc_current();
    u32 signal = (u32)info->signo;
    u64 bit = signal_bit(signal);
    u64 flags = spin_lock_irq(&proc->signals.lock);
    struct abi_sigaction *action = &proc->action[signal];
    bool ends = action->handler == SIG_DFL || action->handler == SIG_IGN || (proc->blocked & bit);
    if (ends) {
        action->handler = SIG_DFL;
        proc->blocked &= ~bit;
    }
    proc->signals.info[signal] = *info;
    WRITE_ONCE(proc->pending, proc->pending | bit);
    spin_unlock_irq(&proc->signals.lock, flags);
    return ends;
}

/* ---- looking and taking ---- */

bool signal_wanted(const struct proc *proc)
{
    u64 ready = READ_ONCE(proc->pending) & ~(proc->blocked & ~proc->signals.waiting_for);
    for (; ready; ready &= ready - 1) {
        u32 signal = (u32)__builtin_ctzl(ready) + 1;
        if (!signal_ignored(proc, signal) || (proc->signals.waiting_for & signal_bit(signal)))
            return true;
    }
    return false;
}

bool upcall_signal_wanted(bool fatal)
{
    struct proc *proc = proc_current();
    if (!proc || !READ_ONCE(proc->pending))
        return false;
    return fatal ? READ_ONCE(proc->pending) & signal_bit(SIGKILL) : signal_wanted(proc);
}

static u32 first_of(u64 ready)
{
    if (ready & signal_bit(SIGKILL))
        return SIGKILL;
    if (ready & EXCEPTIONS)
        ready &= EXCEPTIONS;
    return (u32)__builtin_ctzl(ready) + 1;
}

/* The first in the queue, taken off it, and whether there are more; NULL: none. => lock held. */
static struct queued_signal *unqueue(struct signals *s, u32 signal, bool *more)
{
    struct list_head *at;
    struct queued_signal *found = NULL;
    *more = false;
    list_for_each (at, &s->queue) {
        struct queued_signal *node = list_entry(at, struct queued_signal, link);
        if (node->info.signo != (s32)signal)
            continue;
        if (found) {
            *more = true;
            break;
        }
        found = node;
    }
    if (found) {
        list_del(&found->link);
        s->queued--;
    }
    return found;
}

u32 signal_take(u64 set, struct abi_siginfo *info)
{
    struct proc *proc = proc_current();
    struct signals *s = &proc->signals;
    struct queued_signal *node = NULL;
    u32 signal = 0;
    bool more = false;
    u64 flags = spin_lock_irq(&s->lock);
    u64 ready = proc->pending & set;
    if (ready) {
        signal = first_of(ready);
        *info = (struct abi_siginfo){.signo = (s32)signal};
        if (signal < ABI_SIGRTMIN)
            *info = s->info[signal];
        else if ((node = unqueue(s, signal, &more)))
            *info = node->info;
        if (!more)
            drop(proc, signal_bit(signal));
    }
    spin_unlock_irq(&s->lock, flags);
    kfree(node);
    return signal;
}

/* ---- mask and actions ---- */

void signal_block(u64 mask)
{
    struct proc *proc = proc_current();
    u64 flags = spin_lock_irq(&proc->signals.lock);
    WRITE_ONCE(proc->blocked, mask & ~SIGNALS_UNBLOCKABLE);
    spin_unlock_irq(&proc->signals.lock, flags);
}

/* Take all of a signal off the queue, to be freed when the lock is let go. => lock held. */
static void flush_queue(struct signals *s, u32 signal, struct list_head *out)
{
    struct list_head *at, *next;
    list_for_each_safe (at, next, &s->queue) {
        if (signal && list_entry(at, struct queued_signal, link)->info.signo != (s32)signal)
            continue;
        list_del(at);
        list_add_tail(out, at);
        s->queued--;
    }
}

static void free_all(struct list_head *list)
{
    struct list_head *at, *next;
    list_for_each_safe (at, next, list)
        kfree(list_entry(at, struct queued_signal, link));
}

void signal_set_action(u32 signal, const struct abi_sigaction *action)
{
    struct proc *proc = proc_current();
    struct list_head dropped;
    list_init(&dropped);
    u64 flags = spin_lock_irq(&proc->signals.lock);
    proc->action[signal] = *action;
    proc->action[signal].mask &= ~SIGNALS_UNBLOCKABLE;
    proc->action[signal].flags &= SA_ALL;
    if (signal_ignored(proc, signal)) {
        drop(proc, signal_bit(signal));
        flush_queue(&proc->signals, signal, &dropped);
    }
    spin_unlock_irq(&proc->signals.lock, flags);
    free_all(&dropped);
}

void signal_reset_action(u32 signal)
{
    struct proc *proc = proc_current();
    u64 flags = spin_lock_irq(&proc->signals.lock);
    proc->action[signal].handler = SIG_DFL;
    spin_unlock_irq(&proc->signals.lock, flags);
}

/* ---- life of a process ---- */

void signal_fork(struct proc *child, const struct proc *parent, bool shares_memory)
{
    memcpy(child->action, parent->action, sizeof(child->action));
    child->blocked = parent->signals.mask_saved ? parent->signals.saved_mask : parent->blocked;
    child->altstack = parent->altstack;
    if (shares_memory)
        altstack_reset(&child->altstack);
}

void signal_exec(struct proc *proc)
{
    u64 flags = spin_lock_irq(&proc->signals.lock);
    for (u32 s = 1; s <= ABI_SIGNALS; s++)
        if (proc->action[s].handler != SIG_IGN)
            proc->action[s] = (struct abi_sigaction){0};
    spin_unlock_irq(&proc->signals.lock, flags);
    altstack_reset(&proc->altstack);
    proc->signals.restart.call = NULL;
}

void signal_exit(struct proc *proc)
{
    struct list_head dropped;
    list_init(&dropped);
    timer_cancel(&proc->signals.alarm);
    u64 flags = spin_lock_irq(&proc->signals.lock);
    proc->signals.ended = true;
    flush_queue(&proc->signals, 0, &dropped);
    spin_unlock_irq(&proc->signals.lock, flags);
    free_all(&dropped);
}
