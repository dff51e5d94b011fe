/*
 * mprotect.c: rights: refused changes, splits, merges, holes, and that a change holds at once.
 */
#include "tests/guest/guest.h"

static void refused(void)
{
    char *p = anon_at(area(4), 4, RW);

    fails(mprotect(p + 1, page, PROT_READ), EINVAL);
    fails(mprotect(p + page / 2, page, PROT_READ), EINVAL);
    fails(mprotect(p, page, 0x100), EINVAL);
    fails(mprotect(p, page, PROT_READ | 0x40), EINVAL);
    fails(mprotect(p, -page, PROT_READ), ENOMEM);
    fails(mprotect(p, -1ul, PROT_READ), ENOMEM);
    is(mprotect(p, 0, PROT_READ), 0, "length 0 does nothing");
    is(mprotect(p + 64 * page, 0, PROT_READ), 0, "not even where nothing is");
    fails(mprotect(p + 4 * page, page, PROT_READ), ENOMEM);
    fails(mprotect(KERNEL_ADDRESS, page, PROT_READ), ENOMEM);
    fails(mprotect(NULL, page, PROT_READ), ENOMEM);
    fails(mprotect(p, page, PROT_READ | PROT_GROWSUP), EINVAL);
    fails(mprotect(p, page, PROT_READ | PROT_GROWSDOWN), EINVAL);
    ok(writable(p) && writable(p + 3 * page), "refused changes change nothing");
    unmap(p, 4);
}

static void holds_at_once(void)
{
    char *p = anon_at(area(1), 1, RW);
    bool good = true;

    for (int i = 0; i < 100; i++) {
        p[0] = i;
        good &= mprotect(p, page, PROT_READ) == 0;
        good &= readable(p) && !writable(p) && p[0] == (char)i;
        good &= mprotect(p, page, PROT_NONE) == 0;
        good &= !readable(p) && !writable(p);
        good &= mprotect(p, page, RW) == 0;
        good &= p[0] == (char)i && writable(p);
    }
    ok(good, "100 times read-only, no access, writable: each holds at once, contents stay");
    ok(mprotect(p, 1, PROT_READ) == 0 && !writable(p + page - 1), "one byte: the whole page");
    is(mprotect(p, page, PROT_WRITE), 0, "PROT_WRITE alone");
    ok(writable(p), "can be written");
    unmap(p, 1);
    p = anon_at(area(1), 1, PROT_NONE);
    ok(!readable(p) && !writable(p), "mapped without access");
    is(mprotect(p, page, RW), 0, "and opened");
    ok(p[0] == 0 && writable(p), "is zero");
    unmap(p, 1);
}

/* Every sub-range of six pages made read-only and writable again. */
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
            good &= mprotect(p + from * page, (to - from) * page, PROT_READ) == 0;
            good &= vmas(p, N) == 1 + (from > 0) + (to < N);
            for (int i = 0; touched && i < N;
                 i++) /* probing writes, and pieces written apart stay apart */
                good &= writable(p + i * page) == (i < from || i >= to);
            good &= mprotect(p + from * page, (to - from) * page, RW) == 0;
            good &= vmas(p, N) == 1;
            for (int i = 0; i < N; i++)
                good &= writable(p + i * page) && p[i * page] == (touched ? 'a' + i : 0);
            unmap(p, N);
        }
    ok(good, "every part of %d %s pages: split, merged back, contents kept", N,
       touched ? "written" : "untouched");
}

static void holes(void)
{
    char *p = area(8);

    anon_at(p, 2, RW);
    anon_at(p + 3 * page, 2, RW);
    fails(mprotect(p, 5 * page, PROT_READ), ENOMEM);
    ok(!writable(p) && !writable(p + page), "what comes before the hole is changed");
    ok(writable(p + 3 * page), "what comes behind is not");
    fails(mprotect(p - page, 2 * page, RW), ENOMEM);
    ok(!writable(p), "a hole at the start: nothing is changed");
    fails(mprotect(p + 4 * page, 2 * page, PROT_READ), ENOMEM);
    ok(!writable(p + 4 * page), "a hole at the end: all before it is changed");
    unmap(p, 5);
}

static void several(void)
{
    char *p = area(8);

    anon_at(p, 2, RW);
    anon_at(p + 2 * page, 2, PROT_READ);
    anon_at(p + 4 * page, 2, PROT_NONE);
    is(vmas(p, 6), 3, "three maps of different rights");
    is(mprotect(p + page, 4 * page, PROT_READ), 0, "the middle of all made equal");
    is(vmas(p, 6), 3, "3 again, cut elsewhere");
    ok(writable(p) && !writable(p + page) && readable(p + 4 * page) && !readable(p + 5 * page),
       "at the right places");
    is(mprotect(p, 6 * page, RW), 0, "all made equal");
    is(vmas(p, 6), 1, "1 VMA");
    unmap(p, 6);
}

static void files(void)
{
    char name[64];
    int rw = named_file(name, sizeof name), ro = open(name, O_RDONLY);
    char *p = area(2), c = 0;

    unlink(name);
    is(ftruncate(rw, 2 * page), 0, "a file of two pages");
    map_at(p, 2, PROT_READ, MAP_SHARED, ro, 0);
    fails(mprotect(p, page, RW), EACCES);
    is(vmas(p, 2), 1, "refused: 1 VMA still");
    map_at(p, 2, PROT_READ, MAP_PRIVATE, ro, 0);
    is(mprotect(p, page, RW), 0, "a private map of it may become writable");
    p[0] = 'x';
    ok(pread(ro, &c, 1, 0) == 1 && c == 0, "the file stays");
    map_at(p, 2, PROT_READ, MAP_SHARED, rw, 0);
    is(mprotect(p, page, RW), 0, "a shared map of a writable descriptor");
    p[0] = 'y';
    ok(pread(ro, &c, 1, 0) == 1 && c == 'y', "writes to the file");
    unmap(p, 2);
    close(ro);
    close(rw);
}

/* mov eax, N; ret */
static int call_code(char *p)
{
    return ((int (*)(void))p)();
}

static void code(void)
{
    static const unsigned char text[] = {0xb8, 7, 0, 0, 0, 0xc3};
    char *p = anon_at(area(1), 1, RW);

    memcpy(p, text, sizeof text);
    is(mprotect(p, page, PROT_READ | PROT_EXEC), 0, "written, then executable");
    is(call_code(p), 7, "it runs");
    is(mprotect(p, page, RW), 0, "writable again");
    p[1] = 8;
    is(mprotect(p, page, PROT_READ | PROT_EXEC), 0, "executable again");
    is(call_code(p), 8, "the new code runs");
    unmap(p, 1);
}

void suite_mprotect(void)
{
    refused();
    holds_at_once();
    every_part(false);
    every_part(true);
    holes();
    several();
    files();
    code();
}
