/*
 * sys_time.c: clocks and sleeping. All monotonic clocks are one here; CPU time is what the thread has
 * run. A sleeper yields until its time has come: there is no timer queue yet.
 */
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

static long get_timespec(vaddr_t addr, u64 *ns)
{
    struct abi_timespec ts;
    if (get_user(&ts, addr, sizeof(ts)))
        return -EFAULT;
    if (ts.sec < 0 || ts.nsec < 0 || ts.nsec >= (s64)NSEC_PER_SEC)
        return -EINVAL;
    *ns = (u64)ts.sec > ~0ul / NSEC_PER_SEC - 1 ? ~0ul : ts.sec * NSEC_PER_SEC + ts.nsec;
    return 0;
}

/* Wait until the clock passes deadline. What was left goes to the user at remain, if a signal came first. */
static long sleep_until(u32 clock, u64 deadline, vaddr_t remain)
{
    u64 now;
    while (clock_read(clock, &now) && now < deadline) {
        if (fs_interrupted()) {
            struct abi_timespec left = to_timespec(deadline - now);
            if (remain && put_user(remain, &left, sizeof(left)))
                return -EFAULT;
            return -EINTR;
        }
        sched_yield();
    }
    return 0;
}

static u64 add_saturating(u64 a, u64 b)
{
    return a > ~0ul - b ? ~0ul : a + b;
}

long sys_nanosleep(const u64 *arg)
{
    u64 ns;
    long ret = get_timespec(arg[0], &ns);
    return ret < 0 ? ret : sleep_until(CLOCK_MONOTONIC, add_saturating(time_ns(), ns), arg[1]);
}

long sys_clock_nanosleep(const u64 *arg)
{
    u64 ns, now;
    u32 clock = arg[0];
    if (!clock_read(clock, &now) || clock == CLOCK_THREAD_CPUTIME_ID)
        return -EINVAL;
    long ret = get_timespec(arg[2], &ns);
    if (ret < 0)
        return ret;
    if (arg[1] & TIMER_ABSTIME)
        return sleep_until(clock, ns, 0);
    return sleep_until(clock, add_saturating(now, ns), arg[3]);
}
