/*
 * wait.c: waiting for children, and what a process has used.
 *
 *      child ends, stops, goes on -> status, parent->news + 1, wake      (exit.c, signal_sources.c)
 *      parent     -> looks at all children under the table's lock; if there is no news since, sleeps
 *
 * The look and the sleep are under different locks; the counter between them sees to it that nothing is missed.
 */
#include "lib/abi/wait.h"
#include "kernel/core/restart.h"
#include "kernel/proc/proc.h"
#include "lib/abi/errno.h"

/* ---- usage ---- */

void proc_usage_add(struct proc_usage *sum, const struct proc_usage *more)
{
    sum->user_ns += more->user_ns;
    sum->system_ns += more->system_ns;
    sum->faults += more->faults;
    sum->max_rss = max_u64(sum->max_rss, more->max_rss);
}

/* The time on the CPU is exact; how much of it was in user mode the ticks tell. As Linux does it. */
static void split_time(const struct thread *t, struct proc_usage *usage)
{
    u64 total = thread_run_ns(t), user = t->ticks[TICK_USER], system = t->ticks[TICK_SYSTEM];
    u64 ticks = user + system;
    usage->user_ns = system == 0 ? total : total / ticks * user + total % ticks * user / ticks;
    usage->system_ns = total - usage->user_ns;
}

void proc_usage_locked(struct proc *proc, struct proc_usage *usage)
{
    *usage = proc->usage;
    if (proc->thread)
        split_time(proc->thread, usage);
    if (proc->mm)
        usage->max_rss = max_u64(usage->max_rss, mm_peak_rss(proc->mm));
}

void proc_usage_now(struct proc *proc, struct proc_usage *usage)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    proc_usage_locked(proc, usage);
    spin_unlock_irq(&proc_table_lock, flags);
}

/* ---- waiting ---- */

static bool wanted(const struct wait_request *request, const struct proc *child)
{
    bool clone = child->exit_signal != SIGCHLD;
    if (request->which == WAIT_PID && child->pid != request->id)
        return false;
    if (request->which == WAIT_GROUP && child->pgid != request->id)
        return false;
    return request->options & WALL || clone == !!(request->options & WCLONE);
}

/* The status that child has to tell to who asks so; 0: it is told already, or there is none. An exit with status 0 is
 * told apart by *ended. => table lock held. */
static u32 news_of(const struct proc *child, u32 options, bool *ended)
{
    *ended = child->state == PROC_ZOMBIE;
    if (*ended)
        return child->wait_status;
    u32 asked = child->stop_status == WAIT_CONTINUED ? WCONTINUED : WSTOPPED;
    return options & asked ? child->stop_status : 0;
}

/* A child with news, among those that are asked for. *any: there are such children. => table lock held. */
static struct proc *find_news(struct proc *parent, const struct wait_request *request, bool *any)
{
    struct list_head *pos;
    *any = false;
    list_for_each (pos, &parent->children) {
        struct proc *child = list_entry(pos, struct proc, sibling);
        if (!wanted(request, child))
            continue;
        *any = true;
        bool ended;
        u32 status = news_of(child, request->options, &ended);
        if (ended ? request->options & WEXITED : status)
            return child;
    }
    return NULL;
}

/* Tell the news of child; keep: tell them to the next who asks as well. True: the child is to be put. => table lock held. */
static bool tell(struct proc *parent, struct proc *child, bool keep, struct wait_result *result)
{
    bool ended;
    *result = (struct wait_result){.pid = child->pid, .status = news_of(child, ~0u, &ended)};
    proc_usage_locked(child, &result->usage);
    proc_usage_add(&result->usage, &child->waited);
    if (keep)
        return false;
    child->stop_status = 0;
    if (ended) {
        proc_usage_add(&parent->waited, &result->usage);
        proc_remove_locked(child);
    }
    return ended;
}

/* True: there is a result, or nothing to wait for (*error). */
static bool look(struct proc *parent, const struct wait_request *request,
                 struct wait_result *result, long *error)
{
    bool any, put = false;
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct proc *child = find_news(parent, request, &any);
    if (child)
        put = tell(parent, child, request->options & WNOWAIT, result);
    spin_unlock_irq(&proc_table_lock, flags);
    if (put)
        proc_put(child);
    *error = any ? 0 : -ECHILD;
    return child || !any;
}

void proc_child_news(struct proc *parent)
{
    u64 flags = spin_lock_irq(&parent->wait.lock);
    parent->news++;
    wait_wake_all_locked(&parent->wait);
    spin_unlock_irq(&parent->wait.lock, flags);
}

/* False: a signal came. */
static bool sleep_for_news(struct proc *proc, u32 seen)
{
    bool awake = true;
    u64 flags = spin_lock_irq(&proc->wait.lock);
    while (proc->news == seen && awake)
        awake = wait_sleep_interruptible(&proc->wait, &flags);
    bool news = proc->news != seen;
    spin_unlock_irq(&proc->wait.lock, flags);
    return news;
}

long proc_wait(const struct wait_request *request, struct wait_result *result)
{
    struct proc *proc = proc_current();
    long error;
    for (;;) {
        u32 seen = __atomic_load_n(&proc->news, __ATOMIC_ACQUIRE);
        *result = (struct wait_result){0};
        if (look(proc, request, result, &error) || (request->options & WNOHANG))
            return error;
        if (!sleep_for_news(proc, seen))
            return -RESTART_SYS;
    }
}
