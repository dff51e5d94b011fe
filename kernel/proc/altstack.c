/*
 * altstack.c: which stack a signal handler runs on.
 *
 *      sp ->  |  red zone, 128 bytes: the interrupted function may use them  |
 *             |  FXSAVE image, 64-byte aligned                               |
 *             |  siginfo, ucontext                                           |
 *      rsp -> |  restorer's address; rsp + 8 is 16-byte aligned              |
 *
 * With SA_ONSTACK, and unless the program is on it already, sp is the end of the alternate stack. There the red zone
 * counts for nothing. Whoever would run over its low end gets no frame. The values are those of
 * the System V ABI (AMD64 supplement, section 3.2.2) and of Linux.
 */
#include "kernel/proc/altstack.h"

#include "lib/abi/errno.h"
#include "lib/abi/sigframe.h"

enum { RED_ZONE = 128, FXSAVE_ALIGN = 64, STACK_ALIGN = 16 };

static bool within(const struct abi_sigaltstack *stack, vaddr_t sp)
{
    return sp > stack->ss_sp && sp - stack->ss_sp <= stack->ss_size;
}

bool altstack_on(const struct abi_sigaltstack *stack, vaddr_t sp)
{
    return !((u32)stack->ss_flags & SS_AUTODISARM) && within(stack, sp);
}

struct abi_sigaltstack altstack_tell(const struct abi_sigaltstack *stack, vaddr_t sp)
{
    u32 state = !stack->ss_size ? SS_DISABLE : altstack_on(stack, sp) ? SS_ONSTACK : 0;
    return (struct abi_sigaltstack){
        .ss_sp = stack->ss_sp,
        .ss_size = stack->ss_size,
        .ss_flags = (s32)(state | ((u32)stack->ss_flags & SS_AUTODISARM)),
    };
}

long altstack_set(struct abi_sigaltstack *stack, const struct abi_sigaltstack *new, vaddr_t sp)
{
    u32 mode = (u32) new->ss_flags & ~SS_AUTODISARM;
    if (altstack_on(stack, sp))
        return -EPERM;
    if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0)
        return -EINVAL;
    if (mode != SS_DISABLE && new->ss_size < ABI_MINSIGSTKSZ)
        return -ENOMEM;
    *stack = (struct abi_sigaltstack){.ss_flags = new->ss_flags};
    if (mode != SS_DISABLE) {
        stack->ss_sp = new->ss_sp;
        stack->ss_size = new->ss_size;
    }
    return 0;
}

void altstack_reset(struct abi_sigaltstack *stack)
{
    *stack = (struct abi_sigaltstack){.ss_flags = SS_DISABLE};
}

bool altstack_place(const struct abi_sigaltstack *stack, vaddr_t sp, bool wants_altstack,
                    struct frame_place *place)
{
    bool nested = altstack_on(stack, sp), entering = false;
    sp -= RED_ZONE;
    if (wants_altstack && stack->ss_size && !altstack_on(stack, sp)) {
        sp = stack->ss_sp + stack->ss_size;
        entering = true;
    }
    place->fpstate = align_down(sp - ABI_FXSAVE_SIZE, FXSAVE_ALIGN);
    place->frame = align_down(place->fpstate - sizeof(struct abi_sigframe), STACK_ALIGN) - 8;
    return !(nested || entering) || within(stack, place->frame);
}
