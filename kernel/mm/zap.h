/*
 * zap.h: munmap's walk, in both the ways of Holt's mail that vm.zap chooses between (zap.c), and
 * the gather that keeps the rule for it (gather.c):
 *
 *      clear the entries  ->  drop the translations  ->  free the pages
 *
 * Nothing here allocates. => mm.lock held for write and the VMAs out of the store; to take pages
 * only and leave the tables, for read or the file's map_lock.
 */
#ifndef KERNEL_MM_ZAP_H
#define KERNEL_MM_ZAP_H

#include "kernel/mm/pt.h"

enum { GATHER_PAGES = 64 }; /* pages held back until the translations are dropped */

struct gather {
    struct pt *pt;
    unsigned n;
    vaddr_t start, end; /* translations to drop; start >= end: none */
    struct page *pages[GATHER_PAGES];
    struct page *tables; /* chain of tables to free */
};

enum zap_mode { ZAP_BLOCK, ZAP_WORK };

struct zap {
    struct walk walk; /* first */
    struct gather gather;
    enum zap_mode mode;
    long limit;      /* bytes of a block, or units of work; LONG_MAX: none */
    long left;       /* of the current block or batch */
    u64 calls;       /* turns */
    u64 free_reads;  /* entries read by the second pass */
    u64 anon, file;  /* pages unmapped, by kind, for the caller's books */
    bool dirtied;    /* a page of a file had been written */
    bool spare_anon; /* leave private copies where they are */
};

/* From here to zap_end the caller holds its lock. Reads the knobs, once. */
void zap_begin(struct zap *zap, struct pt *pt);
/* One VMA's part, not empty. May give way to others between turns. */
void zap_range(struct zap *zap, vaddr_t start, vaddr_t end);
/* Second pass: free the tables under [start, end), which was zapped, in which nothing is live: a
 * table that a neighbour's pages are in stays. Its reads are counted apart.
 * => mm.lock for write. */
void zap_free_tables(struct zap *zap, vaddr_t start, vaddr_t end);
/* Flush: all that was taken out is free when this returns, and the counts are in the books. */
void zap_end(struct zap *zap);

void gather_init(struct gather *gather, struct pt *pt);
void gather_page(struct gather *gather, vaddr_t addr,
                 struct page *page); /* its entry was cleared */
void gather_table(struct gather *gather, vaddr_t addr,
                  struct page *table);    /* unhooked; it mapped addr */
void gather_flush(struct gather *gather); /* drop, then free; empty after; does not sleep */

void zap_register_knobs(void); /* at start-up, once */

#endif
