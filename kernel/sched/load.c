/*
 * load.c: ticks by what they interrupted, and the load averages: every five seconds the number of
 * threads that are ready is mixed into each, so that what was before fades:
 *
 *      average = average * e^(-5s/T) + ready * (1 - e^(-5s/T))      T: 1, 5, 15 minutes
 *
 * One CPU counts so far; words are read and written whole, without a lock.
 */
#include "kernel/sched/load.h"

#include "kernel/x86/clock.h"

enum { SAMPLE_TICKS = 5 * TICK_HZ, ONE = 1 << LOAD_SHIFT };

static const u32 fading[LOAD_AVERAGES] = {1884, 2014, 2037}; /* e^(-5s/T) of ONE */

static struct load now;

static void sample(void)
{
    u64 ready = (u64)sched_ready_count() << LOAD_SHIFT;
    for (int i = 0; i < LOAD_AVERAGES; i++)
        now.average[i] = (now.average[i] * fading[i] + ready * (ONE - fading[i])) >> LOAD_SHIFT;
}

void load_tick(bool from_user, bool idle)
{
    if (idle)
        now.idle++;
    else if (from_user)
        now.user++;
    else
        now.system++;
    if ((now.user + now.system + now.idle) % SAMPLE_TICKS == 0)
        sample();
}

void load_switched(void)
{
    now.switches++;
}

void load_read(struct load *out)
{
    *out = now;
    out->ready = sched_ready_count();
}
