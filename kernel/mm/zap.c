/*
 * zap.c: munmap's walk, in the two ways that Robin Holt's mail of 27 October 2005 is about.
 *
 * Unmapping is done in turns, after each of which the kernel may run somebody else. What a turn is
 * makes the whole difference when most of the range is empty:
 *
 *   block  |-8-|-8-|-8-|-8-|-8-|-8-|-8-|   Linux 2.6.14. A turn is vm.zap_block_pages pages of
 *                                          addresses; an empty entry is read again in each block
 *                                          that it covers
 *   work   |------------------|--------|   Linux 2.6.15. A turn is an amount of work: a page for
 *                                          each entry that is not none (as since 2.6.16), one unit
 *                                          for a none entry, whatever it covers
 *
 * Both are the same walk (walk.c). What is left of a turn when a VMA ends is used for the next VMA.
 *
 * => mm.lock held for write (for read, or the file's map_lock, by who does not free tables).
 * Allocates nothing.
 */
#include "kernel/mm/zap.h"

#include <limits.h>

#include "kernel/core/knob.h"
#include "kernel/core/panic.h"
#include "kernel/sched/thread.h"

static const char *const zap_words[] = {[ZAP_BLOCK] = "block", [ZAP_WORK] = "work", NULL};

static struct knob zap_knob = {
    .name = "vm.zap",
    .help = "munmap's walk: block (address blocks, Linux 2.6.14) or work (2.6.15)",
    .words = zap_words,
    .value = ZAP_WORK,
};

static struct knob zap_block_pages_knob = {
    .name = "vm.zap_block_pages",
    .help = "pages in a block of vm.zap=block, pages of work in a turn of work; 0: no limit",
    .value = 8,
    .min = 0,
    .max = 1 << 20,
};

void zap_register_knobs(void)
{
    knob_register(&zap_knob);
    knob_register(&zap_block_pages_knob);
}

/* ---- what is done to entries ---- */

/* The page of an entry that was cleared loses a map; its reference goes to the gather. */
static void zap_page(struct zap *zap, pte_t e, vaddr_t addr)
{
    struct page *page = pfn_to_page(pte_pfn(e));

    if (page->kind == PAGE_CACHE) {
        zap->file++;
        if (pte_dirty(e))
            page->dirty = zap->dirtied = true;
    } else {
        zap->anon++;
    }
    page_unmap(page);
    gather_page(&zap->gather, addr, page);
}

static void zap_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr, unsigned n)
{
    struct zap *zap = (struct zap *)w;

    for (unsigned i = 0; i < n; i++, addr += PAGE_SIZE) {
        if (unlikely(zap->spare_anon) && pfn_to_page(pte_pfn(entries[i]))->kind == PAGE_ANON)
            continue;
        pte_t e = pt_entry_take(&entries[i]);
        table->live--;
        if (pte_has_page(e))
            zap_page(zap, e, addr);
    }
}

/* Second pass, on the way up: unhook the table below *entry if nothing is in it. */
static void zap_leave(struct walk *w, struct page *parent, pte_t *entry, vaddr_t start, vaddr_t end)
{
    struct zap *zap = (struct zap *)w;
    struct page *table = pt_child(*entry);
    (void)start;

    if (table->live)
        return;
    spin_lock(&parent->lock);
    pt_entry_set(parent, entry, (pte_t){0});
    spin_unlock(&parent->lock);
    gather_table(&zap->gather, end - PAGE_SIZE, table); /* next to the pages that went last */
}

static const struct walk_ops block_ops = {.leaves = zap_leaves};
static const struct walk_ops work_ops = {
    .leaves = zap_leaves, .none_cost = 1, .leaf_cost = PAGE_SIZE};
static const struct walk_ops free_ops = {.leave = zap_leave};

/* ---- turns ---- */

void zap_begin(struct zap *zap, struct pt *pt)
{
    u64 pages = knob_value(&zap_block_pages_knob);

    *zap = (struct zap){.mode = knob_value(&zap_knob),
                        .limit = pages ? (long)(pages << PAGE_SHIFT) : LONG_MAX};
    zap->left = zap->limit;
    zap->walk = (struct walk){
        .pt = pt,
        .ops = zap->mode == ZAP_BLOCK ? &block_ops : &work_ops,
        .work = LONG_MAX,
    };
    gather_init(&zap->gather, pt);
}

/* A turn is used up: nothing may be held back while others run. */
static void zap_pause(struct zap *zap)
{
    gather_flush(&zap->gather);
    sched_yield_point();
    zap->left = zap->limit;
}

static void zap_blocks(struct zap *zap, vaddr_t start, vaddr_t end)
{
    while (start != end) {
        u64 block = min_u64(zap->left, end - start);

        walk_range(&zap->walk, start, start + block);
        zap->calls++;
        start += block;
        zap->left -= block;
        if (zap->left == 0)
            zap_pause(zap);
    }
}

static void zap_work(struct zap *zap, vaddr_t start, vaddr_t end)
{
    while (start != end) {
        zap->walk.work = zap->left;
        start = walk_range(&zap->walk, start, end);
        zap->calls++;
        zap->left = zap->walk.work;
        if (zap->left <= 0)
            zap_pause(zap);
        else
            ASSERT(start == end, "stopped at %lx of %lx with %ld work left", start, end, zap->left);
    }
}

void zap_range(struct zap *zap, vaddr_t start, vaddr_t end)
{
    ASSERT(start < end && end <= USER_LIMIT, "[%lx, %lx)", start, end);
    if (zap->mode == ZAP_BLOCK)
        zap_blocks(zap, start, end);
    else
        zap_work(zap, start, end);
}

void zap_free_tables(struct zap *zap, vaddr_t start, vaddr_t end)
{
    struct walk zapping = zap->walk;

    ASSERT(start < end && end <= USER_LIMIT, "[%lx, %lx)", start, end);
    zap->walk = (struct walk){.pt = zapping.pt, .ops = &free_ops, .work = LONG_MAX};
    walk_range(&zap->walk, start, end);
    zap->free_reads += walk_reads(&zap->walk);
    zap->walk = zapping;
}

void zap_end(struct zap *zap)
{
    struct vmcount delta = {0};

    gather_flush(&zap->gather);
    delta.n[VMC_zap_calls] = zap->calls;
#define X(name, level) delta.n[VMC_##name##_reads] = zap->walk.reads[level];
    LAYOUT_TABLE_LEVELS(X)
#undef X
    delta.n[VMC_pte_reads] = zap->walk.reads[LEVEL_PTE];
    delta.n[VMC_free_reads] = zap->free_reads;
    vmcount_fold(zap->walk.pt->counts, &delta);
}
