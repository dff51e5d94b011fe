/*
 * mremap.c: growing, shrinking and moving a map, and what is refused.
 */
#include "tests/guest/catch.h"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

enum { MAYMOVE = MREMAP_MAYMOVE, FIXED = MREMAP_MAYMOVE | MREMAP_FIXED };

/* Pages with the byte first, first + 1, ... at both ends of each. */
static char *numbered(u64 pages, int first)
{
    char *p = anon_at(area(pages), pages, RW);

    for (u64 i = 0; i < pages; i++)
        p[i * page] = p[(i + 1) * page - 1] = first + i;
    return p;
}

static bool has_numbers(const char *p, u64 pages, int first)
{
    bool good = true;

    for (u64 i = 0; i < pages; i++)
        good &= p[i * page] == (char)(first + i) && p[(i + 1) * page - 1] == (char)(first + i);
    return good;
}

static void refused(void)
{
    char *p = numbered(4, 1), *q = area(8);

    fails(mremap(p, page, 0, MAYMOVE), EINVAL);
    fails(mremap(p, page, 0, FIXED, q), EINVAL);
    fails(mremap(p, 0, page, MAYMOVE), EINVAL);
    fails(mremap(p + 1, page, page, 0), EINVAL);
    fails(mremap(p + 1, page, 2 * page, MAYMOVE), EINVAL);
    fails(mremap(p, page, page, MREMAP_FIXED, q), EINVAL);
    fails(mremap(p, page, page, MREMAP_DONTUNMAP, NULL), EINVAL);
    fails(mremap(p, page, 2 * page, MAYMOVE | MREMAP_DONTUNMAP, NULL), EINVAL);
    fails(mremap(p, page, page, 8), EINVAL);
    fails(mremap(p, page, page, FIXED, q + 1), EINVAL);
    fails(mremap(p, 2 * page, 2 * page, FIXED, p + page), EINVAL);
    fails(mremap(p + page, 2 * page, 2 * page, FIXED, p), EINVAL);
    fails(mremap(p, page, page, FIXED, p), EINVAL);
    fails(mremap(p, page, page, FIXED, KERNEL_ADDRESS), EINVAL);
    fails(mremap(p, page, page, FIXED, USER_END - page), EINVAL);
    fails(mremap(p, page, 2 * page, FIXED, USER_END - 2 * page), EINVAL);
    fails(mremap(p, page, -1ul, MAYMOVE), EINVAL);
    fails(mremap(p, page, 1ul << 46, MAYMOVE), ENOMEM);
    fails(mremap(q, page, page, 0), EFAULT);
    fails(mremap(q, page, 2 * page, MAYMOVE), EFAULT);
    fails(mremap(q, page, page, FIXED, q + 4 * page), EFAULT);
    fails(mremap(p + 2 * page, 4 * page, 5 * page, MAYMOVE), EFAULT);
    ok(has_numbers(p, 4, 1) && vmas(p, 4) == 1 && !vmas(q, 8), "nothing has changed");
    is(mprotect(p + page, page, PROT_READ), 0, "three VMAs");
    fails(mremap(p, 2 * page, 3 * page, MAYMOVE), EFAULT);
    is(mprotect(p + page, page, RW), 0, "one again");
    unmap(p + 2 * page, 1);
    fails(mremap(p, 4 * page, 5 * page, MAYMOVE), EFAULT);
    ok(has_numbers(p, 2, 1), "nothing has changed");
    unmap(p, 4);
}

static void in_place(void)
{
    char *p = numbered(4, 1);

    is(mremap(p, 4 * page, 4 * page, 0), p, "the same length: nothing");
    is(mremap(p, 4 * page, 2 * page, 0), p, "shrunk to two pages");
    ok(has_numbers(p, 2, 1) && !readable(p + 2 * page) && vmas(p, 4) == 1, "two are left");
    is(mremap(p, 2 * page, 4 * page, 0), p, "grown back to four");
    ok(has_numbers(p, 2, 1) && p[2 * page] == 0 && p[4 * page - 1] == 0, "what is new is zero");
    is(vmas(p, 4), 1, "one VMA");
    is(mremap(p, page - 1, page, 0), p, "lengths are rounded up to pages");
    anon_at(p + 5 * page, 1, RW);
    p[5 * page] = 'X';
    fails(mremap(p, 4 * page, 6 * page, 0), ENOMEM);
    is(mremap(p, 4 * page, 5 * page, 0), p, "grown up to the next map");
    ok(p[5 * page] == 'X', "which stays");
    unmap(p, 6);
    p = numbered(4, 1);
    fails(mremap(p, 2 * page, 3 * page, 0), ENOMEM);
    is(mremap(p, 3 * page, page, 0), p, "three of four pages shrunk to one");
    ok(has_numbers(p, 1, 1) && !readable(p + page) && !readable(p + 2 * page) && p[3 * page] == 4,
       "a hole of two, and the fourth stays");
    unmap(p, 4);
}

