/*
 * traps.c: what each trap means. traps.S builds the frame and calls one of the three dispatchers.
 *
 *      from user mode    page fault: upcall_user_fault; others: upcall_user_exception (a signal)
 *      from the kernel   page fault of a user copy: repaired, or the copy ends; all else: panic
 *      interrupts        irq.c
 *
 * QEMU's emulated CPU (7.2 at least) makes the stack accesses of a program's far return and IRET with
 * the kernel's rights. SMAP refuses them, and no entry can help. Such a fault has no U in its code though
 * user mode made it; the instruction is then made again with SMAP off, which is on again with the next entry.
 * The kernel itself never runs without.
 *
 * Going back to user mode is always by trap_return_to_user, which lets proc deliver signals and
 * then makes the frame safe for IRET and SYSRET, whatever proc or a program put there.
 */
#include "kernel/x86/trap.h"

#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/mm/layout.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/gdt.h"
#include "kernel/x86/irq.h"
#include "kernel/x86/stack.h"

struct gate {
    u16 offset_low, selector;
    u8 ist, type;
    u16 offset_middle;
    u32 offset_high, reserved;
};
_Static_assert(sizeof(struct gate) == 16, "IDT gate");

enum { GATE_INTERRUPT = 0x8e, GATE_USER = 0x60 }; /* present, 64-bit interrupt gate; DPL 3 */
enum { STUB_SIZE = 16 };

struct extable_entry {
    u64 instruction, continuation;
};

extern u8 trap_stubs[];
extern const struct extable_entry extable_start[], extable_end[];
void syscall_entry(void);

static struct gate idt[TRAP_VECTORS];

