/*
 * signal_sources.c: who sends signals without being asked to: the terminal, the alarm, a child that ends or stops.
 *
 * Data: struct signals.alarm and its interval. The parent is found under proc_table_lock.
 */
#include "kernel/core/time.h"
#include "kernel/fs/fs.h"
#include "kernel/proc/proc.h"
#include "lib/abi/wait.h"

enum { CLOCK_TICKS = 100 }; /* AT_CLKTCK */

/* ---- the terminal ---- */

static void terminal_signal(u32 group, u32 signal)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    for (struct proc *p = proc_next_locked(0); p; p = proc_next_locked(p->pid))
        if (p->pgid == group)
            signal_send(p, signal);
    spin_unlock_irq(&proc_table_lock, flags);
}

static bool signal_pending(void)
{
    struct proc *proc = proc_current();
    return proc && signal_wanted(proc);
}

static u64 deaf_to(const struct proc *proc)
{
    u64 deaf = proc->blocked;
    for (u32 s = 1; s <= ABI_SIGNALS; s++)
        if (proc->action[s].handler == SIG_IGN)
            deaf |= signal_bit(s);
    return deaf;
}

static void caller(struct fs_caller *out)
{
    struct proc *proc = proc_current();
    *out = (struct fs_caller){.pid = proc->pid, .deaf = deaf_to(proc)};
    u64 flags = spin_lock_irq(&proc_table_lock);
    out->pgid = proc->pgid;
    out->sid = proc->sid;
    out->orphaned = proc_group_orphaned(proc->pgid);
    spin_unlock_irq(&proc_table_lock, flags);
}

static u32 group_session(u32 group)
{
    u32 session = 0;
    u64 flags = spin_lock_irq(&proc_table_lock);
    for (struct proc *p = proc_next_locked(0); p; p = proc_next_locked(p->pid))
        if (p->pgid == group)
            session = p->sid;
    spin_unlock_irq(&proc_table_lock, flags);
    return session;
}

void signal_init(void)
{
    fs_hooks.terminal_signal = terminal_signal;
    fs_hooks.signal_pending = signal_pending;
    fs_hooks.caller = caller;
    fs_hooks.group_session = group_session;
}

/* ---- the alarm ---- */

/* Rings late if the tick was late, but never twice for one tick. */
static u64 alarm_rings(struct timer *timer)
{
    struct proc *proc = container_of(timer, struct proc, signals.alarm);
    u64 interval = proc->signals.alarm_interval, now = time_ns();
    signal_send(proc, SIGALRM);
    return interval ? max_u64(timer->deadline + interval, now) : 0;
}

void signal_alarm_left(u64 *ns, u64 *interval)
{
    struct signals *s = &proc_current()->signals;
    u64 deadline = timer_deadline(&s->alarm), now = time_ns();
    *ns = !deadline ? 0 : deadline > now ? deadline - now : 1000;
    *interval = s->alarm_interval;
}

void signal_alarm(u64 ns, u64 interval, u64 *old_ns, u64 *old_interval)
{
    struct signals *s = &proc_current()->signals;
    u64 now = time_ns();
    signal_alarm_left(old_ns, old_interval);
    timer_cancel(&s->alarm);
    s->alarm_interval = interval;
    if (ns)
        timer_set(&s->alarm, ns < ~0ul - now ? now + ns : ~0ul);
}

void signal_create(struct proc *proc)
{
    struct signals *s = &proc->signals;
    spin_init(&s->lock, RANK_SIGNAL);
    list_init(&s->queue);
    s->alarm.act = alarm_rings;
}

/* ---- the parent ---- */

static u64 to_ticks(u64 ns)
{
    return ns / (1000000000ul / CLOCK_TICKS);
}

/* A siginfo for the parent of proc. => proc_table_lock held. */
static struct abi_siginfo child_info(struct proc *proc, u32 signal, s32 code, u32 status)
{
    struct proc_usage usage;
    proc_usage_locked(proc, &usage);
    return (struct abi_siginfo){
        .signo = (s32)signal,
        .code = code,
        .child = {.pid = (s32)proc->pid,
                  .status = (s32)status,
                  .utime = (s64)to_ticks(usage.user_ns),
                  .stime = (s64)to_ticks(usage.system_ns)},
    };
}

void signal_parent(struct proc *proc)
{
    u32 killed = proc->wait_status & 0x7f;
    u32 status = killed ? killed : proc->wait_status >> 8 & 0xff;
    if (!proc->exit_signal || !proc->parent)
        return;
    struct abi_siginfo info =
        child_info(proc, proc->exit_signal, killed ? CLD_KILLED : CLD_EXITED, status);
    signal_queue(proc->parent, &info);
}

bool signal_reaps_children(const struct proc *parent)
{
    const struct abi_sigaction *action = &parent->action[SIGCHLD];
    return action->handler == SIG_IGN || (action->flags & SA_NOCLDWAIT);
}

void signal_parent_stop(u32 signal)
{
    struct proc *proc = proc_current();
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct proc *parent = proc->parent;
    proc->stop_status = signal ? wait_stop_status(signal) : WAIT_CONTINUED;
    if (parent)
        proc_child_news(parent);
    if (parent && !(parent->action[SIGCHLD].flags & SA_NOCLDSTOP)) {
        struct abi_siginfo info = child_info(proc, SIGCHLD, signal ? CLD_STOPPED : CLD_CONTINUED,
                                             signal ? signal : SIGCONT);
        signal_queue(parent, &info);
    }
    spin_unlock_irq(&proc_table_lock, flags);
}
