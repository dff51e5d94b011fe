/*
 * test_walk.c: the walk itself: what it tells of, where it stops, what it reads, and populating by it.
 * All geometry comes from the layout.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/core/failpoint.h"
#include "lib/abi/errno.h"
#include "tests/host/standin/space.h"

#define PMD_SPAN LEVEL_SPAN(LEVEL_PMD)
#define PUD_SPAN LEVEL_SPAN(LEVEL_PUD)
#define BASE (3 * PUD_SPAN)

static struct space space;

/* ---- a walk that notes what it is told ---- */

struct note {
    char what; /* 'p': leaves, 'h': hole, 'l': leave */
    int level;
    vaddr_t start, end;
};

static struct note notes[1000];
static unsigned noted;
static int fail_at; /* operation number that sets an error; 0: none */

static void note(struct walk *w, char what, int level, vaddr_t start, vaddr_t end)
{
    ASSERT(noted < ARRAY_SIZE(notes), "too much to note");
    notes[noted++] = (struct note){what, level, start, end};
    if (fail_at && --fail_at == 0)
        w->error = -EINTR;
}

static void note_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr,
                        unsigned n)
{
    ASSERT(spin_held(&table->lock) && entries == pt_entries(table) + level_index(addr, LEVEL_PTE),
           "%lx", addr);
    note(w, 'p', LEVEL_PTE, addr, addr + n * PAGE_SIZE);
}

static void note_hole(struct walk *w, vaddr_t start, vaddr_t end, int level)
{
    note(w, 'h', level, start, end);
}

static void note_leave(struct walk *w, struct page *parent, pte_t *entry, vaddr_t start,
                       vaddr_t end)
{
    ASSERT(!spin_held(&parent->lock) &&
               entry == pt_entries(parent) + level_index(start, parent->level),
           "%lx", start);
    note(w, 'l', parent->level, start, end);
}

static const struct walk_ops note_ops = {note_leaves, note_hole, note_leave, false, 1, 100};

static struct walk walk_new(const struct walk_ops *ops, long work)
{
    noted = 0;
    return (struct walk){.pt = &space.pt, .ops = ops, .work = work};
}

static bool noted_is(unsigned i, char what, int level, vaddr_t start, vaddr_t end)
{
    const struct note *n = &notes[i];

    if (i < noted && n->what == what && n->level == level && n->start == start && n->end == end)
        return true;
    for (unsigned k = 0; k < noted; k++)
        diag("note %u: %c level %d [%lx, %lx)", k, notes[k].what, notes[k].level, notes[k].start,
             notes[k].end);
    return false;
}

/* ---- tests ---- */

static void test_runs(void)
{
    vaddr_t a = BASE + PMD_SPAN - 4 * PAGE_SIZE, end = BASE + 3 * PMD_SPAN;
    struct walk w;

    host_begin();
    space_make(&space);
    space_map_range(&space, a, a + 2 * PAGE_SIZE); /* p p . . | p . ... | (no table) */
    space_map_range(&space, a + 4 * PAGE_SIZE, a + 5 * PAGE_SIZE);
    w = walk_new(&note_ops, LONG_MAX);
    is(walk_range(&w, a, end), end, "the walk gets to its end");
    is(noted, 8 + LEVEL_TOP - LEVEL_PUD, "and tells of all things in turn");
    ok(noted_is(0, 'p', 0, a, a + 2 * PAGE_SIZE), "a run of two pages");
    ok(noted_is(1, 'h', 0, a + 2 * PAGE_SIZE, a + 4 * PAGE_SIZE),
       "a hole up to the end of the table");
    ok(noted_is(2, 'l', LEVEL_PMD, a, a + 4 * PAGE_SIZE), "leaving the first table");
    ok(noted_is(3, 'p', 0, a + 4 * PAGE_SIZE, a + 5 * PAGE_SIZE), "one page in the next");
    ok(noted_is(4, 'h', 0, a + 5 * PAGE_SIZE, BASE + 2 * PMD_SPAN), "the rest of it is one hole");
    ok(noted_is(5, 'l', LEVEL_PMD, a + 4 * PAGE_SIZE, BASE + 2 * PMD_SPAN), "leaving it");
    ok(noted_is(6, 'h', LEVEL_PMD, BASE + 2 * PMD_SPAN, end), "an empty pmd entry is one hole");
    ok(noted_is(7, 'l', LEVEL_PUD, a, end), "leaving the pmd table");
    is(w.reads[LEVEL_PTE], 4 + PT_ENTRIES, "pte reads");
    is(w.reads[LEVEL_PMD], 3, "pmd reads");
    is(w.reads[LEVEL_PUD], 1, "pud reads");
    is(w.reads[LEVEL_TOP], 1, "top reads");
    is(LONG_MAX - w.work, 300 + 2 + PT_ENTRIES - 1 + 1,
       "work charged: leaves, none entries, nothing for tables");
    space_unmap(&space, BASE, end);
    space_end(&space);
    host_end("runs");
}

