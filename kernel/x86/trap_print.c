/*
 * trap_print.c: traps in words, for panics.
 */
#include "kernel/core/panic.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/trap.h"

static const char *const names[] = {
    "divide error",
    "debug trap",
    "non-maskable interrupt",
    "breakpoint",
    "overflow",
    "bound exceeded",
    "invalid opcode",
    "x87 not available",
    "double fault",
    "coprocessor overrun",
    "bad TSS",
    "segment not present",
    "stack segment fault",
    "general protection fault",
    "page fault",
    "reserved exception 15",
    "x87 error",
    "alignment check",
    "machine check",
    "SIMD error",
    "virtualization exception",
    "control protection",
};

const char *trap_name(u64 vector)
{
    return vector < ARRAY_SIZE(names) ? names[vector] : "exception";
}

void trap_print(const struct trap_frame *f)
{
    panic_print("  rip %016lx  cs %04lx  rflags %08lx  error %lx\n", f->rip, f->cs, f->rflags,
                f->error);
    panic_print("  rsp %016lx  ss %04lx  cr2 %016lx  cr3 %lx\n", f->rsp, f->ss, read_cr2(),
                read_cr3());
    panic_print("  rax %016lx  rbx %016lx  rcx %016lx\n", f->rax, f->rbx, f->rcx);
    panic_print("  rdx %016lx  rsi %016lx  rdi %016lx\n", f->rdx, f->rsi, f->rdi);
    panic_print("  rbp %016lx  r8  %016lx  r9  %016lx\n", f->rbp, f->r8, f->r9);
    panic_print("  r10 %016lx  r11 %016lx  r12 %016lx\n", f->r10, f->r11, f->r12);
    panic_print("  r13 %016lx  r14 %016lx  r15 %016lx\n", f->r13, f->r14, f->r15);
}
