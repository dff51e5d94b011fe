/*
 * load.h: what the machine's time went into: /proc/stat and /proc/loadavg.
 *
 * The tick asks what it interrupted: a program, the kernel at work for one, or the idle thread. So
 * the times are samples, of TICK_HZ a second, as in Linux.
 */
#ifndef KERNEL_SCHED_LOAD_H
#define KERNEL_SCHED_LOAD_H

#include "lib/types.h"

enum { LOAD_SHIFT = 11, LOAD_AVERAGES = 3 }; /* fixed point; over 1, 5 and 15 minutes */

struct load {
    u64 user, system, idle; /* ticks */
    u64 switches;           /* of threads */
    u64 average[LOAD_AVERAGES];
    u32 ready; /* threads that run or could */
};

void load_read(struct load *out);

/* sched.c only. => Interrupts off. */
void load_tick(bool from_user, bool idle);
void load_switched(void);
u32 sched_ready_count(void);

#endif
