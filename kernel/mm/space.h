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
    bool keep_tables;            /* empty ones too: others are about to use them */
    bool moved;                  /* the pages went elsewhere, and the promises with them */
    struct vma *spare;           /* A4 needs one more VMA */
    struct unmap_part low, high; /* cut off a VMA that stays below, above */
    struct list_head dead;       /* VMAs gone whole, in order */
    struct vma *prev, *next;     /* neighbours of the range afterwards */
    u64 pages, accounted;
};

/* Say what to unmap, without reserving. True: it takes a spare VMA, which the caller finds. */
bool unmap_begin(struct unmap *unmap, struct vma *first, vaddr_t start, vaddr_t end);
/* Reserve all that taking [start, end) out needs; first: the first VMA that ends above start. 0;
 * -ENOMEM: nothing changed and nothing is held. An unmap that was prepared must be performed.
 * => mm.lock held for write until then. */
int unmap_prepare(struct mm *mm, struct unmap *unmap, struct vma *first, vaddr_t start,
                  vaddr_t end);
void unmap_perform(struct mm *mm, struct unmap *unmap); /* does not fail; may sleep */
/* Both at once. 0 or -ENOMEM. */
int unmap_range(struct mm *mm, struct vma *first, vaddr_t start, vaddr_t end);
/* Exit: everything. */
void unmap_all(struct mm *mm);
/* Take the pages of a part of vma out; it stays, and so do the tables. spare_anon: but not private
 * copies. => mm.lock held, or the file's map_lock. */
void unmap_pages(struct vma *vma, vaddr_t start, vaddr_t end, bool spare_anon);

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
/* mm_mmap's work. => mm.lock held for write; the caller populates. */
long mmap_locked(struct mm *mm, const struct mmap_request *request);
/* Where mmap would put so many bytes without MAP_FIXED; -ENOMEM. => mm.lock held for write. */
long mmap_place(struct mm *mm, vaddr_t hint, u64 length);

/* ---- populate.c ---- */

enum populate {
    POPULATE_MAP,    /* whatever can be had, as MAP_POPULATE does */
    POPULATE_LOCKED, /* the same, of what is locked */
    POPULATE_LOCK,   /* stop where a page can't be had: mlock's errno */
    POPULATE_READ,   /* the same, and at holes: madvise's */
    POPULATE_WRITE,
};
/* Fault the pages of [start, end) in. 0 or a negative errno. => mm.lock not held. */
int mm_populate(struct mm *mm, vaddr_t start, vaddr_t end, enum populate how);

/* ---- change.c: something for each VMA's part of a range ---- */

struct change {
    vaddr_t start, end;
    /* What to do; *vma is the VMA that covers the part, then too. 0, or an errno that ends all. */
    int (*part)(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start, vaddr_t end);
    int no_vma;      /* part changes flags: the errno when a VMA can't be had for that; else 0 */
    bool skip_holes; /* go on after one; the answer is -ENOMEM all the same */
    u32 set, clear;  /* for part */
    struct vma *spare[2];
    unsigned spares;
};

/* From first on, which ends above start (NULL: none). => mm.lock held, for write with no_vma. */
int change_range(struct mm *mm, struct change *c, struct vma *first);
int change_call(struct mm *mm, struct change *c); /* the same; takes mm.lock */
/* Part [start, end) of *vma gets the flags, by merging or cutting. 0; no_vma: too many VMAs. */
int change_flags(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start, vaddr_t end,
                 u32 flags);
/* A part function: flags less c->clear and more c->set. */
int change_bits(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start, vaddr_t end);

/* ---- limit.c ---- */

/* So many pages of VMAs with these flags come, or (negative) go. => mm.lock held for write. */
void mm_account(struct mm *mm, u32 flags, s64 pages);
bool mm_is_kind(u32 flags, enum mm_kind kind);
/* Pages of [start, end) that VMAs with these flags have already. first: as for unmap_prepare. */
u64 mm_pages_in(struct mm *mm, struct vma *first, vaddr_t start, vaddr_t end, u32 flags);
/* May so many more come (RLIMIT_AS, RLIMIT_DATA)? */
bool mm_may_grow(const struct mm *mm, u32 flags, u64 pages);
/* May so many more be locked (RLIMIT_MEMLOCK)? Yes, if the flags are not VM_LOCKED. */
bool mm_may_lock(const struct mm *mm, u32 flags, u64 pages);

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

/* ---- stack.c ---- */

/* Make the stack above addr reach down to it. FAULT_RETRY, or FAULT_MAPERR. => mm.lock not held. */
enum fault_result stack_grow(struct mm *mm, vaddr_t addr);

#endif
