/*
 * test_mremap.c: mremap: each way to do it, what is refused and leaves all as it was, contents
 * afterwards, and every allocation failed in turn. Its walk is test_move.c's.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

enum { MAYMOVE = MREMAP_MAYMOVE, FIXED = MREMAP_MAYMOVE | MREMAP_FIXED };
#define DONTUNMAP (MREMAP_MAYMOVE | MREMAP_DONTUNMAP)

static struct mm *mm;
static struct test_file f;

static void begin(void)
{
    host_begin();
    mm = mm_create();
    file_make(&f, PAGES(40), false);
}

static void end(const char *name)
{
    mm_end(mm);
    file_end(&f);
    host_end(name);
}

static long remap(u64 old, u64 pages, u64 new_pages, u32 flags, u64 to)
{
    return mm_mremap(mm, PAGES(old), PAGES(pages), PAGES(new_pages), flags, PAGES(to));
}

static void fill(u64 page, u64 n, u8 first)
{
    for (u64 i = 0; i < n; i++)
        poke(mm, PAGES(page + i), first + i);
}

static bool filled(u64 page, u64 n, u8 first)
{
    bool right = true;
    for (u64 i = 0; i < n; i++)
        right &= peek(mm, PAGES(page + i)) == (u8)(first + i);
    return right;
}

static bool absent(u64 page, u64 n)
{
    bool right = true;
    for (u64 i = 0; i < n; i++)
        right &= peek(mm, PAGES(page + i)) == -FAULT_MAPERR;
    return right;
}

/* ---- in place ---- */

static void test_in_place(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    fill(100, 4, 10);
    is(remap(100, 4, 4, 0, 0), PAGES(100), "the same size: nothing to do");
    is(remap(100, 4, 2, 0, 0), PAGES(100), "shrink");
    ok(filled(100, 2, 10) && absent(102, 2) && mm->total_pages == 2, "the end is gone");
    is(remap(100, 2, 5, 0, 0), PAGES(100), "grow in place");
    ok(filled(100, 2, 10) && peek(mm, PAGES(102)) == 0 && mm->vmas.count == 1,
       "the new pages are zero, and it is one VMA");
    map_at(mm, PAGES(108), 1, RW);
    is(remap(100, 5, 9, 0, 0), -ENOMEM, "no room and no MAYMOVE");
    is(remap(101, 2, 3, 0, 0), -ENOMEM, "growing a middle needs a move");
    is(remap(100, 5, 8, 0, 0), PAGES(100), "up to the neighbour");
    is(mm->vmas.count, 1, "AA**BB: they are one now");
    map_at(mm, PAGES(200), 2, RW);
    map_at(mm, PAGES(203), 2, PROT_READ);
    is(remap(200, 9, 1, 0, 0), PAGES(200), "shrinking takes whatever lies there");
    ok(mm->vmas.count == 2 && absent(201, 4), "other VMAs too");
    map_file(mm, PAGES(300), PAGES(2), RW, MAP_SHARED | MAP_FIXED, &f, PAGES(3));
    is(remap(300, 2, 5, 0, 0), PAGES(300), "a file map grows");
    is(peek(mm, PAGES(304)), 'a' + 7, "into the file's next pages");
    is(remap(300, 5, 50, 0, 0), PAGES(300), "and past its end");
    is(peek(mm, PAGES(340)), -FAULT_BUSERR, "where it is SIGBUS");
    mm_check(mm);
    end("in place");
}

/* ---- moves ---- */

