/*
 * signal.h: signals: sending, what is pending, and what a process keeps of them.
 *
 *      signal_send, signal_queue          signal_wanted: sleeps end
 *      signal_force (a fault)      --->   pending   --->   on the way back to user mode (signal_act.c):
 *      terminal, alarm, a child           [blocked?]       handler's frame, stop, end, or nothing
 *
 * A standard signal (1 to 31) is pending once or not, with the siginfo of the first that came; the real-time ones (32 to 64) are
 * queued, each with its own. Lock: signals.lock, with interrupts off.
 */
#ifndef KERNEL_PROC_SIGNAL_H
#define KERNEL_PROC_SIGNAL_H

#include "kernel/core/spinlock.h"
#include "kernel/proc/fault_watch.h"
#include "kernel/sched/thread.h"
#include "kernel/sched/timer.h"
#include "lib/abi/signal.h"

struct proc;       /* kernel/proc/proc.h */
struct trap_frame; /* kernel/x86/trap.h */

enum { SIGNALS_QUEUED_MAX = 1024 }; /* real-time signals waiting, in one process */

/* A system call that goes on after a signal without a handler. */
struct signal_restart {
    long (*call)(const u64 *arg);
    u64 arg[4];
};

struct signals { /* S and O as in proc.h: under lock; the own thread's */
    struct spinlock lock;
    bool ended;             /* S: takes no more */
    u32 stopped;            /* S: the signal that stopped it, 0: it runs */
    u32 queued;             /* S: length of queue */
    struct list_head queue; /* S: struct queued_signal (signal.c), in order of arrival */
    struct abi_siginfo info[ABI_SIGRTMIN]; /* S: of each standard signal that is pending */
    u64 waiting_for;                       /* O: blocked, but sigtimedwait wakes for them */
    bool mask_saved;                       /* O: saved_mask is to be in force again: sigsuspend */
    u64 saved_mask;                        /* O */
    u64 fault_error, fault_vector, fault_addr; /* O: of the last exception, for ucontext */
    struct fault_watch fault_watch;            /* O: page faults in a row */
    struct signal_restart restart;             /* O */
    struct timer alarm;                        /* ITIMER_REAL */
    u64 alarm_interval;                        /* written while alarm is not set */
};

static inline u64 signal_bit(u32 signal)
{
    return 1ul << (signal - 1);
}

#define SIGNALS_UNBLOCKABLE (signal_bit(SIGKILL) | signal_bit(SIGSTOP))

/* ---- life of a process (signal.c, signal_sources.c) ---- */

void signal_init(void);                /* at boot */
void signal_create(struct proc *proc); /* proc is all zeroes */
void signal_exec(struct proc *proc);   /* handlers and alternate stack of the old program go */
/* child, which does not run yet, gets what a child inherits: dispositions, mask, alternate stack (unless it shares the
 * memory); nothing is pending. */
void signal_fork(struct proc *child, const struct proc *parent, bool shares_memory);
/* proc takes no more signals, and gives back what it has of them. => its own thread, no lock held. */
void signal_exit(struct proc *proc);

extern struct wait_queue signal_stopped; /* where stopped processes sleep */

/* ---- sending ---- */

/* Make a signal (1 to 64) pending; it acts on the way back to user mode, and ends an interruptible sleep. signal_send is from the
 * kernel; signal_queue tells more, and says -EAGAIN when a real-time signal finds the queue full (SI_USER ones
 * then go without their siginfo). => signal_send: any context, locks before RANK_SIGNAL; real-time signals, and so
 * signal_queue: locks before RANK_SLAB, no interrupt. */
void signal_send(struct proc *proc, u32 signal);
long signal_queue(struct proc *proc, const struct abi_siginfo *info);
/* An exception of the running process. Blocked or ignored, it ends the process all the same. True: it is going to end. */
bool signal_force(const struct abi_siginfo *info);

/* ---- looking and taking ---- */

/* Something is pending that is neither blocked nor ignored. */
bool signal_wanted(const struct proc *proc);
/* Take one of the signals in set off; 0: none is pending. SIGKILL first, then exceptions, then the lowest. => the own thread,
 * locks before RANK_SLAB. */
u32 signal_take(u64 set, struct abi_siginfo *info);
/* Would it do nothing when delivered now? */
bool signal_ignored(const struct proc *proc, u32 signal);
/* Of the running process: a new mask; a new action, which drops what is pending and would now be ignored. */
void signal_block(u64 mask);
void signal_set_action(u32 signal, const struct abi_sigaction *action);
void signal_reset_action(u32 signal); /* to SIG_DFL; what is pending stays */

/* ---- the parent (signal_sources.c) ---- */

/* proc, a zombie now, tells its parent. => proc_table_lock held. */
void signal_parent(struct proc *proc);
/* The parent does not want to wait for children: they leave without becoming zombies. */
bool signal_reaps_children(const struct proc *parent);
/* Tell the parent that the running process has stopped by signal, or goes on (0). => no lock held. */
void signal_parent_stop(u32 signal);

/* rt_sigreturn: back to what a handler had interrupted. What RAX shall be. */
long signal_return(void);

/* ---- alarm ---- */

/* Set the running process's ITIMER_REAL: ns from now (0: off), then every interval. Out: what it was. */
void signal_alarm(u64 ns, u64 interval, u64 *old_ns, u64 *old_interval);
void signal_alarm_left(u64 *ns, u64 *interval);

#endif
