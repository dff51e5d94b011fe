/*
 * switch.S: from one kernel stack to another, and the FXSAVE area.
 *
 * context_switch saves only what a C function must keep (System V ABI); the rest was saved by its
 * caller. A thread that does not run looks like this:
 *
 *      saved RSP ->  r15 r14 r13 r12 rbx rbp  return address
 *
 * A new thread's return address is context_first_run, with RBX = function and R12 = argument
 * (context_prepare in context.c builds that).
 */
        .text
/* void context_switch(u64 *save_sp, u64 load_sp) */
        .globl  context_switch
context_switch:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret

/* Stack: empty, RSP = stack top. */
        .globl  context_first_run
context_first_run:
        xorl    %ebp, %ebp              /* backtraces end here */
        movq    %r12, %rdi
        call    *%rbx
        ud2                             /* it never returns */

/* void fpu_save(u8 area[512]); void fpu_load(const u8 area[512]): 16-byte aligned */
        .globl  fpu_save
fpu_save:
        fxsave64 (%rdi)
        ret
        .globl  fpu_load
fpu_load:
        fxrstor64 (%rdi)
        ret

        .section .note.GNU-stack, "", @progbits
