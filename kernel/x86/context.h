/*
 * context.h: the machine's part of a thread: saved registers, x87/SSE state, segment bases.
 *
 * User programs' x87 and SSE registers are saved and loaded at every switch (eager: no lazy state
 * to leak). The kernel itself never touches them. => Callers cannot be preempted: they are in the
 * kernel.
 */
#ifndef KERNEL_X86_CONTEXT_H
#define KERNEL_X86_CONTEXT_H

#include "lib/types.h"

/* Leave this stack for the one saved at load_sp; returns when somebody switches back. => Interrupts
 * off. */
void context_switch(u64 *save_sp, u64 load_sp);
/* The saved stack pointer of a new thread that will run first(arg), which must not return. */
u64 context_prepare(u64 stack_top, void (*first)(void *arg), void *arg);

/* What the next entry from user mode finds as its stack. */
void context_set_kernel_stack(u64 stack_top);
/* User FS and GS bases into the CPU. => Interrupts off or not; both must be user addresses. */
void context_set_user_bases(u64 fs_base, u64 gs_base);

void fpu_save(u8 *area); /* 512 bytes, 16-byte aligned */
void fpu_load(const u8 *area);
void fpu_init_area(u8 *area); /* what a new program starts with */
/* The running thread's registers: as an image, which a switch may write again meanwhile; from an image that is good, or (NULL)
 * those of a new program. */
const u8 *fpu_save_current(void);
void fpu_set_current(const u8 *area);
/* The running thread's x87 (or simd: SSE) exceptions that are raised and not masked: bit 0 invalid, 1 denormal, 2 division by
 * zero, 3 overflow, 4 underflow, 5 precision. */
u32 fpu_exceptions(bool simd);
u32 fpu_mxcsr_mask(void); /* MXCSR bits that may be set; others in a loaded area would fault */

#endif