static void test_move(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    map_at(mm, PAGES(104), 1, PROT_READ);
    fill(100, 4, 20);
    long to = remap(100, 4, 6, MAYMOVE, 0);
    ok(to > 0 && to != (long)PAGES(100), "grows by moving");
    ok(filled((u64)to >> PAGE_SHIFT, 4, 20) && peek(mm, to + PAGES(5)) == 0 && absent(100, 4),
       "contents are there and no longer here");
    ok(mm->rss[RSS_ANON] == 5 && mm->total_pages == 7, "nothing is counted twice");
    map_at(mm, PAGES(200), 9, RW);
    fill(200, 9, 1);
    is(remap(203, 3, 3, FIXED, 600), PAGES(600), "the middle of a VMA");
    ok(filled(600, 3, 4) && absent(203, 3) && filled(200, 3, 1) && filled(206, 3, 7),
       "just that, by FIXED");
    is(remap(600, 3, 3, FIXED, 203), PAGES(203), "and back");
    ok(filled(200, 9, 1) && vma_find(&mm->vmas, PAGES(200))->end == PAGES(209), "one VMA again");
    map_at(mm, PAGES(700), 5, PROT_READ);
    is(remap(200, 9, 2, FIXED, 701), PAGES(701), "FIXED replaces, and shrinks");
    ok(filled(701, 2, 1) && absent(200, 9) && peek(mm, PAGES(700)) == 0 &&
           peek(mm, PAGES(703)) == 0,
       "its target only");
    map_at(mm, PAGES(800), 12, RW);
    fill(800, 12, 50);
    is(remap(800, 3, 3, FIXED, 805), PAGES(805), "into the middle of the same VMA");
    ok(filled(805, 3, 50) && filled(803, 2, 53) && filled(808, 4, 58) && absent(800, 3),
       "source and target were one");
    is(remap(805, 3, 3, FIXED, 802), PAGES(802), "down by its own length");
    ok(filled(802, 3, 50) && absent(805, 3), "is no overlap");
    mm_check(mm);
    end("move");
}

static void test_fresh_merges(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    map_at(mm, PAGES(200), 4, RW);
    is(remap(200, 4, 4, FIXED, 104), PAGES(104), "memory never written");
    is(mm->vmas.count, 1, "merges where it comes to");
    is(remap(100, 2, 2, FIXED, 108), PAGES(108), "directly above itself");
    ok(mm->vmas.count == 1 && vma_find(&mm->vmas, 0)->start == PAGES(102), "and is still one");
    is(remap(102, 2, 2, FIXED, 98), PAGES(98), "a part, below");
    ok(mm->vmas.count == 2, "two");
    is(remap(104, 2, 2, FIXED, 100), PAGES(100), "a head");
    is(remap(100, 1, 1, FIXED, 102), PAGES(102), "a middle, up");
    mm_check(mm);
    mm_munmap(mm, 0, PAGES(1000));
    map_at(mm, PAGES(100), 2, RW);
    poke(mm, PAGES(100), 1);
    map_at(mm, PAGES(200), 2, RW);
    poke(mm, PAGES(200), 2);
    is(remap(200, 2, 2, FIXED, 102), PAGES(102), "written memory");
    is(mm->vmas.count, 2, "stays by itself");
    map_file(mm, PAGES(300), PAGES(6), RW, MAP_SHARED | MAP_FIXED, &f, 0);
    is(remap(302, 2, 2, FIXED, 400), PAGES(400), "out of a file map");
    is(mm->vmas.count, 5, "three of it");
    is(remap(400, 2, 2, FIXED, 302), PAGES(302), "and back in");
    is(mm->vmas.count, 3, "one of it");
    mm_check(mm);
    end("merges");
}

static void test_dontunmap(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    fill(100, 4, 30);
    is(remap(100, 4, 4, DONTUNMAP | MREMAP_FIXED, 500), PAGES(500), "DONTUNMAP, FIXED");
    ok(filled(500, 4, 30) && peek(mm, PAGES(100)) == 0 && peek(mm, PAGES(103)) == 0,
       "the old range is mapped and empty");
    map_at(mm, PAGES(104), 1, RW);
    is(vma_find(&mm->vmas, PAGES(100))->end, PAGES(105), "and merges as if new");
    mm_munmap(mm, PAGES(104), PAGES(1));
    is(commit_total(), 8, "both are promised");
    long to = remap(501, 2, 2, DONTUNMAP, 0);
    ok(to > 0 && filled(to >> PAGE_SHIFT, 2, 31) && peek(mm, PAGES(501)) == 0 &&
           filled(500, 1, 30) && filled(503, 1, 33),
       "of a middle, anywhere");
    is(remap(100, 4, 4, DONTUNMAP, 900), PAGES(900), "the address is a hint");
    map_file(mm, PAGES(200), PAGES(3), RW, MAP_SHARED | MAP_FIXED, &f, PAGES(1));
    poke(mm, PAGES(200), 'Z');
    is(remap(200, 3, 3, DONTUNMAP, 950), PAGES(950), "of a shared map");
    ok(peek(mm, PAGES(200)) == 'Z' && peek(mm, PAGES(950)) == 'Z', "shows the file at both");
    mm_mlock(mm, PAGES(900), PAGES(4), 0);
    is(remap(900, 4, 4, DONTUNMAP, 960), PAGES(960), "locked");
    is(mm->kind_pages[MM_LOCKED], 4, "only the new one is");
    mm_check(mm);
    end("DONTUNMAP");
}

