/*
 * sched.c: who runs next. One round-robin queue of threads that are ready; the idle thread is not
 * on it.
 *
 *      READY  --- switch_to_next --->  RUNNING  --- sched_sleep --->  WAITING
 *        ^------- sched_yield ------------|                             |
 *        ^----------------- sched_wake, sched_interrupt ----------------+
 *
 * The tick only sets need_resched: user mode gives way on its next return to user mode, the kernel
 * where it says sched_yield_point. Everything that changes the queue or a thread's state holds
 * queue_lock with interrupts off. The lock is held across the switch, and the thread that is
 * switched to lets it go (finish_switch), so no other CPU can take up a thread whose stack is still
 * in use. A thread that ended is freed by the thread after it for the same reason.
 */
#include "kernel/sched/sched.h"

#include "kernel/core/panic.h"
#include "kernel/core/time.h"
#include "kernel/core/upcall.h"
#include "kernel/sched/load.h"
#include "kernel/sched/timer.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/context.h"
#include "kernel/x86/cpu.h"
#include "lib/string.h"

extern u8 boot_stack[], boot_stack_top[];

static struct spinlock queue_lock;
static struct list_head queue;
static u32 queued; /* threads on it */
static struct thread idle;
static struct thread *finished; /* ended, its stack left; guarded by queue_lock */

void sched_init(void)
{
    spin_init(&queue_lock, RANK_RUN_QUEUE);
    list_init(&queue);
    thread_init();
    timer_init();
    idle.state = THREAD_RUNNING;
    idle.stack = boot_stack;
    idle.stack_top = (u64)boot_stack_top;
    string_copy(idle.name, "idle", sizeof(idle.name));
    struct cpu *cpu = this_cpu();
    cpu->current = &idle;
    cpu->thread_name = idle.name;
    context_set_kernel_stack(idle.stack_top);
}

struct thread *thread_current(void)
{
    return this_cpu()->current;
}

/* First thing on a stack that was switched to. => queue_lock held by whoever switched. */
void sched_finish_switch(void)
{
    struct thread *dead = finished;
    finished = NULL;
    spin_unlock(&queue_lock);
    if (dead)
        thread_free(dead);
}

static void enqueue(struct thread *t)
{
    list_add_tail(&queue, &t->run_link);
    queued++;
}

static struct thread *pick_next(void)
{
    if (list_empty(&queue))
        return &idle;
    struct thread *t = list_entry(queue.next, struct thread, run_link);
    list_del(&t->run_link);
    queued--;
    return t;
}

static void switch_user_state(struct thread *from, struct thread *to)
{
    if (from->space && from->state != THREAD_DEAD)
        fpu_save(from->fxsave);
    mmu_switch(to->space);
    if (to->space) {
        fpu_load(to->fxsave);
        context_set_user_bases(to->fs_base, to->gs_base);
    }
}

static void account(struct thread *from, struct thread *to)
{
    u64 now = time_ns();
    from->run_ns += now - from->since_ns;
    to->since_ns = now;
}

u64 thread_run_ns(const struct thread *t)
{
    bool running = READ_ONCE(t->state) == THREAD_RUNNING;
    return t->run_ns + (running ? time_ns() - t->since_ns : 0);
}

/* Run the next ready thread; returns when this one runs again. => queue_lock held, interrupts off;
 * this thread's state says where it is now (READY: on the queue). Lets queue_lock go. */
static void switch_to_next(void)
{
    struct cpu *cpu = this_cpu();
    struct thread *from = cpu->current, *to = pick_next();
    ASSERT(cpu->preempt_depth == 1, "thread %s goes to sleep with %u spin locks held", from->name,
           cpu->preempt_depth - 1);
    cpu->need_resched = false;
    to->state = THREAD_RUNNING;
    if (to != from) {
        load_switched();
        account(from, to);
        cpu->current = to;
        cpu->thread_name = to->name;
        context_set_kernel_stack(to->stack_top);
        switch_user_state(from, to);
        context_switch(&from->kernel_sp, to->kernel_sp);
    }
    sched_finish_switch();
}

void sched_yield(void)
{
    u64 flags = spin_lock_irq(&queue_lock);
    struct thread *t = thread_current();
    t->state = THREAD_READY;
    if (t != &idle)
        enqueue(t);
    switch_to_next();
    irq_restore(flags);
}

void sched_yield_point(void)
{
    CHECK(this_cpu()->preempt_depth == 0, "yield with %u spin locks held",
          this_cpu()->preempt_depth);
    if (unlikely(READ_ONCE(this_cpu()->need_resched)))
        sched_yield();
}

/* The test for a signal is made under queue_lock, which sched_interrupt takes after the signal was
 * made pending: either it is seen here, or the sleeper there. */
bool sched_sleep(struct spinlock *lock, struct list_head *list, enum sleep_kind kind)
{
    struct thread *t = thread_current();
    ASSERT(t != &idle, "the idle thread would sleep");
    spin_lock(&queue_lock);
    if (kind != SLEEP_DEEP && upcall_signal_wanted(kind == SLEEP_KILLABLE)) {
        spin_unlock(&queue_lock);
        return false;
    }
    t->state = THREAD_WAITING;
    t->sleep = kind;
    list_add_tail(list, &t->wait_link);
    spin_unlock(lock);
    switch_to_next();
    spin_lock(lock);
    if (t->wait_link.next) /* a signal or the time woke it, not the list's owner */
        list_del(&t->wait_link);
    return true;
}

/* => queue_lock held. */
static void make_ready(struct thread *t)
{
    t->state = THREAD_READY;
    enqueue(t);
}

void sched_wake(struct thread *t)
{
    spin_lock(&queue_lock);
    if (t->state == THREAD_WAITING)
        make_ready(t);
    spin_unlock(&queue_lock);
}

void sched_interrupt(struct thread *t, bool fatal)
{
    u64 flags = spin_lock_irq(&queue_lock);
    enum sleep_kind least = fatal ? SLEEP_KILLABLE : SLEEP_INTERRUPTIBLE;
    if (t->state == THREAD_WAITING && t->sleep >= least)
        make_ready(t);
    spin_unlock_irq(&queue_lock, flags);
}

void sched_exit(void)
{
    irq_disable();
    spin_lock(&queue_lock);
    struct thread *t = thread_current();
    ASSERT(t != &idle && !finished, "thread %s ends", t->name);
    t->state = THREAD_DEAD;
    finished = t;
    switch_to_next();
    panic("thread %s ran on after its end", t->name);
}

void sched_idle(void)
{
    for (;;) {
        irq_disable();
        if (!list_empty(&queue))
            sched_yield();
        else
            irq_wait();
    }
}

void upcall_tick(bool user)
{
    struct cpu *cpu = this_cpu();
    cpu->need_resched = true;
    load_tick(user, cpu->current == &idle);
    cpu->current->ticks[user ? TICK_USER : TICK_SYSTEM]++;
    timer_tick();
}

/* Threads that are ready or run now, the idle one not counted. => any context. */
u32 sched_ready_count(void)
{
    return READ_ONCE(queued) + (this_cpu()->current != &idle);
}
