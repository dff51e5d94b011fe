/*
 * spinlock.c: spin locks that know their place.
 *
 * Each CPU keeps a little stack of the ranks it holds (struct cpu.ranks). Taking a lock whose rank
 * is not above the innermost one held would be the first half of a deadlock, and is reported on the
 * spot with both ranks, even if the other half never comes. Locks may be let go in any order, so
 * unlock removes its rank wherever it is.
 *
 * preempt_depth counts the locks held: nobody sleeps and nobody is rescheduled while it is not 0.
 * The boot CPU's struct cpu is in place before the first C line (boot/), so locks work from then
 * on.
 */
#include "kernel/core/spinlock.h"

#include "kernel/core/panic.h"
#include "kernel/x86/cpu.h"

void spin_init(struct spinlock *lock, enum lock_rank rank)
{
    ASSERT(rank > RANK_SLEEPING_LAST && rank <= UINT8_MAX, "rank %d", rank);
    *lock = (struct spinlock){.rank = (u8)rank};
}

static void rank_push(struct cpu *cpu, const struct spinlock *lock, bool second)
{
    unsigned held = cpu->ranks_held;
    ASSERT(held < ARRAY_SIZE(cpu->ranks), "%u locks held", held);
    ASSERT(lock->rank > RANK_SLEEPING_LAST, "lock %p was never initialised", (const void *)lock);
    ASSERT(!held || cpu->ranks[held - 1] < lock->rank + second,
           "lock of rank %u wanted while rank %u is held", lock->rank, cpu->ranks[held - 1]);
    cpu->ranks[held] = lock->rank;
    cpu->ranks_held = held + 1;
}

static void rank_remove(struct cpu *cpu, u8 rank)
{
    unsigned i = cpu->ranks_held;
    while (i && cpu->ranks[i - 1] != rank)
        i--;
    ASSERT(i, "rank %u let go but not held", rank);
    for (; i < cpu->ranks_held; i++)
        cpu->ranks[i - 1] = cpu->ranks[i];
    cpu->ranks_held--;
}

bool spin_held(const struct spinlock *lock)
{
    return READ_ONCE(lock->locked) && READ_ONCE(lock->owner) == this_cpu()->id + 1;
}

static void take(struct spinlock *lock, bool second)
{
    struct cpu *cpu = this_cpu();
    cpu->preempt_depth++;
    if (CONFIG_CHECK) {
        /* An interrupt between the two lines of rank_push could push its own ranks; it removes them
         * again. */
        ASSERT(!spin_held(lock), "lock %p of rank %u taken twice", (const void *)lock, lock->rank);
        u64 flags = irq_save();
        rank_push(cpu, lock, second);
        irq_restore(flags);
    }
    while (__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE)) {
        while (READ_ONCE(lock->locked))
            cpu_relax();
    }
    lock->owner = (u16)(cpu->id + 1);
}

void spin_lock(struct spinlock *lock)
{
    take(lock, false);
}

void spin_lock_second(struct spinlock *lock)
{
    take(lock, true);
}

void spin_unlock(struct spinlock *lock)
{
    struct cpu *cpu = this_cpu();
    ASSERT(spin_held(lock), "lock %p of rank %u, held by CPU %d", (const void *)lock, lock->rank,
           lock->owner - 1);
    lock->owner = 0;
    __atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
    if (CONFIG_CHECK) {
        u64 flags = irq_save();
        rank_remove(cpu, lock->rank);
        irq_restore(flags);
    }
    cpu->preempt_depth--;
}

u64 spin_lock_irq(struct spinlock *lock)
{
    u64 flags = irq_save();
    spin_lock(lock);
    return flags;
}

void spin_unlock_irq(struct spinlock *lock, u64 flags)
{
    spin_unlock(lock);
    irq_restore(flags);
}
