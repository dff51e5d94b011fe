/*
 * timer.c: timers, and sleeping for a time.
 *
 * One list of all timers that are set, the soonest first. The tick takes off those whose time has
 * come and lets them act under the list's lock, so that a cancelled timer is certainly at rest. A
 * sleeper has its timer on its own stack.
 *
 *      sched_sleep_until:   |--- asleep ---|-- yields --|        exact, though ticks are coarse
 *                          now       last tick before  deadline
 */
#include "kernel/sched/timer.h"

#include "kernel/core/time.h"
#include "kernel/core/upcall.h"
#include "kernel/sched/sched.h"
#include "kernel/x86/clock.h"

static const u64 TICK_NS = 1000000000ul / TICK_HZ;

static struct spinlock timer_lock;
static struct list_head timers;
static struct wait_queue sleepers; /* nobody wakes it; timers and signals do */

void timer_init(void)
{
    spin_init(&timer_lock, RANK_TIMER);
    list_init(&timers);
    wait_init(&sleepers);
}

/* => timer_lock held. */
static void insert(struct timer *timer, u64 deadline)
{
    struct list_head *at;
    timer->deadline = deadline;
    list_for_each (at, &timers) {
        if (list_entry(at, struct timer, link)->deadline > deadline)
            break;
    }
    list_add_tail(at, &timer->link);
}

void timer_set(struct timer *timer, u64 deadline)
{
    u64 flags = spin_lock_irq(&timer_lock);
    if (timer->link.next)
        list_del(&timer->link);
    insert(timer, deadline);
    spin_unlock_irq(&timer_lock, flags);
}

void timer_cancel(struct timer *timer)
{
    u64 flags = spin_lock_irq(&timer_lock);
    if (timer->link.next)
        list_del(&timer->link);
    spin_unlock_irq(&timer_lock, flags);
}

u64 timer_deadline(struct timer *timer)
{
    u64 flags = spin_lock_irq(&timer_lock);
    u64 deadline = timer->link.next ? timer->deadline : 0;
    spin_unlock_irq(&timer_lock, flags);
    return deadline;
}

void timer_tick(void)
{
    u64 now = time_ns();
    spin_lock(&timer_lock);
    while (!list_empty(&timers)) {
        struct timer *timer = list_entry(timers.next, struct timer, link);
        if (timer->deadline > now)
            break;
        list_del(&timer->link);
        u64 again = timer->act(timer);
        if (again)
            insert(timer, again > now ? again : now + 1);
    }
    spin_unlock(&timer_lock);
}

struct sleep_timer {
    struct timer timer;
    struct thread *thread;
};

/* Wakes on every tick until it is cancelled: so it does no harm if the first comes before the sleep
 * has begun. */
static u64 wake_sleeper(struct timer *timer)
{
    sched_wake(container_of(timer, struct sleep_timer, timer)->thread);
    return time_ns() + 1;
}

bool wait_sleep_until(struct wait_queue *q, u64 *irq_flags, u64 deadline)
{
    struct sleep_timer t = {.timer.act = wake_sleeper, .thread = thread_current()};
    timer_set(&t.timer, deadline);
    bool slept = wait_sleep_interruptible(q, irq_flags);
    timer_cancel(&t.timer);
    return slept;
}

/* Sleep until the first tick after deadline. */
static bool sleep_coarsely(u64 deadline)
{
    u64 flags = spin_lock_irq(&sleepers.lock);
    bool slept = wait_sleep_until(&sleepers, &flags, deadline);
    spin_unlock_irq(&sleepers.lock, flags);
    return slept;
}

bool sched_sleep_until(u64 deadline)
{
    bool go_on = true;
    u64 now;
    while (go_on && (now = time_ns()) < deadline) {
        if (deadline - now > TICK_NS) {
            go_on = sleep_coarsely(deadline - TICK_NS);
        } else {
            go_on = !upcall_signal_wanted(false);
            sched_yield();
        }
    }
    return go_on;
}

bool sched_sleep_tick(u64 deadline)
{
    u64 now = time_ns();
    if (deadline > now && deadline - now <= TICK_NS)
        return sched_sleep_until(deadline);
    return sleep_coarsely(now + 1);
}
