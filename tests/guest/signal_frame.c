/*
 * signal_frame.c: the frame on the stack: it holds all registers, a handler may change them there, and whatever else a
 * program writes into it does the kernel no harm.
 */
#include "tests/guest/signals.h"

#include <stddef.h>
#include <stdint.h>

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R11, R12, R13, R14, R15, REGISTERS };

struct state {
    uint64_t r[REGISTERS], flags, red_near, red_far; /* offsets 0, 120, 128, 136 */
    uint64_t xmm[16][2];                             /* 144 */
    double st0;                                      /* 400 */
    uint32_t mxcsr, fcw;                             /* 408, 412 */
};
_Static_assert(offsetof(struct state, xmm) == 144 && offsetof(struct state, fcw) == 412, "asm");

/* Load all of it, fault by an undefined instruction that the handler skips, and store all of it again. */
void signal_round(struct state *state);
__asm__(
    ".text\n"
    "signal_round:\n"
    "        push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; push %rdi\n"
    "        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "        movdqu 144 + 16 * \\n(%rdi), %xmm\\n\n"
    "        .endr\n"
    "        ldmxcsr 408(%rdi); fninit; fldcw 412(%rdi); fldl 400(%rdi)\n"
    "        pushq 120(%rdi); popfq\n"
    "        mov (%rdi), %rax; mov 8(%rdi), %rbx; mov 16(%rdi), %rcx; mov 24(%rdi), %rdx\n"
    "        mov 32(%rdi), %rsi; mov 48(%rdi), %rbp; mov 56(%rdi), %r8; mov 64(%rdi), %r9\n"
    "        mov 72(%rdi), %r10; mov 80(%rdi), %r11; mov 88(%rdi), %r12; mov 96(%rdi), %r13\n"
    "        mov 104(%rdi), %r14; mov 112(%rdi), %r15; mov 40(%rdi), %rdi\n"
    "        movq $0x5eed, -8(%rsp); movq $0x5eee, -128(%rsp)\n"
    "        ud2\n"
    "        xchg %rax, (%rsp)\n"
    "        mov %rbx, 8(%rax); mov %rcx, 16(%rax); mov %rdx, 24(%rax); mov %rsi, 32(%rax)\n"
    "        mov %rdi, 40(%rax); mov %rbp, 48(%rax); mov %r8, 56(%rax); mov %r9, 64(%rax)\n"
    "        mov %r10, 72(%rax); mov %r11, 80(%rax); mov %r12, 88(%rax); mov %r13, 96(%rax)\n"
    "        mov %r14, 104(%rax); mov %r15, 112(%rax)\n"
    "        mov -8(%rsp), %rbx; mov %rbx, 128(%rax); mov -128(%rsp), %rbx; mov %rbx, 136(%rax)\n"
    "        pushfq; popq 120(%rax)\n"
    "        popq (%rax)\n"
    "        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "        movdqu %xmm\\n, 144 + 16 * \\n(%rax)\n"
    "        .endr\n"
    "        stmxcsr 408(%rax); fnstcw 412(%rax); fstpl 400(%rax); fninit\n"
    "        pushq $0x1f80; ldmxcsr (%rsp); popq %rbx; pushq $0x202; popfq\n"
    "        pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
    "        ret\n");

static void fill(struct state *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < REGISTERS; i++)
        s->r[i] = 0x0101010101010101ul * (i + 1);
    for (int i = 0; i < 32; i++)
        s->xmm[i / 2][i % 2] = 0x1111111111111111ul + i;
    s->flags = 0xad7 & ~0x100ul; /* CF PF AF ZF SF OF, IF */
    s->red_near = 0x5eed;
    s->red_far = 0x5eee;
    s->st0 = 1.25;
    s->mxcsr = 0x9fc0;
    s->fcw = 0x27f;
}

static const int gregs[REGISTERS] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI,
                                     REG_RDI, REG_RBP, REG_R8,  REG_R9,  REG_R10,
                                     REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static struct _libc_fpstate fpu;
static uint32_t mxcsr_in_handler;
static uint16_t fcw_in_handler;
static char *frame_at;

