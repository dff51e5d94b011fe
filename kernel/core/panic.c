/*
 * panic.c: the last words.
 *
 *      panic: MESSAGE
 *        rip ... (registers, when a trap brought us here)
 *        #0 walk_pte+0x31
 *        #1 walk_range+0x9c ...
 *
 * to the log (COM2) and the console (COM1), then the record "panic MESSAGE" to the result channel,
 * and the end of the machine. Nothing here allocates, sleeps, takes a lock or trusts the stack:
 * frame pointers are followed only while they climb, aligned, through mapped memory of the stack
 * they began on. A panic inside a panic ends the machine at once with a record of its own; a third
 * just stops.
 */
#include "kernel/core/panic.h"

#include <stdarg.h>

#include "kernel/core/printk.h"
#include "kernel/core/symbols.h"
#include "kernel/core/upcall.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/paging.h"
#include "kernel/x86/trap.h"
#include "lib/format.h"
#include "lib/string.h"

enum { MESSAGE_MAX = 512, BACKTRACE_MAX = 32 };

static u32 panics;
static char record[sizeof("panic ") + MESSAGE_MAX];
static char *const message = record + sizeof("panic ") - 1;
static char line[MESSAGE_MAX + 16];

static void print_v(const char *fmt, va_list ap)
{
    format_to_v(line, sizeof(line), fmt, ap);
    printk("%s", line);
    upcall_console_panic(line);
}

void panic_print(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_v(fmt, ap);
    va_end(ap);
}

/* Interrupts off, locks broken, and no way back. */
static void begin(void)
{
    irq_disable();
    panics++;
    if (panics > 2)
        cpu_halt();
    printk_enter_panic();
    if (panics > 1) {
        printk("\npanic: another one while panicking\n");
        upcall_machine_end("panic inside a panic");
    }
}

/* Format into the record, which is one line. */
static void set_message(const char *fmt, va_list ap)
{
    memcpy(record, "panic ", sizeof("panic ") - 1);
    format_to_v(message, MESSAGE_MAX, fmt, ap);
    for (char *c = message; *c; c++) {
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    }
}

static void print_place(u32 n, u64 address, bool is_return)
{
    u64 offset;
    /* A return address may be the first byte of the next function: look up the call before it. */
    const char *name = symbol_find(is_return ? address - 1 : address, &offset);
    if (name)
        panic_print("  #%-2u %s+0x%lx (%lx)\n", n, name, offset + is_return, address);
    else
        panic_print("  #%-2u %lx\n", n, address);
}

static bool is_mapped(u64 address)
{
    int level;
    return (s64)address < 0 && paging_root().v && paging_lookup(address, &level);
}

/* Whether two words can be read at frame pointer bp. Before the kernel's own tables, everything
 * near is mapped. */
static bool is_frame(u64 bp)
{
    if (bp % 8 || bp + 16 < bp)
        return false;
    if (!paging_root().v)
        return bp >= 0xffffffff80000000ul;
    return is_mapped(bp) && is_mapped(bp + 15);
}

static void print_backtrace(u64 bp, u32 n)
{
    while (n < BACKTRACE_MAX && is_frame(bp)) {
        const u64 *frame = (const u64 *)bp;
        if (!frame[1])
            break;
        print_place(n++, frame[1], true);
        if (frame[0] <= bp)
            break; /* stacks only climb */
        bp = frame[0];
    }
}

/* Has the code at rip made no frame? So it is before a function's first instruction (push %rbp), in
 * a small function that never makes one, and after a jump to where no code is. The return address
 * is on top of the stack then. */
static bool is_frameless(u64 rip)
{
    enum { PUSH_RBP = 0x55 };
    u64 offset;
    return !symbol_find(rip, &offset) || !offset || *(const u8 *)(rip - offset) != PUSH_RBP;
}

/* Where the trap struck, and how the kernel got there. */
static void print_trap_backtrace(const struct trap_frame *frame)
{
    u32 n = 0;
    u64 offset;
    print_place(n++, frame->rip, false);
    if (trap_from_user_mode(frame))
        return;
    if (is_frameless(frame->rip) && is_frame(frame->rsp)) {
        u64 top = *(const u64 *)frame->rsp;
        if (symbol_find(top - 1, &offset))
            print_place(n++, top, true);
    }
    print_backtrace(frame->rbp, n);
}

static NORETURN void finish(void)
{
    upcall_machine_end(record);
}

void panic(const char *fmt, ...)
{
    va_list ap;
    begin();
    va_start(ap, fmt);
    set_message(fmt, ap);
    va_end(ap);
    panic_print("panic: %s\n", message);
    panic_print("  CPU %u, thread %s\n", this_cpu()->id, this_cpu()->thread_name);
    print_backtrace((u64)__builtin_frame_address(0), 0);
    finish();
}

void panic_trap(const struct trap_frame *frame, const char *fmt, ...)
{
    va_list ap;
    begin();
    va_start(ap, fmt);
    set_message(fmt, ap);
    va_end(ap);
    panic_print("panic: %s\n", message);
    panic_print("  CPU %u, thread %s\n", this_cpu()->id, this_cpu()->thread_name);
    trap_print(frame);
    print_trap_backtrace(frame);
    finish();
}

void panic_refuse(const char *fmt, ...)
{
    va_list ap;
    begin();
    va_start(ap, fmt);
    set_message(fmt, ap);
    va_end(ap);
    panic_print("%s\n", message);
    finish();
}
