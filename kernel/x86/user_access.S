/*
 * user_access.S: the instructions that touch user memory, and where to go on when one of them
 * faults.
 *
 * Each has a pair (instruction, continuation) in section .extable, which the page-fault handler
 * consults (traps.c). REP keeps its counter right at every step, so after a fault RCX says to the
 * byte what is left. Quadwords first, for speed; a fault in them falls back to bytes, which go on
 * exactly up to the bad one.
 */
#include "kernel/x86/smap.h"

        .macro  on_fault instruction, continuation
        .pushsection .extable, "a"
        .quad   \instruction, \continuation
        .popsection
        .endm

        .text
/* size_t user_access_copy(void *dst, const void *src, size_t n): bytes not copied */
        .globl  user_access_copy
user_access_copy:
        pushq   %rbp                    /* a frame, for backtraces through a fault */
        movq    %rsp, %rbp
        movq    %rdx, %rcx
        shrq    $3, %rcx
        andl    $7, %edx
        USER_ACCESS_BEGIN
1:      rep movsq
        movl    %edx, %ecx
2:      rep movsb
3:      USER_ACCESS_END
        movq    %rcx, %rax
        popq    %rbp
        ret
4:      leaq    (%rdx,%rcx,8), %rcx
        USER_ACCESS_BEGIN
        jmp     2b
        on_fault 1b, 4b
        on_fault 2b, 3b

/* size_t user_access_clear(void *dst, size_t n): bytes not cleared */
        .globl  user_access_clear
user_access_clear:
        pushq   %rbp
        movq    %rsp, %rbp
        movq    %rsi, %rcx
        shrq    $3, %rcx
        andl    $7, %esi
        xorl    %eax, %eax
        USER_ACCESS_BEGIN
1:      rep stosq
        movl    %esi, %ecx
2:      rep stosb
3:      USER_ACCESS_END
        movq    %rcx, %rax
        popq    %rbp
        ret
4:      leaq    (%rsi,%rcx,8), %rcx
        USER_ACCESS_BEGIN
        jmp     2b
        on_fault 1b, 4b
        on_fault 2b, 3b

/* long user_access_string(char *dst, const char *src, size_t n): length up to the NUL, n when there
 * is none in n bytes, -1 after a fault */
        .globl  user_access_string
user_access_string:
        pushq   %rbp
        movq    %rsp, %rbp
        xorl    %eax, %eax
        USER_ACCESS_BEGIN
1:      cmpq    %rdx, %rax
        je      4f
2:      movb    (%rsi,%rax), %cl
        movb    %cl, (%rdi,%rax)
        testb   %cl, %cl
        jz      4f
        incq    %rax
        jmp     1b
3:      movq    $-1, %rax
4:      USER_ACCESS_END
        popq    %rbp
        ret
        on_fault 2b, 3b

        .section .note.GNU-stack, "", @progbits