/* Note everything, skip the instruction, and spoil every register. */
static void spoil(int signal, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    __asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(mxcsr_in_handler), "=m"(fcw_in_handler));
    note(signal, info, context);
    fpu = *uc->uc_mcontext.fpregs;
    frame_at = context;
    uc->uc_mcontext.gregs[REG_RIP] += 2;
    uint32_t mxcsr = 0x7f80;
    __asm__ volatile("ldmxcsr %0; fninit; fldpi; fldpi;"
                     "pcmpeqd %%xmm0, %%xmm0; pcmpeqd %%xmm1, %%xmm1; pcmpeqd %%xmm2, %%xmm2;"
                     "pcmpeqd %%xmm3, %%xmm3; pcmpeqd %%xmm7, %%xmm7; pcmpeqd %%xmm8, %%xmm8;"
                     "pcmpeqd %%xmm14, %%xmm14; pcmpeqd %%xmm15, %%xmm15; xor %%eax, %%eax;"
                     "xor %%ebx, %%ebx; xor %%ecx, %%ecx; xor %%edx, %%edx; xor %%r8d, %%r8d;"
                     "xor %%r11d, %%r11d; xor %%r12d, %%r12d; xor %%r15d, %%r15d"
                     :
                     : "m"(mxcsr)
                     : "rax", "rbx", "rcx", "rdx", "r8", "r11", "r12", "r15", "xmm0", "xmm1",
                       "xmm2", "xmm3", "xmm7", "xmm8", "xmm14", "xmm15", "cc", "memory");
}

static void check_registers(void)
{
    struct state before, after;
    fill(&before);
    after = before;
    handle(SIGILL, spoil, 0);
    signal_round(&after);
    is(memcmp(after.r, before.r, sizeof after.r), 0,
       "registers outlive a handler that spoils them");
    is(after.flags, before.flags, "and the flags");
    ok(after.red_near == 0x5eed && after.red_far == 0x5eee, "and the red zone, 128 bytes of it");
    is(memcmp(after.xmm, before.xmm, sizeof after.xmm), 0, "and SSE registers");
    ok(after.st0 == before.st0, "and the x87 stack");
    is(after.mxcsr, before.mxcsr, "and MXCSR");
    is(after.fcw & 0xffff, before.fcw, "and the x87 control word");
    is(mxcsr_in_handler, 0x1f80, "the handler begins with a fresh MXCSR");
    is(fcw_in_handler, 0x37f, "and control word");

    int bad = 0;
    gregset_t *g = &seen.context.uc_mcontext.gregs;
    for (int i = 0; i < REGISTERS; i++)
        bad += (uint64_t)(*g)[gregs[i]] != before.r[i];
    is(bad, 0, "the context has all registers");
    is((*g)[REG_EFL] & 0xffff, before.flags, "and the flags");
    is((*g)[REG_CSGSFS] & 0xffff, 0x33, "CS");
    is((uint64_t)(*g)[REG_CSGSFS] >> 48, 0x2b, "SS");
    is((*g)[REG_TRAPNO], 6, "trapno");
    is(seen.context.uc_flags & 6, 6, "uc_flags: SS is there");
    is(memcmp(fpu._xmm, before.xmm, sizeof before.xmm), 0, "the image has the SSE registers");
    is(fpu.mxcsr, before.mxcsr, "MXCSR");
    is(fpu.cwd, before.fcw, "the control word");
    is((uint64_t)frame_at % 16, 0, "the frame is aligned to 16 bytes");
    is((uint64_t)seen.context.uc_mcontext.fpregs % 64, 0, "the image to 64");
    ok((char *)seen.context.uc_mcontext.fpregs + 512 <= (char *)(*g)[REG_RSP] - 128,
       "both lie below the red zone");
}

static void change(int signal, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    (void)signal, (void)info;
    uc->uc_mcontext.gregs[REG_RIP] += 2;
    uc->uc_mcontext.gregs[REG_R12] = 0x1212;
    uc->uc_mcontext.gregs[REG_EFL] |=
        0x7 << 12 | 1 << 17 | 1 << 19 | 1 << 21; /* IOPL, NT, VM, VIF, ID */
    uc->uc_mcontext.fpregs->_xmm[5].element[0] = 0x55;
    sigaddset(&uc->uc_sigmask, SIGUSR2);
}

