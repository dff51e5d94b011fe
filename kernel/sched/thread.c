/*
 * thread.c: making, starting and ending threads, and waiting in queues.
 *
 * A struct thread comes from a slab and its stack from x86/stack.c; both go back when the thread
 * has ended and another one has taken over its CPU.
 */
#include "kernel/sched/thread.h"

#include "kernel/core/panic.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/context.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/stack.h"
#include "lib/string.h"

static struct slab_cache threads;
static u32 last_id; /* atomic */

/* What a new thread's stack needs to know. Lives in the first frame of that stack's owner: the
 * thread itself. */
struct start {
    void (*entry)(void *arg);
    void *arg;
};

void thread_init(void)
{
    slab_cache_init(&threads, "thread", sizeof(struct thread), 16);
}

/* The first C function of every thread. => On its own stack, the run queue's lock held, interrupts
 * off. */
static void first_run(void *arg)
{
    struct start start = *(struct start *)arg;
    sched_finish_switch();
    irq_enable();
    start.entry(start.arg);
    thread_exit();
}

struct thread *thread_create(const char *name, void (*entry)(void *arg), void *arg)
{
    struct thread *t = slab_alloc_zeroed(&threads);
    if (!t)
        return NULL;
    t->stack = stack_alloc();
    if (!t->stack) {
        slab_free(&threads, t);
        return NULL;
    }
    t->stack_top = (u64)t->stack + THREAD_STACK_SIZE;
    t->state = THREAD_WAITING;
    t->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    string_copy(t->name, name, sizeof(t->name));
    fpu_init_area(t->fxsave);
    /* The request lies at the stack's low end, far below where the stack begins to be used. */
    struct start *start = t->stack;
    *start = (struct start){entry, arg};
    t->kernel_sp = context_prepare(t->stack_top, first_run, start);
    return t;
}

void thread_start(struct thread *t)
{
    ASSERT(t->state == THREAD_WAITING, "thread %s started twice", t->name);
    u64 flags = irq_save();
    sched_wake(t);
    irq_restore(flags);
}

void thread_exit(void)
{
    struct thread *t = thread_current();
    ASSERT(!t->ranks_held, "thread %s ends with %u sleeping locks held", t->name, t->ranks_held);
    sched_exit();
}

void thread_free(struct thread *t)
{
    stack_free(t->stack);
    slab_free(&threads, t);
}

void wait_init(struct wait_queue *q)
{
    spin_init(&q->lock, RANK_WAIT_QUEUE);
    list_init(&q->waiters);
}

void wait_sleep(struct wait_queue *q, u64 *irq_flags)
{
    (void)irq_flags; /* interrupts stay off until the caller restores them */
    sched_sleep(&q->lock, &q->waiters, SLEEP_DEEP);
}

bool wait_sleep_interruptible(struct wait_queue *q, u64 *irq_flags)
{
    (void)irq_flags;
    return sched_sleep(&q->lock, &q->waiters, SLEEP_INTERRUPTIBLE);
}

bool wait_sleep_killable(struct wait_queue *q, u64 *irq_flags)
{
    (void)irq_flags;
    return sched_sleep(&q->lock, &q->waiters, SLEEP_KILLABLE);
}

void wait_wake_all_locked(struct wait_queue *q)
{
    while (!list_empty(&q->waiters)) {
        struct thread *t = list_entry(q->waiters.next, struct thread, wait_link);
        list_del(&t->wait_link);
        sched_wake(t);
    }
}

void wait_wake_all(struct wait_queue *q)
{
    u64 flags = spin_lock_irq(&q->lock);
    wait_wake_all_locked(q);
    spin_unlock_irq(&q->lock, flags);
}
