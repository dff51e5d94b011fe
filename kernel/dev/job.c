/*
 * job.c: the session that has the terminal, and its group in the foreground. One terminal, so the data are two numbers.
 *
 * At boot it is the first process's. A leader without a terminal takes it with TIOCSCTTY, which root may do by force; it is free
 * again when the leader ends or lets go of it. What is known of processes comes through fs_hooks.
 *
 * A key's signal cannot be sent by the interrupt: to find the group's processes takes locks that the interrupted code may hold.
 * The next process on its way to user mode sends it, or, if none is, a thread.
 *
 * Lock: job_lock, with interrupts off, innermost: nothing is called under it.
 */
#include "kernel/dev/job.h"

#include "kernel/core/panic.h"
#include "kernel/core/restart.h"
#include "kernel/dev/dev.h"
#include "kernel/sched/thread.h"
#include "lib/abi/signal.h"
#include "lib/abi/system.h"

static struct spinlock job_lock = {.rank = RANK_DEVICE};
static u32 session = 1, foreground = 1; /* 0: nobody */
static struct wait_queue keys;          /* where the thread sleeps */

void job_signal(u32 signal)
{
    u32 group = READ_ONCE(foreground);
    if (group && fs_hooks.terminal_signal)
        fs_hooks.terminal_signal(group, signal);
}

void job_signal_soon(u32 signal)
{
    u64 flags = spin_lock_irq(&keys.lock);
    __atomic_fetch_or(&fs_hooks.keys, 1u << signal, __ATOMIC_RELAXED);
    wait_wake_all_locked(&keys);
    spin_unlock_irq(&keys.lock, flags);
}

static void send_keys(void)
{
    u32 signals = __atomic_exchange_n(&fs_hooks.keys, 0, __ATOMIC_RELAXED);
    for (; signals; signals &= signals - 1)
        job_signal((u32)__builtin_ctz(signals));
}

/* The thread. */
static void send_for_ever(void *unused)
{
    (void)unused;
    for (;;) {
        u64 flags = spin_lock_irq(&keys.lock);
        while (!READ_ONCE(fs_hooks.keys))
            wait_sleep(&keys, &flags);
        spin_unlock_irq(&keys.lock, flags);
        send_keys();
    }
}

bool job_is_mine(void)
{
    struct fs_caller caller;
    fs_hooks.caller(&caller);
    return caller.sid == READ_ONCE(session);
}

long job_check(u32 signal)
{
    struct fs_caller caller;
    fs_hooks.caller(&caller);
    if (caller.sid != READ_ONCE(session) || caller.pgid == READ_ONCE(foreground))
        return 0;
    bool deaf = caller.deaf & 1ul << (signal - 1);
    if (deaf && signal == SIGTTOU)
        return 0;
    if (deaf || caller.orphaned)
        return -EIO;
    fs_hooks.terminal_signal(caller.pgid, signal);
    return -RESTART_SYS;
}

static void hand_over(u32 new_session, u32 new_foreground)
{
    u64 flags = spin_lock_irq(&job_lock);
    session = new_session;
    foreground = new_foreground;
    spin_unlock_irq(&job_lock, flags);
}

/* The foreground group learns that the terminal is gone. */
static void let_go(void)
{
    u32 group = READ_ONCE(foreground);
    hand_over(0, 0);
    if (group) {
        fs_hooks.terminal_signal(group, SIGHUP);
        fs_hooks.terminal_signal(group, SIGCONT);
    }
}

static void session_ends(u32 sid)
{
    if (sid == READ_ONCE(session))
        let_go();
}

static u32 terminal_group(u32 sid)
{
    return sid == READ_ONCE(session) ? READ_ONCE(foreground) : 0;
}

static int take(const struct fs_caller *caller, bool force)
{
    u32 owner = READ_ONCE(session);
    if (caller->sid == owner)
        return 0;
    if (caller->pid != caller->sid || (owner && !force))
        return -EPERM;
    hand_over(caller->sid, caller->pgid);
    return 0;
}

/* => the terminal is the caller's. */
static int set_foreground(const struct fs_caller *caller, u32 group)
{
    long ret = job_check(SIGTTOU);
    if (ret < 0)
        return ret;
    if ((s32)group < 0)
        return -EINVAL;
    u32 of = fs_hooks.group_session(group);
    if (of != caller->sid)
        return of ? -EPERM : -ESRCH;
    WRITE_ONCE(foreground, group);
    return 0;
}

int job_ioctl(u32 cmd, u32 *value)
{
    struct fs_caller caller;
    fs_hooks.caller(&caller);
    bool mine = caller.sid == READ_ONCE(session);
    switch (cmd) {
    case TIOCSCTTY:
        return take(&caller, *value == 1);
    case TIOCNOTTY:
        if (mine &&
            caller.pid ==
                caller.sid) /* of others it takes nothing: a session has its terminal as one */
            let_go();
        return mine ? 0 : -ENOTTY;
    case TIOCGPGRP:
        *value = READ_ONCE(foreground);
        return mine ? 0 : -ENOTTY;
    case TIOCSPGRP:
        return mine ? set_foreground(&caller, *value) : -ENOTTY;
    case TIOCGSID:
        *value = READ_ONCE(session);
        return mine ? 0 : -ENOTTY;
    }
    return -ENOTTY;
}

void job_init(void)
{
    struct thread *thread = thread_create("terminal", send_for_ever, NULL);
    if (!thread)
        panic("no memory for the terminal's thread");
    wait_init(&keys);
    thread_start(thread);
    fs_hooks.session_ends = session_ends;
    fs_hooks.send_keys = send_keys;
    fs_hooks.terminal_group = terminal_group;
}
