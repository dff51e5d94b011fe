/*
 * sleeplock.c: mutexes and read-write semaphores.
 *
 * Each is a few words under a spin lock (guard) and a list of sleepers in order of arrival. Whoever
 * lets go hands the lock to the first sleeper itself, before it wakes it: the sleeper owns it then,
 * and nobody who comes by meanwhile, not even the one that let go, can take it away. So nobody
 * starves. A semaphore goes to one writer or to all readers up to the next writer, and who comes
 * while others sleep goes to sleep behind them.
 *
 * Ranks are kept by thread (thread.ranks), since a sleeping lock outlives the time on a CPU. The
 * rules are those of spinlock.c; in addition no spin lock may be held, as the caller may sleep.
 */
#include "kernel/sched/sleeplock.h"

#include "kernel/core/panic.h"
#include "kernel/sched/sched.h"
#include "kernel/x86/cpu.h"

static void rank_push(u8 rank)
{
    struct thread *t = thread_current();
    u32 held = t->ranks_held;
    ASSERT(this_cpu()->preempt_depth == 0,
           "sleeping lock of rank %u wanted with %u spin locks held", rank,
           this_cpu()->preempt_depth);
    ASSERT(held < ARRAY_SIZE(t->ranks), "thread %s holds %u locks", t->name, held);
    ASSERT(!held || t->ranks[held - 1] < rank,
           "sleeping lock of rank %u wanted while rank %u is held", rank, t->ranks[held - 1]);
    t->ranks[held] = rank;
    t->ranks_held = held + 1;
}

static void rank_remove(u8 rank)
{
    struct thread *t = thread_current();
    u32 i = t->ranks_held;
    while (i && t->ranks[i - 1] != rank)
        i--;
    ASSERT(i, "sleeping lock of rank %u let go but not held by %s", rank, t->name);
    for (; i < t->ranks_held; i++)
        t->ranks[i - 1] = t->ranks[i];
    t->ranks_held--;
}

/* The first sleeper, taken off the list; the caller has given it the lock. */
static void wake_first(struct list_head *waiters)
{
    struct thread *t = list_entry(waiters->next, struct thread, wait_link);
    list_del(&t->wait_link);
    sched_wake(t);
}

static struct thread *first_waiter(const struct list_head *waiters)
{
    return list_empty(waiters) ? NULL : list_entry(waiters->next, struct thread, wait_link);
}

static void assert_sleeping_rank(enum lock_rank rank)
{
    ASSERT(rank > RANK_NONE && rank < RANK_SLEEPING_LAST, "rank %d", rank);
}

void mutex_init(struct mutex *m, enum lock_rank rank)
{
    assert_sleeping_rank(rank);
    spin_init(&m->guard, RANK_WAIT_QUEUE);
    m->rank = (u8)rank;
    m->owner = NULL;
    list_init(&m->waiters);
}

void mutex_lock(struct mutex *m)
{
    rank_push(m->rank);
    u64 flags = spin_lock_irq(&m->guard);
    if (m->owner)
        sched_sleep(&m->guard, &m->waiters,
                    SLEEP_DEEP); /* mutex_unlock makes this thread the owner */
    else
        m->owner = thread_current();
    ASSERT(mutex_held(m), "mutex of rank %u: woken without it", m->rank);
    spin_unlock_irq(&m->guard, flags);
}

void mutex_unlock(struct mutex *m)
{
    ASSERT(mutex_held(m), "mutex of rank %u is not held by %s", m->rank, thread_current()->name);
    u64 flags = spin_lock_irq(&m->guard);
    m->owner = first_waiter(&m->waiters);
    if (m->owner)
        wake_first(&m->waiters);
    spin_unlock_irq(&m->guard, flags);
    rank_remove(m->rank);
}

bool mutex_held(const struct mutex *m)
{
    return READ_ONCE(m->owner) == thread_current();
}

void rwsem_init(struct rwsem *s, enum lock_rank rank)
{
    assert_sleeping_rank(rank);
    spin_init(&s->guard, RANK_WAIT_QUEUE);
    s->rank = (u8)rank;
    s->readers = 0;
    s->writer = NULL;
    list_init(&s->waiters);
}

/* Hand s to those at the head of its queue who may have it now. => guard held. */
static void rwsem_grant(struct rwsem *s)
{
    struct thread *t;
    while (!s->writer && (t = first_waiter(&s->waiters))) {
        if (t->wants_write && s->readers)
            break;
        if (t->wants_write)
            s->writer = t;
        else
            s->readers++;
        wake_first(&s->waiters);
    }
}

static void rwsem_sleep(struct rwsem *s, bool write)
{
    thread_current()->wants_write = write;
    sched_sleep(&s->guard, &s->waiters, SLEEP_DEEP); /* rwsem_grant enters this thread */
}

void rwsem_read_lock(struct rwsem *s)
{
    rank_push(s->rank);
    u64 flags = spin_lock_irq(&s->guard);
    if (s->writer || !list_empty(&s->waiters))
        rwsem_sleep(s, false);
    else
        s->readers++;
    spin_unlock_irq(&s->guard, flags);
}

void rwsem_read_unlock(struct rwsem *s)
{
    u64 flags = spin_lock_irq(&s->guard);
    ASSERT(s->readers > 0 && !s->writer, "semaphore of rank %u: %d readers", s->rank, s->readers);
    s->readers--;
    rwsem_grant(s);
    spin_unlock_irq(&s->guard, flags);
    rank_remove(s->rank);
}

void rwsem_write_lock(struct rwsem *s)
{
    rank_push(s->rank);
    u64 flags = spin_lock_irq(&s->guard);
    if (s->writer || s->readers || !list_empty(&s->waiters))
        rwsem_sleep(s, true);
    else
        s->writer = thread_current();
    ASSERT(rwsem_held_write(s), "semaphore of rank %u: woken without it", s->rank);
    spin_unlock_irq(&s->guard, flags);
}

void rwsem_write_unlock(struct rwsem *s)
{
    ASSERT(rwsem_held_write(s), "semaphore of rank %u is not held for write by %s", s->rank,
           thread_current()->name);
    u64 flags = spin_lock_irq(&s->guard);
    s->writer = NULL;
    rwsem_grant(s);
    spin_unlock_irq(&s->guard, flags);
    rank_remove(s->rank);
}

bool rwsem_held_write(const struct rwsem *s)
{
    return READ_ONCE(s->writer) == thread_current();
}

bool rwsem_held(const struct rwsem *s)
{
    return READ_ONCE(s->writer) || READ_ONCE(s->readers) > 0;
}
