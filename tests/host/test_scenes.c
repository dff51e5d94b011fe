/*
 * test_scenes.c: the numbers of Holt's mail, counted by the kernel's own code.
 *
 * A file of 17,592,182,882,304 bytes is mapped 3 MiB into an empty part of the address space and
 * unmapped. Totals are those of the history of the mail, which a simulator of the old walkers
 * counted; the reads of each level are compared with what geometry says (expected_reads). Built
 * without sanitizers: a scene may take half a billion turns.
 */
#include <string.h>

#include "tests/host/standin/space.h"

#define MAIL_LENGTH 17592182882304ul
#define MAIL_START (3ul << 20)
#define MIB (1ul << 20)

enum touch { TOUCH_NONE, TOUCH_NEIGHBOUR, TOUCH_ENDS, TOUCH_DENSE };
static const char *const touch_names[] = {"empty", "neighbour below", "first, middle, last touched",
                                          "64 MiB populated"};

struct scene {
    unsigned page_shift;
    const char *zap;
    u64 block_pages;
    enum touch touch;
    u64 turns, reads;
};

static const struct scene scenes[] = {
    {12, "work", 0, TOUCH_NONE, 1, 32},
    {12, "work", 0, TOUCH_NEIGHBOUR, 1, 1055},
    {12, "work", 0, TOUCH_ENDS, 1, 4379},
    {12, "work", 0, TOUCH_DENSE, 1, 17695},
    {12, "work", 8, TOUCH_NONE, 1, 32},
    {12, "work", 8, TOUCH_NEIGHBOUR, 1, 1055},
    {12, "work", 8, TOUCH_ENDS, 1, 4379},
    {12, "work", 8, TOUCH_DENSE, 2049, 23807},
    {12, "block", 1024, TOUCH_NONE, 4194304, 4194335},
    {12, "block", 8, TOUCH_NONE, 536870816, 536870816},
    {12, "block", 8, TOUCH_NEIGHBOUR, 536870816, 553680608},
    {12, "block", 8, TOUCH_ENDS, 536870816, 587301852},
    {12, "block", 8, TOUCH_DENSE, 536870816, 553697248},
    {12, "block", 1024, TOUCH_NEIGHBOUR, 4194304,
     0}, /* 0: no total in the history, only geometry's */
    {12, "block", 1024, TOUCH_ENDS, 4194304, 0},
    {12, "block", 1024, TOUCH_DENSE, 4194304, 0},
    {12, "block", 0, TOUCH_ENDS, 1, 4379},
    {14, "work", 0, TOUCH_NONE, 1, 1},
    {14, "work", 0, TOUCH_NEIGHBOUR, 1, 4161},
    {14, "work", 0, TOUCH_ENDS, 1, 12352},
    {14, "work", 0, TOUCH_DENSE, 1, 8257},
    {14, "work", 8, TOUCH_NONE, 1, 1},
    {14, "work", 8, TOUCH_NEIGHBOUR, 1, 4161},
    {14, "work", 8, TOUCH_ENDS, 1, 12352},
    {14, "work", 8, TOUCH_DENSE, 513, 9791},
    {14, "block", 8, TOUCH_NONE, 134217704, 134217704},
    {14, "block", 8, TOUCH_NEIGHBOUR, 134217704, 268961528},
    {14, "block", 8, TOUCH_ENDS, 134217704, 270014199},
    {14, "block", 8, TOUCH_DENSE, 134217704, 268965624},
};

/* ---- what geometry says ---- */

static vaddr_t touched[64 * MIB / 4096 + 4];
static u64 touched_count;

/* Pairs of a turn and an entry of span bytes that meet in [a, b), if turns are blocks counted from
 * start; block 0: one turn. */
static u64 meetings(vaddr_t start, vaddr_t a, vaddr_t b, u64 span, u64 block)
{
    u64 entries = (b - 1) / span - a / span + 1, turns, shared = 0;

    if (!block)
        return entries;
    turns = (b - 1 - start) / block - (a - start) / block + 1;
    if (span >= block && start % block == 0)
        shared = entries - 1; /* the ends of entries are ends of blocks */
    else if (span < block && start % span == 0)
        shared = turns - 1;
    return turns + entries - 1 - shared;
}

/* Entries of level read by a walk over [start, end): those of every table that the touched pages
 * brought about. */
static u64 expected_reads(vaddr_t start, vaddr_t end, int level, u64 block)
{
    u64 reads = 0, table_span = LEVEL_SPAN(level + 1), last = 1; /* 1: no table's address */

    if (level == LEVEL_TOP)
        return meetings(start, start, end, LEVEL_SPAN(level), block);
    for (u64 i = 0; i < touched_count; i++) {
        vaddr_t base = align_down(touched[i], table_span);
        if (base == last || base + table_span <= start || base >= end)
            continue;
        last = base;
        reads += meetings(start, max_u64(base, start), min_u64(base + table_span, end),
                          LEVEL_SPAN(level), block);
    }
    return reads;
}

