/*
 * thread.h: threads of control, their run queue, and waiting.
 *
 * A thread is a kernel stack and a saved context; one that serves a user program points to its
 * process and address space. Round robin with a fixed slice; the tick preempts user mode only, the
 * kernel yields in waits and at sched_yield_point().
 */
#ifndef KERNEL_SCHED_THREAD_H
#define KERNEL_SCHED_THREAD_H

#include "kernel/core/spinlock.h"
#include "kernel/x86/mmu.h"
#include "lib/list.h"

enum thread_state { THREAD_READY, THREAD_RUNNING, THREAD_WAITING, THREAD_DEAD };

/* What ends a sleep, beside being woken. */
enum sleep_kind { SLEEP_DEEP, SLEEP_KILLABLE, SLEEP_INTERRUPTIBLE };

enum { THREAD_FXSAVE_SIZE = 512 };
enum { TICK_SYSTEM, TICK_USER };

struct thread {
    u64 kernel_sp; /* saved stack pointer while not running (x86/switch.S) */
    void *stack;   /* lowest usable byte; the page below is a guard */
    u64 stack_top;
    u64 fs_base; /* user FS, GS bases (TLS) */
    u64 gs_base;
    struct mmu_space *space; /* user tables to run on, or NULL: a kernel thread */
    struct proc *proc;       /* kernel/proc/proc.h, or NULL */
    enum thread_state state;
    enum sleep_kind sleep; /* while WAITING */
    u32 id;
    u8 ranks[16]; /* sleeping locks held, innermost last */
    u32 ranks_held;
    u64 run_ns, since_ns;       /* time on a CPU up to since_ns, when it got or left it last */
    u32 ticks[2];               /* that struck it: TICK_ */
    bool wants_write;           /* while it sleeps on a read-write semaphore */
    struct list_head run_link;  /* run queue */
    struct list_head wait_link; /* what it waits in; its lock guards it */
    char name[16];
    u8 fxsave[THREAD_FXSAVE_SIZE] __attribute__((aligned(16)));
};

/* A queue of sleeping threads; lock ranks RANK_WAIT_QUEUE. */
struct wait_queue {
    struct spinlock lock;
    struct list_head waiters;
};

void sched_init(void); /* the boot flow becomes the idle thread */

/* New thread that will run entry(arg) when scheduled; NULL without memory. It starts READY only by
 * thread_start. When entry returns the thread exits. */
struct thread *thread_create(const char *name, void (*entry)(void *arg), void *arg);
void thread_start(struct thread *t);
NORETURN void thread_exit(void);
struct thread *thread_current(void);

NORETURN void sched_idle(void); /* what the boot flow does for the rest of its life */

/* How long t has run, in nanoseconds; it may be running now. */
u64 thread_run_ns(const struct thread *t);

void sched_yield(void);       /* give way to the others that are ready */
void sched_yield_point(void); /* the same, only if the tick asked for it; no spin lock held */

/* Sleep until time_ns() is deadline, exactly. False: a signal came first. => no lock held. */
bool sched_sleep_until(u64 deadline);
/* Sleep until deadline, but not beyond the next tick: for who has to look again and again. */
bool sched_sleep_tick(u64 deadline);
/* A signal has come for t: end its sleep, if it is one that a signal (SIGKILL: fatal) ends. The
 * signal has to be pending already. => Any context. */
void sched_interrupt(struct thread *t, bool fatal);

void wait_init(struct wait_queue *q);
/* Sleep until woken. The caller loops on its condition: lock q->lock with spin_lock_irq, test, call
 * wait_sleep (which releases and retakes the lock), test again. */
void wait_sleep(struct wait_queue *q, u64 *irq_flags);
/* The same, but a signal that the process wants to see ends the sleep too (or only SIGKILL does).
 * False: it did not sleep, since such a signal is there: give up with -ERESTARTSYS, -EINTR. */
bool wait_sleep_interruptible(struct wait_queue *q, u64 *irq_flags);
bool wait_sleep_killable(struct wait_queue *q, u64 *irq_flags);
/* wait_sleep_interruptible that also ends at the first tick after deadline (time_ns). */
bool wait_sleep_until(struct wait_queue *q, u64 *irq_flags, u64 deadline);
void wait_wake_all(struct wait_queue *q); /* takes q->lock */
void wait_wake_all_locked(struct wait_queue *q);

#endif
