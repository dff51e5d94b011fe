/* time.h: timespec, timeval and the clocks, Linux x86-64's values. */
#ifndef LIB_ABI_TIME_H
#define LIB_ABI_TIME_H

#include "lib/types.h"

#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define CLOCK_TAI 11
#define TIMER_ABSTIME 1
#define UTIME_NOW 0x3fffffff
#define UTIME_OMIT 0x3ffffffe

#define NSEC_PER_SEC 1000000000ul

struct abi_timespec {
    s64 sec, nsec;
};

struct abi_timeval {
    s64 sec, usec;
};

struct abi_itimerval {
    struct abi_timeval interval, value;
};

struct abi_rusage {
    struct abi_timeval utime, stime;
    s64 rest[14];
};

#endif
