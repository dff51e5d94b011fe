/*
 * sched.h: inside kernel/sched only: between the scheduler and what is built on it.
 */
#ifndef KERNEL_SCHED_SCHED_H
#define KERNEL_SCHED_SCHED_H

#include "kernel/sched/thread.h"

/* Put the running thread on list and sleep until somebody wakes it; then it is off the list. lock,
 * which guards list, is let go while sleeping and held again afterwards. False: it did not sleep,
 * as a signal that ends this kind of sleep is there. => Interrupts off, lock is the only spin lock
 * held. */
bool sched_sleep(struct spinlock *lock, struct list_head *list, enum sleep_kind kind);
/* Make t ready if it waits. It may still be on the list that it waits in. => Interrupts off. */
void sched_wake(struct thread *t);
/* Leave for ever; the next thread on this CPU calls thread_free for this one. */
NORETURN void sched_exit(void);

/* First call on a new stack: lets the run queue go, frees the thread before. */
void sched_finish_switch(void);

void thread_free(struct thread *t); /* thread.c */
void thread_init(void);

#endif
