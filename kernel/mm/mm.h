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

/* Limits of setrlimit that are about memory, in bytes; ~0: none. */
enum mm_limit { MM_LIMIT_AS, MM_LIMIT_DATA, MM_LIMIT_STACK, MM_LIMIT_MEMLOCK, MM_LIMITS };
/* What pages of VMAs are counted as, beside the total; one may be none or two of these. */
enum mm_kind { MM_LOCKED, MM_DATA, MM_EXEC, MM_STACK, MM_KINDS };
enum rss_kind { RSS_ANON, RSS_FILE, RSS_KINDS };

struct mm {
    struct rwsem lock; /* write: the set of VMAs changes; read: fault */
    struct vma_store vmas;
    struct pt pt;
    struct vmcount counts;   /* of this address space */
    struct vmcount baseline; /* subtracted by readers of counts */
    u64 rss[RSS_KINDS];      /* pages in the table, by kind. Atomic */
    u64 peak_rss;            /* most pages before rss went down; see mm_peak_rss */
    u64 total_pages;         /* pages of all VMAs */
    u64 peak_total_pages;
    u64 kind_pages[MM_KINDS]; /* pages of VMAs of each kind */
    u32 lock_future;          /* VM_LOCK_BITS of later mappings (MCL_FUTURE); not inherited */
    u32 refs;                 /* atomic */
    u32 next_anon_id;         /* atomic */
    /* from here to the end: what fork hands on */
    u64 limit[MM_LIMITS];
    bool lock_exempt;       /* CAP_IPC_LOCK: MM_LIMIT_MEMLOCK means nothing */
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

static inline u64 mm_peak_rss(const struct mm *mm)
{
    return max_u64(mm->peak_rss, mm->rss[RSS_ANON] + mm->rss[RSS_FILE]);
}

static inline void mm_rss_add(struct mm *mm, enum rss_kind kind, u64 pages) /* -n: take away */
{
    if ((s64)pages < 0)
        WRITE_ONCE(mm->peak_rss, mm_peak_rss(mm));
    __atomic_fetch_add(&mm->rss[kind], pages, __ATOMIC_RELAXED);
}

void mm_init_once(void); /* caches and knobs; at boot */

struct mm *mm_create(void); /* one reference; NULL without memory; does not sleep */
/* A copy of parent, one reference: private pages are shared until one of the two writes. NULL without memory, and then parent
 * is as it was. => may sleep; parent is in use by the caller. */
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
long mm_mremap(struct mm *mm, vaddr_t old, u64 old_len, u64 new_len, u32 flags, vaddr_t new_addr);
long mm_remap_file_pages(struct mm *mm, vaddr_t start, u64 size, u32 prot, u64 pgoff, u32 flags);
long mm_madvise(struct mm *mm, vaddr_t start, u64 length, int advice);
/* 1 or 0 in vec (kernel memory) for each page; stops at a VMA's end. Returns how many, or -ENOMEM
 * where nothing is mapped. => pages > 0, the range lies in user space. */
long mm_mincore(struct mm *mm, vaddr_t start, u64 pages, u8 *vec);
long mm_msync(struct mm *mm, vaddr_t start, u64 length, u32 flags);
long mm_mlock(struct mm *mm, vaddr_t start, u64 length, u32 flags); /* flags: of mlock2 */
long mm_munlock(struct mm *mm, vaddr_t start, u64 length);
long mm_mlockall(struct mm *mm, u32 flags);
long mm_munlockall(struct mm *mm);

enum fault_access { FAULT_READ, FAULT_WRITE, FAULT_EXEC };
enum fault_result {
    FAULT_DONE,
    FAULT_ALLOWED, /* nothing was to be done: the entry allows the access already */
    FAULT_RETRY,   /* something changed meanwhile; try the access again */
    FAULT_MAPERR,  /* SIGSEGV: no mapping */
    FAULT_ACCERR,  /* SIGSEGV: no right */
    FAULT_BUSERR,  /* SIGBUS: past the end of the file */
    FAULT_OOM,     /* no memory: the program has to go */
};
enum fault_result mm_fault(struct mm *mm, vaddr_t addr, enum fault_access access);

/* For exec, which builds a stack and copies into a new address space that is not running: make the
 * pages of [addr, addr + length) present as by writing them, then copy. 0, -ENOMEM, -EFAULT. */
int mm_write(struct mm *mm, vaddr_t addr, const void *src, size_t length);
/* Copy memory out of mm as it is, without faulting pages in that are not there; those read as zero.
 * Returns the bytes copied: fewer where nothing is mapped. */
size_t mm_peek(struct mm *mm, vaddr_t addr, void *dst, size_t length);

/* vma_check, pt_check and the books between them. Takes no lock, so panics and gdb may call it.
 * => mm.lock not held by others for write, nobody faults. */
void mm_check(struct mm *mm);

#endif
