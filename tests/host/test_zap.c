/*
 * test_zap.c: properties of munmap's walk, the same for both ways: everything goes, nothing else
 * does, turns end where they should. The set-ups D1 to D5 are those in which the patch of Holt's
 * mail, as posted, leaves pages behind or never ends. Geometry comes from the layout. What is freed
 * too early, the model TLB and ASan see in every test.
 */
#include <string.h>

#include "kernel/core/failpoint.h"
#include "tests/host/standin/space.h"

#define PMD_SPAN LEVEL_SPAN(LEVEL_PMD)
#define PUD_SPAN LEVEL_SPAN(LEVEL_PUD)
#define TOP_SPAN LEVEL_SPAN(LEVEL_TOP)
/* A boundary above a pud table, if user space has more than one; else one of its own. */
#define UPPER_BOUNDARY                                                                             \
    (USER_LIMIT > LEVEL_SPAN(LEVEL_PUD + 1) ? LEVEL_SPAN(LEVEL_PUD + 1) : 5 * LEVEL_SPAN(LEVEL_PUD))
#define PAGES(n) ((u64)(n)*PAGE_SIZE)

static const char *const modes[] = {"block", "work"};
static struct space space;
static struct zap zap;

struct range {
    vaddr_t start, end;
};

static void begin(const char *mode, u64 pages)
{
    zap_knobs(mode, pages);
    zap_begin(&zap, &space.pt);
}

/* ---- turns ---- */

/* Turns end at the last entry of a table and at the end of a range; with nothing left the next
 * range starts afresh. */
static void test_exact_ends(void)
{
    vaddr_t boundary = PUD_SPAN + PMD_SPAN;

    for (int m = 0; m < 2; m++) {
        host_begin();
        space_make(&space);
        space_map_range(&space, boundary - PAGES(8), boundary + PAGES(8));
        begin(modes[m], 8);
        zap_range(&zap, boundary - PAGES(8), boundary + PAGES(8));
        is(zap.calls, 2, "%s: two turns of 8 pages", modes[m]);
        is(zap.left, zap.limit, "%s: nothing is left over at the end: a full turn is next",
           modes[m]);
        is(zap.walk.reads[LEVEL_PTE], 16, "%s: each page is read once", modes[m]);
        is(zap.walk.reads[LEVEL_PMD], 2, "%s: and each pmd entry", modes[m]);
        space_map_range(&space, boundary, boundary + PAGES(8));
        zap_range(&zap, boundary, boundary + PAGES(8));
        is(zap.calls, 3, "%s: so the next range takes one turn", modes[m]);
        zap_free_tables(&zap, boundary - PAGES(8), boundary + PAGES(8));
        zap_end(&zap);
        is(space.pt.tables, 1, "%s: no table is left", modes[m]);
        space_end(&space);
        host_end("exact ends");
    }
}

/* Eight ranges in one call, each with an odd number of pages: what is left of a turn goes on into
 * the next range. */
static void test_carry(void)
{
    static const unsigned sizes[8] = {3, 5, 7, 1, 13, 9, 11, 15};
    vaddr_t base = PUD_SPAN - PAGES(20); /* some of them over a boundary */

    for (int m = 0; m < 2; m++) {
        u64 turns = 0, pages = 0, left = 8;
        host_begin();
        space_make(&space);
        begin(modes[m], 8);
        for (int i = 0; i < 8; i++)
            space_map_range(&space, base + PAGES(32) * i, base + PAGES(32) * i + PAGES(sizes[i]));
        for (int i = 0; i < 8; i++) {
            zap_range(&zap, base + PAGES(32) * i, base + PAGES(32) * i + PAGES(sizes[i]));
            for (u64 rest = sizes[i]; rest; turns++) {
                u64 part = min_u64(left, rest);
                rest -= part;
                left = left == part ? 8 : left - part;
            }
            pages += sizes[i];
            is(zap.left, PAGES(left), "%s: left after range %d", modes[m], i);
        }
        is(zap.calls, turns, "%s: turns over 8 ranges", modes[m]);
        is(zap.anon, pages, "%s: pages", modes[m]);
        zap_free_tables(&zap, base, base + PAGES(256));
        zap_end(&zap);
        space_end(&space);
        host_end("carry");
    }
}

