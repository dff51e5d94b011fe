/*
 * paging.h: the kernel half of every address space.
 *
 * Its top-level entries are all made by paging_init and never change; user spaces copy them. Below
 * them only the region of kernel stacks changes (stack.c).
 */
#ifndef KERNEL_X86_PAGING_H
#define KERNEL_X86_PAGING_H

#include "kernel/core/boot_info.h"

/* Leave the early tables: direct map, kernel image with exact rights, struct page array, stack
 * region. */
void paging_init(const struct boot_info *info);
paddr_t paging_root(void); /* the kernel's own table */
/* Panics if a page of the kernel half is both writable and executable, or is the user's. */
void paging_check(void);
/* The lowest entry for addr with its level, 0 when nothing is mapped. */
u64 paging_lookup(vaddr_t addr, int *level);

#endif
