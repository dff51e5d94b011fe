/*
 * vma.h: the set of mappings of one address space.
 *
 * A VMA is a range of user addresses with one set of rights and one source of contents. The store
 * keeps all VMAs in a tree and in a list (vma.c); vm.find chooses which is searched, both are
 * always kept up. It knows nothing of page tables. => mm.lock: write to change, read to look.
 */
#ifndef KERNEL_MM_VMA_H
#define KERNEL_MM_VMA_H

#include "kernel/core/knob.h"
#include "kernel/core/vmcount.h"
#include "kernel/mm/layout.h"
#include "lib/interval.h"
#include "lib/list.h"

enum vma_flags {
    VM_READ = 1 << 0,
    VM_WRITE = 1 << 1,
    VM_EXEC = 1 << 2,
    VM_SHARED = 1 << 3,
    VM_MAYREAD = 1 << 4, /* mprotect may give it */
    VM_MAYWRITE = 1 << 5,
    VM_MAYEXEC = 1 << 6,
    VM_MAYSHARE = 1 << 7, /* mapped MAP_SHARED (VM_SHARED is dropped when the file is read-only) */
    VM_GROWSDOWN = 1 << 8,
    VM_LOCKED = 1 << 9,
    VM_NORESERVE = 1 << 10,
    VM_ACCOUNT = 1 << 11,
    VM_LOCKONFAULT = 1 << 12, /* with VM_LOCKED: pages are not brought in beforehand */
    VM_DONTCOPY = 1 << 13,    /* fork leaves it out: MADV_DONTFORK */
    VM_WIPEONFORK = 1 << 14,  /* a child finds zeroes */
    VM_DONTDUMP = 1 << 15,
    VM_SEQ_READ = 1 << 16,
    VM_RAND_READ = 1 << 17,
    VM_RIGHTS = VM_READ | VM_WRITE | VM_EXEC, /* the same bits as PROT_ and RIGHT_ */
    VM_LOCK_BITS = VM_LOCKED | VM_LOCKONFAULT,
};

/* Set in anon_id: fork copied the pages. Such a VMA does not join one without an id, as in Linux, where it has an anon_vma
 * of the parent's as well as its own. */
#define ANON_ID_INHERITED (1u << 31)

struct mm_file; /* kernel/mm/mapping.h */

struct vma {
    vaddr_t start, end; /* [start, end), page aligned */
    struct rb_node node;
    u64 gap; /* largest free run directly below a VMA of this subtree, bytes */
    struct list_head link;
    u32 flags; /* enum vma_flags */
    /* Private pages were written under this id; 0: none yet. Neighbours with other ids stay two
     * VMAs, as in Linux. */
    u32 anon_id;
    pgoff_t pgoff; /* file page at start; private anonymous memory: start / PAGE_SIZE when made */
    struct mm_file *file;           /* holds a reference; NULL: anonymous */
    struct vma_store *store;        /* that it is in; mm_of(vma) is the address space */
    struct interval_node file_node; /* in mapping.vmas: the pages of the file */
};
_Static_assert(sizeof(struct vma) <= 128, "struct vma is two cache lines");

struct vma_store {
    struct rb_root tree;
    struct list_head list;
    struct vma *cache; /* last hit of a lookup; cleared whenever a VMA goes */
    u32 count;         /* what vm.max_map_count limits */
    struct vmcount *counts;
};

static inline u64 vma_pages(const struct vma *vma)
{
    return (vma->end - vma->start) >> PAGE_SHIFT;
}

static inline struct vma *vma_next(struct vma_store *store, struct vma *vma) /* NULL: the first */
{
    struct list_head *next = vma ? vma->link.next : store->list.next;
    return next == &store->list ? NULL : list_entry(next, struct vma, link);
}

static inline struct vma *vma_prev(struct vma_store *store, struct vma *vma) /* NULL: the last */
{
    struct list_head *prev = vma ? vma->link.prev : store->list.prev;
    return prev == &store->list ? NULL : list_entry(prev, struct vma, link);
}

static inline bool vma_accessible(const struct vma *vma)
{
    return vma->flags & VM_RIGHTS;
}

extern struct knob vma_find_knob; /* vm.find */
extern struct knob
    vma_stack_guard_knob; /* vm.stack_guard_gap, pages; boot only, since gaps are kept with it */
enum vma_find_mode { VMA_FIND_GAP, VMA_FIND_LIST };

/* ---- vma.c: the store ---- */