/* Stopping after any amount of work and going on tells of the same pages and holes, read at most
 * once more a stop. */
static void test_stops(void)
{
    static u8 want[4096], got[4096];
    vaddr_t start = BASE + PMD_SPAN - 40 * PAGE_SIZE;
    const unsigned n = 80;
    vaddr_t end = start + n * PAGE_SIZE;

    host_begin();
    space_make(&space);
    srand(7);
    for (unsigned i = 0; i < n; i++)
        if ((want[i] = rand() % 2))
            space_map(&space, start + i * PAGE_SIZE);
    for (long limit = 1; limit < 1000; limit = limit * 2 + 1) {
        struct walk w = walk_new(&note_ops, 0);
        u64 stops = 0, left = 0;
        memset(got, 2, sizeof(got));
        for (vaddr_t at = start; at != end; stops++) {
            noted = 0;
            w.work = limit;
            vaddr_t to = walk_range(&w, at, end);
            ASSERT(to > at && (w.work <= 0 || to == end), "no progress at %lx", at);
            for (unsigned i = 0; i < noted; i++) {
                left += notes[i].what == 'l' && notes[i].level == LEVEL_PMD;
                for (vaddr_t p = notes[i].start; notes[i].what != 'l' && p < notes[i].end;
                     p += PAGE_SIZE) {
                    ASSERT(got[(p - start) / PAGE_SIZE] == 2, "%lx was told twice", p);
                    got[(p - start) / PAGE_SIZE] = notes[i].what == 'p';
                }
            }
            at = to;
        }
        ok(memcmp(want, got, n) == 0 && w.reads[LEVEL_PTE] == n,
           "work %ld: each leaf entry exactly once", limit);
        is(left, 2, "work %ld: a table is left once, when all below it is done", limit);
        ok(w.reads[LEVEL_PMD] <= 2 + stops, "work %ld: a pmd entry again at most once a stop",
           limit);
    }
    space_unmap(&space, start, end);
    space_end(&space);
    host_end("stops");
}

static void test_empty_and_ends(void)
{
    struct walk w;

    host_begin();
    space_make(&space);
    w = walk_new(&note_ops, LONG_MAX);
    is(walk_range(&w, 0, USER_LIMIT), USER_LIMIT, "an empty address space");
    is(walk_reads(&w), PT_ROOT_USER_ENTRIES, "costs a read for each root entry");
    w = walk_new(&note_ops, 1);
    is(walk_range(&w, PAGE_SIZE, USER_LIMIT), LEVEL_SPAN(LEVEL_TOP),
       "a skip goes to the end of the empty entry");
    w = walk_new(&note_ops, 0);
    is(walk_range(&w, PAGE_SIZE, USER_LIMIT), LEVEL_SPAN(LEVEL_TOP),
       "one entry is read even without work");

    space_map(&space, USER_END - PAGE_SIZE);
    w = walk_new(&note_ops, LONG_MAX);
    is(walk_range(&w, USER_END - 2 * PAGE_SIZE, USER_LIMIT), USER_LIMIT, "the top of user space");
    ok(noted_is(1, 'p', 0, USER_END - PAGE_SIZE, USER_END), "its last page is seen");
    space_unmap(&space, USER_END - PAGE_SIZE, USER_END);

    if (LEVEL_SHIFT(LEVEL_TOP) + PT_LEVEL_BITS ==
        48) { /* else the top entries do not end at 2^64 */
        vaddr_t top = -PMD_SPAN;
        w = walk_new(&note_ops, LONG_MAX);
        is(walk_range(&w, top, 0), 0, "the very top of 2^64");
        ok(noted == 1 && noted_is(0, 'h', LEVEL_TOP, top, 0), "is one hole");
        w = walk_new(&note_ops, LONG_MAX);
        is(walk_range(&w, top - LEVEL_SPAN(LEVEL_TOP), 0), 0, "two top entries up to 2^64");
        is(noted, 2, "are two");
    }
    ok(host_panics(walk_range(&w, PAGE_SIZE, PAGE_SIZE)), "an empty range is refused");
    ok(host_panics(walk_range(&w, 2 * PAGE_SIZE, PAGE_SIZE)), "a range upside down");
    ok(host_panics(walk_range(&w, 1, PAGE_SIZE)), "and one that is not aligned");
    space_end(&space);
    host_end("empty and ends");
}

