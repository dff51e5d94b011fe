/*
 * timer.h: something that is to happen at a time. Looked at on every tick, so it happens up to a
 * tick late.
 */
#ifndef KERNEL_SCHED_TIMER_H
#define KERNEL_SCHED_TIMER_H

#include "lib/list.h"

struct timer {
    struct list_head link; /* timer.c; next is NULL while it is not set */
    u64 deadline;          /* time_ns */
    /* Acts when the time has come; returns when to act again, 0: not. => From the tick: interrupts
     * off, the timers' lock held, so it takes only locks that come after (RANK_TIMER). */
    u64 (*act)(struct timer *timer);
};

void timer_init(void); /* by sched_init */
void timer_tick(void); /* by the tick */

/* (Re)set timer, whose act is filled in, to deadline. => Any context, locks before RANK_TIMER. */
void timer_set(struct timer *timer, u64 deadline);
/* Afterwards it does not act any more, and is not acting. */
void timer_cancel(struct timer *timer);
u64 timer_deadline(struct timer *timer); /* 0: not set */

#endif
