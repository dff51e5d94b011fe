/*
 * signal_fault.c: exceptions as signals: the code and the address of each, going on after the cause is repaired, leaving by
 * siglongjmp, and the end when the signal is blocked or ignored.
 */
#include "tests/guest/signals.h"

#include <fenv.h>

enum { ADDRESS_UNKNOWN = 1 }; /* no fault has this one */
enum { VECTOR_GP = 13, VECTOR_PF = 14 };

static char *target;

static void read_target(void)
{
    *(volatile char *)target;
}

static void write_target(void)
{
    *(volatile char *)target = 1;
}

static void call_target(void)
{
    ((void (*)(void))target)();
}

static void divide(void)
{
    __asm__ volatile("idivl %0" ::"r"(0), "a"(1), "d"(0));
}

static void simd_divide(void)
{
    unsigned mxcsr = 0x1f80 & ~0x200u; /* division by zero is not masked */
    double zero = 0, one = 1;
    __asm__ volatile("ldmxcsr %0; divsd %1, %2" : : "m"(mxcsr), "m"(zero), "x"(one));
}

static void simd_invalid(void)
{
    unsigned mxcsr = 0x1f80 & ~0x80u;
    double minus = -1;
    __asm__ volatile("ldmxcsr %0; sqrtsd %1, %%xmm0" : : "m"(mxcsr), "m"(minus) : "xmm0");
}

static void simd_overflow(void)
{
    unsigned mxcsr = 0x1f80 & ~0x400u;
    double big = 1e308;
    __asm__ volatile("ldmxcsr %0; mulsd %1, %2" : : "m"(mxcsr), "m"(big), "x"(big));
}

static void x87_divide(void)
{
    unsigned short control = 0x37f & ~4;
    __asm__ volatile("fninit; fldcw %0; fld1; fldz; fdivrp; fwait" : : "m"(control));
}

static void undefined(void)
{
    __asm__ volatile("ud2");
}

static void breakpoint(void)
{
    __asm__ volatile("int3");
}

static void single_step(void)
{
    __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq; nop" ::: "memory", "cc");
}

static void privileged(void)
{
    __asm__ volatile("cli");
}

/* Do what faults; true when the signal came. */
static bool caught(void (*action)(void))
{
    seen.count = 0;
    memset(&seen.info, 0x55, sizeof seen.info);
    if (sigsetjmp(escape, 1) == 0)
        action();
    __asm__ volatile("fninit");
    unsigned mxcsr = 0x1f80;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    return seen.count == 1;
}

static void check(void (*action)(void), const char *what, int signal, int code, void *address)
{
    ok(caught(action), "%s: caught", what);
    is(seen.signal, signal, "%s: signal", what);
    is(seen.info.si_signo, signal, "%s: si_signo", what);
    is(seen.info.si_code, code, "%s: si_code", what);
    if (address != (void *)ADDRESS_UNKNOWN)
        is((long)seen.info.si_addr, (long)address, "%s: si_addr", what);
}

/* error: of the page fault, without bits that differ from machine to machine. */
static void check_page(void (*action)(void), char *address, const char *what, int signal, int code,
                       int error)
{
    target = address;
    check(action, what, signal, code, address);
    gregset_t *regs = &seen.context.uc_mcontext.gregs;
    is((*regs)[REG_TRAPNO], VECTOR_PF, "%s: trapno", what);
    is((*regs)[REG_ERR], error, "%s: err", what);
    is((*regs)[REG_CR2], (long)address, "%s: cr2", what);
}

static void check_pages(void)
{
    char *p = anon_at(area(4), 1, PROT_READ);
    check_page(read_target, NULL, "read of address 0", SIGSEGV, SEGV_MAPERR, 4);
    check_page(write_target, (char *)0x123, "write of address 0x123", SIGSEGV, SEGV_MAPERR, 6);
    check_page(write_target, p + 77, "write of a read-only page", SIGSEGV, SEGV_ACCERR, 6);
    *(volatile char *)p;
    check_page(write_target, p + 77, "the same, when it is there", SIGSEGV, SEGV_ACCERR, 7);
    check_page(call_target, p + 5, "a call of it", SIGSEGV, SEGV_ACCERR, 0x15);
    check_page(read_target, p + page + 9, "a read just behind it", SIGSEGV, SEGV_MAPERR, 4);
    mprotect(p, page, PROT_NONE);
    target = p + 3;
    check(read_target, "read of PROT_NONE", SIGSEGV, SEGV_ACCERR, p + 3);
    unmap(p, 1);
    check_page(read_target, p, "read after munmap", SIGSEGV, SEGV_MAPERR, 4);
    check_page(read_target, (char *)USER_END - 1, "the last page", SIGSEGV, SEGV_MAPERR, 5);
    target = KERNEL_ADDRESS;
    check(read_target, "the kernel's half", SIGSEGV, SEGV_MAPERR, KERNEL_ADDRESS);
    target = (char *)0xffffffff80100000;
    check(write_target, "the kernel's text", SIGSEGV, SEGV_MAPERR, target);
}

static void check_file(void)
{
    int fd = temp_file();
    char *p = map_at(area(3), 3, RW, MAP_SHARED, fd, 0);
    ok(ftruncate(fd, page + 100) == 0, "a file of one page and 100 bytes");
    p[page + 4000] = 1;
    check_page(write_target, p + 2 * page + 123, "past its end", SIGBUS, BUS_ADRERR, 6);
    check_page(read_target, p + 2 * page, "at the first page past its end", SIGBUS, BUS_ADRERR, 4);
    unmap(p, 3);
    close(fd);
}