static void test_duplicate(void)
{
    begin();
    map(mm, PAGES(100), PAGES(4), RW, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED);
    fill(100, 4, 40);
    long to = remap(101, 0, 2, MAYMOVE, 0);
    ok(to > 0 && filled(to >> PAGE_SHIFT, 2, 41) && filled(100, 4, 40), "a second view");
    poke(mm, to, 99);
    is(peek(mm, PAGES(101)), 99, "of the same memory");
    is(remap(100, 0, 2, FIXED, 300), PAGES(300), "by FIXED");
    is(remap(101, 0, 2, FIXED, 102), PAGES(102), "over another part of itself");
    ok(peek(mm, PAGES(102)) == 99 && peek(mm, PAGES(103)) == 42, "which shows it");
    is(remap(100, 0, 2, 0, 0), -ENOMEM, "not without MAYMOVE");
    is(remap(100, 0, 2, FIXED, 100), -EFAULT, "not over itself");
    ok(filled(100, 1, 40), "and that leaves it");
    is(remap(101, 0, 2, FIXED, 100), -EINVAL, "nor over where it begins");
    map_at(mm, PAGES(400), 2, RW);
    is(remap(400, 0, 2, MAYMOVE, 0), -EINVAL, "private memory has no second view");
    is(remap(700, 0, 2, MAYMOVE, 0), -EFAULT, "nor has nothing");
    mm_check(mm);
    end("old size 0");
}

/* ---- refusals ---- */

static void test_errors(void)
{
    static char before[1 << 16];

    begin();
    map_at(mm, PAGES(100), 4, RW);
    map_at(mm, PAGES(104), 4, PROT_READ);
    map_at(mm, PAGES(110), 2, RW);
    snprintf(before, sizeof(before), "%s", maps(mm));
    is(remap(100, 1, 0, FIXED, 300), -EINVAL, "new size 0 (CVE-2003-0985)");
    is(remap(100, 1, 1, 8, 0), -EINVAL, "an unknown flag");
    is(remap(100, 1, 1, MREMAP_FIXED, 300), -EINVAL, "FIXED without MAYMOVE");
    is(remap(100, 1, 1, MREMAP_DONTUNMAP, 0), -EINVAL, "DONTUNMAP without MAYMOVE");
    is(remap(100, 4, 3, DONTUNMAP, 0), -EINVAL, "DONTUNMAP that resizes");
    is(remap(100, 3, 3, FIXED, 102), -EINVAL, "overlap");
    is(mm_mremap(mm, PAGES(100) + 1, PAGES(1), PAGES(1), 0, 0), -EINVAL, "unaligned");
    is(mm_mremap(mm, PAGES(100), PAGES(1), PAGES(1), FIXED, PAGES(300) + 1), -EINVAL,
       "unaligned target");
    is(mm_mremap(mm, PAGES(100), PAGES(1), ~0ul, MAYMOVE, 0), -EINVAL, "new size 2^64 - 1");
    is(mm_mremap(mm, PAGES(100), ~0ul, PAGES(1), MAYMOVE, 0), -EINVAL, "old size 2^64 - 1");
    is(mm_mremap(mm, PAGES(100), -PAGE_SIZE, PAGES(1), 0, 0), -EINVAL, "old size 2^64 - a page");
    is(mm_mremap(mm, PAGES(100), PAGES(4), USER_LIMIT, MAYMOVE, 0), -EINVAL, "2^47");
    is(mm_mremap(mm, PAGES(100), PAGES(4), USER_LIMIT / 2, MAYMOVE, 0), -ENOMEM, "2^46");
    is(mm_mremap(mm, PAGES(100), PAGES(4), PAGES(4), FIXED, USER_END), -EINVAL, "past user space");
    is(remap(100, 6, 7, MAYMOVE, 0), -EFAULT, "across two VMAs");
    is(remap(100, 6, 6, FIXED, 300), -EFAULT, "by FIXED too");
    is(remap(110, 3, 4, MAYMOVE, 0), -EFAULT, "across a hole");
    is(remap(109, 1, 2, MAYMOVE, 0), -EFAULT, "of nothing");
    is(remap(900, 1, 1, 0, 0), -EFAULT, "of nothing, to the same size");
    ok(strcmp(before, maps(mm)) == 0, "nothing changed");
    file_end(&f);
    file_make(&f, ~0ul >> 1, true);
    map_file(mm, PAGES(200), PAGES(1), RW, MAP_SHARED | MAP_FIXED, &f, (1ul << 63) - PAGES(2));
    is(remap(200, 1, 3, 0, 0), PAGES(200), "grown past what a file can be");
    is(peek(mm, PAGES(202)), -FAULT_BUSERR, "is SIGBUS, no page 0 again");
    vma_find(&mm->vmas, PAGES(100))->pgoff = ~0ul - 10;
    is(remap(100, 4, 12, MAYMOVE, 0), -EINVAL, "a page offset that wraps");
    vma_find(&mm->vmas, PAGES(100))->pgoff = 100;
    end("errors");
}

