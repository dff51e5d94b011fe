/*
 * mmap.c: the mmap call on anonymous memory: refused arguments, places, replacement, merging.
 */
#include "tests/guest/guest.h"

static void refused(void)
{
    char *p = area(8);

    fails(mmap(NULL, 0, RW, ANON, -1, 0), EINVAL);
    fails(mmap(NULL, page, RW, MAP_ANONYMOUS, -1, 0), EINVAL);
    fails(mmap(NULL, page, RW, MAP_ANONYMOUS | MAP_SHARED_VALIDATE, -1, 0), EINVAL);
    fails(mmap(p + 1, page, RW, ANON | MAP_FIXED, -1, 0), EINVAL);
    fails(mmap(p + 1, page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), EINVAL);
    fails(mmap(NULL, page, RW, ANON, -1, 1), EINVAL);
    fails(mmap(NULL, page, RW, ANON, -1, page - 1), EINVAL);
    for (u64 length = -1ul; length >= -page; length--)
        if (mmap(NULL, length, RW, ANON, -1, 0) != MAP_FAILED || errno != ENOMEM) {
            ok(false, "length %#lx: ENOMEM", length);
            break;
        }
    fails(mmap(NULL, -1ul, RW, ANON, -1, 0), ENOMEM);
    fails(mmap(NULL, -page, RW, ANON, -1, 0), ENOMEM);
    fails(mmap(NULL, 1ul << 63, PROT_NONE, ANON, -1, 0), ENOMEM);
    fails(mmap(NULL, USER_END, PROT_NONE, ANON, -1, 0), ENOMEM);
    is(vmas(p, 8), 0, "a refused call maps nothing");
}

