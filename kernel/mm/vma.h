/*
 * vma.h: the set of mappings of one address space.
 *
 * A VMA is a range of user addresses with one set of rights and one source of contents. The store keeps all
 * VMAs in a red-black tree ordered by address and augmented with the largest gap below any VMA of a subtree,
 * and in a sorted list beside it. vm.find chooses which is searched (`gap` or `list`); both are always kept up.
 * It knows nothing of page tables. => mm.lock: write to change, read to look.
 */
#ifndef KERNEL_MM_VMA_H
#define KERNEL_MM_VMA_H

#include "kernel/mm/layout.h"
#include "kernel/mm/vmcount.h"
#include "lib/list.h"
#include "lib/rbtree.h"

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
};

struct mm_file; /* kernel/mm/mapping.h */
struct mm;

struct vma {
    vaddr_t start, end; /* [start, end), page aligned */
    struct rb_node node;
    u64 gap;            /* largest free run directly below a VMA of this subtree, bytes */
    struct list_head link;
    u32 flags;          /* enum vma_flags */
    u32 anon_id;        /* private pages were written under this id; 0: none yet. Neighbours with different ids
                         * stay two VMAs, as in Linux */
    pgoff_t pgoff;      /* file page at start; for private anonymous memory start / PAGE_SIZE at creation */
    struct mm_file *file; /* holds a reference; NULL: anonymous */
    struct mm *mm;
    struct rb_node file_node; /* in mapping.vmas, ordered by pgoff */
    pgoff_t file_last;        /* largest last page in this file_node's subtree */
};
_Static_assert(sizeof(struct vma) <= 128, "struct vma is two cache lines");

struct vma_store {
    struct rb_root tree;
    struct list_head list;
    struct vma *cache;  /* last hit of a lookup; cleared whenever a VMA goes */
    u32 count;          /* what vm.max_map_count limits */
    struct vmcount *counts;
};

static inline u64 vma_pages(const struct vma *vma)
{
    return (vma->end - vma->start) >> PAGE_SHIFT;
}

/* The rest of the store's interface follows in this header. */

#endif
