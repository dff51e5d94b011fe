/*
 * mmu.c: the verbs of mmu.h for tables that the CPU walks itself.
 *
 * What mm keeps is what the CPU reads, so filling and harvesting are nothing. A space's
 * translations can be in this CPU's TLB only while CR3 holds its root: without PCID every switch
 * drops all that is not global, and only the kernel's pages are global.
 *
 * space->cpus has a bit for each CPU that runs the space. Today there is one CPU; others would be
 * interrupted where drop_elsewhere counts them.
 */
#include "kernel/x86/mmu.h"

#include "kernel/core/panic.h"
#include "kernel/mm/layout.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/hwpt.h"
#include "kernel/x86/memory_map.h"
#include "kernel/x86/paging.h"
#include "lib/string.h"

/* Above this many pages, dropping all is cheaper than one by one. */
enum { DROP_SINGLY_MAX = 32 };

static u64 *kernel_half(paddr_t root)
{
    return (u64 *)phys_to_virt(root) + HW_KERNEL_HALF;
}

int mmu_attach(struct mmu_space *space, paddr_t root)
{
    memcpy(kernel_half(root), kernel_half(paging_root()),
           (HW_ENTRIES - HW_KERNEL_HALF) * sizeof(u64));
    space->root = root;
    space->cpus = 0;
    return 0;
}

void mmu_detach(struct mmu_space *space)
{
    if (this_cpu()->space == space)
        mmu_switch(NULL);
    ASSERT(!space->cpus, "CPUs %#lx still run a space that goes", space->cpus);
    memset(kernel_half(space->root), 0, (HW_ENTRIES - HW_KERNEL_HALF) * sizeof(u64));
    space->root.v = 0;
}

void mmu_switch(struct mmu_space *space)
{
    u64 flags = irq_save();
    struct cpu *cpu = this_cpu();
    struct mmu_space *old = cpu->space;
    if (old != space) {
        if (space)
            __atomic_fetch_or(&space->cpus, 1ul << cpu->id, __ATOMIC_SEQ_CST);
        cpu->space = space;
        write_cr3(space ? space->root.v : paging_root().v);
        if (old)
            __atomic_fetch_and(&old->cpus, ~(1ul << cpu->id), __ATOMIC_SEQ_CST);
    }
    irq_restore(flags);
}

void mmu_fill(struct mmu_space *space, vaddr_t addr, pte_t entry)
{
    (void)space; /* the CPU reads the entry itself, and again after any fault on an older one */
    (void)addr;
    (void)entry;
}

/* CPUs other than this one that run space, each of which would be interrupted. */
static unsigned drop_elsewhere(const struct mmu_space *space)
{
    u64 others = READ_ONCE(space->cpus) & ~(1ul << this_cpu()->id);
    ASSERT(!others, "CPUs %#lx cannot be interrupted", others);
    return 0;
}

unsigned mmu_drop(struct mmu_space *space, vaddr_t start, vaddr_t end)
{
    if ((end - start) / HW_PAGE_SIZE > DROP_SINGLY_MAX)
        return mmu_drop_all(space);
    if (this_cpu()->space == space) {
        for (vaddr_t addr = start; addr < end; addr += HW_PAGE_SIZE)
            invlpg(addr);
    }
    return drop_elsewhere(space);
}

unsigned mmu_drop_all(struct mmu_space *space)
{
    if (this_cpu()->space == space)
        write_cr3(read_cr3());
    return drop_elsewhere(space);
}

void mmu_harvest(struct mmu_space *space, vaddr_t start, vaddr_t end)
{
    (void)space; /* the CPU sets accessed and dirty in mm's entries */
    (void)start;
    (void)end;
}

void mmu_check(const struct mmu_space *space)
{
    const u64 *ours = kernel_half(space->root), *kernels = kernel_half(paging_root());
    for (unsigned i = 0; i < HW_ENTRIES - HW_KERNEL_HALF; i++)
        ASSERT((ours[i] | HW_A) == (kernels[i] | HW_A), "kernel entry %u is %#lx, should be %#lx",
               i + HW_KERNEL_HALF, ours[i], kernels[i]);
}
