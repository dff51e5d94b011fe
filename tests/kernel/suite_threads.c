/*
 * suite_threads.c: threads run, take turns, sleep, wake and end; their stacks and structs come
 * back, also when creating one fails at any of its allocations.
 */
#include "kernel/core/failpoint.h"
#include "kernel/mm/page.h"
#include "kernel/sched/thread.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/stack.h"
#include "tests/kernel/kernel_test.h"

enum { CROWD = 150, TURNS = 20 };

static struct wait_queue all_done;
static unsigned done;         /* guarded by all_done.lock */
static unsigned turns[CROWD]; /* each its own */
static unsigned most_ahead;   /* how far anybody got ahead of the first thread */

static void finish(void)
{
    u64 flags = spin_lock_irq(&all_done.lock);
    done++;
    wait_wake_all_locked(&all_done);
    spin_unlock_irq(&all_done.lock, flags);
}

static void wait_for(unsigned n)
{
    u64 flags = spin_lock_irq(&all_done.lock);
    while (done < n)
        wait_sleep(&all_done, &flags);
    spin_unlock_irq(&all_done.lock, flags);
    done = 0;
    sched_yield(); /* the last one still has to end */
}

static void take_turns(void *arg)
{
    unsigned me = (unsigned)(u64)arg;
    for (int i = 0; i < TURNS; i++) {
        turns[me]++;
        if (turns[me] > turns[0] + most_ahead)
            most_ahead = turns[me] - turns[0];
        sched_yield();
    }
    finish();
}

static void test_crowd(void)
{
    unsigned wrong = 0, made = 0;
    most_ahead = 0;
    for (u64 i = 0; i < CROWD; i++) {
        struct thread *t = thread_create("crowd", take_turns, (void *)i);
        turns[i] = 0;
        if (!t)
            break;
        made++;
        thread_start(t);
    }
    wait_for(made);
    for (unsigned i = 0; i < CROWD; i++)
        wrong += turns[i] != TURNS;
    ok(made == CROWD && !wrong, "%d threads, each with %d turns", CROWD, TURNS);
    ok(most_ahead <= 1, "round robin: nobody got more than one turn ahead, but %u", most_ahead);
}

static void no_work(void *arg)
{
    *(bool *)arg = true;
    finish();
}

/* The Nth allocation fails, for each N, until a thread comes out. */
static void test_failures(void)
{
    bool ran = false;
    u64 before = page_free_count(), wrong = 0, n = 1;
    struct thread *t;
    for (;; n++) {
        fail_countdown = n;
        t = thread_create("failing", no_work, &ran);
        bool failed = fail_countdown == 0;
        fail_countdown = 0;
        if (t)
            break;
        wrong += !failed || page_free_count() != before;
    }
    ok(n > 4 && !wrong, "thread_create fails at each of its %lu allocations and loses nothing",
       n - 1);
    thread_start(t);
    wait_for(1);
    ok(ran, "and then works");
}

static NOINLINE bool fill_stack(void)
{
    volatile u8 room[THREAD_STACK_SIZE - 2048]; /* nearly all of it, to the last page */
    room[0] = 1;
    room[sizeof(room) - 1] = 1;
    return room[0] + room[sizeof(room) - 1] == 2;
}

static void deep(void *arg)
{
    *(bool *)arg = fill_stack();
    finish();
}

static void test_deep(void)
{
    bool filled = false;
    struct thread *t = thread_create("deep", deep, &filled);
    if (!ok(t, "a thread that needs its whole stack"))
        return;
    thread_start(t);
    wait_for(1);
    ok(filled, "has it");
}

static void test_yield_point(void)
{
    struct cpu *cpu = this_cpu();
    u64 flags = irq_save();
    cpu->need_resched = true;
    sched_yield_point();
    ok(!cpu->need_resched, "a yield point gives way when the tick asked for it");
    irq_restore(flags);
}

void suite_threads(void)
{
    wait_init(&all_done);
    test_crowd();
    test_failures();
    test_deep();
    test_yield_point();
}
