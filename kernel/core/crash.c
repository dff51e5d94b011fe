/*
 * crash.c: debug.crash=WORD breaks the kernel at once, so that tests and readers can see how it
 * dies: with a message, registers, and a backtrace with names. At boot, or at run time by writing
 * to /proc/sys/debug/crash.
 *
 *      assert   an invariant that is false     null     a write through a null pointer
 *      stack    recursion without end          divide   a division by zero
 *      text     a write to the kernel's code   exec     a jump into the kernel's data
 *      live     a page table whose count of live entries is wrong, found by pt_check
 */
#include "kernel/core/crash.h"

#include "kernel/core/knob.h"
#include "kernel/core/panic.h"

enum crash {
    CRASH_NONE,
    CRASH_ASSERT,
    CRASH_NULL,
    CRASH_STACK,
    CRASH_DIVIDE,
    CRASH_TEXT,
    CRASH_EXEC,
    CRASH_LIVE
};

static const char *const words[] = {"none", "assert", "null", "stack", "divide",
                                    "text", "exec",   "live", NULL};
static void (*crash_live)(void);

/* volatile, so that the compiler does not see through what these are for */
static volatile u32 zero;
static u32 *volatile nowhere;

static NOINLINE u32 crash_recurse(u32 depth)
{
    volatile u32 frame[64];
    frame[depth % 64] = depth;
    if (zero)
        return depth;
    return crash_recurse(depth + 1) + frame[depth % 64];
}

static NOINLINE void crash_null(void)
{
    *nowhere = 1;
}

static NOINLINE void crash_divide(void)
{
    volatile u32 one = 1; /* a constant would make this a comparison */
    zero = one / zero;
}

static NOINLINE void crash_text(void)
{
    *(volatile u8 *)(u64)crash_divide = 0xc3;
}

static NOINLINE void crash_exec(void)
{
    static volatile u8 ret = 0xc3;
    void (*volatile code)(void) = (void (*)(void))(u64)&ret;
    code();
}

static void crash_now(struct knob *knob)
{
    switch ((enum crash)knob_value(knob)) {
    case CRASH_NONE:
        break;
    case CRASH_ASSERT:
        ASSERT(zero == 1, "asked for by debug.crash: zero is %u", zero);
        break;
    case CRASH_NULL:
        crash_null();
        break;
    case CRASH_STACK:
        zero = crash_recurse(0);
        break;
    case CRASH_DIVIDE:
        crash_divide();
        break;
    case CRASH_TEXT:
        crash_text();
        break;
    case CRASH_EXEC:
        crash_exec();
        break;
    case CRASH_LIVE:
        crash_live();
        break;
    }
}

static struct knob crash_knob = {
    .name = "debug.crash",
    .help = "break the kernel now: none, or the way it is to die",
    .words = words,
    .changed = crash_now,
};

void crash_register_knob(void (*break_live)(void))
{
    crash_live = break_live;
    knob_register(&crash_knob);
}
