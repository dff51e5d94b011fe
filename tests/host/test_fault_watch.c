/* test_fault_watch.c: a fault that comes for ever is told from those that only come again. */
#include "kernel/proc/fault_watch.h"

#include "tests/host/tap.h"

static u32 until_true(struct fault_watch *w, u32 most)
{
    u32 n = 1;
    while (n <= most && !fault_watch(w, 1, 2, 0, true))
        n++;
    return n;
}

int main(void)
{
    struct fault_watch w = {0};
    bool stuck = false;

    is(until_true(&w, 1000), FAULT_WATCH_PATIENCE + 1, "the same fault, though it is allowed");
    ok(fault_watch(&w, 1, 2, 0, true), "and it stays so");
    ok(!fault_watch(&w, 1, 2, 0, false), "something was done: from the start");
    is(until_true(&w, 1000), FAULT_WATCH_PATIENCE + 1, "again");
    for (int i = 0; i < 1000; i++)
        stuck |= fault_watch(&w, 1, 2, 0, false);
    ok(!stuck, "a page that is taken away each time is no loop of the kernel's");
    for (int i = 0; i < 1000; i++)
        stuck |=
            fault_watch(&w, 1, 2 + (i & 1), 0, true) | fault_watch(&w, 1 + (i & 1), 2, 1, true);
    ok(!stuck, "neither are different faults");
    return tap_done();
}
