/*
 * locks.c: spin locks and sleeping locks for the host tests.
 *
 * There is one thread, so a lock that is taken already is a deadlock and panics. Ranks of all locks
 * held lie in host_cpu.ranks, sleeping ones too; a lock may be taken only above all of them.
 * host_cpu.preempt_depth counts the spin locks.
 */
#include <stdlib.h>

#include "kernel/core/panic.h"
#include "kernel/core/spinlock.h"
#include "kernel/sched/sleeplock.h"
#include "kernel/sched/thread.h"
#include "kernel/x86/cpu.h"
#include "tests/host/standin/host.h"

struct cpu host_cpu;
static void *locks[ARRAY_SIZE(host_cpu.ranks)]; /* the lock of each rank held */
static struct thread host_thread = {.name = "host"};

struct thread *thread_current(void)
{
    return &host_thread;
}

static void rank_push(u8 rank, bool second, void *lock)
{
    ASSERT(rank != RANK_NONE, "a lock without rank: not initialised?");
    for (u32 i = 0; i < host_cpu.ranks_held; i++)
        ASSERT(host_cpu.ranks[i] < rank + second, "rank %u is held, rank %u wanted",
               host_cpu.ranks[i], rank);
    ASSERT(host_cpu.ranks_held < ARRAY_SIZE(host_cpu.ranks), "too many locks held");
    locks[host_cpu.ranks_held] = lock;
    host_cpu.ranks[host_cpu.ranks_held++] = rank;
}

static void rank_pop(void *lock)
{
    u32 i = host_cpu.ranks_held;

    while (i > 0 && locks[i - 1] != lock)
        i--;
    ASSERT(i > 0, "lock %p is not held", lock);
    for (host_cpu.ranks_held--; i <= host_cpu.ranks_held; i++) {
        host_cpu.ranks[i - 1] = host_cpu.ranks[i];
        locks[i - 1] = locks[i];
    }
}

u32 host_locks_mark(void)
{
    return host_cpu.ranks_held;
}

void host_locks_restore(u32 mark)
{
    while (host_cpu.ranks_held > mark) {
        u32 last = host_cpu.ranks_held - 1;
        if (host_cpu.ranks[last] <= RANK_SLEEPING_LAST)
            abort(); /* a panic under a sleeping lock is not undone */
        spin_unlock(locks[last]);
    }
}

void host_locks_check(const char *where)
{
    ASSERT(host_cpu.ranks_held == 0 && host_cpu.preempt_depth == 0,
           "%s: %u locks held, %u of them spin locks", where, host_cpu.ranks_held,
           host_cpu.preempt_depth);
}

/* ---- spin locks ---- */

void spin_init(struct spinlock *lock, enum lock_rank rank)
{
    ASSERT(rank > RANK_SLEEPING_LAST, "rank %d is for sleeping locks", rank);
    *lock = (struct spinlock){.rank = rank};
}

static void spin_take(struct spinlock *lock, bool second)
{
    ASSERT(!lock->locked, "deadlock: a spin lock of rank %u is taken twice", lock->rank);
    rank_push(lock->rank, second, lock);
    host_cpu.preempt_depth++;
    lock->locked = 1;
    lock->owner = 1;
}

void spin_lock(struct spinlock *lock)
{
    spin_take(lock, false);
}

void spin_lock_second(struct spinlock *lock)
{
    ASSERT(host_cpu.ranks_held && host_cpu.ranks[host_cpu.ranks_held - 1] == lock->rank,
           "a second lock of rank %u without a first", lock->rank);
    spin_take(lock, true);
}

void spin_unlock(struct spinlock *lock)
{
    ASSERT(lock->locked, "a spin lock of rank %u is not held", lock->rank);
    lock->locked = 0;
    lock->owner = 0;
    host_cpu.preempt_depth--;
    rank_pop(lock);
}

u64 spin_lock_irq(struct spinlock *lock)
{
    spin_lock(lock);
    return 0;
}

void spin_unlock_irq(struct spinlock *lock, u64 flags)
{
    (void)flags;
    spin_unlock(lock);
}

bool spin_held(const struct spinlock *lock)
{
    return lock->locked;
}

/* ---- sleeping locks ---- */

static void may_sleep(u8 rank)
{
    ASSERT(host_cpu.preempt_depth == 0, "sleeping lock of rank %u wanted under a spin lock", rank);
}

void mutex_init(struct mutex *m, enum lock_rank rank)
{
    ASSERT(rank <= RANK_SLEEPING_LAST, "rank %d is for spin locks", rank);
    *m = (struct mutex){.rank = rank};
}

void mutex_lock(struct mutex *m)
{
    may_sleep(m->rank);
    ASSERT(!m->owner, "deadlock: a mutex of rank %u is taken twice", m->rank);
    rank_push(m->rank, false, m);
    m->owner = &host_thread;
}

void mutex_unlock(struct mutex *m)
{
    ASSERT(m->owner, "a mutex of rank %u is not held", m->rank);
    m->owner = NULL;
    rank_pop(m);
}

bool mutex_held(const struct mutex *m)
{
    return m->owner;
}

void rwsem_init(struct rwsem *s, enum lock_rank rank)
{
    ASSERT(rank <= RANK_SLEEPING_LAST, "rank %d is for spin locks", rank);
    *s = (struct rwsem){.rank = rank};
}

void rwsem_read_lock(struct rwsem *s)
{
    may_sleep(s->rank);
    ASSERT(!s->writer && !s->readers, "deadlock: rwsem of rank %u is held (%d readers)", s->rank,
           s->readers);
    rank_push(s->rank, false, s);
    s->readers++;
}

void rwsem_read_unlock(struct rwsem *s)
{
    ASSERT(s->readers == 1, "%d readers of a rwsem of rank %u", s->readers, s->rank);
    s->readers--;
    rank_pop(s);
}

void rwsem_write_lock(struct rwsem *s)
{
    may_sleep(s->rank);
    ASSERT(!s->writer && !s->readers, "deadlock: rwsem of rank %u is held (%d readers)", s->rank,
           s->readers);
    rank_push(s->rank, false, s);
    s->writer = &host_thread;
}

void rwsem_write_unlock(struct rwsem *s)
{
    ASSERT(s->writer, "rwsem of rank %u is not held for write", s->rank);
    s->writer = NULL;
    rank_pop(s);
}

bool rwsem_held_write(const struct rwsem *s)
{
    return s->writer;
}

bool rwsem_held(const struct rwsem *s)
{
    return s->writer || s->readers;
}
