/*
 * mmu.h: the verbs through which kernel/mm talks to the machine's address translation.
 *
 * In the hardware layouts the table that mm keeps is the one the CPU walks, and fill is nothing (or
 * one invlpg). In a software-walked layout the CPU's table is a cache beside it. mm does not know
 * which. A space is guarded by its mm.lock for attach, detach and switch; fill runs under the leaf
 * table's lock.
 */
#ifndef KERNEL_X86_MMU_H
#define KERNEL_X86_MMU_H

#include "lib/types.h"

struct mmu_space {
    paddr_t root; /* what CR3 holds while this space runs */
    u64 cpus;     /* bit n: CPU n may hold translations of it */
};

/* Make space usable with the table whose top-level page is at root: enters the kernel half. 0 or
 * -ENOMEM. */
int mmu_attach(struct mmu_space *space, paddr_t root);
/* No CPU runs it any more (this CPU is moved to the kernel's own table if need be). */
void mmu_detach(struct mmu_space *space);
/* Run this CPU on space; NULL: the kernel's own table. */
void mmu_switch(struct mmu_space *space);
/* The entry for addr has just been set from none, or got more rights: a spurious fault is allowed.
 * */
void mmu_fill(struct mmu_space *space, vaddr_t addr, pte_t entry);
/* Translations of [start, end) must be gone on every CPU when this returns. Returns the number of
 * other CPUs that had to be interrupted. */
unsigned mmu_drop(struct mmu_space *space, vaddr_t start, vaddr_t end);
unsigned mmu_drop_all(struct mmu_space *space);
/* Bring the accessed and dirty bits of [start, end) into mm's entries. Nothing to do in hardware
 * layouts. */
void mmu_harvest(struct mmu_space *space, vaddr_t start, vaddr_t end);
/* Panics if the kernel half of space differs from the kernel's own. */
void mmu_check(const struct mmu_space *space);

#endif
