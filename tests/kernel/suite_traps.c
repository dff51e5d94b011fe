/*
 * suite_traps.c: traps in the kernel that must come back: a debug trap where the kernel's GS is in
 * place, and one where the user's still is, as between SYSCALL and SWAPGS (traps.S, paranoid_entry).
 * Were GS not looked at, this_cpu() in the handler, or afterwards, would read through a null base.
 */
#include "kernel/sched/thread.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "tests/kernel/kernel_test.h"

/* Set the trace flag for one instruction: a debug trap follows it. Returns the flags after. */
static u64 trace_once(void)
{
    u64 flags;
    __asm__ volatile("pushfq; orq %1, (%%rsp); popfq; nop; pushfq; popq %0"
                     : "=r"(flags)
                     : "i"(RFLAGS_TF)
                     : "memory", "cc");
    return flags;
}

/* The same between two SWAPGS. Interrupts off: theirs is not the paranoid way in. */
static u64 trace_with_user_gs(void)
{
    u64 flags, saved = irq_save();
    __asm__ volatile("swapgs; pushfq; orq %1, (%%rsp); popfq; nop; pushfq; popq %0; swapgs"
                     : "=r"(flags)
                     : "i"(RFLAGS_TF)
                     : "memory", "cc");
    irq_restore(saved);
    return flags;
}

void suite_traps(void)
{
    struct cpu *cpu = this_cpu();
    struct thread *t = thread_current();
    ok(!(trace_once() & RFLAGS_TF),
       "a debug trap in the kernel comes back, without the trace flag");
    ok(this_cpu() == cpu && thread_current() == t, "on the same CPU and thread");
    u64 user_gs = rdmsr(MSR_KERNEL_GS_BASE);
    ok(!(trace_with_user_gs() & RFLAGS_TF), "and one that finds the user's GS");
    ok(this_cpu() == cpu && rdmsr(MSR_KERNEL_GS_BASE) == user_gs, "which has both back in place");
}
