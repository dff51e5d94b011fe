/*
 * sigframe.h: from the registers of an interrupted program to a frame on its stack and back. Nothing is decided here:
 * proc/signal.c says what goes where.
 */
#ifndef KERNEL_X86_SIGFRAME_H
#define KERNEL_X86_SIGFRAME_H

#include "lib/abi/sigframe.h"

struct trap_frame; /* kernel/x86/trap.h */

struct sigframe_request {
    vaddr_t at;      /* where struct abi_sigframe goes */
    vaddr_t fpstate; /* where the FXSAVE image goes, 16-byte aligned */
    const struct abi_sigaction *action;
    const struct abi_siginfo *info;
    struct abi_sigaltstack stack;
    u64 sigmask;           /* to be restored afterwards */
    u64 err, trapno, addr; /* of the program's last exception */
};

/* Write the frame, and make *frame enter the handler with the floating-point registers of a new program. False: it cannot be
 * written, *frame is as it was. => The process's own thread; may sleep. */
bool sigframe_push(struct trap_frame *frame, const struct sigframe_request *request);

/* Read the ucontext at addr. False: it cannot be read. => may sleep. */
bool sigframe_read(struct abi_ucontext *uc, vaddr_t addr);
/* Take the registers of uc over. Whatever a program wrote there, the kernel stays safe. False: they make no sense, the program gets
 * SIGSEGV; *frame may hold a part of them. => The process's own thread; may sleep. */
bool sigframe_restore(struct trap_frame *frame, const struct abi_ucontext *uc);

#endif