static void test_limits(void)
{
    static char before[1 << 16];

    begin();
    set_knob("vm.max_map_count", "20");
    map_at(mm, PAGES(100), 3, RW);
    map_at(mm, PAGES(200), 5, PROT_READ);
    for (u64 at = 300; mm->vmas.count < 17; at += 2)
        map_at(mm, PAGES(at), 1, RW);
    snprintf(before, sizeof(before), "%s", maps(mm));
    is(remap(100, 3, 3, FIXED, 201), -ENOMEM, "at three below the limit (CVE-2004-0077)");
    is(remap(100, 3, 300, MAYMOVE, 0), -ENOMEM, "growing by moving too");
    ok(strcmp(before, maps(mm)) == 0, "all as it was");
    is(remap(100, 3, 4, 0, 0), PAGES(100), "growing in place needs no VMA");
    mm_munmap(mm, PAGES(300), PAGES(1));
    is(remap(100, 3, 3, FIXED, 500), -ENOMEM, "FIXED wants two more");
    ok(remap(100, 4, 300, MAYMOVE, 0) > 0, "another place does not");
    set_knob("vm.max_map_count", "65530");
    mm_munmap(mm, 0, USER_END);

    map_at(mm, PAGES(100), 10, RW);
    map_at(mm, PAGES(110), 1, PROT_READ);
    mm->limit[MM_LIMIT_AS] = PAGES(12);
    is(remap(100, 10, 12, MAYMOVE, 0), -ENOMEM, "RLIMIT_AS");
    is(remap(100, 10, 10, DONTUNMAP, 0), -ENOMEM, "DONTUNMAP counts in full");
    is(remap(100, 10, 10, FIXED, 500), PAGES(500), "a move alone does not count");
    is(remap(500, 10, 11, 0, 0), PAGES(500), "up to the limit");
    mm->limit[MM_LIMIT_AS] = 0;
    is(remap(500, 11, 10, 0, 0), PAGES(500), "shrinking always works");
    mm->limit[MM_LIMIT_AS] = ~0ul;
    mm->limit[MM_LIMIT_DATA] = PAGES(10);
    is(remap(500, 10, 11, 0, 0), -ENOMEM, "RLIMIT_DATA");
    is(remap(110, 1, 2, 0, 0), PAGES(110), "is not for what can't be written");
    mm->limit[MM_LIMIT_DATA] = ~0ul;
    mm_mlock(mm, PAGES(500), PAGES(10), 0);
    mm->lock_exempt = false;
    mm->limit[MM_LIMIT_MEMLOCK] = PAGES(11);
    is(remap(500, 10, 12, 0, 0), -EAGAIN, "RLIMIT_MEMLOCK");
    is(remap(500, 10, 11, 0, 0), PAGES(500), "up to it");
    ok(mm->kind_pages[MM_LOCKED] == 11 && mm->rss[RSS_ANON] == 11, "the new page is locked: there");
    is(remap(500, 11, 11, FIXED, 700), PAGES(700), "moving locked memory");
    is(mm->kind_pages[MM_LOCKED], 11, "counts once");
    set_knob("vm.overcommit_memory", "2");
    is(remap(110, 2, 3, 0, 0), PAGES(110), "never overcommit: read-only promises nothing");
    mm->limit[MM_LIMIT_MEMLOCK] = ~0ul;
    is(mm_mremap(mm, PAGES(700), PAGES(11), PAGES(page_total_count()), MAYMOVE, 0), -ENOMEM,
       "a promise too many");
    set_knob("vm.overcommit_memory", "0");
    mm_check(mm);
    end("limits");
}

