/*
 * irq.h: device interrupt lines, by their ISA numbers, through the two 8259 controllers.
 *
 * The timer (line 0) goes to upcall_tick, every other line to upcall_irq, with interrupts off.
 */
#ifndef KERNEL_X86_IRQ_H
#define KERNEL_X86_IRQ_H

#include "lib/types.h"

enum { IRQ_LINES = 16, IRQ_TIMER = 0, IRQ_CASCADE = 2 };

void irq_init(void); /* all lines masked */
void irq_line_enable(u32 line);
void irq_line_disable(u32 line);
u64 irq_count(u32 line); /* interrupts that came on it */
void irq_dispatch(u32 line,
                  bool user); /* from traps.c, interrupts off; user: it struck user mode */

#endif