/* ceil(work / limit): n pages are n turns' worth of pages; what is none costs next to nothing. */
static void test_turn_count(void)
{
    for (u64 n = 1; n < 40; n += 6) {
        host_begin();
        space_make(&space);
        space_map_range(&space, PUD_SPAN, PUD_SPAN + PAGES(n));
        host_yields = 0;
        begin("work", 4);
        zap_range(&zap, PUD_SPAN, PUD_SPAN + PAGES(n));
        is(zap.calls, (n + 3) / 4, "work: turns for %lu pages", n);
        is(host_yields, n / 4, "a pause after each full turn");
        zap_free_tables(&zap, PUD_SPAN, PUD_SPAN + PAGES(n));
        zap_end(&zap);
        space_end(&space);
        host_end("turn count");
    }
    host_begin();
    space_make(&space);
    space_map(&space, PUD_SPAN);
    begin("work", 1); /* a page of work: the page, then that many none entries, a turn */
    zap_range(&zap, PUD_SPAN, PUD_SPAN + PMD_SPAN);
    is(zap.calls, 1 + (PT_ENTRIES - 1 + PAGE_SIZE - 1) / PAGE_SIZE,
       "none entries cost one unit each");
    zap_free_tables(&zap, PUD_SPAN, PUD_SPAN + PMD_SPAN);
    zap_end(&zap);
    space_end(&space);
    host_end("none entries");
}

/* An entry that is neither none nor present costs as much as a page (the bug of 2.6.15 that 2.6.16
 * mended). */
static void test_not_present(void)
{
    const pte_t swap_like = {1ul << 9};
    struct pt_slot slot;

    host_begin();
    space_make(&space);
    ok(!pte_none(swap_like) && !pte_present(swap_like) && !pte_has_page(swap_like),
       "an entry without a page");
    for (int i = 0; i < 20; i++) {
        pt_slot_lock(&space.pt, PUD_SPAN + PAGES(i), true, &slot);
        pt_slot_set(&slot, swap_like);
        pt_slot_unlock(&slot);
    }
    pt_check(&space.pt);
    begin("work", 8);
    zap_range(&zap, PUD_SPAN, PUD_SPAN + PAGES(20));
    is(zap.calls, 3, "20 such entries take three turns of 8");
    is(zap.anon + zap.file, 0, "and are no pages");
    zap_free_tables(&zap, PUD_SPAN, PUD_SPAN + PAGES(20));
    zap_end(&zap);
    space_map(&space, PUD_SPAN);
    pt_protect(&space.pt, PUD_SPAN, PUD_SPAN + PAGE_SIZE, 0, false);
    is(space_unmap(&space, PUD_SPAN, PUD_SPAN + PAGE_SIZE).anon, 1,
       "a page without rights is a page, and freed");
    space_end(&space);
    host_end("not present");
}

/* ---- everything goes, whatever the alignment ---- */

/* Zap the ranges in one call and look that they are empty and that `kept` is still there. */
static void zap_all(const char *name, const char *mode, u64 block, const struct range *ranges,
                    int n, u64 pages, vaddr_t kept)
{
    begin(mode, block);
    for (int i = 0; i < n; i++)
        zap_range(&zap, ranges[i].start, ranges[i].end);
    for (int i = 0; i < n; i++)
        zap_free_tables(&zap, ranges[i].start, ranges[i].end);
    zap_end(&zap);
    is(zap.anon, pages, "%s, %s: all pages are zapped", name, mode);
    for (int i = 0; i < n; i++)
        if (ranges[i].end - ranges[i].start <= PUD_SPAN)
            ok(space_count(&space, ranges[i].start, ranges[i].end) == 0,
               "%s, %s: range %d is empty", name, mode, i);
    if (kept) {
        ok(space_count(&space, kept, kept + PAGE_SIZE) == 1, "%s, %s: the neighbour stays", name,
           mode);
        pt_check(&space.pt);
        space_unmap(&space, kept, kept + PAGE_SIZE);
    }
    space_end(&space);
    host_end(name);
}

