/*
 * munmap.c: munmap over anything: parts, holes, several maps, nothing, refused ranges.
 */
#include "tests/guest/guest.h"

static void refused(void)
{
    char *p = anon_at(area(4), 4, RW);

    p[0] = 1;
    fails(munmap(p, 0), EINVAL);
    fails(munmap(p + 1, page), EINVAL);
    fails(munmap(p + page - 1, page), EINVAL);
    fails(munmap(p, -1ul), EINVAL);
    fails(munmap(p, -page), EINVAL);
    fails(munmap(p, -(u64)p), EINVAL);
    fails(munmap(p, 1ul << 63), EINVAL);
    fails(munmap(p, USER_END), EINVAL);
    fails(munmap(KERNEL_ADDRESS, page), EINVAL);
    fails(munmap(NON_CANONICAL, page), EINVAL);
    fails(munmap((void *)-page, page), EINVAL);
    is(vmas(p, 4), 1, "a refused munmap changes nothing");
    is(p[0], 1, "not even the contents");
    unmap(p, 4);
}

static void nothing(void)
{
    char *p = area(4);

    is(munmap(p, 4 * page), 0, "a hole");
    is(munmap(p, 1ul << 40), 0, "a hole of 1 TiB");
    is(munmap(NULL, page), 0, "page 0, where nothing is");
    anon_at(p, 1, RW);
    is(munmap(p, 1), 0, "one byte: the whole page goes");
    is(vmas(p, 1), 0, "nothing is left");
}

/* Every sub-range of six pages, at every place, against what must be left. */
static void every_part(bool touched)
{
    enum { N = 6 };
    char *p = area(N);
    bool good = true;

    for (int from = 0; from < N; from++)
        for (int to = from + 1; to <= N; to++) {
            anon_at(p, N, RW);
            for (int i = 0; touched && i < N; i++)
                p[i * page] = 'a' + i;
            good &= munmap(p + from * page, (to - from) * page) == 0;
            good &= vmas(p, N) == (from > 0) + (to < N);
            for (int i = 0; i < N; i++) {
                bool there = i < from || i >= to;
                good &= readable(p + i * page) == there;
                good &= !there || p[i * page] == (touched ? 'a' + i : 0);
            }
            unmap(p, N);
        }
    ok(good, "every part of %d %s pages: exactly it goes", N, touched ? "written" : "untouched");
}

static void several(void)
{
    char *p = area(16);

    for (int i = 0; i < 5; i++) {
        anon_at(p + 3 * i * page, 2, i % 2 ? RW : PROT_READ);
        if (i % 2)
            p[3 * i * page] = i;
    }
    is(vmas(p, 16), 5, "5 maps with holes between them");
    is(munmap(p + page, 12 * page), 0, "from inside the first to inside the last");
    is(vmas(p, 16), 2, "2 are left");
    ok(readable(p) && !readable(p + page) && !readable(p + 12 * page) && readable(p + 13 * page),
       "cut at the right places");
    is(munmap(p - 8 * page, 32 * page), 0, "with holes on both sides");
    is(vmas(p, 16), 0, "nothing is left");
}

static void again(void)
{
    char *p = area(4);
    bool good = true;

    for (int i = 0; i < 200; i++) {
        anon_at(p, 4, RW);
        good &= p[0] == 0 && p[3 * page] == 0;
        memset(p, i + 1, 4 * page);
        unmap(p + page, 2);
        good &= p[0] == (char)(i + 1) && p[3 * page] == (char)(i + 1) && !readable(p + page);
        unmap(p, 4);
        good &= !readable(p);
    }
    ok(good, "200 times mapped, written, unmapped: always new zeros");
}

/* One map of two pmd entries across a boundary; [low, high) of it unmapped, all else left. */
static bool cut(char *boundary, u64 pmd, char *low, char *high)
{
    char *start = boundary - pmd - 4 * page;
    u64 pages = 2 * pmd / page + 8;

    anon_at(start, pages, RW);
    low[-(long)page] = 1;
    low[0] = 2;
    high[-(long)page] = 3;
    high[0] = 4;
    bool good = munmap(low, high - low) == 0;
    good &= readable(low - page) && !readable(low) && !readable(high - page) && readable(high);
    good &= low[-(long)page] == 1 && high[0] == 4;
    unmap(start, pages);
    return good && vmas(start, pages) == 0;
}

/* Ranges that end, and ranges that begin, at and around the ends of pte, pmd and pud tables. */
static void boundaries(void)
{
    struct vm_geometry g = vm_geometry();
    u64 sizes[] = {g.pmd, g.pud, g.pgd < USER_END / 4 ? g.pgd : g.pud};
    bool good = true;

    for (int s = 0; s < 3; s++)
        for (int from = -2; from <= 2; from++)
            for (int to = -2; to <= 2; to++) {
                char *p = (char *)(0x200000000000ul + sizes[s]);
                good &= cut(p, g.pmd, p - g.pmd + from * (long)page, p + to * (long)page);
                good &= cut(p, g.pmd, p + from * (long)page, p + g.pmd + to * (long)page);
            }
    ok(good, "ranges around the ends of pte, pmd and pud tables");
}

/* Demonstrations D1 to D5 of the mail's first patch: blocks that cross tables, shifted by what
 * was left over. */
static void out_of_phase(void)
{
    struct vm_geometry g = vm_geometry();
    char *base = (char *)(0x200000000000ul + 2 * g.pud);
    bool good = true;

    for (int shift = 1; shift < 16; shift++) {
        char *p = anon_at(base - shift * page, 16, RW), *q = p + 20 * page;
        anon_at(q, g.pmd / page, RW);
        memset(p, 5, 16 * page);
        for (u64 at = 0; at < g.pmd; at += page)
            q[at] = 6;
        good &= munmap(p, 20 * page + g.pmd) == 0 && vmas(p, 20 + g.pmd / page) == 0;
        anon_at(p, 16, RW);
        anon_at(q, g.pmd / page, RW);
        for (int i = 0; i < 16; i++)
            good &= p[i * page] == 0;
        for (u64 at = 0; at < g.pmd; at += page)
            good &= q[at] == 0;
        unmap(p, 20 + g.pmd / page);
    }
    ok(good, "maps of odd sizes over a pud's boundary: no page is left behind");
    char *p = anon_at(base - g.pmd / 2, 4, RW);
    p[0] = 1;
    char *q = anon_at(base - 4 * page, 8, RW);
    is(munmap(q, 8 * page), 0, "an empty last pmd below a pud's boundary: it ends");
    unmap(p, 4);
}

void suite_munmap(void)
{
    refused();
    nothing();
    every_part(false);
    every_part(true);
    several();
    again();
    boundaries();
    out_of_phase();
}
