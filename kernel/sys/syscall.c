/*
 * syscall.c: from a trap frame to a handler. One table, indexed by Linux's number; a hole is ENOSYS, and the log names each
 * such call once, so that a reader sees what a program wanted. Data: the table (constant), one bit for each number reported.
 */
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/sys/sys.h"
#include "kernel/x86/trap.h"

typedef long syscall_fn(const u64 *arg);

static syscall_fn *const table[SYSCALL_MAX] = {
#define X(name) [SYS_##name] = sys_##name,
    SYS_HANDLERS(X)
#undef X
};

static u64 reported[SYSCALL_MAX / 64 + 1]; /* the last word: numbers beyond the table */

static long not_there(u64 number)
{
    u64 index = min_u64(number, SYSCALL_MAX), bit = 1ul << (index % 64);
    if (!(__atomic_fetch_or(&reported[index / 64], bit, __ATOMIC_RELAXED) & bit)) {
        const char *name = syscall_name(number);
        printk("%s: system call %llu (%s) is not implemented: ENOSYS\n", proc_current()->name,
               (unsigned long long)number, name ? name : "no name");
    }
    return -ENOSYS;
}

void upcall_syscall(struct trap_frame *frame)
{
    const u64 arg[6] = {frame->rdi, frame->rsi, frame->rdx, frame->r10, frame->r8, frame->r9};
    u64 number = (u32)frame->error; /* Linux looks at no more of RAX, either */
    struct strace_line line;
    if (unlikely(strace_on))
        strace_enter(&line, number, arg);
    syscall_fn *handler = number < SYSCALL_MAX ? table[number] : NULL;
    long result = handler ? handler(arg) : not_there(number);
    if (unlikely(strace_on))
        strace_leave(&line, result);
    frame->rax = result;
}
