/*
 * sys_time.c: clocks and sleeping. All monotonic clocks are one here; CPU time is what the thread has run. Sleeping is
 * sched/timer.c's.
 */
#include "kernel/core/restart.h"
#include "kernel/core/time.h"
#include "kernel/sys/sys.h"
#include "lib/abi/time.h"

static struct abi_timespec to_timespec(u64 ns)
{
    return (struct abi_timespec){ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};
}

/* False: there is no such clock. */
static bool clock_read(u32 clock, u64 *ns)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: /* nobody has told of leap seconds */
        *ns = time_wall_ns();
        return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        *ns = time_ns();
        return true;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        *ns = thread_run_ns(thread_current());
        return true;
    }
    return false;
}

long sys_clock_gettime(const u64 *arg)
{
    u64 ns;
    if (!clock_read(arg[0], &ns))
        return -EINVAL;
    struct abi_timespec ts = to_timespec(ns);
    return put_user(arg[1], &ts, sizeof(ts));
}

long sys_clock_getres(const u64 *arg)
{
    u64 ns;
    struct abi_timespec ts = {0, 1};
    if (!clock_read(arg[0], &ns))
        return -EINVAL;
    return arg[1] ? put_user(arg[1], &ts, sizeof(ts)) : 0;
}

long sys_gettimeofday(const u64 *arg)
{
    u64 ns = time_wall_ns();
    struct abi_timeval tv = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC / 1000};
    u32 zone[2] = {0, 0};
    if (arg[0] && put_user(arg[0], &tv, sizeof(tv)))
        return -EFAULT;
    return arg[1] ? put_user(arg[1], zone, sizeof(zone)) : 0;
}

long sys_time(const u64 *arg)
{
    s64 now = time_wall_ns() / NSEC_PER_SEC;
    if (arg[0] && put_user(arg[0], &now, sizeof(now)))
        return -EFAULT;
    return now;
}

long user_timespec(vaddr_t addr, u64 *ns)
{
    struct abi_timespec ts;
    if (get_user(&ts, addr, sizeof(ts)))
        return -EFAULT;
    if (ts.sec < 0 || ts.nsec < 0 || ts.nsec >= (s64)NSEC_PER_SEC)
        return -EINVAL;
    *ns = (u64)ts.sec > ~0ul / NSEC_PER_SEC - 1 ? ~0ul : ts.sec * NSEC_PER_SEC + ts.nsec;
    return 0;
}

/* ---- sleeping ---- */

/* Sleep until the clock says deadline; false: a signal came first. The clocks differ by a constant, that of CPU time also here. */
static bool clock_sleep(u32 clock, u64 deadline)
{
    u64 now;
    while (clock_read(clock, &now) && now < deadline)
        if (!sched_sleep_until(add_saturating(time_ns(), deadline - now)))
            return false;
    return true;
}

/* arg: clock, deadline, where to say what is left (0: nowhere). Also what restart_syscall calls. */
static long sleep_relative(const u64 *arg)
{
    u64 now;
    if (clock_sleep(arg[0], arg[1]))
        return 0;
    clock_read(arg[0], &now);
    struct abi_timespec left = to_timespec(arg[1] > now ? arg[1] - now : 0);
    if (arg[2] && put_user(arg[2], &left, sizeof(left)))
        return -EFAULT;
    return restart_by(sleep_relative, arg);
}

long sys_nanosleep(const u64 *arg)
{
    u64 ns;
    long ret = user_timespec(arg[0], &ns);
    if (ret < 0)
        return ret;
    const u64 sleep[4] = {CLOCK_MONOTONIC, add_saturating(time_ns(), ns), arg[1]};
    return sleep_relative(sleep);
}

/* Can one sleep by that clock? As on Linux. */
static bool clock_wakes(u32 clock)
{
    return clock != CLOCK_THREAD_CPUTIME_ID && clock != CLOCK_MONOTONIC_RAW &&
           clock != CLOCK_REALTIME_COARSE && clock != CLOCK_MONOTONIC_COARSE;
}

long sys_clock_nanosleep(const u64 *arg)
{
    u64 ns, now;
    u32 clock = arg[0];
    if (!clock_read(clock, &now))
        return -EINVAL;
    if (!clock_wakes(clock))
        return -EOPNOTSUPP;
    long ret = user_timespec(arg[2], &ns);
    if (ret < 0)
        return ret;
    if (arg[1] & TIMER_ABSTIME)
        return clock_sleep(clock, ns) ? 0 : -RESTART_NOHAND;
    const u64 sleep[4] = {clock, add_saturating(now, ns), arg[3]};
    return sleep_relative(sleep);
}

/* ---- interval timers ---- */

/* Only ITIMER_REAL exists; the others, which count CPU time, say EINVAL like a timer that there is not. */
static long itimer_check(u64 which)
{
    return (u32)which == ITIMER_REAL ? 0 : -EINVAL;
}

static u64 from_timeval(const struct abi_timeval *tv)
{
    u64 most = ~0ul / NSEC_PER_SEC - 1;
    return min_u64(tv->sec, most) * NSEC_PER_SEC + tv->usec * 1000;
}

static bool timeval_valid(const struct abi_timeval *tv)
{
    return tv->sec >= 0 && tv->usec >= 0 && tv->usec < 1000000;
}

/* Tell an interval timer to the user; part of a microsecond that is left counts as one. */
static long put_itimer(vaddr_t to, u64 ns, u64 interval)
{
    u64 us = (ns + 999) / 1000;
    struct abi_itimerval out = {
        .interval = {interval / NSEC_PER_SEC, interval % NSEC_PER_SEC / 1000},
        .value = {us / 1000000, us % 1000000},
    };
    return put_user(to, &out, sizeof(out));
}

long sys_setitimer(const u64 *arg)
{
    struct abi_itimerval new = {0};
    u64 ns, interval;
    if (arg[1] && get_user(&new, arg[1], sizeof(new)))
        return -EFAULT;
    if (!timeval_valid(&new.value) || !timeval_valid(&new.interval))
        return -EINVAL;
    long ret = itimer_check(arg[0]);
    if (ret < 0)
        return ret;
    signal_alarm(from_timeval(&new.value), from_timeval(&new.interval), &ns, &interval);
    return arg[2] ? put_itimer(arg[2], ns, interval) : 0;
}

long sys_getitimer(const u64 *arg)
{
    u64 ns, interval;
    long ret = itimer_check(arg[0]);
    if (ret < 0)
        return ret;
    signal_alarm_left(&ns, &interval);
    return put_itimer(arg[1], ns, interval);
}

long sys_alarm(const u64 *arg)
{
    u64 ns, interval, seconds = (u32)arg[0];
    signal_alarm(seconds * NSEC_PER_SEC, 0, &ns, &interval);
    bool up = ns % NSEC_PER_SEC >= NSEC_PER_SEC / 2 || (ns && ns < NSEC_PER_SEC);
    return ns / NSEC_PER_SEC + up;
}
