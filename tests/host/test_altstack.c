/*
 * test_altstack.c: the alternate signal stack (kernel/proc/altstack.c): what sigaltstack accepts and tells, and where
 * frames go: aligned, below the red zone, inside of the alternate stack or nowhere. Placing is tried at every stack pointer
 * around both ends of a small stack.
 */
#include "kernel/proc/altstack.c"
#include "tests/host/tap.h"

enum { BASE = 0x100000, SIZE = 4096 };

static const struct abi_sigaltstack stack = {.ss_sp = BASE, .ss_size = SIZE};
static const vaddr_t elsewhere = 0x7ffff000;

static void test_set(void)
{
    struct abi_sigaltstack s = {.ss_flags = SS_DISABLE}, new = stack, bad = stack;
    ok(altstack_set(&s, &new, elsewhere) == 0 && s.ss_sp == BASE && s.ss_size == SIZE, "set");
    ok(altstack_tell(&s, elsewhere).ss_flags == 0, "not in use");
    ok(altstack_tell(&s, BASE + 100).ss_flags == SS_ONSTACK, "in use");
    ok(altstack_set(&s, &new, BASE + 100) == -EPERM, "not to be changed while in use");
    bad.ss_flags = 4;
    ok(altstack_set(&s, &bad, elsewhere) == -EINVAL, "unknown flags");
    bad = stack;
    bad.ss_size = ABI_MINSIGSTKSZ - 1;
    ok(altstack_set(&s, &bad, elsewhere) == -ENOMEM && s.ss_size == SIZE, "too small");
    bad.ss_flags = SS_DISABLE;
    ok(altstack_set(&s, &bad, elsewhere) == 0 && !s.ss_size && !s.ss_sp, "off");
    ok(altstack_tell(&s, 0).ss_flags == SS_DISABLE, "is told as disabled");
    new.ss_flags = (s32)SS_AUTODISARM;
    ok(altstack_set(&s, &new, elsewhere) == 0, "with SS_AUTODISARM");
    ok((u32)altstack_tell(&s, BASE + 100).ss_flags == SS_AUTODISARM, "never in use");
    altstack_reset(&s);
    ok(altstack_tell(&s, elsewhere).ss_flags == SS_DISABLE, "reset");
}

static bool well_placed(const struct frame_place *p, vaddr_t below)
{
    return p->frame % 16 == 8 && p->fpstate % 64 == 0 &&
           p->frame + sizeof(struct abi_sigframe) <= p->fpstate &&
           p->fpstate + ABI_FXSAVE_SIZE <= below;
}

static void test_own_stack(void)
{
    struct frame_place p;
    unsigned bad = 0;
    for (vaddr_t sp = elsewhere; sp < elsewhere + 256; sp++) {
        bad += !altstack_place(&stack, sp, false, &p) || !well_placed(&p, sp - 128);
        bad += sp - p.frame > 128 + 512 + 440 + 64 + 16 + 8;
    }
    ok(!bad, "on the own stack: aligned, below the red zone, no gap, whatever the stack pointer");
    struct abi_sigaltstack none = {.ss_flags = SS_DISABLE};
    ok(altstack_place(&none, elsewhere, true, &p) && well_placed(&p, elsewhere - 128),
       "no alternate stack: on the own one");
}

static void test_alternate(void)
{
    struct frame_place p;
    ok(altstack_place(&stack, elsewhere, true, &p) && well_placed(&p, BASE + SIZE) &&
           p.frame > BASE && BASE + SIZE - p.frame < 1100,
       "entering: at its end");
    unsigned fits = 0, full = 0, bad = 0;
    for (vaddr_t sp = BASE + 1; sp <= BASE + SIZE; sp++) {
        bool placed = altstack_place(&stack, sp, true, &p);
        placed ? fits++ : full++;
        /* The red zone may reach below its low end while sp does not: then it is entered anew. */
        bool again = sp - 128 <= BASE;
        bad += placed && (again ? !well_placed(&p, BASE + SIZE) : !well_placed(&p, sp - 128));
        bad += placed && p.frame <= BASE;
    }
    ok(!bad, "nested: below the interrupted handler, or not at all");
    ok(fits > 2800 && full > 900, "%u stack pointers have room, %u have not", fits, full);
    struct abi_sigaltstack tiny = {.ss_sp = BASE, .ss_size = 600};
    ok(!altstack_place(&tiny, elsewhere, true, &p), "too small for any frame");
    ok(altstack_place(&stack, 64, false, &p) && p.frame > (1ul << 63),
       "a stack pointer near zero: the place wraps to where nobody can write");
}

int main(void)
{
    test_set();
    test_own_stack();
    test_alternate();
    return tap_done();
}
