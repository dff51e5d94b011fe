/*
 * entry.c: the way into the kernel and back, seen from outside: every register, flag and SSE register is as before,
 * after system calls and after interrupts, but for RCX and R11, which SYSCALL takes, and RAX. What lies below the
 * stack pointer (the red zone) stays too.
 */
#include "tests/guest/guest.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

/* RDI RSI RDX R8 R9 R10 RBX R12 R13 R14 R15 RBP, then RCX and R11 */
enum { KEPT = 12, RCX = KEPT, R11, REGISTERS };

struct registers {
    uint64_t r[REGISTERS];
    uint64_t flags, result, red_zone;
};

/* Load r and flags, do system call number, or nothing for turns loops when it is -1, and store them again. */
void entry_round(struct registers *registers, long number, uint64_t turns);
__asm__(
    ".text\n"
    "entry_round:\n"
    "        push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
    "        push %rdi; push %rsi; push %rdx\n"
    "        mov %rsi, %rax\n"
    "        mov %rdx, %rcx\n"
    "        mov %rdi, %r11\n"
    "        pushq 8*14(%r11); popfq\n" /* flags; MOV leaves them alone */
    "        mov 8*1(%r11), %rsi; mov 8*2(%r11), %rdx; mov 8*3(%r11), %r8; mov 8*4(%r11), %r9\n"
    "        mov 8*5(%r11), %r10; mov 8*6(%r11), %rbx; mov 8*7(%r11), %r12; mov 8*8(%r11), %r13\n"
    "        mov 8*9(%r11), %r14; mov 8*10(%r11), %r15; mov 8*11(%r11), %rbp; mov 8*0(%r11), %rdi\n"
    "        movq $0x5eed, -16(%rsp)\n"
    "        mov $0x1234, %r11d\n"
    "        jrcxz 2f\n"
    "1:      loop 1b\n"
    "        jmp 3f\n"
    "2:      syscall\n"
    "3:      pushfq\n" /* above the red zone's word */
    "        mov %rax, -24(%rsp)\n"
    "        mov 24(%rsp), %rax\n"
    "        mov %rdi, 8*0(%rax); mov %rsi, 8*1(%rax); mov %rdx, 8*2(%rax); mov %r8, 8*3(%rax)\n"
    "        mov %r9, 8*4(%rax); mov %r10, 8*5(%rax); mov %rbx, 8*6(%rax); mov %r12, 8*7(%rax)\n"
    "        mov %r13, 8*8(%rax); mov %r14, 8*9(%rax); mov %r15, 8*10(%rax); mov %rbp, 8*11(%rax)\n"
    "        mov %rcx, 8*12(%rax); mov %r11, 8*13(%rax)\n"
    "        mov -24(%rsp), %rcx; mov %rcx, 8*15(%rax)\n"
    "        mov -8(%rsp), %rcx; mov %rcx, 8*16(%rax)\n"
    "        pop %rcx; mov %rcx, 8*14(%rax)\n"
    "        pushq $0x202; popfq\n"
    "        add $24, %rsp\n"
    "        pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
    "        ret\n");

/* CF PF AF ZF SF OF; DF; AC; ID; NT, and IF, which is always on */
static const uint64_t flag_sets[] = {0x202, 0xad7, 0x602, 0x40202, 0x200202, 0x4202, 0x244ed7};

static void fill(struct registers *registers, uint64_t flags)
{
    for (int i = 0; i < REGISTERS; i++)
        registers->r[i] = 0x0101010101010101ul * (i + 1) ^ flags;
    registers->flags = flags;
}

static int changed(const struct registers *registers, uint64_t flags)
{
    int n = 0;
    for (int i = 0; i < KEPT; i++)
        n += registers->r[i] != (0x0101010101010101ul * (i + 1) ^ flags);
    return n;
}

static void check_call(long number, long result, const char *name)
{
    for (size_t i = 0; i < sizeof flag_sets / sizeof *flag_sets; i++) {
        uint64_t flags = flag_sets[i];
        struct registers registers;
        fill(&registers, flags);
        entry_round(&registers, number, 0);
        is(registers.result, result, "%s with flags %#lx", name, flags);
        is(changed(&registers, flags), 0, "keeps all registers");
        is(registers.flags, flags, "and the flags");
        is(registers.r[R11], flags, "which R11 holds as well");
        is(registers.red_zone, 0x5eed, "and the red zone");
    }
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Long enough for several ticks. */
static void check_interrupts(void)
{
    uint64_t flags = 0x40ed7 & ~0x400ul, start = now_ms(), turns = 1000000;
    int bad = 0;
    while (now_ms() - start < 100) {
        struct registers registers;
        fill(&registers, flags);
        entry_round(&registers, -1, turns);
        bad += changed(&registers, flags) || registers.flags != flags ||
               registers.r[R11] != 0x1234 || registers.r[RCX] || registers.red_zone != 0x5eed;
    }
    is(bad, 0, "interrupts change no register, flag or red zone");
}

/* SSE registers over 100 ms of ticks, and MXCSR and the x87 control word over a system call. */
static void check_sse(void)
{
    uint64_t start = now_ms();
    double sum = 0, want = 0;
    int bad = 0;
    while (now_ms() - start < 100) {
        sum = want = 0;
        for (int i = 1; i <= 1000; i++) {
            sum += 1.0 / i * i;
            want += 1.0;
        }
        bad += sum < want - 0.001 || sum > want + 0.001;
    }
    is(bad, 0, "sums in SSE registers");

    uint32_t mxcsr = 0x9fc0, got = 0; /* flush to zero, denormals are zero, all masked */
    uint16_t control = 0x27f, got_control = 0;
    __asm__ volatile("ldmxcsr %0; fldcw %1" : : "m"(mxcsr), "m"(control));
    syscall(SYS_sched_yield);
    __asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(got), "=m"(got_control));
    mxcsr = 0x1f80;
    control = 0x37f;
    __asm__ volatile("ldmxcsr %0; fldcw %1" : : "m"(mxcsr), "m"(control));
    is(got & 0xffc0, 0x9fc0, "MXCSR");
    is(got_control, 0x27f, "the x87 control word");
}

void suite_entry(void)
{
    check_call(SYS_getpid, getpid(), "getpid");
    check_call(9999, -ENOSYS, "an unknown call");
    check_call(SYS_sched_yield, 0, "sched_yield");
    check_interrupts();
    check_sse();
}