static void moved(void)
{
    char *p = numbered(4, 1);

    anon_at(p + 4 * page, 1, PROT_READ);
    char *q = mremap(p, 4 * page, 6 * page, MAYMOVE);
    ok(q != MAP_FAILED && q != p, "no room to grow: it moves");
    ok(has_numbers(q, 4, 1) && q[4 * page] == 0 && q[6 * page - 1] == 0, "with its contents");
    ok(segv_maperr(catch_read(p), p) && segv_maperr(catch_write(p + 3 * page), p + 3 * page),
       "the old place is empty");
    is(vmas(p, 5), 1, "but for its neighbour");
    unmap(p, 5);
    p = area(8);
    anon_at(p, 8, RW);
    memset(p, 'T', 8 * page);
    is(mremap(q, 2 * page, 2 * page, FIXED, p + 3 * page), p + 3 * page, "two pages by FIXED");
    ok(p[3 * page - 1] == 'T' && has_numbers(p + 3 * page, 2, 1) && p[5 * page] == 'T',
       "replace exactly two of the target");
    ok(!readable(q) && !readable(q + page) && q[2 * page] == 3, "only they have moved");
    is(mremap(q + 2 * page, 2 * page, page, FIXED, p), p, "two pages to one by FIXED");
    ok(p[0] == 3 && p[page] == 'T' && !readable(q + 2 * page) && !readable(q + 3 * page),
       "the second is gone");
    is(mremap(q + 4 * page, page, 3 * page, FIXED, p + page), p + page, "one page to three");
    ok(p[page] == 0 && p[2 * page] == 0 && p[3 * page] == 0 && p[4 * page] == 2,
       "replaces three pages");
    ok(!readable(q + 4 * page) && q[5 * page] == 0, "and leaves the last");
    unmap(q, 6);
    unmap(p, 8);
}

static void back_and_forth(void)
{
    char *p = numbered(3, 1), *q = area(3);
    bool good = true;

    for (int i = 0; i < 50; i++) {
        good &= mremap(p, 3 * page, 3 * page, FIXED, q) == q && has_numbers(q, 3, 1 + i);
        good &= !readable(p) && !readable(p + 2 * page);
        for (int j = 0; j < 3; j++)
            q[j * page] = q[(j + 1) * page - 1] = 2 + i + j;
        char *other = p;
        p = q;
        q = other;
    }
    ok(good, "back and forth, 50 times, written each time: no stale translation");
    is(vmas(p, 3) + vmas(q, 3), 1, "one VMA");
    unmap(p, 3);
}

/* Pages 4 and 5 of 8 become the first of a VMA, over the boundary of two pmd entries. */
static void over_a_boundary(void)
{
    u64 pmd = vm_geometry().pmd;
    char *p = area(4 * pmd / page), *q = area(4 * pmd / page);

    p = (char *)(((u64)p + pmd) / pmd * pmd - 4 * page);
    q = (char *)(((u64)q + pmd) / pmd * pmd - 3 * page);
    anon_at(p, 8, RW);
    for (int i = 0; i < 8; i++)
        p[i * page] = p[(i + 1) * page - 1] = 1 + i;
    is(mremap(p, 8 * page, 8 * page, FIXED, q), q, "over a pmd boundary, shifted by a page");
    ok(has_numbers(q, 8, 1) && !readable(p) && !readable(p + 7 * page), "all eight have moved");
    is(mremap(q, 8 * page, 8 * page, FIXED, p + 1 * page), p + page, "and back");
    ok(has_numbers(p + page, 8, 1) && !readable(p) && !readable(q + 7 * page), "all eight");
    unmap(p, 9);
}

