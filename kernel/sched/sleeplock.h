/*
 * sleeplock.h: locks whose waiters sleep: mutexes and read-write semaphores, ranked like spin
 * locks. => Called with no spin lock held. Served in order of arrival, so a reader must not take
 * the same lock twice.
 */
#ifndef KERNEL_SCHED_SLEEPLOCK_H
#define KERNEL_SCHED_SLEEPLOCK_H

#include "kernel/core/spinlock.h"
#include "lib/list.h"

struct mutex {
    struct spinlock guard;
    u8 rank;
    struct thread *owner;
    struct list_head waiters;
};

struct rwsem {
    struct spinlock guard;
    u8 rank;
    s32 readers;           /* holders for read */
    struct thread *writer; /* holder for write */
    struct list_head waiters;
};

void mutex_init(struct mutex *m, enum lock_rank rank);
void mutex_lock(struct mutex *m);
void mutex_unlock(struct mutex *m);
bool mutex_held(const struct mutex *m); /* by this thread */

void rwsem_init(struct rwsem *s, enum lock_rank rank);
void rwsem_read_lock(struct rwsem *s);
void rwsem_read_unlock(struct rwsem *s);
void rwsem_write_lock(struct rwsem *s);
void rwsem_write_unlock(struct rwsem *s);
bool rwsem_held_write(const struct rwsem *s); /* by this thread */
bool rwsem_held(const struct rwsem *s);       /* by anybody, for read or write */

#endif
