/*
 * trap.h: what a trap, interrupt or system call leaves on the kernel stack, and the way to user
 * mode and back.
 *
 * One frame for all, so that signals, fork and panic need to know only one. For a system call
 * (vector TRAP_SYSCALL) error holds the number that was in RAX, and RAX the result; R10 is the
 * fourth argument. Included by assembly too, for the offsets.
 */
#ifndef KERNEL_X86_TRAP_H
#define KERNEL_X86_TRAP_H

/* Selectors as on Linux, since signal frames and core files show them. SYSRET wants the order. */
#define SELECTOR_KERNEL_CODE 0x10
#define SELECTOR_KERNEL_DATA 0x18
#define SELECTOR_USER_CODE32 0x23 /* no segment; SYSRET counts from it */
#define SELECTOR_USER_DATA 0x2b
#define SELECTOR_USER_CODE 0x33
#define SELECTOR_TSS 0x40

#define TRAP_DIVIDE 0
#define TRAP_DEBUG 1
#define TRAP_NMI 2
#define TRAP_BREAKPOINT 3
#define TRAP_OVERFLOW 4
#define TRAP_INVALID_OPCODE 6
#define TRAP_DOUBLE_FAULT 8
#define TRAP_NO_SEGMENT 11
#define TRAP_STACK_SEGMENT 12
#define TRAP_GENERAL_PROTECTION 13
#define TRAP_PAGE_FAULT 14
#define TRAP_X87 16
#define TRAP_ALIGNMENT 17
#define TRAP_MACHINE_CHECK 18
#define TRAP_SIMD 19
#define TRAP_IRQ_BASE 32 /* device lines 0 to 15 */
#define TRAP_VECTORS 256
#define TRAP_SYSCALL 256
#define TRAP_NO_SYSCALL -1 /* error, when a signal's handler took the system call's place */

#define FRAME_R11 48
#define FRAME_RCX 88
#define FRAME_SAVED_REGISTERS 120 /* bytes below vector */
#define FRAME_ERROR 128
#define FRAME_RIP 136
#define FRAME_CS 144
#define FRAME_RFLAGS 152
#define FRAME_RSP 160
#define FRAME_SIZE 176

/* Bits of a page fault's error code. */
#define FAULT_CODE_PRESENT 1
#define FAULT_CODE_WRITE 2
#define FAULT_CODE_USER 4
#define FAULT_CODE_RESERVED 8
#define FAULT_CODE_FETCH 16

#ifndef __ASSEMBLER__

#include "lib/types.h"

struct trap_frame {
    u64 r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
    u64 vector; /* TRAP_ */
    u64 error;  /* pushed by the CPU or 0 */
    u64 rip, cs, rflags, rsp, ss;
} __attribute__((aligned(16)));

static inline bool trap_from_user_mode(const struct trap_frame *frame)
{
    return frame->cs & 3;
}

void trap_init(void);    /* this CPU's GDT, TSS, IDT: from here on every exception prints */
void syscall_init(void); /* this CPU's SYSCALL registers */

/* Go to user mode with frame, and the running thread's FXSAVE area, FS and GS bases. Code and stack
 * segment and the privileged flags of frame are put right; a bad RIP becomes a signal. =>
 * Interrupts on, no locks held. */
NORETURN void enter_user(struct trap_frame *frame);

/* Where the frame of a system call or trap of a thread with this stack_top lies. */
static inline struct trap_frame *trap_user_frame(u64 stack_top)
{
    return (struct trap_frame *)(stack_top - FRAME_SIZE);
}

const char *trap_name(u64 vector);
/* Registers of frame, in the log and on the console when panicking. */
void trap_print(const struct trap_frame *frame);

/* Called by assembly. */
void trap_dispatch(struct trap_frame *frame);
void trap_dispatch_paranoid(struct trap_frame *frame);
void trap_dispatch_syscall(struct trap_frame *frame);
void trap_return_to_user(struct trap_frame *frame);

#endif
#endif
