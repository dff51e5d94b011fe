/*
 * irq.c: the 8259 interrupt controllers, as every PC still has them (Intel 8259A data sheet).
 *
 *      CPU <- master, lines 0-7 (2 is the slave) <- slave, lines 8-15
 *
 * Lines arrive at vectors TRAP_IRQ_BASE + line. A line that was raised and let go before it was
 * acknowledged shows up as line 7 or 15 with nothing in service: counted and dropped.
 */
#include "kernel/x86/irq.h"

#include "kernel/core/panic.h"
#include "kernel/core/upcall.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/trap.h"

enum {
    MASTER = 0x20,
    SLAVE = 0xa0, /* command ports; data is the next */
    INIT_WITH_ICW4 = 0x11,
    MODE_8086 = 1,
    END_OF_INTERRUPT = 0x20,
    READ_IN_SERVICE = 0x0b,
};

static u16 masked = 0xffff;
static u64 spurious; /* for a debugger */
static u64 counts[IRQ_LINES];

static void write_masks(void)
{
    outb(MASTER + 1, (u8)masked);
    outb(SLAVE + 1, (u8)(masked >> 8));
}

void irq_init(void)
{
    outb(MASTER, INIT_WITH_ICW4);
    outb(SLAVE, INIT_WITH_ICW4);
    outb(MASTER + 1, TRAP_IRQ_BASE);
    outb(SLAVE + 1, TRAP_IRQ_BASE + 8);
    outb(MASTER + 1, 1 << IRQ_CASCADE); /* where the slave is */
    outb(SLAVE + 1, IRQ_CASCADE);
    outb(MASTER + 1, MODE_8086);
    outb(SLAVE + 1, MODE_8086);
    masked = (u16) ~(1u << IRQ_CASCADE);
    write_masks();
}

void irq_line_enable(u32 line)
{
    ASSERT(line < IRQ_LINES, "line %u", line);
    u64 flags = irq_save();
    masked &= (u16) ~(1u << line);
    write_masks();
    irq_restore(flags);
}

void irq_line_disable(u32 line)
{
    ASSERT(line < IRQ_LINES, "line %u", line);
    u64 flags = irq_save();
    masked |= (u16)(1u << line);
    write_masks();
    irq_restore(flags);
}

static bool in_service(u32 line)
{
    u16 port = line < 8 ? MASTER : SLAVE;
    outb(port, READ_IN_SERVICE);
    return inb(port) >> (line & 7) & 1;
}

static void acknowledge(u32 line)
{
    if (line >= 8)
        outb(SLAVE, END_OF_INTERRUPT);
    outb(MASTER, END_OF_INTERRUPT);
}

u64 irq_count(u32 line)
{
    return READ_ONCE(counts[line]);
}

void irq_dispatch(u32 line, bool user)
{
    if ((line == 7 || line == 15) && !in_service(line)) {
        spurious++;
        if (line == 15)
            outb(MASTER, END_OF_INTERRUPT); /* the master did see its slave */
        return;
    }
    counts[line]++;
    acknowledge(line); /* before the handler: the lines are edges, and interrupts are off anyway */
    if (line == IRQ_TIMER)
        upcall_tick(user);
    else
        upcall_irq(line);
}
