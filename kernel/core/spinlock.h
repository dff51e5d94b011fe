/*
 * spinlock.h: spin locks with ranks.
 *
 * One order for all locks of the kernel, outermost first, drawn in docs/locking.md. A CPU may take
 * a lock only of a higher rank than all it holds (checking builds panic with both ranks otherwise);
 * sleeping locks (kernel/sched) use the same ranks and come before every spin lock. Holding a spin
 * lock forbids sleeping. A lock that an interrupt handler takes is taken with the _irq forms
 * everywhere.
 */
#ifndef KERNEL_CORE_SPINLOCK_H
#define KERNEL_CORE_SPINLOCK_H

#include "lib/types.h"

enum lock_rank {
    RANK_NONE,
    /* sleeping locks */
    RANK_POSITION, /* an open file's position: held while the caller's memory is touched */
    RANK_WRITE,    /* who writes to a file: also */
    RANK_MM,       /* mm.lock */
    RANK_DIR,      /* a directory's entries (fs) */
    RANK_INODE,    /* an inode's contents: read, write, truncate */
    RANK_FILE_MAP, /* mapping.map_lock: the VMAs that map a file */
    RANK_SLEEPING_LAST = 31,
    /* spin locks */
    RANK_TABLE,      /* a page table's entries, in its struct page */
    RANK_TABLE_LEAF, /* a leaf table, taken below an upper table */
    RANK_PAGE_CACHE, /* mapping.lock: the index from offset to page */
    RANK_PROC,       /* process table, file table */
    RANK_STACKS,     /* the region of kernel stacks */
    RANK_SLAB,
    RANK_PAGE_ALLOC,
    RANK_WAIT_QUEUE, /* wait queues, the guards of sleeping locks */
    RANK_TIMER,      /* the list of timers */
    RANK_SIGNAL,     /* a process's pending signals */
    RANK_RUN_QUEUE,
    RANK_DEVICE, /* a serial port, the terminal */
    RANK_PRINTK,
};

struct spinlock {
    u8 locked;
    u8 rank;   /* enum lock_rank */
    u16 owner; /* CPU that holds it + 1, for the panic message */
};

void spin_init(struct spinlock *lock, enum lock_rank rank);
void spin_lock(struct spinlock *lock);
/* The second lock of a rank of which one is held: two page tables of one level. The caller knows
 * that nobody takes these two the other way round. */
void spin_lock_second(struct spinlock *lock);
void spin_unlock(struct spinlock *lock);
u64 spin_lock_irq(struct spinlock *lock); /* returns the flags for spin_unlock_irq */
void spin_unlock_irq(struct spinlock *lock, u64 flags);
bool spin_held(const struct spinlock *lock); /* by this CPU */

#endif
