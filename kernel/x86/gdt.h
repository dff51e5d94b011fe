/*
 * gdt.h: segments, the task-state segment and the stacks that exceptions switch to.
 */
#ifndef KERNEL_X86_GDT_H
#define KERNEL_X86_GDT_H

#include "lib/types.h"

/* Interrupt stack table: which exceptions never run on the stack they find. 0: none. */
enum gdt_ist { IST_NONE, IST_DOUBLE_FAULT, IST_NMI, IST_MACHINE_CHECK, IST_DEBUG, IST_COUNT };

void gdt_init(void); /* this CPU's tables; keeps the GS base */
void gdt_set_kernel_stack(u64 stack_top);

#endif
