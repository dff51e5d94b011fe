/*
 * panic.c: panic, printk, time and yield points for the host tests.
 *
 * A panic inside host_panics() jumps back there. Any other one is a failed test program: it says
 * what broke and aborts, so that the shell and prove see it and a debugger stops at the place.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/core/time.h"
#include "kernel/sched/thread.h"
#include "kernel/x86/cpu.h"
#include "tests/host/standin/host.h"

jmp_buf host_panic_jump;
char host_panic_message[512];
u64 host_yields;
void (*host_on_yield)(void);
u64 host_clock_ns;

static bool armed;
static u32 locks_before;

void host_panic_arm(bool arm)
{
    if (arm)
        locks_before = host_locks_mark();
    else if (armed)
        host_locks_restore(locks_before);
    armed = arm;
}

NORETURN void panic(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(host_panic_message, sizeof(host_panic_message), fmt, ap);
    va_end(ap);
    if (armed)
        longjmp(host_panic_jump, 1);
    printf("Bail out! panic: %s\n", host_panic_message);
    fflush(stdout);
    abort();
}

void printk_v(const char *fmt, va_list ap)
{
    fputs("# printk: ", stdout);
    vprintf(fmt, ap);
}

void printk(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    printk_v(fmt, ap);
    va_end(ap);
}

u64 time_ns(void)
{
    return host_clock_ns++;
}

u64 time_wall_ns(void)
{
    return 1000000000000000000ul + host_clock_ns++;
}

void sched_yield_point(void)
{
    ASSERT(host_cpu.preempt_depth == 0, "%u spin locks held", host_cpu.preempt_depth);
    host_yields++;
    if (host_on_yield)
        host_on_yield();
}
