/*
 * traps.S: the ways into the kernel and back: exceptions, interrupts, SYSCALL.
 *
 * All build a struct trap_frame (trap.h) on the kernel stack:
 *
 *      stack top ->  ss  rsp  rflags  cs  rip      the CPU, or the SYSCALL path by hand
 *                    error  vector                 the CPU or the stub
 *                    rdi rsi rdx rcx rax r8 ... r15 = struct trap_frame *
 *
 * GS. The kernel's GS base (struct cpu) must be in place before the first this_cpu(), and the
 * user's when user mode runs again. An ordinary entry looks at the CS it came from: user mode means
 * SWAPGS. That is wrong for what can strike between SYSCALL or IRET and their SWAPGS, where CS is
 * the kernel's and GS still the user's: NMI, #MC, #DB, #DF. These run on stacks of their own (IST)
 * and look at GS itself: kernel addresses are negative, and a user cannot set a negative base
 * (arch_prctl refuses, CR4.FSGSBASE is clear). Intel SDM volume 3, sections 5.8.8 and 6.14.
 */
#include "kernel/x86/smap.h"
#include "kernel/x86/trap.h"

#define CPU_USER_RSP 8                  /* struct cpu; asserted in traps.c */
#define CPU_KERNEL_RSP 16
#define MSR_GS_BASE 0xc0000101

        .macro  push_registers
        pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %rax
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        pushq   %rbx
        pushq   %rbp
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        .endm

        .macro  pop_registers
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbp
        popq    %rbx
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rax
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        .endm

        .text

/* One stub for each vector, 16 bytes apart: trap_stubs + 16 * vector. Stack: ss rsp rflags cs rip
 * [error]. */
        .balign 16
        .globl trap_stubs
trap_stubs:
        .set    vector, 0
        .rept   TRAP_VECTORS
        .balign 16
        .set    has_code, vector == 8 || (vector >= 10 && vector <= 14) || vector == 17
        .set    has_code, has_code || vector == 21 || vector == 29 || vector == 30
        .if     !has_code
        pushq   $0                      /* no error code from the CPU */
        .endif
        pushq   $vector
        .if     vector == TRAP_NMI || vector == TRAP_DOUBLE_FAULT || vector == TRAP_MACHINE_CHECK
        jmp     paranoid_entry
        .elseif vector == TRAP_DEBUG
        jmp     debug_entry
        .else
        jmp     trap_entry
        .endif
        .set    vector, vector + 1
        .endr

/* Stack: ss rsp rflags cs rip error vector <- RSP */
trap_entry:
        testb   $3, FRAME_CS - FRAME_SAVED_REGISTERS(%rsp)
        jz      trap_entry_swapped
        swapgs
trap_entry_swapped:
        push_registers
        cld
        USER_ACCESS_END                 /* AC may be set: by a program, or inside a user copy */
        testb   $3, FRAME_CS(%rsp)
        jz      1f
        xorl    %ebp, %ebp              /* backtraces end here, not in the program */
1:      movq    %rsp, %rdi
        call    trap_dispatch
        testb   $3, FRAME_CS(%rsp)
        jnz     return_by_iret          /* interrupts are off: trap_return_to_user */
        pop_registers
        addq    $16, %rsp               /* vector, error */
        iretq

/* To user mode from the frame at RSP, all of it. Interrupts off. */
return_by_iret:
        pop_registers
        addq    $16, %rsp
        swapgs
        iretq

/* #DB on its IST stack. From user mode it goes on as any trap, on the thread's stack. Stack as
 * trap_entry. */
debug_entry:
        testb   $3, FRAME_CS - FRAME_SAVED_REGISTERS(%rsp)
        jz      paranoid_entry
        swapgs
        movq    %rax, %gs:CPU_USER_RSP
        movq    %rsp, %rax
        movq    %gs:CPU_KERNEL_RSP, %rsp
        pushq   48(%rax)                /* ss */
        pushq   40(%rax)                /* rsp */
        pushq   32(%rax)                /* rflags */
        pushq   24(%rax)                /* cs */
        pushq   16(%rax)                /* rip */
        pushq   8(%rax)                 /* error */
        pushq   (%rax)                  /* vector */
        movq    %gs:CPU_USER_RSP, %rax
        jmp     trap_entry_swapped

/* NMI, #DF, #MC, and #DB in the kernel, on an IST stack, GS unknown. Stack as trap_entry. */
paranoid_entry:
        push_registers
        cld
        USER_ACCESS_END
        movl    $1, %ebx                /* EBX: GS is the kernel's already */
        movl    $MSR_GS_BASE, %ecx
        rdmsr
        testl   %edx, %edx
        js      3f
        swapgs
        xorl    %ebx, %ebx
3:      movq    %rsp, %rdi
        call    trap_dispatch_paranoid
        testl   %ebx, %ebx
        jnz     4f
        swapgs
4:      pop_registers
        addq    $16, %rsp
        iretq

/*
 * SYSCALL: RCX = user RIP, R11 = user RFLAGS, RSP still the user's, GS the user's, interrupts off
 * (FMASK). Nothing of the user's is trusted, and no stack is touched before the kernel's is in
 * place.
 */
        .globl  syscall_entry
syscall_entry:
        swapgs
        movq    %rsp, %gs:CPU_USER_RSP
        movq    %gs:CPU_KERNEL_RSP, %rsp
        pushq   $SELECTOR_USER_DATA
        pushq   %gs:CPU_USER_RSP
        pushq   %r11
        pushq   $SELECTOR_USER_CODE
        pushq   %rcx
        pushq   %rax                    /* error: the number */
        pushq   $TRAP_SYSCALL
        push_registers
        xorl    %ebp, %ebp
        movq    %rsp, %rdi
        call    trap_dispatch_syscall   /* returns with interrupts off */

        /* SYSRET can only give back RIP = RCX and RFLAGS = R11, and must not see a RIP that is not
         * canonical (it would fault in kernel mode on the user's stack) or trace and resume flags.
         * trap_return_to_user has checked RIP; anything unusual (after a signal, say) goes by IRET.
         * */
        movq    FRAME_RIP(%rsp), %rax
        cmpq    %rax, FRAME_RCX(%rsp)
        jne     return_by_iret
        movq    FRAME_RFLAGS(%rsp), %rax
        cmpq    %rax, FRAME_R11(%rsp)
        jne     return_by_iret
        testl   $0x10100, %eax          /* RF, TF */
        jnz     return_by_iret
        pop_registers
        movq    FRAME_RSP - FRAME_SAVED_REGISTERS(%rsp), %rsp /* the user's */
        swapgs
        sysretq

/* enter_user(frame): see trap.h. The frame stays where it is; the stack below it is free. */
        .globl  enter_user_frame
enter_user_frame:
        movq    %rdi, %rsp
        xorl    %ebp, %ebp
        call    trap_return_to_user
        jmp     return_by_iret

        .section .note.GNU-stack, "", @progbits
