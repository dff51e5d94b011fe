/*
 * run.c: runs all suites in one thread, and checks after each that every page came back.
 */
#include <stdarg.h>

#include "kernel/core/cmdline.h"
#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/core/rooms.h"
#include "kernel/core/upcall.h"
#include "kernel/mm/page.h"
#include "kernel/sched/thread.h"
#include "lib/format.h"
#include "tests/kernel/kernel_test.h"

static unsigned tests_run, tests_failed;
static bool warming_up; /* only to have slabs and tables take the pages they keep */

bool kernel_test_ok(bool cond, const char *text, const char *file, int line, const char *fmt, ...)
{
    char name[120];
    va_list ap;
    if (warming_up)
        return cond;
    va_start(ap, fmt);
    format_to_v(name, sizeof(name), fmt, ap);
    va_end(ap);
    tests_run++;
    tests_failed += !cond;
    printk("%s %u - %s\n", cond ? "ok" : "not ok", tests_run, name);
    if (!cond)
        printk("# %s:%d: false: %s\n", file, line, text);
    return cond;
}

static void run_suite(const char *name, void (*suite)(void))
{
    u64 before = page_free_count();
    suite();
    ok(page_free_count() == before, "%s: %lu pages free before, %lu after", name, before,
       page_free_count());
    page_check();
}

static void run_all(void *arg)
{
    (void)arg;
    warming_up = true;
    suite_usercopy();
    suite_threads();
    warming_up = false;
    run_suite("paging", suite_paging);
    run_suite("traps", suite_traps);
    run_suite("usercopy", suite_usercopy);
    run_suite("threads", suite_threads);
    run_suite("locks", suite_locks);
    run_suite("timers", suite_timers);
    printk("1..%u\n", tests_run);
    upcall_machine_end(tests_failed ? "exit 1" : "exit 0");
}

bool kernel_test_start(void)
{
    if (!cmdline_option("selftest"))
        return false;
    struct thread *t = thread_create("selftest", run_all, NULL);
    ASSERT(t, "no memory");
    thread_start(t);
    return true;
}
