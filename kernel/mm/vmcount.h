/*
 * vmcount.h: the counters behind every claim of this kernel.
 *
 * One table of names, shared by /proc/vmcount, gdb, trace and docs. Work gathers its counts in a local struct
 * (a walk's cursor) and folds them once into this CPU's totals and the address space's. Totals only grow; a
 * reset stores a baseline that readers subtract.
 */
#ifndef KERNEL_MM_VMCOUNT_H
#define KERNEL_MM_VMCOUNT_H

#include "lib/types.h"

#define VMCOUNT_NAMES(X)                                                                           \
    X(zap_calls) /* turns of munmap's walk: one for each block, work batch or gather */            \
    X(pgd_reads) /* entries read by munmap's walk, by level */                                     \
    X(p4d_reads)                                                                                   \
    X(pud_reads)                                                                                   \
    X(pmd_reads)                                                                                   \
    X(pte_reads)                                                                                   \
    X(free_reads) /* entries read by the second pass, which frees tables */                        \
    X(live_words) /* words of live maps read */                                                    \
    X(fork_reads) /* entries read by other walks */                                                \
    X(protect_reads)                                                                               \
    X(move_reads)                                                                                  \
    X(query_reads)                                                                                 \
    X(tables_allocated)                                                                            \
    X(tables_freed)                                                                                \
    X(vma_steps) /* VMAs looked at by lookups and hole searches */                                 \
    X(vma_allocs)                                                                                  \
    X(vma_splits)                                                                                  \
    X(vma_merges)                                                                                  \
    X(vma_rotations)                                                                               \
    X(faults)                                                                                      \
    X(cow_copies)                                                                                  \
    X(pages_zeroed)                                                                                \
    X(flush_pages) /* pages whose translation was dropped one by one */                            \
    X(flush_all)   /* times all translations of an address space were dropped */                   \
    X(flush_ipis)                                                                                  \
    X(hw_fills) /* software-walked layouts: entries copied to the hardware table */                \
    X(hw_drops)

enum vmcount_index {
#define X(name) VMC_##name,
    VMCOUNT_NAMES(X)
#undef X
        VMCOUNT_MAX
};

struct vmcount {
    u64 n[VMCOUNT_MAX];
};

extern const char *const vmcount_names[VMCOUNT_MAX];

/* Add delta to this CPU's totals and to space (may be NULL), and clear delta. */
void vmcount_fold(struct vmcount *space, struct vmcount *delta);
/* One event, at once. */
void vmcount_add(struct vmcount *space, enum vmcount_index index, u64 n);

/* Whole system: totals of all CPUs since the last reset. */
void vmcount_read(struct vmcount *out);
void vmcount_reset(void);

#endif
