/*
 * test_zap_random.c: random pages mapped and random ranges unmapped, in both ways, compared with a plain
 * model after each step. The places are around boundaries of tables and at both ends of user space.
 */
#include <stdlib.h>

#include "tests/host/standin/space.h"

#define PMD_SPAN LEVEL_SPAN(LEVEL_PMD)
#define PUD_SPAN LEVEL_SPAN(LEVEL_PUD)
/* A boundary above a pud table, if user space has more than one; else one of its own. */
#define UPPER_BOUNDARY                                                                             \
    (USER_LIMIT > LEVEL_SPAN(LEVEL_PUD + 1) ? LEVEL_SPAN(LEVEL_PUD + 1) : 5 * LEVEL_SPAN(LEVEL_PUD))
#define PAGES(n) ((u64)(n)*PAGE_SIZE)

static const char *const modes[] = {"block", "work"};
static struct space space;
static struct zap zap;

enum { SPOTS = 6, SPOT_PAGES = 96 };

static vaddr_t spot[SPOTS];
static bool model[SPOTS][SPOT_PAGES];

static vaddr_t spot_addr(int s, int p)
{
    return spot[s] + PAGES(p);
}

static void model_clear(vaddr_t start, vaddr_t end)
{
    for (int s = 0; s < SPOTS; s++)
        for (int p = 0; p < SPOT_PAGES; p++)
            if (spot_addr(s, p) >= start && spot_addr(s, p) < end)
                model[s][p] = false;
}

static void model_compare(void)
{
    for (int s = 0; s < SPOTS; s++)
        for (int p = 0; p < SPOT_PAGES; p++) {
            vaddr_t addr = spot_addr(s, p);
            ASSERT(pte_present(space_entry(&space, addr)) == model[s][p], "%lx: model %d", addr,
                   model[s][p]);
            if (rand() % 4 == 0)
                ASSERT(!!host_access(&space.pt.hw, addr, RIGHT_READ) == model[s][p],
                       "%lx: model %d", addr, model[s][p]);
        }
}

static void random_zap(void)
{
    static const u64 limits[] = {1, 2, 3, 8, 100, 1024};
    int n = 1 + rand() % 3;
    vaddr_t at = 0;

    zap_knobs(modes[rand() % 2], limits[rand() % ARRAY_SIZE(limits)]);
    zap_begin(&zap, &space.pt);
    for (int i = 0; i < n; i++) { /* ranges in rising order */
        vaddr_t a = spot_addr(rand() % SPOTS, rand() % SPOT_PAGES);
        vaddr_t b = min_u64(a + PAGES(1 + rand() % 40), USER_END);
        if (rand() % 8 == 0 && zap.mode == ZAP_WORK)
            b = spot_addr(SPOTS - 1, SPOT_PAGES - 1); /* over much that is empty */
        if (a < at || a >= b)
            continue;
        zap_range(&zap, a, b);
        if (rand() % 3)
            zap_free_tables(&zap, a, b);
        model_clear(a, b);
        at = b;
    }
    zap_end(&zap);
}

static void test_random(void)
{
    u64 mapped = 0;

    host_begin();
    space_make(&space);
    spot[0] = 0;
    spot[1] = PMD_SPAN - PAGES(40);
    spot[2] = 5 * PMD_SPAN - PAGES(10);
    spot[3] = PUD_SPAN - PAGES(50);
    spot[4] = UPPER_BOUNDARY - PAGES(60);
    spot[5] = USER_END - PAGES(SPOT_PAGES);
    srand(42);
    for (int turn = 0; turn < 3000; turn++) {
        for (int i = rand() % 60; i > 0; i--) {
            int s = rand() % SPOTS, p = rand() % SPOT_PAGES;
            if (!model[s][p])
                space_map(&space, spot_addr(s, p));
            mapped += !model[s][p];
            model[s][p] = true;
        }
        random_zap();
        model_compare();
        pt_check(&space.pt);
    }
    diag("%lu pages were mapped", mapped);
    zap_knobs("work", 8);
    space_unmap(&space, 0, USER_END);
    is(space.pt.tables, 1, "in the end no table is left");
    is(space.counts.n[VMC_tables_freed] + 1, space.counts.n[VMC_tables_allocated],
       "as many freed as allocated");
    space_end(&space);
    host_end("3000 random turns against a model");
}

int main(void)
{
    host_boot(16384);
    zap_register_knobs();
    test_random();
    return tap_done();
}
