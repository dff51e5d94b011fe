/*
 * altstack.h: the alternate signal stack, and where on which stack a handler's frame goes. Pure.
 */
#ifndef KERNEL_PROC_ALTSTACK_H
#define KERNEL_PROC_ALTSTACK_H

#include "lib/abi/signal.h"

/* Is sp on it, as far as the program may know? Never, with SS_AUTODISARM. */
bool altstack_on(const struct abi_sigaltstack *stack, vaddr_t sp);
/* What sigaltstack says of it while the program's stack pointer is sp. */
struct abi_sigaltstack altstack_tell(const struct abi_sigaltstack *stack, vaddr_t sp);
/* Exchange it for new. 0, -EPERM (it is in use), -EINVAL (flags), -ENOMEM (too small), nothing changed then. */
long altstack_set(struct abi_sigaltstack *stack, const struct abi_sigaltstack *new, vaddr_t sp);
void altstack_reset(struct abi_sigaltstack *stack);

struct frame_place {
    vaddr_t frame;   /* struct abi_sigframe: 16-byte aligned plus 8, as after a call */
    vaddr_t fpstate; /* FXSAVE image, 64-byte aligned */
};

/* Where the frame of a handler goes that interrupts a program at sp. False: nowhere, the alternate stack is full. */
bool altstack_place(const struct abi_sigaltstack *stack, vaddr_t sp, bool wants_altstack,
                    struct frame_place *place);

#endif