static void setup(void)
{
    host_begin();
    space_make(&space);
}

/* A VMA that starts 4 pages below an upper boundary; the table below the boundary exists, its last
 * entry is empty. */
static void test_straddle(const char *name, const char *mode, vaddr_t boundary, u64 pages_above)
{
    struct range r = {boundary - PAGES(4), boundary + PAGES(pages_above)};
    vaddr_t kept = boundary - 2 * PMD_SPAN;

    setup();
    space_map(&space, kept);
    space_map_range(&space, boundary + PAGES(1), r.end);
    zap_all(name, mode, 8, &r, 1, pages_above - 1, kept);
}

static void test_d(const char *mode)
{
    vaddr_t boundary = PUD_SPAN + 3 * PMD_SPAN;
    struct range d1 = {boundary - PAGES(4), boundary + PAGES(4)};
    struct range d2 = {boundary + PAGES(16), boundary + PAGES(16) + 4 * PMD_SPAN};
    struct range d3[2] = {{boundary - PAGES(300), boundary - PAGES(297)},
                          {boundary - PAGES(128), boundary + PAGES(128)}};

    setup();
    space_map_range(&space, d1.start, d1.end);
    space_map(&space, d1.end);
    zap_all("D1: a block over a pmd boundary", mode, 8, &d1, 1, 8, d1.end);

    setup();
    space_map_range(&space, d2.start, d2.end);
    space_map(&space, d2.start - PAGE_SIZE);
    zap_all("D2: blocks larger than a pmd", mode, 2 * PT_ENTRIES, &d2, 1, 4 * PT_ENTRIES,
            d2.start - PAGE_SIZE);

    setup();
    space_map_range(&space, d3[0].start, d3[0].end);
    space_map_range(&space, d3[1].start, d3[1].end);
    space_map(&space, d3[0].end);
    zap_all("D3: blocks shifted by the VMA before", mode, 8, d3, 2, 259, d3[0].end);

    test_straddle("D4: over a pud boundary, last pmd empty", mode, 2 * PUD_SPAN, 20);
    test_straddle("D5: over a pgd boundary, last pud empty", mode, UPPER_BOUNDARY, 20);
    if (PT_ROOT_USER_ENTRIES > 1 && LEVEL_TOP > LEVEL_PUD + 1)
        test_straddle("D5: over a top boundary", mode, TOP_SPAN, 20);
}

static void test_top(const char *mode)
{
    struct range r = {USER_END - PAGES(5), USER_END};
    struct range all = {0, USER_LIMIT};

    setup();
    space_map_range(&space, r.start, r.end);
    space_map(&space, r.start - PAGE_SIZE);
    zap_all("the top of user space", mode, 8, &r, 1, 5, r.start - PAGE_SIZE);

    setup();
    space_map_range(&space, USER_END - PAGES(3), USER_END);
    space_map(&space, 0);
    space_map(&space, UPPER_BOUNDARY);
    zap_all("all of user space", mode, 0, &all, 1, 5, 0);
}

/* ---- tables ---- */

