/*
 * cpu.h (host): there is one CPU, and it is a variable. Interrupts do not exist. The fields are
 * those of the real header that code outside kernel/x86 uses.
 */
#ifndef KERNEL_X86_CPU_H
#define KERNEL_X86_CPU_H

#include "lib/types.h"

enum { CPU_MAX = 64 };

struct thread;
struct mmu_space;

struct cpu {
    u32 id;
    u32 preempt_depth;
    bool need_resched;
    bool in_usercopy_atomic;
    u8 ranks[16];
    u32 ranks_held;
    struct thread *current;
    struct mmu_space *space;
    void *vmcount;
};

extern struct cpu host_cpu;

static inline struct cpu *this_cpu(void)
{
    return &host_cpu;
}

static inline u64 irq_save(void)
{
    return 0;
}

static inline void irq_restore(u64 flags)
{
    (void)flags;
}

static inline void cpu_relax(void)
{
}

#endif
