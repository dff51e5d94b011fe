/*
 * context.c: building a thread's first context, and the C half of context.h. The switch itself is
 * switch.S.
 */
#include "kernel/x86/context.h"

#include "kernel/core/panic.h"
#include "kernel/mm/layout.h"
#include "kernel/sched/thread.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/gdt.h"
#include "kernel/x86/trap.h"
#include "lib/string.h"

void context_first_run(void);
NORETURN void enter_user_frame(struct trap_frame *frame);

/* The order in which context_switch pops. */
struct first_context {
    u64 r15, r14, r13, r12, rbx, rbp, rip;
};

u64 context_prepare(u64 stack_top, void (*first)(void *arg), void *arg)
{
    struct first_context *c = (struct first_context *)(stack_top - sizeof(*c));
    *c = (struct first_context){.r12 = (u64)arg, .rbx = (u64)first, .rip = (u64)context_first_run};
    return (u64)c;
}

void context_set_kernel_stack(u64 stack_top)
{
    this_cpu()->kernel_rsp = stack_top;
    gdt_set_kernel_stack(stack_top);
}

void context_set_user_bases(u64 fs_base, u64 gs_base)
{
    ASSERT(fs_base < USER_LIMIT && gs_base < USER_LIMIT, "FS %#lx, GS %#lx", fs_base, gs_base);
    wrmsr(MSR_FS_BASE, fs_base);
    wrmsr(MSR_KERNEL_GS_BASE, gs_base);
}

enum { FXSAVE_FCW = 0, FXSAVE_FSW = 2, FXSAVE_MXCSR = 24, FXSAVE_MXCSR_MASK = 28 };

void fpu_init_area(u8 *area)
{
    const u16 fcw = 0x37f;    /* all exceptions masked, 64-bit precision: as FNINIT */
    const u32 mxcsr = 0x1f80; /* all exceptions masked: as at reset */
    memset(area, 0, THREAD_FXSAVE_SIZE);
    memcpy(area + FXSAVE_FCW, &fcw, sizeof(fcw));
    memcpy(area + FXSAVE_MXCSR, &mxcsr, sizeof(mxcsr));
}

u32 fpu_mxcsr_mask(void)
{
    static u8 area[THREAD_FXSAVE_SIZE] __attribute__((aligned(16)));
    static u32 mask;
    if (!mask) {
        fpu_save(area);
        memcpy(&mask, area + FXSAVE_MXCSR_MASK, sizeof(mask));
        if (!mask)
            mask = 0xffbf; /* Intel SDM volume 1, section 11.6.6 */
    }
    return mask;
}

const u8 *fpu_save_current(void)
{
    struct thread *t = this_cpu()->current;
    fpu_save(t->fxsave);
    return t->fxsave;
}

void fpu_set_current(const u8 *area)
{
    struct thread *t = this_cpu()->current;
    if (area)
        memcpy(t->fxsave, area, THREAD_FXSAVE_SIZE);
    else
        fpu_init_area(t->fxsave);
    fpu_load(t->fxsave);
}

u32 fpu_exceptions(bool simd)
{
    const u8 *area = fpu_save_current();
    u16 control, status;
    u32 mxcsr;
    memcpy(&control, area + FXSAVE_FCW, sizeof(control));
    memcpy(&status, area + FXSAVE_FSW, sizeof(status));
    memcpy(&mxcsr, area + FXSAVE_MXCSR, sizeof(mxcsr));
    /* In MXCSR the masks lie seven bits above the flags. */
    return (simd ? mxcsr & ~(mxcsr >> 7) : (u32)status & ~(u32)control) & 0x3f;
}

void enter_user(struct trap_frame *frame)
{
    struct thread *t = this_cpu()->current;
    ASSERT(t->space, "thread %s has no user tables", t->name);
    irq_disable();
    mmu_switch(t->space);
    fpu_load(t->fxsave);
    context_set_user_bases(t->fs_base, t->gs_base);
    enter_user_frame(frame);
}
