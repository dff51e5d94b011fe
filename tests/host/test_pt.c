/*
 * test_pt.c: a page table as a whole: making and ending it, the fault's way down to one entry, changing
 * rights, the checker, and the counters. All geometry comes from the layout.
 */
#include <limits.h>
#include <string.h>

#include "kernel/core/failpoint.h"
#include "lib/abi/errno.h"
#include "tests/host/standin/space.h"

#define BASE (3 * LEVEL_SPAN(LEVEL_PUD))

static struct space space;

/* ---- one page ---- */

static void test_slot(void)
{
    struct pt_slot slot;
    struct vmcount before, after;
    u64 n;

    host_begin();
    vmcount_read(&before);
    for (n = 1; n <= 2; n++) { /* the root, then the machine's part */
        fail_countdown = n == 1;
        host_attach_fails = n == 2;
        is(pt_init(&space.pt, NULL), -ENOMEM, "pt_init without memory");
    }
    host_attach_fails = false;
    space_make(&space);
    is(pt_slot_lock(&space.pt, BASE, false, &slot), -ENOENT, "no table there");
    for (n = 1; fail_countdown = n, pt_slot_lock(&space.pt, BASE, true, &slot) == -ENOMEM; n++)
        space_unmap(&space, BASE, BASE + PAGE_SIZE); /* the tables that were made */
    fail_countdown = 0;
    is(n, PT_LEVELS, "each table but the root may fail");
    pt_slot_unlock(&slot);
    is(space.pt.tables, PT_LEVELS, "a table for each level");
    is(pt_slot_lock(&space.pt, BASE + 5, false, &slot), 0, "now it is found without allocating");
    ok(slot.addr == BASE && spin_held(&slot.table->lock) && slot.table->level == LEVEL_PTE,
       "locked, of the leaf level");
    pt_slot_unlock(&slot);
    space_unmap(&space, BASE, BASE + PAGE_SIZE);
    is(space.pt.tables, 1, "tables without any page are freed as well");
    space_end(&space);
    vmcount_read(&after);
    is(after.n[VMC_tables_allocated] - before.n[VMC_tables_allocated],
       after.n[VMC_tables_freed] - before.n[VMC_tables_freed], "tables allocated and freed");
    host_end("slot");
}

/* Replacing an entry: the old page may go at once. */
static void test_slot_replace(void)
{
    struct page *old, *new = page_alloc_zeroed(PAGE_ANON);
    struct pt_slot slot;

    page_put(new);
    host_begin();
    space_make(&space);
    space_map(&space, BASE);
    old = host_access(&space.pt.hw, BASE, RIGHT_READ);
    new = page_alloc_zeroed(PAGE_ANON);
    pt_slot_lock(&space.pt, BASE, false, &slot);
    new->maps = 1;
    pt_slot_set(&slot, pte_leaf(page_to_pfn(new), RIGHT_READ));
    pt_slot_unlock(&slot);
    old->maps = 0;
    page_put(old);
    ok(host_access(&space.pt.hw, BASE, RIGHT_READ) == new,
       "the new page is seen, the old one is free");
    ok(!host_access(&space.pt.hw, BASE, RIGHT_WRITE), "the right to write is gone");
    is(space.counts.n[VMC_flush_pages], 1, "one translation was dropped");
    pt_slot_lock(&space.pt, BASE, false, &slot);
    pt_slot_set(&slot, pte_leaf(page_to_pfn(new), RIGHT_READ | RIGHT_WRITE));
    pt_slot_unlock(&slot);
    ok(host_access(&space.pt.hw, BASE, RIGHT_WRITE) == new, "a right given");
    is(space.counts.n[VMC_flush_pages], 1, "drops nothing");
    pt_check(&space.pt);
    space_unmap(&space, BASE, BASE + PAGE_SIZE);
    space_end(&space);
    host_end("slot replace");
}

/* ---- rights ---- */