/* ---- the scenes ---- */

static void touch(struct space *space, vaddr_t addr)
{
    space_map(space, addr);
    touched[touched_count++] = addr;
}

static void touch_all(struct space *space, enum touch kind, vaddr_t start)
{
    touched_count = 0;
    if (kind == TOUCH_NEIGHBOUR)
        touch(space, start - MAIL_START);
    if (kind == TOUCH_ENDS) {
        touch(space, start);
        touch(space, start + align_down(MAIL_LENGTH / 2, PAGE_SIZE));
        touch(space, start + MAIL_LENGTH - PAGE_SIZE);
    }
    for (vaddr_t addr = start; kind == TOUCH_DENSE && addr < start + 64 * MIB; addr += PAGE_SIZE)
        touch(space, addr);
}

static void check_reads(const struct zap *zap, const struct scene *scene, vaddr_t start,
                        const char *name)
{
    bool block = strcmp(scene->zap, "block") == 0;
    u64 sum = 0;

    for (int level = LEVEL_TOP; level >= 0; level--) {
        sum += zap->walk.reads[level];
        if (block || zap->calls == 1)
            is(zap->walk.reads[level],
               expected_reads(start, start + MAIL_LENGTH, level,
                              block ? scene->block_pages << PAGE_SHIFT : 0),
               "%s: reads of level %d", name, level);
    }
    if (scene->reads)
        is(sum, scene->reads, "%s: reads", name);
}

static void play(const struct scene *scene)
{
    vaddr_t start = LEVEL_SPAN(LEVEL_TOP) * (PAGE_SHIFT == 12 ? 64 : 0) + MAIL_START;
    struct space space;
    struct vmcount before, after;
    struct zap zap;
    char name[100];

    snprintf(name, sizeof(name), "%s %lu, %s", scene->zap, scene->block_pages,
             touch_names[scene->touch]);
    host_begin();
    space_make(&space);
    touch_all(&space, scene->touch, start);
    zap_knobs(scene->zap, scene->block_pages);
    host_yields = 0;
    vmcount_read(&before);
    zap = space_unmap(&space, start, start + MAIL_LENGTH);
    vmcount_read(&after);

    is(zap.calls, scene->turns, "%s: turns", name);
    check_reads(&zap, scene, start, name);
    is(after.n[VMC_zap_calls] - before.n[VMC_zap_calls], scene->turns, "%s: the system's counter",
       name);
    is(space.counts.n[VMC_pgd_reads], zap.walk.reads[LEVEL_TOP], "%s: the address space's counter",
       name);
    ok(host_yields >= scene->turns - 1, "%s: others may run after each turn", name);
    is(zap.anon, touched_count - (scene->touch == TOUCH_NEIGHBOUR), "%s: pages unmapped", name);
    if (scene->touch == TOUCH_NEIGHBOUR)
        space_unmap(&space, start - MAIL_START, start);
    space_end(&space);
    host_end(name);
}

/* One empty entry, stepped over in blocks: 1.3 of the history; 64, 32,768 and 16,777,216 turns for
 * 4 KiB pages. */
static void test_empty_entries(void)
{
    vaddr_t base = 2 * LEVEL_SPAN(LEVEL_PUD);
    struct space space;

    host_begin();
    space_make(&space);
    zap_knobs("block", 8);
    for (int level = LEVEL_PMD; level <= LEVEL_PUD; level++)
        is(space_unmap(&space, base, base + LEVEL_SPAN(level)).calls,
           LEVEL_SPAN(level) / (8 * PAGE_SIZE), "turns over one empty entry of level %d", level);
    if (PAGE_SHIFT == 12) {
        is(space_unmap(&space, base, base + LEVEL_SPAN(LEVEL_PMD)).calls, 64, "an empty pmd: 64");
        is(space_unmap(&space, base, base + LEVEL_SPAN(LEVEL_PUD)).calls, 32768,
           "an empty pud: 32,768");
        is(space_unmap(&space, base, base + LEVEL_SPAN(LEVEL_PUD + 1)).calls, 16777216,
           "an empty pgd: 16,777,216");
        is(space_unmap(&space, base, base + (1ul << 40)).calls, 33554432, "1 TiB: 33,554,432");
    }
    space_end(&space);
    host_end("empty entries");
}

int main(void)
{
    host_boot(40000);
    zap_register_knobs();
    test_empty_entries();
    for (u64 i = 0; i < ARRAY_SIZE(scenes); i++)
        if (scenes[i].page_shift == PAGE_SHIFT && PT_LEVELS == 4)
            play(&scenes[i]);
    return tap_done();
}