static void at_the_limit(void)
{
    char *end = (char *)(USER_END - page);

    fails(mmap(end, page, RW, ANON | MAP_FIXED, -1, 0), ENOMEM);
    fails(mmap(end - page, 2 * page, RW, ANON | MAP_FIXED, -1, 0), ENOMEM);
    fails(mmap(end + page, page, RW, ANON | MAP_FIXED, -1, 0), ENOMEM);
    fails(mmap(KERNEL_ADDRESS, page, RW, ANON | MAP_FIXED, -1, 0), ENOMEM);
    fails(mmap((void *)-page, page, RW, ANON | MAP_FIXED, -1, 0), ENOMEM);
    fails(mmap((void *)-page, 2 * page, RW, ANON | MAP_FIXED, -1, 0), ENOMEM);
    fails(mmap(KERNEL_ADDRESS, page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), ENOMEM);
    char *p = mmap(KERNEL_ADDRESS, page, RW, ANON, -1, 0);
    ok(p != MAP_FAILED && p < end, "a hint beyond user space is no error");
    unmap(p, 1);
    p = mmap(end - page, page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        is(errno, EEXIST, "the last page: EEXIST if the stack is there");
    else {
        is(p, end - page, "the last page can be mapped");
        *p = 1;
        unmap(p, 1);
    }
}

static void hints(void)
{
    char *p = area(8);
    char *q = mmap(p, page, RW, ANON, -1, 0);

    is(q, p, "a free hint is taken");
    char *r = mmap(p, page, RW, ANON, -1, 0);
    ok(r != MAP_FAILED && r != p, "a busy hint: another place");
    ok((u64)r % page == 0 && r, "... which is a page's address");
    unmap(r, 1);
    r = mmap(p + 2 * page + 1, page, RW, ANON, -1, 0);
    is(r, p + 2 * page, "a hint inside a page is rounded down");
    unmap(r, 1);
    r = mmap(p - page, 2 * page, RW, ANON, -1, 0);
    ok(r != MAP_FAILED && r != p - page, "a hint whose second page is busy: another place");
    unmap(r, 2);
    unmap(p, 1);
    r = mmap((void *)1, page, RW, ANON, -1, 0);
    ok(r != MAP_FAILED && (u64)r >= 65536, "a hint below vm.mmap_min_addr is lifted");
    unmap(r, 1);
}

static void chosen(void)
{
    char *p[16];

    for (int i = 0; i < 16; i++)
        p[i] = mmap(NULL, (i + 1) * page - i, RW, ANON, -1, 0);
    bool good = true, apart = true, zero = true;
    for (int i = 0; i < 16; i++) {
        good &= p[i] != MAP_FAILED && p[i] && (u64)p[i] % page == 0 && (u64)p[i] >= 65536;
        for (int j = 0; j < i; j++)
            apart &= p[i] + (i + 1) * page <= p[j] || p[j] + (j + 1) * page <= p[i];
        zero &= p[i][0] == 0 && p[i][(i + 1) * page - 1] == 0;
    }
    ok(good, "chosen places are pages' addresses above vm.mmap_min_addr");
    ok(apart, "chosen places do not overlap");
    ok(zero, "new memory is zero, to the end of its last page");
    for (int i = 0; i < 16; i++)
        unmap(p[i], i + 1);
}

static void noreplace(void)
{
    char *p = area(8);

    is(mmap(p, 4 * page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), p, "NOREPLACE on free space");
    memset(p, 7, 4 * page);
    fails(mmap(p, page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), EEXIST);
    fails(mmap(p - page, 2 * page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), EEXIST);
    fails(mmap(p + 3 * page, 2 * page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), EEXIST);
    fails(mmap(p - page, 6 * page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), EEXIST);
    is(vmas(p - page, 6), 1, "a refused NOREPLACE changes nothing");
    ok(p[0] == 7 && p[4 * page - 1] == 7, "... not even the contents");
    is(mmap(p - page, page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), p - page, "it fits below");
    is(mmap(p + 4 * page, page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), p + 4 * page, "and above");
    unmap(p - page, 6);
}

static void fixed(void)
{
    char *p = area(8);

    anon_at(p, 8, RW);
    for (int i = 0; i < 8; i++)
        p[i * page] = p[(i + 1) * page - 1] = 10 + i;
    anon_at(p + 2 * page, 3, RW);
    bool good = true;
    for (int i = 0; i < 8; i++) {
        char want = i >= 2 && i < 5 ? 0 : 10 + i;
        good &= p[i * page] == want && p[(i + 1) * page - 1] == want;
    }
    ok(good, "FIXED replaces exactly the pages it covers");
    anon_at(p - page, 2, RW);
    anon_at(p + 7 * page, 2, RW);
    ok(p[0] == 0 && p[page] == 11 && p[6 * page] == 16 && p[7 * page] == 0,
       "FIXED over the start and over the end");
    p[8 * page] = 1;
    unmap(p - page, 10);
    is(vmas(p - page, 10), 0, "all of it unmaps at once");
    anon_at(p, 1, RW);
    ok(p[0] == 0, "memory mapped again is zero");
    unmap(p, 1);
}

static void merging(void)
{
    char *p = area(8);

    anon_at(p, 1, RW);
    anon_at(p + 2 * page, 1, RW);
    is(vmas(p, 3), 2, "two maps with a hole: 2 VMAs");
    anon_at(p + page, 1, RW);
    is(vmas(p, 3), 1, "the hole filled: 1 VMA");
    unmap(p, 3);
    anon_at(p, 1, RW);
    anon_at(p + 2 * page, 1, RW);
    p[0] = p[2 * page] = 1;
    anon_at(p + page, 1, RW);
    is(vmas(p, 3), 2, "a hole between two written maps filled: 2 VMAs");
    ok(p[0] == 1 && p[page] == 0 && p[2 * page] == 1, "their contents stay");
    unmap(p, 3);
    anon_at(p, 1, RW);
    anon_at(p + page, 1, PROT_READ);
    is(vmas(p, 2), 2, "other rights: 2 VMAs");
    anon_at(p + page, 1, RW);
    is(vmas(p, 2), 1, "replaced by the same rights: 1 VMA");
    unmap(p, 2);
    map_at(p, 1, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    map_at(p + page, 1, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    is(vmas(p, 2), 2, "two shared anonymous maps side by side: 2 VMAs");
    p[0] = 1;
    p[page] = 2;
    ok(p[0] == 1 && p[page] == 2, "... with memory of their own");
    unmap(p, 2);
    for (int i = 0; i < 200; i++)
        anon_at(p + i * page, 1, RW);
    is(vmas(p, 200), 1, "200 maps side by side: 1 VMA");
    unmap(p, 200);
}

static void large(void)
{
    char *p = area(1);
    u64 size = 1ul << 38; /* by blocks, more would take long */

    is(mmap(p, size, RW, ANON | MAP_NORESERVE | MAP_FIXED, -1, 0), p, "256 GiB, not reserved");
    p[0] = 1;
    p[size / 2] = 2;
    p[size - 1] = 3;
    ok(p[0] == 1 && p[size / 2] == 2 && p[size - 1] == 3 && !p[size / 4],
       "its ends and middle hold");
    is(munmap(p, size), 0, "and it unmaps");
    ok(!readable(p) && !readable(p + size / 2) && !readable(p + size - 1), "nothing is left");
    is(mmap(p, size, PROT_NONE, ANON | MAP_NORESERVE | MAP_FIXED, -1, 0), p, "256 GiB, no access");
    ok(!readable(p) && !readable(p + size - 1), "PROT_NONE cannot be read");
    is(munmap(p, size), 0, "it unmaps too");
}

void suite_mmap(void)
{
    refused();
    at_the_limit();
    hints();
    chosen();
    noreplace();
    fixed();
    merging();
    large();
}
