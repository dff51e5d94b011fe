/*
 * sched.h: inside kernel/sched only: between the scheduler and what is built on it.
 */
#ifndef KERNEL_SCHED_SCHED_H
#define KERNEL_SCHED_SCHED_H

#include "kernel/sched/thread.h"

/* Put the running thread on list and sleep until it was taken off and woken. lock, which guards
 * list, is let go while sleeping and held again afterwards. => Interrupts off, lock is the only
 * spin lock held. */
void sched_sleep(struct spinlock *lock, struct list_head *list);
/* Make t, which is on no list, ready. => Interrupts off. */
void sched_wake(struct thread *t);
/* Leave for ever; the next thread on this CPU calls thread_free for this one. */
NORETURN void sched_exit(void);

/* First call on a new stack: lets the run queue go, frees the thread before. */
void sched_finish_switch(void);

void thread_free(struct thread *t); /* thread.c */
void thread_init(void);

#endif
