/*
 * cpu.h: what belongs to one CPU, found through the GS base.
 *
 * Fields are touched by their own CPU only, with interrupts off or from a context that cannot move
 * to another CPU. No room but x86 depends on how this_cpu() finds it.
 */
#ifndef KERNEL_X86_CPU_H
#define KERNEL_X86_CPU_H

#include "lib/types.h"

enum { CPU_MAX = 64 };

struct thread;    /* kernel/sched/thread.h */
struct mmu_space; /* kernel/x86/mmu.h */

struct cpu {
    struct cpu *self; /* GS:0 */
    u64 user_rsp;     /* GS:8, scratch of the system-call entry */
    u64 kernel_rsp;   /* GS:16, top of the running thread's kernel stack */
    u32 id;
    u32 preempt_depth; /* spin locks held; > 0 forbids sleeping and rescheduling */
    bool need_resched;
    bool smap_lifted;        /* SMAP is off until the next entry from user mode (traps.c) */
    bool in_usercopy_atomic; /* a user copy that must not fault in pages */
    u8 ranks[16];            /* lock ranks held, innermost last (spinlock.c) */
    u32 ranks_held;
    struct thread *current;
    const char *thread_name; /* of current, for panics */
    struct mmu_space *space; /* whose tables CR3 points at */
    void *vmcount;           /* this CPU's struct vmcount (kernel/core/vmcount.c) */
};

extern struct cpu cpu_boot; /* the CPU that the loader started; in place before the first C line */

/* Check and switch on what the kernel uses of this CPU: write protection, SMEP, SMAP, UMIP, SSE for
 * programs. What is missing is reported, and done without. => Once, while the kernel's text is
 * still writable. */
void cpu_init_features(void);
bool cpu_has_huge_pages(void); /* 1 GiB */

/* What CPUID says, for /proc/cpuinfo. */
struct cpu_description {
    char vendor[13], name[49];
    u32 family, model, stepping, level, line_size, physical_bits, virtual_bits;
    char flags[400]; /* Linux's names, each after a space */
};
void cpu_describe(struct cpu_description *out);

static inline struct cpu *this_cpu(void)
{
    struct cpu *cpu;
    __asm__ volatile("movq %%gs:0, %0" : "=r"(cpu));
    return cpu;
}

static inline u64 irq_save(void)
{
    u64 flags;
    __asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
    return flags;
}

static inline void irq_restore(u64 flags)
{
    if (flags & (1u << 9)) /* IF */
        __asm__ volatile("sti" : : : "memory");
}

static inline void cpu_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}

#endif