void vma_init_once(void);
void vma_store_init(struct vma_store *store, struct vmcount *counts);
struct vma *vma_alloc(struct vma_store *store); /* zeroed; NULL without memory; does not sleep */
void vma_free(struct vma *vma); /* in no store and no mapping; not its file reference */

/* Put vma, which overlaps nothing, directly before next (NULL: at the end), as vma_find or
 * vma_find_hole found it: the position in the tree follows from the two neighbours without another
 * search. */
void vma_insert(struct vma_store *store, struct vma *vma, struct vma *next);
void vma_erase(struct vma_store *store, struct vma *vma);
/* Change the bounds of a VMA in the store; pgoff follows start. Its neighbours stay clear of it. */
void vma_set_range(struct vma_store *store, struct vma *vma, vaddr_t start, vaddr_t end);
void vma_check(struct vma_store *store); /* everything from scratch; panics */

/* The lowest address that must stay free of others below vma: its start, or less by the guard gap
 * of a stack. */
vaddr_t vma_gap_end(const struct vma *vma);

/* ---- vma_find.c ---- */

/* The first VMA with end > addr, or NULL. */
struct vma *vma_find(struct vma_store *store, vaddr_t addr);
/* The same by the tree, and not counted: for those who show the VMAs to others. */
struct vma *vma_find_quiet(struct vma_store *store, vaddr_t addr);

struct vma_hole {
    u64 length;             /* wanted, not 0 */
    vaddr_t floor, ceiling; /* the hole lies in [floor, ceiling) */
    bool bottom_up;         /* the lowest place, not the highest */
    vaddr_t addr;           /* found */
    struct vma *next;       /* found: the VMA above, for vma_insert */
};
bool vma_find_hole(struct vma_store *store, struct vma_hole *hole); /* false: there is none */

/* ---- vma_merge.c ---- */

/* What a range is going to be. anon_id 0 gets on with any. */
struct vma_shape {
    vaddr_t start, end;
    u32 flags, anon_id;
    pgoff_t pgoff;
    struct mm_file *file;
};

/* What [start, end) is as a part of vma, or would be if vma went on to there. */
static inline struct vma_shape vma_part(const struct vma *vma, vaddr_t start, vaddr_t end)
{
    return (struct vma_shape){
        .start = start,
        .end = end,
        .flags = vma->flags,
        .anon_id = vma->anon_id,
        .pgoff = vma->pgoff + ((start - vma->start) >> PAGE_SHIFT),
        .file = vma->file,
    };
}

/* vma, which is in no store, becomes this. The file reference is the caller's to take. */
static inline void vma_take_shape(struct vma *vma, const struct vma_shape *shape)
{
    vma->start = shape->start;
    vma->end = shape->end;
    vma->flags = shape->flags;
    vma->anon_id = shape->anon_id;
    vma->pgoff = shape->pgoff;
    vma->file = shape->file;
}

/* The store and the file's mapping at once. The VMA holds a reference of its file. */
void vma_hook(struct vma_store *store, struct vma *vma, struct vma *next);
void vma_unhook(struct vma_store *store, struct vma *vma);
void vma_resize(struct vma_store *store, struct vma *vma, vaddr_t start, vaddr_t end);

/* Cut vma at addr: it keeps the lower part and `upper`, fresh from vma_alloc, becomes the rest. */
void vma_split(struct vma_store *store, struct vma *vma, vaddr_t addr, struct vma *upper);
/* [start, end) between prev and next (either may be NULL) is free and is to become shape: try to
 * cover it by making neighbours longer. Returns the VMA that covers it now, or NULL and nothing
 * changed. */
struct vma *vma_merge_new(struct vma_store *store, struct vma *prev, struct vma *next,
                          const struct vma_shape *shape);
/* The part [start, end) of vma gets the flags: try to do so by moving its borders with the
 * neighbours. Returns the VMA that covers the part now, or NULL and nothing changed. */
struct vma *vma_merge_part(struct vma_store *store, struct vma *vma, vaddr_t start, vaddr_t end,
                           u32 flags);
/* Could the part be changed so? The neighbours that would take it, for the caller's count of
 * splits. */
bool vma_can_merge_part(struct vma_store *store, struct vma *vma, vaddr_t start, vaddr_t end,
                        u32 flags);
/* The id under which vma's first private page is written: a like neighbour's, or 0: take a new
 * one. */
u32 vma_neighbour_anon_id(struct vma_store *store, struct vma *vma);

#endif
