/*
 * sigframe.h: what Linux x86-64 puts on a program's stack for a signal handler, byte by byte: the restorer's address, where
 * the handler returns to; the ucontext; the siginfo. The FXSAVE image lies apart, where uc_mcontext.fpstate says.
 */
#ifndef LIB_ABI_SIGFRAME_H
#define LIB_ABI_SIGFRAME_H

#include "lib/abi/signal.h"

/* uc_flags */
#define UC_SIGCONTEXT_SS 2     /* ss is the real one */
#define UC_STRICT_RESTORE_SS 4 /* and rt_sigreturn shall take it as it is */

struct abi_sigcontext {
    u64 r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, rflags;
    u16 cs, gs, fs, ss;
    u64 err, trapno, oldmask, cr2;
    u64 fpstate; /* address of the FXSAVE image, 0: none */
    u64 reserved[8];
};

struct abi_ucontext {
    u64 flags;
    u64 link;
    struct abi_sigaltstack stack;
    struct abi_sigcontext mcontext;
    u64 sigmask;
};

struct abi_sigframe {
    u64 restorer;
    struct abi_ucontext uc;
    struct abi_siginfo info;
    u8 info_rest[ABI_SIGINFO_SIZE - sizeof(struct abi_siginfo)];
};

#define ABI_FXSAVE_SIZE 512

_Static_assert(sizeof(struct abi_siginfo) == 48, "siginfo");
_Static_assert(sizeof(struct abi_sigcontext) == 256, "sigcontext");
_Static_assert(sizeof(struct abi_ucontext) == 304, "ucontext");
_Static_assert(sizeof(struct abi_sigframe) == 440, "rt_sigframe");

#endif
