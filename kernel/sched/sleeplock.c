/*
 * sleeplock.c: mutexes and read-write semaphores.
 *
 * Each is a few words under a spin lock (guard) and a list of sleepers. Whoever is woken tests again, so a late-comer
 * may be faster; nobody starves, since the sleepers are woken in order and the kernel does not preempt itself.
 *
 * Ranks are kept by thread (thread.ranks), since a sleeping lock outlives the time on a CPU. The rules are those of
 * spinlock.c; in addition no spin lock may be held, as the caller may sleep.
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

static void wake_all(struct list_head *waiters)
{
    while (!list_empty(waiters)) {
        struct thread *t = list_entry(waiters->next, struct thread, run_link);
        list_del(&t->run_link);
        sched_wake(t);
    }
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
    while (m->owner)
        sched_sleep(&m->guard, &m->waiters);
    m->owner = thread_current();
    spin_unlock_irq(&m->guard, flags);
}

void mutex_unlock(struct mutex *m)
{
    ASSERT(mutex_held(m), "mutex of rank %u is not held by %s", m->rank, thread_current()->name);
    u64 flags = spin_lock_irq(&m->guard);
    m->owner = NULL;
    if (!list_empty(&m->waiters)) {
        struct thread *t = list_entry(m->waiters.next, struct thread, run_link);
        list_del(&t->run_link);
        sched_wake(t);
    }
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
    s->writers_waiting = 0;
    list_init(&s->waiters);
}

void rwsem_read_lock(struct rwsem *s)
{
    rank_push(s->rank);
    u64 flags = spin_lock_irq(&s->guard);
    while (s->writer || s->writers_waiting)
        sched_sleep(&s->guard, &s->waiters);
    s->readers++;
    spin_unlock_irq(&s->guard, flags);
}

void rwsem_read_unlock(struct rwsem *s)
{
    u64 flags = spin_lock_irq(&s->guard);
    ASSERT(s->readers > 0 && !s->writer, "semaphore of rank %u: %d readers", s->rank, s->readers);
    if (--s->readers == 0)
        wake_all(&s->waiters);
    spin_unlock_irq(&s->guard, flags);
    rank_remove(s->rank);
}

void rwsem_write_lock(struct rwsem *s)
{
    rank_push(s->rank);
    u64 flags = spin_lock_irq(&s->guard);
    s->writers_waiting++;
    while (s->writer || s->readers)
        sched_sleep(&s->guard, &s->waiters);
    s->writers_waiting--;
    s->writer = thread_current();
    spin_unlock_irq(&s->guard, flags);
}

void rwsem_write_unlock(struct rwsem *s)
{
    ASSERT(rwsem_held_write(s), "semaphore of rank %u is not held for write by %s", s->rank,
           thread_current()->name);
    u64 flags = spin_lock_irq(&s->guard);
    s->writer = NULL;
    wake_all(&s->waiters);
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
