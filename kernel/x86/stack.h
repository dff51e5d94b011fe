/*
 * stack.h: kernel stacks with a guard page below each.
 *
 *      STACKS_BASE + n * 32 KiB    guard (16 KiB, never mapped)
 *                   + 16 KiB       stack, THREAD_STACK_SIZE
 *
 * => Does not sleep. Takes the page allocator's lock and its own.
 */
#ifndef KERNEL_X86_STACK_H
#define KERNEL_X86_STACK_H

#include "lib/types.h"

enum { THREAD_STACK_SIZE = 16384 };

void stack_init(void);
void *stack_alloc(void); /* its lowest byte; NULL without memory */
void stack_free(void *stack);
/* Is addr in the guard of a stack (the boot stack included)? Safe in any context. */
bool stack_is_guard(vaddr_t addr);

#endif