static void test_protect(void)
{
    struct page *page, *cache;
    vaddr_t shared = BASE + PAGE_SIZE, end = BASE + 4 * PAGE_SIZE;

    host_begin();
    space_make(&space);
    space_map(&space, BASE);
    cache = page_alloc_zeroed(PAGE_CACHE);
    space_map_page(&space, shared, cache, RIGHT_READ);
    page = host_access(&space.pt.hw, BASE, RIGHT_WRITE);
    ok(page, "writable at first");

    pt_protect(&space.pt, BASE, end, RIGHT_READ, false);
    ok(!host_access(&space.pt.hw, BASE, RIGHT_WRITE) &&
           host_access(&space.pt.hw, BASE, RIGHT_READ) == page,
       "read only");
    ok(pte_dirty(space_entry(&space, BASE)), "the dirty bit survives");
    pt_protect(&space.pt, BASE, end, 0, false);
    ok(!host_access(&space.pt.hw, BASE, RIGHT_READ), "no access");
    ok(pte_has_page(space_entry(&space, BASE)), "but the page stays");
    pt_check(&space.pt);
    pt_protect(&space.pt, BASE, end, RIGHT_READ | RIGHT_WRITE, false);
    ok(host_access(&space.pt.hw, BASE, RIGHT_WRITE) == page,
       "a private page of nobody else may be written again");
    ok(!host_access(&space.pt.hw, shared, RIGHT_WRITE),
       "a page of a file only after it was copied");
    page_get(page);
    pt_protect(&space.pt, BASE, BASE + PAGE_SIZE, RIGHT_READ | RIGHT_WRITE, false);
    ok(!host_access(&space.pt.hw, BASE, RIGHT_WRITE), "nor a private page with another user");
    page_put(page);
    pt_protect(&space.pt, shared, end, RIGHT_READ | RIGHT_WRITE, true);
    ok(host_access(&space.pt.hw, shared, RIGHT_WRITE) == cache, "shared: at once");
    pt_protect(&space.pt, shared, end, RIGHT_READ | RIGHT_EXEC, true);
    ok(host_access(&space.pt.hw, shared, RIGHT_EXEC) == cache, "executable");
    pt_protect(&space.pt, shared, end, RIGHT_READ, true);
    ok(!host_access(&space.pt.hw, shared, RIGHT_EXEC), "and not any more");
    pt_protect(&space.pt, BASE, BASE + PAGE_SIZE, 0, false);
    ok(space.counts.n[VMC_protect_reads] > 0, "reads are counted");
    space_unmap(&space, BASE, end);
    is(cache->dirty, 1, "what was written through the mapping is known when it is unmapped");
    page_put(cache);
    space_end(&space);
    host_end("protect");
}

/* ---- the checkers notice ---- */

static void no_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr, unsigned n)
{
}

static const struct walk_ops no_ops = {.leaves = no_leaves};

static void test_checks(void)
{
    struct pt_slot slot;
    struct page *table, *page;
    pte_t saved;

    host_begin();
    space_make(&space);
    space_map(&space, BASE);
    pt_slot_lock(&space.pt, BASE, false, &slot);
    pt_slot_unlock(&slot);
    table = slot.table;
    page = host_access(&space.pt.hw, BASE, RIGHT_READ);
    pt_check(&space.pt);

    table->live++;
    ok(host_panics(pt_check(&space.pt)) && strstr(host_panic_message, "1 live entries, 2 counted"),
       "a wrong live count");
    table->live--;
    table->level = LEVEL_PMD;
    ok(host_panics(pt_check(&space.pt)), "a wrong level");
    struct walk w = {.pt = &space.pt, .ops = &no_ops, .work = LONG_MAX};
    ok(host_panics(walk_range(&w, BASE, BASE + PAGE_SIZE)), "which the walk notices, too");
    table->level = LEVEL_PTE;
    space.pt.tables++;
    ok(host_panics(pt_check(&space.pt)), "a wrong count of tables");
    space.pt.tables--;
    page->maps = 0;
    ok(host_panics(pt_check(&space.pt)), "a page that is mapped and does not know");
    page->maps = 1;
    saved = *slot.entry;
    *slot.entry = pte_leaf((pfn_t){0}, RIGHT_READ);
    ok(host_panics(pt_check(&space.pt)), "an entry that leads to no memory");
    *slot.entry = saved;
    ok(host_panics(pt_destroy(&space.pt)), "pt_destroy with pages mapped");

    /* and the model TLB: clear, free, without drop */
    WRITE_ONCE(slot.entry->v, 0);
    page->maps = 0;
    ok(host_panics(page_put(page)), "a page freed while the TLB leads to it");
    page->kind = PAGE_ANON;
    page->refs = 1;
    page->maps = 1;
    host_memory_used(page_to_virt(page), PAGE_SIZE);
    *slot.entry = saved;
    space_unmap(&space, BASE, BASE + PAGE_SIZE);
    space_end(&space);
    host_end("checks");
}

static void test_counters(void)
{
    struct vmcount now, own = {0};

    host_begin();
    vmcount_reset();
    vmcount_read(&now);
    is(now.n[VMC_tables_allocated], 0, "a reset sets all to 0");
    vmcount_add(&own, VMC_faults, 3);
    vmcount_add(NULL, VMC_faults, 2);
    vmcount_read(&now);
    is(now.n[VMC_faults], 5, "the system's");
    is(own.n[VMC_faults], 3, "the address space's");
    ok(strcmp(vmcount_names[VMC_hw_drops], "hw_drops") == 0 && VMC_hw_drops == VMCOUNT_MAX - 1,
       "names");
    host_end("counters");
}

int main(void)
{
    host_boot(8192);
    zap_register_knobs();
    test_slot();
    test_slot_replace();
    test_protect();
    test_checks();
    test_counters();
    return tap_done();
}