static void drop_fpu(int signal, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    (void)signal, (void)info;
    uc->uc_mcontext.gregs[REG_RIP] += 2;
    uc->uc_mcontext.fpregs = NULL;
}

static void check_changes(void)
{
    struct state state;
    sigset_t now;
    fill(&state);
    handle(SIGILL, change, 0);
    signal_round(&state);
    is(state.r[R12], 0x1212, "a register changed in the context");
    is((uint32_t)state.xmm[5][0], 0x55, "an SSE register changed in the image");
    is(state.flags & (7 << 12 | 1 << 17 | 1 << 19 | 1 << 21), 0,
       "flags of the kernel stay as they are");
    sigprocmask(SIG_BLOCK, NULL, &now);
    is(sigismember(&now, SIGUSR2), 1, "the mask changed in the context");
    sigdelset(&now, SIGUSR2);
    sigprocmask(SIG_SETMASK, &now, NULL);
    handle(SIGILL, drop_fpu, 0);
    fill(&state);
    signal_round(&state);
    is(state.mxcsr, 0x1f80, "without an image: a fresh MXCSR");
    ok(!state.xmm[5][0] && !state.xmm[15][1], "and zero in SSE registers");
    unhandle(SIGILL);
}

/* ---- junk ---- */

static void return_from(void *rsp)
{
    __asm__ volatile("mov %0, %%rsp; mov $15, %%eax; syscall; ud2" : : "r"(rsp) : "memory");
}

static void junk_null(void)
{
    return_from(NULL);
}

static void junk_kernel(void)
{
    return_from(KERNEL_ADDRESS);
}

static void junk_non_canonical(void)
{
    return_from(NON_CANONICAL);
}

static void junk_last_page(void)
{
    return_from((char *)USER_END - 8);
}

static uint64_t junk_bytes[256];

static void junk_zeroes(void)
{
    memset(junk_bytes, 0, sizeof junk_bytes);
    return_from(junk_bytes);
}

static void junk_ones(void)
{
    memset(junk_bytes, 0xff, sizeof junk_bytes);
    return_from(junk_bytes);
}

static void junk_random(void)
{
    static u64 state = 77;
    for (size_t i = 0; i < 256; i++)
        junk_bytes[i] = random_next(&state);
    return_from(junk_bytes);
}

static ucontext_t *returning; /* the context that a spoiler changes */
static void (*spoiler)(void);

static void spoil_and_return(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    returning = context;
    spoiler();
}

static void return_spoiled(void (*how)(void))
{
    spoiler = how;
    handle(SIGUSR1, spoil_and_return, 0);
    raise(SIGUSR1);
}

#define SPOIL(name, change)                                                                        \
    static void spoil_##name(void)                                                                 \
    {                                                                                              \
        change;                                                                                    \
    }                                                                                              \
    static void frame_##name(void)                                                                 \
    {                                                                                              \
        return_spoiled(spoil_##name);                                                              \
    }

#define REG(name) returning->uc_mcontext.gregs[REG_##name]
SPOIL(kernel_cs, REG(CSGSFS) = (REG(CSGSFS) & ~0xffffl) | 0x10)
SPOIL(null_cs, REG(CSGSFS) = (REG(CSGSFS) & ~0xffffl))
SPOIL(null_ss, REG(CSGSFS) &= 0xffffffffffffl)
SPOIL(kernel_rip, REG(RIP) = (long)0xffffffff80100000)
SPOIL(non_canonical_rip, REG(RIP) = (long)NON_CANONICAL)
SPOIL(null_rip, REG(RIP) = 0)
SPOIL(mxcsr, returning->uc_mcontext.fpregs->mxcsr = 0xffffffff)
SPOIL(kernel_image, returning->uc_mcontext.fpregs = (void *)KERNEL_ADDRESS)
SPOIL(unmapped_image, returning->uc_mcontext.fpregs = (void *)64)

/* ---- frames that cannot be written ---- */

static void raise_on(char *rsp)
{
    __asm__ volatile("mov %0, %%rsp; syscall; ud2"
                     :
                     : "r"(rsp), "a"(SYS_kill), "D"(getpid()), "S"(SIGUSR1)
                     : "memory", "rcx", "r11");
}

static void raise_on_read_only(void)
{
    char *p = anon_at(area(2), 2, PROT_READ);
    handle(SIGUSR1, note, 0);
    raise_on(p + page + 2048);
}

static void raise_on_kernel(void)
{
    handle(SIGUSR1, note, 0);
    raise_on(KERNEL_ADDRESS + 4096);
}

static void raise_on_null(void)
{
    handle(SIGUSR1, note, 0);
    raise_on(NULL);
}

/* Without a stack frame of its own: only the kernel's frames may run over the end. */
static void nest_for_ever(int signal, siginfo_t *info, void *context)
{
    long result;
    (void)info, (void)context;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_kill), "D"(seen.info.si_pid), "S"(signal)
                     : "memory", "rcx", "r11");
}