static void test_errors(void)
{
    vaddr_t end = BASE + 4 * PMD_SPAN;
    struct walk w;

    host_begin();
    space_make(&space);
    for (int i = 0; i < 4; i += 2)
        space_map(&space, BASE + i * PMD_SPAN + PAGE_SIZE); /* h p h l h h p h l h l l ... */
    for (int at = 1; at <= 4; at++) {
        fail_at = at;
        w = walk_new(&note_ops, LONG_MAX);
        ok(walk_range(&w, BASE, end) != end && w.error == -EINTR &&
               noted <= (unsigned)at + LEVEL_TOP,
           "an error in operation %d stops the walk", at);
    }
    space_unmap(&space, BASE, end);
    space_end(&space);
    host_end("errors");
}

/* ---- populate ---- */

static struct page *populate_page;

static void populate_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr,
                            unsigned n)
{
    for (unsigned i = 0; i < n; i++, addr += PAGE_SIZE) {
        if (!pte_none(entries[i]))
            continue;
        page_get(populate_page);
        populate_page->maps++;
        pt_entry_set(table, &entries[i], pte_leaf(page_to_pfn(populate_page), RIGHT_READ));
        mmu_fill(&w->pt->hw, addr, entries[i]);
    }
}

static const struct walk_ops populate_ops = {.leaves = populate_leaves, .populate = true};

static void test_populate(void)
{
    vaddr_t start = BASE + PUD_SPAN - 3 * PAGE_SIZE, end = BASE + PUD_SPAN + 2 * PAGE_SIZE;
    struct walk w;
    u64 failures;
    vaddr_t reached;

    host_begin();
    space_make(&space);
    populate_page = page_alloc_zeroed(PAGE_CACHE);
    for (failures = 0;; failures++) {
        fail_countdown = failures + 1;
        w = walk_new(&populate_ops, LONG_MAX);
        reached = walk_range(&w, start, end);
        fail_countdown = 0;
        pt_check(&space.pt);
        if (!w.error)
            break;
        ASSERT(w.error == -ENOMEM && reached < end, "%d, reached %lx", w.error, reached);
        ASSERT(space_count(&space, start, end) == (reached - start) / PAGE_SIZE, "%lx", reached);
        space_unmap(&space, start, end);
        ASSERT(space.pt.tables == 1, "%lu tables left", space.pt.tables);
    }
    is(failures, PT_LEVELS - 1 + 2, "populate failed once for each table it makes");
    is(reached, end, "then got to the end");
    is(space_count(&space, start, end), 5, "and all is there");
    is(populate_page->refs, 6, "each entry holds a reference");
    space_unmap(&space, start, end);
    is(populate_page->refs, 1, "which is given back");
    page_put(populate_page);
    space_end(&space);
    host_end("populate");
}

int main(void)
{
    host_boot(8192);
    zap_register_knobs();
    test_runs();
    test_stops();
    test_empty_and_ends();
    test_errors();
    test_populate();
    return tap_done();
}
