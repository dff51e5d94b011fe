/*
 * test_regions.c: memory maps made safe (boot/regions.c), against a plain array with one flag for
 * each byte of a small memory, with random adds and removes; and the ends of the 64-bit range.
 */
#include <stdlib.h>
#include <string.h>

#include "boot/regions.c"
#include "tests/host/tap.h"

enum { BYTES = 200, RUNS = 3000 };

static bool model[BYTES];

/* Sorted, disjoint, not touching, not empty, and just the bytes of the model. */
static bool agrees(const struct boot_info *info)
{
    bool seen[BYTES] = {false};
    u64 last = 0;
    for (u32 i = 0; i < info->regions; i++) {
        u64 start = info->region[i].start.v, end = info->region[i].end.v;
        if (start >= end || end > BYTES || (i && start <= last))
            return false;
        for (u64 b = start; b < end; b++)
            seen[b] = true;
        last = end;
    }
    return !memcmp(seen, model, sizeof(seen));
}

static void test_random(void)
{
    struct boot_info info = {0};
    unsigned bad = 0;
    srand(1);
    for (int i = 0; i < RUNS; i++) {
        u64 start = (u64)rand() % BYTES, end = start + (u64)rand() % (BYTES - start + 1) / 4;
        bool add = rand() % 2;
        bad += !(add ? regions_add : regions_remove)(&info, start, end);
        for (u64 b = start; b < end; b++)
            model[b] = add;
        bad += !agrees(&info);
    }
    is(bad, 0, "%d random adds and removes", RUNS);
}

static void test_full(void)
{
    struct boot_info info = {0};
    for (u64 i = 0; i < BOOT_REGIONS_MAX; i++)
        regions_add(&info, 4 * i, 4 * i + 3);
    is(info.regions, BOOT_REGIONS_MAX, "full");
    ok(!regions_add(&info, 100000, 100001), "one more does not fit");
    is(info.regions, BOOT_REGIONS_MAX, "and changes nothing");
    ok(!regions_remove(&info, 1, 2), "nor does a hole");
    is(info.region[0].end.v, 1, "the part behind the hole is given up, never the hole");
    ok(regions_add(&info, 0, 100000), "joining all fits");
    is(info.regions, 1, "in one");
}

static void test_ends(void)
{
    struct boot_info info = {0};
    ok(regions_add(&info, 5, 5) && regions_add(&info, 9, 3),
       "empty and wrapping ranges are nothing");
    is(info.regions, 0, "indeed");
    ok(regions_add(&info, 0, UINT64_MAX), "all there is");
    ok(regions_remove(&info, 10, UINT64_MAX - 10), "but the middle");
    is(info.regions, 2, "leaves two");
    is(info.region[1].start.v, UINT64_MAX - 10, "the upper one");
    ok(regions_remove(&info, 0, UINT64_MAX), "and all again");
    is(info.regions, 0, "leaves none");
}

int main(void)
{
    test_random();
    test_full();
    test_ends();
    return tap_done();
}
