/*
 * sigframe.c: the frame of a signal handler; its bytes are drawn in lib/abi/sigframe.h, its place in proc/altstack.c.
 *
 *      push:      struct trap_frame, FXSAVE area  -> the program's stack; then RIP = handler, RDI = signal,
 *                 RSI = siginfo, RDX = ucontext, RAX = 0 (no vector arguments), RSP = the restorer's address
 *      restore:   the other way round. It is the program's memory, so any byte of it may be anything:
 *                 CS and SS other than the user's are refused, the flags that are the kernel's are ignored
 *                 (trap_return_to_user), a RIP outside of user space becomes a signal there, MXCSR bits that
 *                 FXRSTOR would fault on are refused
 *
 * No data. The frame is built in a buffer on the kernel's stack and copied at once.
 */
#include "kernel/x86/sigframe.h"

#include "kernel/x86/asm.h"
#include "kernel/x86/context.h"
#include "kernel/x86/trap.h"
#include "kernel/x86/usercopy.h"
#include "lib/string.h"

enum { FX_MXCSR = 24, FX_SOFTWARE = 464 /* for software: FXSAVE leaves it alone */ };
enum { CPL_USER = 3 };

static void save_registers(struct abi_sigcontext *c, const struct trap_frame *f)
{
    *c = (struct abi_sigcontext){
        .r8 = f->r8,
        .r9 = f->r9,
        .r10 = f->r10,
        .r11 = f->r11,
        .r12 = f->r12,
        .r13 = f->r13,
        .r14 = f->r14,
        .r15 = f->r15,
        .rdi = f->rdi,
        .rsi = f->rsi,
        .rbp = f->rbp,
        .rbx = f->rbx,
        .rdx = f->rdx,
        .rax = f->rax,
        .rcx = f->rcx,
        .rsp = f->rsp,
        .rip = f->rip,
        .rflags = f->rflags,
        .cs = SELECTOR_USER_CODE,
        .ss = SELECTOR_USER_DATA,
    };
}

static void load_registers(struct trap_frame *f, const struct abi_sigcontext *c)
{
    *f = (struct trap_frame){
        .r8 = c->r8,
        .r9 = c->r9,
        .r10 = c->r10,
        .r11 = c->r11,
        .r12 = c->r12,
        .r13 = c->r13,
        .r14 = c->r14,
        .r15 = c->r15,
        .rdi = c->rdi,
        .rsi = c->rsi,
        .rbp = c->rbp,
        .rbx = c->rbx,
        .rdx = c->rdx,
        .rax = c->rax,
        .rcx = c->rcx,
        .rsp = c->rsp,
        .rip = c->rip,
        .rflags = (f->rflags & ~(u64)RFLAGS_SIGRETURN) | (c->rflags & RFLAGS_SIGRETURN),
        .cs = SELECTOR_USER_CODE,
        .ss = SELECTOR_USER_DATA,
        .vector = f->vector,
        .error = TRAP_NO_SYSCALL,
    };
}

/* ---- floating point ---- */

static bool fpu_pop(vaddr_t from)
{
    u8 area[ABI_FXSAVE_SIZE] __attribute__((aligned(16)));
    u32 mxcsr;
    if (!from) {
        fpu_set_current(NULL);
        return true;
    }
    if (from % 16 || copy_from_user(area, from, sizeof(area)))
        return false;
    memcpy(&mxcsr, area + FX_MXCSR, sizeof(mxcsr));
    if (mxcsr & ~fpu_mxcsr_mask())
        return false;
    memset(area + FX_SOFTWARE, 0, sizeof(area) - FX_SOFTWARE);
    fpu_set_current(area);
    return true;
}

/* ---- the frame ---- */

bool sigframe_push(struct trap_frame *frame, const struct sigframe_request *q)
{
    struct abi_sigframe f = {
        .restorer = q->action->restorer,
        .uc.flags = UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS,
        .uc.stack = q->stack,
        .uc.sigmask = q->sigmask,
        .info = *q->info,
    };
    struct abi_sigcontext *c = &f.uc.mcontext;
    save_registers(c, frame);
    c->err = q->err;
    c->trapno = q->trapno;
    c->cr2 = q->addr;
    c->oldmask = q->sigmask;
    c->fpstate = q->fpstate;
    size_t size = (q->action->flags & SA_SIGINFO) ? sizeof(f) : offsetof(struct abi_sigframe, info);
    if (copy_to_user(q->fpstate, fpu_save_current(), ABI_FXSAVE_SIZE) ||
        copy_to_user(q->at, &f, size))
        return false;
    fpu_set_current(NULL);
    frame->rdi = (u64)q->info->signo;
    frame->rsi = q->at + offsetof(struct abi_sigframe, info);
    frame->rdx = q->at + offsetof(struct abi_sigframe, uc);
    frame->rax = 0;
    frame->rip = q->action->handler;
    frame->rsp = q->at;
    frame->rflags &= ~(u64)(RFLAGS_DF | RFLAGS_RF | RFLAGS_TF);
    frame->error = TRAP_NO_SYSCALL;
    return true;
}

bool sigframe_read(struct abi_ucontext *uc, vaddr_t addr)
{
    return copy_from_user(uc, addr, sizeof(*uc)) == 0;
}

bool sigframe_restore(struct trap_frame *frame, const struct abi_ucontext *uc)
{
    const struct abi_sigcontext *c = &uc->mcontext;
    bool strict = uc->flags & UC_STRICT_RESTORE_SS;
    load_registers(frame, c);
    if ((c->cs | CPL_USER) != SELECTOR_USER_CODE ||
        (strict && (c->ss | CPL_USER) != SELECTOR_USER_DATA))
        return false;
    return fpu_pop(c->fpstate);
}
