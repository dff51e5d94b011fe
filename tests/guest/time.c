/*
 * time.c: clocks go on, and refuse what they should.
 */
#include "tests/guest/guest.h"

#include <sys/time.h>
#include <time.h>

static u64 clock_ns(int clock)
{
    struct timespec t = {-1, -1};

    if (clock_gettime(clock, &t) || t.tv_nsec < 0 || t.tv_nsec > 999999999 || t.tv_sec < 0)
        return 0;
    return t.tv_sec * 1000000000ul + t.tv_nsec;
}

void suite_time(void)
{
    struct timespec t;
    bool good = true, moved = false;
    u64 last = clock_ns(CLOCK_MONOTONIC), first = last;

    ok(last > 0, "the monotonic clock runs");
    for (int i = 0; i < 20000; i++) {
        u64 now = clock_ns(CLOCK_MONOTONIC);
        good &= now >= last;
        moved |= now > first;
        last = now;
    }
    ok(good, "20,000 readings never go back");
    ok(moved, "and move on");
    while (clock_ns(CLOCK_MONOTONIC) < first + 50000000)
        ;
    ok(true, "50 ms pass");
    u64 real = clock_ns(CLOCK_REALTIME);
    ok(real > 0, "the clock of the day runs");
    ok(clock_ns(CLOCK_REALTIME) >= real, "and does not go back");
    fails(clock_gettime(12345, &t), EINVAL);
    fails(clock_gettime(-1, &t), EINVAL);
}