static void test_tables(void)
{
    vaddr_t base = 2 * PUD_SPAN;

    host_begin();
    space_make(&space);
    for (int i = 0; i < 3; i++)
        space_map(&space, base + i * PMD_SPAN);
    is(space.pt.tables, PT_LEVELS + 2, "three leaf tables");
    zap_knobs("work", 8);
    is(space_unmap(&space, base + PMD_SPAN, base + 2 * PMD_SPAN).free_reads, PT_LEVELS - 1,
       "the way to one entry");
    is(space.pt.tables, PT_LEVELS + 1, "only the middle table is freed");
    space_unmap(&space, base + PAGE_SIZE, base + 3 * PMD_SPAN);
    is(space.pt.tables, PT_LEVELS, "a part of a table with a neighbour in it is not");
    space_unmap(&space, base, base + PAGE_SIZE);
    is(space.pt.tables, 1, "with the last page all tables go");
    is(space.counts.n[VMC_tables_freed], PT_LEVELS + 1, "and are counted");
    space_end(&space);
    host_end("tables");
}

/* Pages that were taken out are free before others run, and only then. */
static u64 free_at_pause;

static void at_pause(void)
{
    free_at_pause = page_free_count();
}

static void test_pauses(void)
{
    u64 before;

    host_begin();
    space_make(&space);
    space_map_range(&space, PUD_SPAN, PUD_SPAN + PAGES(12));
    host_on_yield = at_pause;
    before = page_free_count();
    fail_countdown = 1;
    begin("work", 8);
    zap_range(&zap, PUD_SPAN, PUD_SPAN + PAGES(12));
    is(free_at_pause, before + 8, "8 pages are free at the pause");
    is(page_free_count(), before + 8, "the last 4 are held back");
    zap_free_tables(&zap, PUD_SPAN, PUD_SPAN + PAGES(12));
    zap_end(&zap);
    is(page_free_count(), before + 12 + PT_LEVELS - 1, "until the end, and go with the tables");
    is(fail_countdown, 1, "nothing was allocated in order to remove");
    fail_countdown = 0;
    host_on_yield = NULL;
    is(space.counts.n[VMC_flush_pages], 12, "each page was dropped once");
    space_map_range(&space, PUD_SPAN, PUD_SPAN + PAGES(200));
    zap_knobs("work", 0);
    is(space_unmap(&space, PUD_SPAN, PUD_SPAN + PAGES(200)).calls, 1,
       "no limit: one turn, however full the gather");
    space_end(&space);
    host_end("pauses");
}

static void test_file_pages(void)
{
    struct page *page;

    host_begin();
    page = page_alloc_zeroed(PAGE_CACHE);
    for (int written = 0; written < 2; written++) {
        space_make(&space);
        for (int i = 0; i < 3; i++)
            space_map_page(&space, PUD_SPAN + PAGES(i), page, RIGHT_READ | RIGHT_WRITE);
        if (written)
            host_access(&space.pt.hw, PUD_SPAN + PAGES(1), RIGHT_WRITE);
        is(page->maps, 3, "three maps");
        is(space_unmap(&space, PUD_SPAN, PUD_SPAN + PAGES(3)).file, 3, "are pages of a file");
        ok(page->maps == 0 && page->refs == 1, "maps and references are given back");
        is(page->dirty, written, "dirty only if it was written");
        space_end(&space);
    }
    page_put(page);
    host_end("file pages");
}

static void test_knobs(void)
{
    is(knob_value(knob_find("vm.zap")), ZAP_WORK, "vm.zap is work by default");
    is(knob_value(knob_find("vm.zap_block_pages")), 8, "with 8 pages");
    ok(knob_set(knob_find("vm.zap"), "live") < 0, "an unknown word is refused");
    ok(knob_set(knob_find("vm.zap_block_pages"), "1048577") < 0, "2^20 is the most");
    ok(knob_set(knob_find("vm.zap_block_pages"), "1048576") == 0, "and allowed");
}

int main(void)
{
    host_boot(16384);
    zap_register_knobs();
    test_knobs();
    test_exact_ends();
    test_carry();
    test_turn_count();
    test_not_present();
    for (int m = 0; m < 2; m++) {
        test_d(modes[m]);
        test_top(modes[m]);
    }
    test_tables();
    test_pauses();
    test_file_pages();
    return tap_done();
}