/* An emulated CPU may not have these exceptions: QEMU's sets the flags in MXCSR and goes on. */
static void check_simd(void)
{
    if (!caught(simd_divide)) {
        tap_skip("this CPU raises no SSE exceptions");
        return;
    }
    check(simd_divide, "SSE division by zero", SIGFPE, FPE_FLTDIV, (void *)ADDRESS_UNKNOWN);
    check(simd_invalid, "SSE root of -1", SIGFPE, FPE_FLTINV, (void *)ADDRESS_UNKNOWN);
    check(simd_overflow, "SSE overflow", SIGFPE, FPE_FLTOVF, (void *)ADDRESS_UNKNOWN);
}

static void check_others(void)
{
    target = NON_CANONICAL;
    check(read_target, "not canonical", SIGSEGV, SI_KERNEL, NULL);
    is(seen.context.uc_mcontext.gregs[REG_TRAPNO], VECTOR_GP, "trapno: general protection");
    check(privileged, "a privileged instruction", SIGSEGV, SI_KERNEL, NULL);
    check(divide, "division by zero", SIGFPE, FPE_INTDIV, (void *)ADDRESS_UNKNOWN);
    ok((u64)seen.info.si_addr == (u64)seen.context.uc_mcontext.gregs[REG_RIP], "at its RIP");
    check_simd();
    check(x87_divide, "x87 division by zero", SIGFPE, FPE_FLTDIV, (void *)ADDRESS_UNKNOWN);
    check(undefined, "an undefined instruction", SIGILL, ILL_ILLOPN, (void *)ADDRESS_UNKNOWN);
    ok(*(unsigned short *)seen.info.si_addr == 0x0b0f, "at its address");
    check(breakpoint, "a breakpoint", SIGTRAP, SI_KERNEL, NULL);
    ok(((unsigned char *)seen.context.uc_mcontext.gregs[REG_RIP])[-1] == 0xcc, "RIP is behind it");
    check(single_step, "the trace flag", SIGTRAP, TRAP_TRACE, (void *)ADDRESS_UNKNOWN);
    ok((u64)seen.info.si_addr == (u64)seen.context.uc_mcontext.gregs[REG_RIP], "at the next one");
}

/* ---- going on ---- */

static char *repaired;

static void repair(int signal, siginfo_t *info, void *context)
{
    note(signal, info, context);
    mprotect(repaired, page, RW);
}

static void check_repair(void)
{
    repaired = anon_at(area(1), 1, PROT_NONE);
    handle(SIGSEGV, repair, 0);
    seen.count = 0;
    int bad = 0;
    for (int i = 0; i < 100; i++) {
        mprotect(repaired, page, i % 2 ? PROT_READ : PROT_NONE);
        *(volatile char *)(repaired + i) = (char)i;
        bad += *(volatile char *)(repaired + i) != i;
    }
    is(bad, 0, "mprotect in the handler, and the access is made again");
    is(seen.count, 100, "100 times");
    unmap(repaired, 1);
}

static void check_escapes(void)
{
    handle(SIGSEGV, note_and_escape, 0);
    volatile int left = 10000;
    target = NULL;
    seen.count = 0;
    sigsetjmp(escape, 1);
    if (left-- > 0)
        read_target();
    is(seen.count, 10000, "siglongjmp out of the handler, 10,000 times");
}

static int recurse(volatile char *above)
{
    volatile char here[1024];
    here[0] = above ? (char)(above[0] + 1) : 0;
    return recurse(here) + here[0];
}

static void overflow(void)
{
    recurse(NULL);
}

static void check_overflow(void)
{
    static char other[65536];
    stack_t stack = {.ss_sp = other, .ss_size = sizeof other}, off = {.ss_flags = SS_DISABLE};
    sigaltstack(&stack, NULL);
    handle(SIGSEGV, note_and_escape, SA_ONSTACK);
    for (int i = 0; i < 3; i++) {
        ok(caught(overflow), "the stack runs over, and the alternate stack catches it");
        ok(seen.stack >= other && seen.stack < other + sizeof other, "the handler is there");
        long gap = (long)seen.context.uc_mcontext.gregs[REG_RSP] - (long)seen.info.si_addr;
        ok(gap > -4096 && gap < 4096, "the address is near RSP");
    }
    sigaltstack(&off, NULL);
}

/* ---- the end ---- */

static void fault_blocked(void)
{
    sigset_t all;
    sigfillset(&all);
    handle(SIGSEGV, note, 0);
    sigprocmask(SIG_SETMASK, &all, NULL);
    read_target();
}

static void fault_ignored(void)
{
    signal(SIGSEGV, SIG_IGN);
    read_target();
}

static void fault_in_handler_of(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    read_target();
}

static void fault_in_handler(void)
{
    handle(SIGSEGV, fault_in_handler_of, 0);
    read_target();
}

static void overflow_without_stack(void)
{
    handle(SIGSEGV, note, 0);
    overflow();
}

static void divide_ignored(void)
{
    signal(SIGFPE, SIG_IGN);
    divide();
}

void signals_faults(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        handle(signals[i], note_and_escape, 0);
    check_pages();
    check_file();
    check_others();
    check_repair();
    check_escapes();
    check_overflow();
    target = NULL;
    dies_by(fault_blocked, SIGSEGV);
    dies_by(fault_ignored, SIGSEGV);
    dies_by(fault_in_handler, SIGSEGV);
    dies_by(overflow_without_stack, SIGSEGV);
    dies_by(divide_ignored, SIGFPE);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        unhandle(signals[i]);
}
