/*
 * space.h: what mmap, munmap, mprotect, brk, exit and the fault share among themselves. Other
 * rooms use mm.h.
 */
#ifndef KERNEL_MM_SPACE_H
#define KERNEL_MM_SPACE_H

#include "kernel/core/knob.h"
#include "kernel/mm/mm.h"

/* ---- munmap.c: taking a range out, in two halves ---- */

struct unmap_part {
    vaddr_t start, end; /* start == end: nothing */
};

struct unmap {
    vaddr_t start, end;
    struct vma *spare;           /* A4 needs one more VMA */
    struct unmap_part low, high; /* cut off a VMA that stays below, above */
    struct list_head dead;       /* VMAs gone whole, in order */
    struct vma *prev, *next;     /* neighbours of the range afterwards */
    u64 pages, accounted;
};

/* Reserve all that taking [start, end) out needs; first: the first VMA that ends above start. 0;
 * -ENOMEM: nothing changed and nothing is held. An unmap that was prepared must be performed or
 * dropped. => mm.lock held for write until then. */
int unmap_prepare(struct mm *mm, struct unmap *unmap, struct vma *first, vaddr_t start,
                  vaddr_t end);
void unmap_drop(struct unmap *unmap);
void unmap_perform(struct mm *mm, struct unmap *unmap); /* does not fail; may sleep */
/* Exit: everything. */
void unmap_all(struct mm *mm);

/* ---- mmap.c ---- */

extern struct knob max_map_count_knob, mmap_min_addr_knob;

static inline bool map_count_full(const struct mm *mm,
                                  u32 more) /* would `more` splits go past the limit? */
{
    return mm->vmas.count + more > knob_value(&max_map_count_knob);
}

/* Let a neighbour of the free range take shape in. True: done, and the shape's file reference was
 * dropped. */
bool mm_merge_shape(struct mm *mm, const struct vma_shape *shape, struct vma *prev,
                    struct vma *next);
/* Make vma, fresh from vma_alloc, what shape says, below next. It takes over the shape's file
 * reference. => mm.lock held for write, for both. */
void mm_insert_shape(struct mm *mm, const struct vma_shape *shape, struct vma *next,
                     struct vma *vma);
/* Fault pages in as MAP_POPULATE does; stops silently where one can't be had. => mm.lock not held.
 * */
void mm_populate(struct mm *mm, vaddr_t start, vaddr_t end);

/* ---- commit.c: promises of private memory (vm.overcommit_memory) ---- */

extern struct knob overcommit_knob;
enum overcommit_mode { OVERCOMMIT_GUESS, OVERCOMMIT_ALWAYS, OVERCOMMIT_NEVER };

int commit_charge(const struct mm *mm, u64 pages); /* 0 or -ENOMEM */
void commit_return(u64 pages);
u64 commit_total(void);
u64 commit_limit(void); /* what mode 2 allows, before the reserve */

static inline bool
commit_counts(u32 flags) /* memory that has to be promised when it is mapped so */
{
    return (flags & (VM_NORESERVE | VM_SHARED | VM_WRITE)) == VM_WRITE;
}

/* ---- shared.c: anonymous memory that is shared ---- */

void shared_init_once(void);
/* A nameless file of this many pages, one reference; NULL without memory. */
struct mm_file *shared_create(const struct mm *mm, u64 pages, bool reserve);

/* ---- fault.c ---- */

/* As mm_fault, but not counted, and with force as if the VMA could be written (private memory
 * only). */
enum fault_result fault_in(struct mm *mm, vaddr_t addr, enum fault_access access, bool force);

/* ---- query.c ---- */

/* Add up what vma's entries lead to. => mm.lock held. */
void query_usage(struct mm *mm, const struct vma *vma, struct mm_usage *usage);

/* ---- stack.c ---- */

/* Make the stack above addr reach down to it. FAULT_RETRY, or FAULT_MAPERR. => mm.lock not held. */
enum fault_result stack_grow(struct mm *mm, vaddr_t addr);

#endif