static void fill_altstack(void)
{
    stack_t stack = {.ss_sp = anon_at(area(8), 8, RW), .ss_size = 8 * page}; /* nothing below */
    sigaltstack(&stack, NULL);
    handle(SIGUSR1, nest_for_ever, SA_ONSTACK | SA_NODEFER);
    seen.info.si_pid = getpid();
    raise(SIGUSR1);
}

static void without_restorer(void)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        unsigned long mask;
    } action = {(void *)note, 4, NULL, 0};
    syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8);
    raise(SIGUSR1);
}

/* The SIGSEGV that replaces the frame can itself be caught, on another stack. */
static void check_caught(void)
{
    static char other[65536];
    stack_t stack = {.ss_sp = other, .ss_size = sizeof other}, off = {.ss_flags = SS_DISABLE};
    sigaltstack(&stack, NULL);
    handle(SIGSEGV, note_and_escape, SA_ONSTACK);
    seen.count = 0;
    if (sigsetjmp(escape, 1) == 0)
        raise_on_read_only();
    is(seen.count, 1, "no room for a frame: one signal");
    is(seen.signal, SIGSEGV, "SIGSEGV");
    is(seen.info.si_code, SI_KERNEL, "from the kernel");
    seen.count = 0;
    if (sigsetjmp(escape, 1) == 0)
        return_from(NULL);
    ok(seen.count == 1 && seen.signal == SIGSEGV && seen.info.si_code == SI_KERNEL,
       "rt_sigreturn of nothing: SIGSEGV, which can be caught");
    sigaltstack(&off, NULL);
    unhandle(SIGSEGV);
    unhandle(SIGUSR1);
}

void signals_frames(void)
{
    check_registers();
    check_changes();
    dies_by(junk_null, SIGSEGV);
    dies_by(junk_kernel, SIGSEGV);
    dies_by(junk_non_canonical, SIGSEGV);
    dies_by(junk_last_page, SIGSEGV);
    dies_by(junk_zeroes, SIGSEGV);
    dies_by(junk_ones, SIGSEGV);
    for (int i = 0; i < 20; i++)
        dies_by(junk_random, SIGSEGV);
    dies_by(frame_kernel_cs, SIGSEGV);
    dies_by(frame_null_cs, SIGSEGV);
    dies_by(frame_null_ss, SIGSEGV);
    dies_by(frame_kernel_rip, SIGSEGV);
    dies_by(frame_non_canonical_rip, SIGSEGV);
    dies_by(frame_null_rip, SIGSEGV);
    dies_by(frame_mxcsr, SIGSEGV);
    dies_by(frame_kernel_image, SIGSEGV);
    dies_by(frame_unmapped_image, SIGSEGV);
    dies_by(raise_on_read_only, SIGSEGV);
    dies_by(raise_on_kernel, SIGSEGV);
    dies_by(raise_on_null, SIGSEGV);
    dies_by(fill_altstack, SIGSEGV);
    dies_by(without_restorer, SIGSEGV);
    check_caught();
}
