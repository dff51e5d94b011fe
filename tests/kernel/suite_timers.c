/*
 * suite_timers.c: timers act in time and in order, cancelled ones do not; sleeping for a time; a thread that waits is woken
 * by its queue, by the time, or by sched_interrupt, and is on no list afterwards.
 */
#include "kernel/core/time.h"
#include "kernel/sched/thread.h"
#include "kernel/sched/timer.h"
#include "kernel/x86/cpu.h"
#include "tests/kernel/kernel_test.h"

enum { TIMERS = 20 };

static const u64 MS = 1000000;

struct probe {
    struct timer timer;
    unsigned acted, place;
    u64 late_ns, interval;
};

static struct probe probes[TIMERS];
static unsigned places;

static u64 act(struct timer *timer)
{
    struct probe *p = container_of(timer, struct probe, timer);
    u64 now = time_ns();
    p->acted++;
    p->place = places++;
    p->late_ns = now - timer->deadline;
    return p->interval ? now + p->interval : 0;
}

static void test_order(void)
{
    unsigned wrong = 0;
    u64 start = time_ns();
    places = 0;
    for (u64 i = 0; i < TIMERS; i++) {
        u64 turn = i * 7 % TIMERS; /* any order */
        probes[turn] = (struct probe){.timer.act = act};
        timer_set(&probes[turn].timer, start + 10 * MS + turn * MS);
    }
    timer_cancel(&probes[3].timer);
    timer_cancel(&probes[3].timer);
    timer_set(&probes[5].timer, start + 60000 * MS);
    ok(timer_deadline(&probes[5].timer) == start + 60000 * MS, "a timer set again");
    ok(timer_deadline(&probes[3].timer) == 0, "a cancelled timer is not set");
    sched_sleep_until(start + 60 * MS);
    unsigned last = 0;
    for (unsigned i = 0; i < TIMERS; i++) {
        if (i == 3 || i == 5) {
            wrong += probes[i].acted != 0;
            continue;
        }
        wrong += probes[i].acted != 1 || probes[i].place < last;
        last = probes[i].place;
    }
    ok(!wrong, "%d timers act once, in the order of their times", TIMERS - 2);
    timer_cancel(&probes[5].timer);
}

static void test_interval(void)
{
    probes[0] = (struct probe){.timer.act = act, .interval = 1};
    timer_set(&probes[0].timer, time_ns());
    sched_sleep_until(time_ns() + 100 * MS);
    timer_cancel(&probes[0].timer);
    unsigned acted = probes[0].acted;
    ok(acted >= 3, "one that wants to act again does, %u times", acted);
    sched_sleep_until(time_ns() + 30 * MS);
    ok(probes[0].acted == acted, "until it is cancelled");
}

static void test_sleep(void)
{
    unsigned early = 0;
    for (u64 ns = 1; ns < 40 * MS; ns *= 3) {
        u64 deadline = time_ns() + ns;
        early += !sched_sleep_until(deadline) || time_ns() < deadline;
    }
    ok(!early, "no sleep ends early");
    u64 before = time_ns();
    ok(sched_sleep_tick(~0ul) && time_ns() - before < 1000 * MS, "a sleep to the next tick ends");
}

static struct wait_queue queue;
static unsigned awake; /* under queue.lock */

static void waiter(void *arg)
{
    u64 flags = spin_lock_irq(&queue.lock);
    switch ((u64)arg) {
    case 0:
        wait_sleep(&queue, &flags);
        break;
    case 1:
        wait_sleep_killable(&queue, &flags);
        break;
    case 2:
        wait_sleep_interruptible(&queue, &flags);
        break;
    default:
        wait_sleep_until(&queue, &flags, time_ns() + 200 * MS);
    }
    awake++;
    spin_unlock_irq(&queue.lock, flags);
}

static struct thread *start_waiter(u64 kind)
{
    struct thread *t = thread_create("waiter", waiter, (void *)kind);
    if (!ok(t, "a thread that waits"))
        return NULL;
    awake = 0;
    thread_start(t);
    sched_yield();
    return t;
}

/* interrupt: by what it is awakened early, if at all. */
static void test_interrupt(u64 kind, bool by_signal, bool by_kill)
{
    struct thread *t = start_waiter(kind);
    if (!t)
        return;
    sched_interrupt(t, false);
    sched_yield();
    ok(awake == by_signal, "kind %lu: a signal", kind);
    if (!awake) {
        sched_interrupt(t, true);
        sched_yield();
        ok(awake == by_kill, "kind %lu: SIGKILL", kind);
    }
    if (!awake) {
        wait_wake_all(&queue);
        sched_yield();
        ok(awake == 1, "kind %lu: its queue", kind);
    }
    ok(list_empty(&queue.waiters), "it waits no more");
    sched_yield();
}

static void test_deadline(void)
{
    if (!start_waiter(3))
        return;
    ok(awake == 0, "a sleep with a deadline");
    sched_sleep_until(time_ns() + 260 * MS);
    ok(awake == 1 && list_empty(&queue.waiters), "is over at its time");
    if (!start_waiter(3))
        return;
    wait_wake_all(&queue);
    sched_yield();
    ok(awake == 1, "or when it is woken");
    sched_sleep_until(time_ns() + 260 * MS);
    ok(list_empty(&queue.waiters), "and its timer does not come later");
}

void suite_timers(void)
{
    wait_init(&queue);
    test_order();
    test_interval();
    test_sleep();
    test_interrupt(0, false, false);
    test_interrupt(1, false, true);
    test_interrupt(2, true, true);
    test_deadline();
}
