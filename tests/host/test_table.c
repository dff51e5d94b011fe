/*
 * test_table.c: the process table: numbers that rise and come back late, numbers that a group or session keeps, the most there
 * may be, and memory that runs out.
 */
#include <stdlib.h>

#include "kernel/core/failpoint.h"
#include "kernel/proc/proc.h"
#include "lib/abi/errno.h"
#include "tests/host/standin/fs.h"

static struct proc *make(void)
{
    struct proc *proc;
    int error = proc_create(&proc);
    ASSERT(!error, "proc_create: %d", error);
    proc->pgid = proc->sid = 1;
    return proc;
}

static void test_numbers(struct proc *init)
{
    struct proc *a = make(), *b = make(), *c = make();
    ok(a->pid == 2 && b->pid == 3 && c->pid == 4, "numbers rise");
    is(proc_count(), 4, "four processes");
    ok(proc_find(3) == b && b->refs == 2, "found, with a reference");
    proc_put(b);
    ok(!proc_find(5) && !proc_find(0) && !proc_find(~0u), "others are not there");
    proc_remove(b);
    ok(!proc_find(3), "removed");
    struct proc *next = proc_next(2);
    ok(next == c, "the next above it");
    proc_put(next);
    ok(!proc_next(4), "and no more");
    next = proc_next(0);
    ok(next == init, "the first is process 1");
    proc_put(next);
    struct proc *d = make();
    is(d->pid, 5, "3 is not used again at once");
    proc_remove(a);
    proc_remove(c);
    proc_remove(d);
}

/* A reference outlives the table's. */
static void test_reference(void)
{
    struct proc *a = make(), *kept = proc_find(a->pid);
    proc_remove(a);
    ok(kept == a && kept->refs == 1 && !kept->parent, "a process that was removed is kept");
    ok(!proc_mm_get(kept) && !proc_files_get(kept) && !proc_cwd_get(kept) && !proc_exe_get(kept),
       "it has nothing");
    proc_put(kept);
}

static void test_wrap(void)
{
    struct proc *leader = make(), *member = make();
    u32 kept = leader->pid, alive = member->pid, last = alive;
    bool rising = true, never = true, wrapped = false;
    leader->pgid = member->pgid = kept;
    proc_remove(leader);
    for (int i = 0; i < 2 * PID_MAX; i++) {
        struct proc *p = make();
        never &= p->pid != kept && p->pid != alive && p->pid > 1 && p->pid < PID_MAX;
        rising &= p->pid > last ? p->pid - last <= 3 : last == PID_MAX - 1;
        wrapped |= p->pid < last;
        last = p->pid;
        proc_remove(p);
    }
    ok(wrapped, "numbers start again");
    ok(rising, "after the last, and rise again");
    ok(never, "none that a process or a group still has");
    proc_remove(member);
}

static void test_most(void)
{
    static struct proc *all[PID_MAX];
    u32 n = 0;
    int error;
    while ((error = proc_create(&all[n])) == 0)
        n++;
    is((u32)-error, EAGAIN, "too many: EAGAIN");
    is(n + 1, proc_count_max(), "when there are as many as memory bears");
    while (n > 0)
        proc_remove(all[--n]);
    is(proc_count(), 1, "one is left");
}

static void test_no_memory(void)
{
    struct proc *p = NULL;
    int n, error = -ENOMEM;
    for (n = 1; error; n++) {
        fail_countdown = n;
        error = proc_create(&p);
        fail_countdown = 0;
        ASSERT(error == 0 || (error == -ENOMEM && !p && proc_count() == 1), "%d", error);
    }
    ok(n > 2, "%d allocations failed in turn", n - 2);
    proc_remove(p);
}

static void test_groups(struct proc *init)
{
    struct proc *a = make(), *b = make();
    a->parent = b->parent = init;
    list_add_tail(&init->children, &a->sibling);
    list_add_tail(&init->children, &b->sibling);
    init->pgid = init->sid = 1;
    is(proc_set_group(init, a->pid, 0), 0, "a child becomes a leader");
    is(proc_set_group(init, b->pid, a->pid), 0, "another joins");
    is(b->pgid, a->pid, "it has");
    is(proc_set_group(init, 0, 0), (unsigned long)-EPERM, "who leads a session may not");
    is(proc_set_group(a, b->pid, 0), (unsigned long)-ESRCH, "a brother is none of its business");
    is(proc_set_session(a), (unsigned long)-EPERM, "who leads a group makes no session");
    is(proc_set_session(b), b->pid, "another does");
    is(proc_set_group(init, b->pid, 0), (unsigned long)-EPERM, "and is out of reach");
    a->execed = true;
    is(proc_set_group(init, a->pid, 0), (unsigned long)-EACCES, "after exec it is too late");
    proc_remove(a);
    proc_remove(b);
}

int main(void)
{
    host_boot_fs(16384);
    host_begin();
    struct proc *init = make();
    is(init->pid, PID_INIT, "the first is process 1");
    test_numbers(init);
    test_reference();
    test_groups(init);
    test_most();
    test_no_memory();
    test_wrap();
    proc_remove(init);
    host_end("the table");
    return tap_done();
}
