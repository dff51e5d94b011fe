/*
 * mm.h: one address space, and the memory calls on it.
 *
 * An mm joins a VMA store (what should be there) with a page table (what is there). mmap, munmap,
 * mprotect, brk and the fault handler combine the two; neither knows the other. Every call here
 * reserves first and then commits: an error means that nothing changed, unless its manual page
 * says otherwise.
 */
#ifndef KERNEL_MM_MM_H
#define KERNEL_MM_MM_H

#include "kernel/mm/mapping.h"
#include "kernel/mm/pt.h"
#include "kernel/mm/vma.h"
#include "kernel/sched/sleeplock.h"

enum rss_kind { RSS_ANON, RSS_FILE, RSS_KINDS };

struct mm {
    struct rwsem lock; /* write: the set of VMAs changes; read: fault */
    struct vma_store vmas;
    struct pt pt;
    struct vmcount counts;   /* of this address space */
    struct vmcount baseline; /* subtracted by readers of counts */
    u64 rss[RSS_KINDS];      /* pages in the table, by kind. Atomic */
    u64 total_pages;         /* pages of all VMAs */
    u32 refs;                /* atomic */
    u32 next_anon_id;        /* atomic */
    u64 stack_limit;         /* bytes a stack may grow to (RLIMIT_STACK) */
    /* set by exec */
    vaddr_t mmap_base;      /* the highest hole below here is what mmap takes first */
    vaddr_t brk_start, brk; /* [heap] */
    vaddr_t code_start, code_end, data_start, data_end;
    vaddr_t stack_start; /* stack pointer at entry: names [stack] */
    vaddr_t arg_start, arg_end, env_start, env_end;
};

static inline struct mm *mm_of(const struct vma *vma)
{
    return container_of(vma->store, struct mm, vmas);
}

static inline void mm_rss_add(struct mm *mm, enum rss_kind kind, u64 pages) /* -n: take away */
{
    __atomic_fetch_add(&mm->rss[kind], pages, __ATOMIC_RELAXED);
}

void mm_init_once(void); /* caches and knobs; at boot */

struct mm *mm_create(void); /* NULL without memory */
/* A copy of parent, one reference: private pages are shared until one of the two writes. NULL without memory, and then parent
 * is as it was. => may sleep. */
struct mm *mm_fork(struct mm *parent);
struct mm *mm_get(struct mm *mm);
void mm_put(struct mm *mm); /* the last one unmaps all and frees; may sleep */

/* All of these take mm.lock themselves, may sleep, and return 0 (or the address) or a negative
 * errno. */
struct mmap_request {
    vaddr_t addr;
    u64 length;
    u32 prot, flags;      /* lib/abi/mman.h */
    struct mm_file *file; /* NULL for MAP_ANONYMOUS; a reference is taken */
    u64 offset;           /* bytes */
};
long mm_mmap(struct mm *mm, const struct mmap_request *request);
long mm_munmap(struct mm *mm, vaddr_t addr, u64 length);
long mm_mprotect(struct mm *mm, vaddr_t addr, u64 length, u32 prot);
vaddr_t mm_brk(struct mm *mm, vaddr_t new_brk); /* the break after the call */

enum fault_access { FAULT_READ, FAULT_WRITE, FAULT_EXEC };
enum fault_result {
    FAULT_DONE,
    FAULT_RETRY,  /* something changed meanwhile; try the access again */
    FAULT_MAPERR, /* SIGSEGV: no mapping */
    FAULT_ACCERR, /* SIGSEGV: no right */
    FAULT_BUSERR, /* SIGBUS: past the end of the file */
    FAULT_OOM,    /* no memory: the program has to go */
};
enum fault_result mm_fault(struct mm *mm, vaddr_t addr, enum fault_access access);

/* For exec, which builds a stack and copies into a new address space that is not running: make the
 * pages of [addr, addr + length) present as by writing them, then copy. 0, -ENOMEM, -EFAULT. */
int mm_write(struct mm *mm, vaddr_t addr, const void *src, size_t length);

/* ---- what /proc shows; mm may be another process's (maps.c, query.c) ---- */

/* Lines of /proc/PID/maps for the VMAs that end above *addr: as many as fit into buf whole, or one,
 * cut to size; moves *addr to the end of the last. Returns the length, 0 after the last VMA,
 * -ENOMEM. mm_maps_line: one at a time. */
int mm_maps_lines(struct mm *mm, vaddr_t *addr, char *buf, size_t size);
int mm_maps_line(struct mm *mm, vaddr_t *addr, char *buf, size_t size);

/* What the entries of a range lead to. In bytes; pss (a page's share of each of its maps) in
 * 1/2^PSS_SHIFT of a byte. */
enum { PSS_SHIFT = 12 };
struct mm_usage {
    u64 rss, pss, pss_dirty, shared_clean, shared_dirty, private_clean, private_dirty, referenced,
        anonymous, pss_anon, pss_file, locked;
};
/* As mm_maps_line, with what is mapped there (added to *usage) and the VMA's flags and pages. */
struct mm_vma_info {
    vaddr_t start, end;
    u32 flags;
    bool file, stack;
};
int mm_smaps_line(struct mm *mm, vaddr_t *addr, char *buf, size_t size, struct mm_vma_info *info,
                  struct mm_usage *usage);

/* Pages, as /proc/PID/status and statm tell them. */
struct mm_sizes {
    u64 total, peak, locked, data, stack, exec, shared;
    u64 rss[RSS_KINDS], rss_shared, rss_peak, tables;
};
void mm_sizes(struct mm *mm, struct mm_sizes *sizes);

/* Copy memory out of mm as it is, without faulting pages in that are not there; those read as zero.
 * Returns the bytes copied: fewer where nothing is mapped. */
size_t mm_peek(struct mm *mm, vaddr_t addr, void *dst, size_t length);

void mm_check(struct mm *mm); /* vma_check, pt_check and the books between them */

#endif