/* ---- every allocation fails in turn ---- */

static long fail_grow(void)
{
    return remap(100, 10, 30, MAYMOVE, 0);
}

static long fail_fixed(void)
{
    return remap(102, 4, 4, FIXED, 512 * 9 - 2);
}

static long fail_fixed_replace(void)
{
    return remap(100, 10, 5, FIXED, 203);
}

static long fail_dontunmap(void)
{
    return remap(100, 10, 10, DONTUNMAP, 0);
}

static long fail_duplicate(void)
{
    return remap(300, 0, 2, MAYMOVE, 0);
}

static long fail_far(void)
{
    return mm_mremap(mm, PAGES(200), PAGES(10), PAGES(10), FIXED, 1ul << 46);
}

static void test_failures(void)
{
    static const struct {
        const char *name;
        long (*run)(void);
    } calls[] = {{"grow by moving", fail_grow},
                 {"fixed", fail_fixed},
                 {"fixed, over others", fail_fixed_replace},
                 {"DONTUNMAP", fail_dontunmap},
                 {"duplicate", fail_duplicate},
                 {"far", fail_far}};
    static char before[1 << 16];

    for (unsigned i = 0; i < ARRAY_SIZE(calls); i++) {
        unsigned tries = 0;
        bool same = true;
        long result;

        begin();
        map_at(mm, PAGES(100), 10, RW);
        map_at(mm, PAGES(110), 5, PROT_READ);
        map_file(mm, PAGES(200), PAGES(10), RW, MAP_PRIVATE | MAP_FIXED, &f, 0);
        map_file(mm, PAGES(300), PAGES(4), RW, MAP_SHARED | MAP_FIXED, &f, 0);
        fill(100, 10, 1);
        fill(200, 10, 101);
        do {
            snprintf(before, sizeof(before), "%s", maps(mm));
            u64 promised = commit_total(), vmas = objects("vma"), refs = f.file.refs;
            u64 tables = mm->pt.tables;
            fail_countdown = ++tries;
            result = calls[i].run();
            bool failed = fail_countdown == 0 && result < 0;
            fail_countdown = 0;
            if (failed)
                same &= result == -ENOMEM && strcmp(before, maps(mm)) == 0 &&
                        promised == commit_total() && vmas == objects("vma") &&
                        refs == f.file.refs && tables == mm->pt.tables && mm->rss[RSS_ANON] == 20 &&
                        filled(100, 10, 1) && filled(200, 10, 101);
            mm_check(mm);
        } while (result < 0 && tries < 100);
        ok(same && tries > 1 && result >= 0, "%s: %u failures, all as it was", calls[i].name,
           tries - 1);
        mm_check(mm);
        end(calls[i].name);
    }
}

int main(void)
{
    host_boot(8192);
    mm_init_once();
    BOTH_FINDS(find)
    {
        for (int work = 0; work < 2; work++) {
            set_knob("vm.zap", work ? "work" : "block");
            diag("vm.find=%s vm.zap=%s", *find, work ? "work" : "block");
            test_in_place();
            test_move();
            test_fresh_merges();
            test_dontunmap();
            test_duplicate();
            test_errors();
            test_limits();
            test_failures();
        }
    }
    return tap_done();
}
