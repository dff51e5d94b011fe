/*
 * zap.h: munmap's walk, in both the ways of Holt's mail, and the gather that keeps the rule
 *
 *      clear the entries  ->  drop the translations  ->  free the pages
 *
 * for it. vm.zap chooses: `block` walks blocks of vm.zap_block_pages pages and descends from the
 * pgd for each, as Linux 2.6.14 did; `work` descends once and stops when enough work was done,
 * as 2.6.15 (with 2.6.16's charge for every entry that is not none). Left-overs of a block or of
 * work are carried from one range to the next. Nothing here allocates. => mm.lock held for write
 * and the VMAs out of the store; to take pages only and leave the tables, for read or the file's
 * map_lock.
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

void zap_begin(struct zap *zap, struct pt *pt);
void zap_range(struct zap *zap, vaddr_t start, vaddr_t end); /* one VMA's part */
/* Second pass: free the tables under [start, end) in which nothing is live. */
void zap_free_tables(struct zap *zap, vaddr_t start, vaddr_t end);
void zap_end(struct zap *zap); /* flush, free, fold the counts */

void gather_init(struct gather *gather, struct pt *pt);
void gather_page(struct gather *gather, vaddr_t addr,
                 struct page *page); /* its entry was cleared */
void gather_table(struct gather *gather, vaddr_t addr,
                  struct page *table);    /* unhooked; it mapped addr */
void gather_flush(struct gather *gather); /* drop, then free; empty after */

void zap_register_knobs(void);

#endif