static void files(void)
{
    int fd = filled_file(6, 'a');
    char *p = map_at(area(4), 4, RW, MAP_SHARED, fd, page), *q = area(8);
    struct map_line line[2];

    is(mremap(p + page, 2 * page, 3 * page, FIXED, q), q, "two of four pages moved and grown");
    ok(q[0] == 'c' && q[page] == 'd' && q[2 * page] == 'e', "show the file where they did");
    ok(p[0] == 'b' && !readable(p + page) && p[3 * page] == 'e', "and the rest stays");
    is(maps_in(q, 3, line, 2), 1, "one VMA");
    is(line[0].offset, 2 * page, "with the right offset");
    q[0] = 'C';
    char c = 0;
    ok(pread(fd, &c, 1, 2 * page) == 1 && c == 'C', "a store is in the file");
    is(mremap(q, 3 * page, 5 * page, MAYMOVE), q, "grown beyond the end of the file");
    ok(q[3 * page] == 'f' && bus_adrerr(catch_read(q + 4 * page + 7), q + 4 * page + 7),
       "the page behind it: SIGBUS");
    is(mremap(q + page, page, page, FIXED, p + page), p + page, "a page brought back");
    is(mremap(q, page, page, FIXED, p + 2 * page), p + 2 * page, "and one to a wrong place");
    ok(p[page] == 'd' && p[2 * page] == 'C' && vmas(p, 4) == 4, "each a VMA of its own");
    unmap(p, 4);
    unmap(q, 5);
    p = mmap(area(1), page, PROT_READ, MAP_SHARED | MAP_FIXED, fd, (1ul << 63) - page);
    if (p != MAP_FAILED) {
        fails(mremap(p, page, 1ul << 45, MAYMOVE), ENOMEM);
        unmap(p, 1);
    }
    close(fd);
}

static void duplicated(void)
{
    char *p = map_at(area(3), 3, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0), *q = area(4);

    p[page] = 'b';
    is(mremap(p + page, 0, 2 * page, FIXED, q), q, "old length 0 of a shared map");
    ok(p[page] == 'b' && q[0] == 'b', "both show the same page");
    q[page] = 'c';
    is(p[2 * page], 'c', "and a store in one is seen in the other");
    char *r = mremap(p, 0, page, MAYMOVE);
    ok(r != MAP_FAILED && r != p, "anywhere, too");
    p[0] = 'a';
    is(r[0], 'a', "the first page");
    fails(mremap(p, 0, page, 0), ENOMEM);
    unmap(p, 3);
    ok(q[0] == 'b' && r[0] == 'a', "which outlives the first map");
    unmap(q, 2);
    unmap(r, 1);
}

static void dont_unmap(void)
{
    char *p = numbered(3, 1), *q = area(3);

    is(mremap(p, 3 * page, 3 * page, FIXED | MREMAP_DONTUNMAP, q), q, "DONTUNMAP");
    ok(has_numbers(q, 3, 1), "the pages have moved");
    ok(p[0] == 0 && p[page] == 0 && p[3 * page - 1] == 0, "the old range is there, and empty");
    p[0] = 9;
    is(q[0], 1, "both are apart");
    unmap(p, 3);
    char *r = mremap(q, 3 * page, 3 * page, MAYMOVE | MREMAP_DONTUNMAP, NULL);
    ok(r != MAP_FAILED && r != q && has_numbers(r, 3, 1) && q[page] == 0, "anywhere, too");
    unmap(q, 3);
    unmap(r, 3);
}

/* 16 TiB with three pages in it, and one page behind the target. */
static void sparse(void)
{
    u64 size = 1ul << 44;
    char *p = area(size / page), *q = area(size / page);

    if (mmap(p, size, RW, ANON | MAP_NORESERVE | MAP_FIXED, -1, 0) != p)
        vm_die(errno, "cannot map 16 TiB");
    anon_at(q + size, 1, RW)[0] = 'S';
    p[0] = 1;
    p[size / 2] = 2;
    p[size - 1] = 3;
    is(mremap(p, size, size, FIXED, q), q, "16 TiB with three touched pages");
    ok(q[0] == 1 && q[size / 2] == 2 && q[size - 1] == 3 && q[size / 4] == 0,
       "move, and hold them");
    ok(q[size] == 'S', "the page behind the target stays");
    ok(!readable(p) && !readable(p + size / 2) && !readable(p + size - 1), "the old is gone");
    vm_knob_set("vm.zap", "work"); /* by blocks, all of it would take long */
    is(munmap(q, size + page), 0, "unmapped");
}

void suite_mremap(void)
{
    refused();
    in_place();
    moved();
    back_and_forth();
    over_a_boundary();
    files();
    duplicated();
    dont_unmap();
    sparse();
}