#define FRAME_OFFSET(field, offset)                                                                \
    _Static_assert(offsetof(struct trap_frame, field) == (offset), "trap frame: " #field)
FRAME_OFFSET(r11, FRAME_R11);
FRAME_OFFSET(rcx, FRAME_RCX);
FRAME_OFFSET(vector, FRAME_SAVED_REGISTERS);
FRAME_OFFSET(error, FRAME_ERROR);
FRAME_OFFSET(rip, FRAME_RIP);
FRAME_OFFSET(cs, FRAME_CS);
FRAME_OFFSET(rflags, FRAME_RFLAGS);
FRAME_OFFSET(rsp, FRAME_RSP);
_Static_assert(sizeof(struct trap_frame) == FRAME_SIZE, "trap frame");
_Static_assert(offsetof(struct cpu, self) == 0 && offsetof(struct cpu, user_rsp) == 8 &&
                   offsetof(struct cpu, kernel_rsp) == 16,
               "traps.S and this_cpu() know these");

static u8 gate_ist(unsigned vector)
{
    switch (vector) {
    case TRAP_DOUBLE_FAULT:
        return IST_DOUBLE_FAULT;
    case TRAP_NMI:
        return IST_NMI;
    case TRAP_MACHINE_CHECK:
        return IST_MACHINE_CHECK;
    case TRAP_DEBUG:
        return IST_DEBUG;
    default:
        return IST_NONE;
    }
}

static void set_gate(unsigned vector)
{
    u64 stub = (u64)trap_stubs + STUB_SIZE * vector;
    bool user =
        vector == TRAP_BREAKPOINT || vector == TRAP_OVERFLOW; /* INT3 and INTO are for programs */
    idt[vector] = (struct gate){
        .offset_low = (u16)stub,
        .offset_middle = (u16)(stub >> 16),
        .offset_high = (u32)(stub >> 32),
        .selector = SELECTOR_KERNEL_CODE,
        .ist = gate_ist(vector),
        .type = GATE_INTERRUPT | (user ? GATE_USER : 0),
    };
}

void trap_init(void)
{
    struct {
        u16 limit;
        u64 base;
    } __attribute__((packed)) pointer = {sizeof(idt) - 1, (u64)idt};
    gdt_init();
    for (unsigned v = 0; v < TRAP_VECTORS; v++)
        set_gate(v);
    __asm__ volatile("lidt %0" : : "m"(pointer));
}

void syscall_init(void)
{
    wrmsr(MSR_STAR, (u64)SELECTOR_USER_CODE32 << 48 | (u64)SELECTOR_KERNEL_CODE << 32);
    wrmsr(MSR_LSTAR, (u64)syscall_entry);
    wrmsr(MSR_CSTAR, 0); /* 32-bit programs do not exist here */
    wrmsr(MSR_FMASK,
          RFLAGS_TF | RFLAGS_IF | RFLAGS_DF | RFLAGS_IOPL | RFLAGS_NT | RFLAGS_RF | RFLAGS_AC);
}

/* Where to go on after a fault at rip, or 0. */
static u64 extable_find(u64 rip)
{
    for (const struct extable_entry *e = extable_start; (u64)e < (u64)extable_end; e++) {
        if (e->instruction == rip)
            return e->continuation;
    }
    return 0;
}

static void user_page_fault(struct trap_frame *frame)
{
    vaddr_t addr = read_cr2(); /* before interrupts can bring another fault */
    if (frame->error & FAULT_CODE_RESERVED)
        panic_trap(frame, "damaged page table: reserved bits on the way to %#lx", addr);
    irq_enable();
    bool again = upcall_user_fault(frame, addr, (u32)frame->error);
    ASSERT(again, "a fault of user mode at %#lx was neither repaired nor signalled", addr);
}

static const char *fault_kind(vaddr_t addr, u64 error)
{
    if (addr < PAGE_SIZE)
        return "null pointer";
    if (stack_is_guard(addr))
        return "stack overflow";
    if (addr < USER_LIMIT)
        return "user address outside of a user copy";
    if (error & FAULT_CODE_RESERVED)
        return "damaged page table";
    if (error & FAULT_CODE_FETCH)
        return "not executable";
    if ((error & FAULT_CODE_WRITE) && (error & FAULT_CODE_PRESENT))
        return "not writable";
    return "nothing mapped there";
}

static void kernel_page_fault(struct trap_frame *frame)
{
    vaddr_t addr = read_cr2();
    u64 continuation = addr < USER_LIMIT ? extable_find(frame->rip) : 0;
    if (!continuation)
        panic_trap(frame, "page fault in the kernel: %s %#lx (%s)",
                   frame->error & FAULT_CODE_FETCH   ? "execute"
                   : frame->error & FAULT_CODE_WRITE ? "write"
                                                     : "read",
                   addr, fault_kind(addr, frame->error));
    bool repaired = false;
    if (!this_cpu()->in_usercopy_atomic && (frame->rflags & RFLAGS_IF)) {
        irq_enable();
        repaired = upcall_user_fault(frame, addr, (u32)frame->error);
        irq_disable();
    }
    if (!repaired)
        frame->rip = continuation;
}

static void user_trap(struct trap_frame *frame)
{
    if (frame->vector == TRAP_PAGE_FAULT) {
        user_page_fault(frame);
        return;
    }
    irq_enable();
    upcall_user_exception(frame, (u32)frame->vector);
}

/* Did user mode make this access with the kernel's rights? */
static bool accessed_as_kernel(const struct trap_frame *frame)
{
    return frame->vector == TRAP_PAGE_FAULT && !(frame->error & FAULT_CODE_USER);
}

/* => interrupts off. */
static void smap_lift(void)
{
    u64 cr4 = read_cr4();
    this_cpu()->smap_lifted = cr4 & CR4_SMAP;
    write_cr4(cr4 & ~(u64)CR4_SMAP);
}

/* => interrupts off. */
static inline void smap_restore(void)
{
    if (likely(!this_cpu()->smap_lifted))
        return;
    this_cpu()->smap_lifted = false;
    write_cr4(read_cr4() | CR4_SMAP);
}

void trap_dispatch(struct trap_frame *frame)
{
    smap_restore();
    u64 vector = frame->vector;
    if (vector >= TRAP_IRQ_BASE && vector < TRAP_IRQ_BASE + IRQ_LINES)
        irq_dispatch((u32)vector - TRAP_IRQ_BASE, trap_from_user_mode(frame));
    else if (trap_from_user_mode(frame))
        user_trap(frame);
    else if (vector == TRAP_PAGE_FAULT)
        kernel_page_fault(frame);
    else if (vector < TRAP_IRQ_BASE)
        panic_trap(frame, "%s in the kernel (error code %#lx)", trap_name(vector), frame->error);
    /* vectors above the device lines: nobody sends them; a stray one is dropped */
    if (trap_from_user_mode(frame))
        trap_return_to_user(frame);
}

void trap_dispatch_paranoid(struct trap_frame *frame)
{
    CHECK(this_cpu()->self == this_cpu(), "GS %#lx is not the kernel's", rdmsr(MSR_GS_BASE));
    if (frame->vector ==
        TRAP_DEBUG) { /* a user's trace flag or breakpoint that struck just inside */
        frame->rflags &= ~(u64)RFLAGS_TF;
        return;
    }
    if (frame->vector == TRAP_DOUBLE_FAULT && stack_is_guard(read_cr2()))
        panic_trap(frame, "kernel stack overflow in thread %s at %#lx", this_cpu()->thread_name,
                   read_cr2());
    panic_trap(frame, "%s (address %#lx)", trap_name(frame->vector), read_cr2());
}

void trap_dispatch_syscall(struct trap_frame *frame)
{
    smap_restore();
    irq_enable();
    upcall_syscall(frame);
    trap_return_to_user(frame);
}

/* Called with interrupts on or off; returns with them off and with a frame that IRET cannot fault
 * on. */
void trap_return_to_user(struct trap_frame *frame)
{
    for (;;) {
        irq_enable();
        CHECK(this_cpu()->preempt_depth == 0, "%u spin locks on the way to user mode",
              this_cpu()->preempt_depth);
        upcall_return_to_user(frame);
        if (likely(frame->rip < USER_LIMIT))
            break;
        /* Not canonical, or the kernel's: IRET would fault, so the fault is told beforehand. */
        frame->error = 0;
        frame->vector = TRAP_GENERAL_PROTECTION;
        upcall_user_exception(frame, TRAP_GENERAL_PROTECTION);
    }
    irq_disable();
    frame->cs = SELECTOR_USER_CODE;
    frame->ss = SELECTOR_USER_DATA;
    frame->rflags = (frame->rflags & RFLAGS_USER) | RFLAGS_IF | RFLAGS_FIXED;
    if (unlikely(accessed_as_kernel(frame)))
        smap_lift();
}
