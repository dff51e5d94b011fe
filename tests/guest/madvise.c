/*
 * madvise.c: DONTNEED, the advice that fork follows, what is refused, and mincore, which shows what
 * is in memory.
 */
#include "tests/guest/catch.h"

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24 /* Linux 5.18 */
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#define MADV_KEEPONFORK 19
#endif

static void refused(void)
{
    char *p = anon_at(area(4), 4, RW);

    fails(madvise(p, page, 12345), EINVAL);
    fails(madvise(p, page, -1), EINVAL);
    fails(madvise(p + 1, page, MADV_DONTNEED), EINVAL);
    fails(madvise(p, -page, MADV_DONTNEED), EINVAL);
    fails(madvise(p, -1ul, MADV_DONTNEED), EINVAL);
    is(madvise(p, 0, MADV_DONTNEED), 0, "length 0: nothing");
    is(madvise(p, 1, MADV_DONTNEED), 0, "length 1: a whole page");
    is(madvise(p, page, MADV_NORMAL), 0, "NORMAL");
    is(madvise(p, page, MADV_RANDOM), 0, "RANDOM");
    is(madvise(p, page, MADV_NORMAL), 0, "and NORMAL again");
    unmap(p, 4);
    fails(madvise(p, page, MADV_DONTNEED), ENOMEM);
}

static void dontneed_anonymous(void)
{
    char *p = anon_at(area(4), 4, RW);

    for (int i = 0; i < 4; i++)
        p[i * page] = 1 + i;
    is(madvise(p + page, 2 * page, MADV_DONTNEED), 0, "DONTNEED of two pages");
    ok(p[0] == 1 && p[page] == 0 && p[2 * page] == 0 && p[3 * page] == 4, "they are zero again");
    is(vmas(p, 4), 1, "and still mapped, in one VMA");
    p[page] = 7;
    is(p[page], 7, "they can be written");
    is(mprotect(p, page, PROT_NONE), 0, "a page without rights");
    is(madvise(p, page, MADV_DONTNEED), 0, "DONTNEED works on it");
    is(mprotect(p, page, RW), 0, "rights again");
    is(p[0], 0, "it is zero");
    unmap(p + page, 1);
    p[2 * page] = p[3 * page] = 9;
    fails(madvise(p, 4 * page, MADV_DONTNEED), ENOMEM);
    ok(p[2 * page] == 0 && p[3 * page] == 0, "over a hole: ENOMEM after doing the rest");
    unmap(p, 4);
}

static void dontneed_file(void)
{
    int fd = filled_file(2, 'a');
    char *p = map_at(area(2), 2, RW, MAP_PRIVATE, fd, 0);
    char *q = map_at(area(2), 2, RW, MAP_SHARED, fd, 0);

    p[0] = 'P';
    q[1] = 'S';
    is(madvise(p, page, MADV_DONTNEED), 0, "DONTNEED of a private page of a file");
    ok(p[0] == 'a' && p[1] == 'S', "shows the file's again");
    is(madvise(q, 2 * page, MADV_DONTNEED), 0, "DONTNEED of a shared map");
    ok(q[0] == 'a' && q[1] == 'S', "loses nothing");
    unmap(p, 2);
    unmap(q, 2);
    close(fd);
    p = map_at(area(1), 1, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    p[0] = 5;
    is(madvise(p, page, MADV_DONTNEED), 0, "DONTNEED of shared anonymous memory");
    is(p[0], 5, "loses nothing");
    unmap(p, 1);
}

static void dontneed_locked(void)
{
    char *p = anon_at(area(2), 2, RW);

    p[0] = 1;
    is(mlock(p, page), 0, "a page locked");
    fails(madvise(p, page, MADV_DONTNEED), EINVAL);
    fails(madvise(p, 2 * page, MADV_DONTNEED), EINVAL);
    is(p[0], 1, "it stays");
    is(madvise(p, 2 * page, MADV_DONTNEED_LOCKED), 0, "DONTNEED_LOCKED takes it all the same");
    is(p[0], 0, "zero");
    p[0] = 1;
    fails(madvise(p, page, MADV_DONTNEED), EINVAL); /* still locked */
    is(munlock(p, page), 0, "unlocked");
    is(madvise(p, page, MADV_DONTNEED), 0, "DONTNEED");
    is(p[0], 0, "now it is zero");
    unmap(p, 2);
}

/* ---- Advice for fork -------------------------------------------------------------------------- */

static bool first_pages_are_zero(void *p)
{
    return ((char *)p)[0] == 0 && ((char *)p)[page] == 0 && ((char *)p)[2 * page] == 3;
}

static bool pages_are_kept(void *p)
{
    return ((char *)p)[0] == 1 && ((char *)p)[page] == 2 && ((char *)p)[2 * page] == 3;
}

static bool middle_is_absent(void *p)
{
    char *middle = (char *)p + page;

    return segv_maperr(catch_read(middle), middle) && ((char *)p)[0] == 1 &&
           ((char *)p)[2 * page] == 3 && !vmas(middle, 1);
}

static void for_fork(void)
{
    char *p = anon_at(area(3), 3, RW);
    int fd = filled_file(1, 'a');

    for (int i = 0; i < 3; i++)
        p[i * page] = 1 + i;
    is(madvise(p, 2 * page, MADV_WIPEONFORK), 0, "WIPEONFORK");
    ok(in_child(first_pages_are_zero, p), "zero in the child");
    ok(pages_are_kept(p), "and not in the parent");
    is(madvise(p, 2 * page, MADV_KEEPONFORK), 0, "KEEPONFORK");
    ok(in_child(pages_are_kept, p), "the child has them");
    is(madvise(p + page, page, MADV_DONTFORK), 0, "DONTFORK");
    ok(in_child(middle_is_absent, p), "absent in the child: an access there faults");
    ok(pages_are_kept(p), "and here in the parent");
    is(madvise(p + page, page, MADV_DOFORK), 0, "DOFORK");
    ok(in_child(pages_are_kept, p), "the child has it");
    is(vmas(p, 3), 1, "one VMA");
    unmap(p, 3);
    p = map_at(area(1), 1, RW, MAP_SHARED, fd, 0);
    fails(madvise(p, page, MADV_WIPEONFORK), EINVAL);
    unmap(p, 1);
    p = map_at(area(1), 1, RW, MAP_PRIVATE, fd, 0);
    fails(madvise(p, page, MADV_WIPEONFORK), EINVAL);
    unmap(p, 1);
    close(fd);
}

/* ---- mincore ---------------------------------------------------------------------------------- */

static bool resident(char *p, u64 pages, const char *want)
{
    unsigned char vector[16];
    bool good = mincore(p, pages * page, vector) == 0;

    for (u64 i = 0; i < pages; i++)
        good &= (vector[i] & 1) == want[i] - '0';
    return good;
}

static void residency(void)
{
    char *p = anon_at(area(4), 4, RW);
    int fd = temp_file();

    ok(resident(p, 4, "0000"), "nothing touched, nothing there");
    p[page] = p[3 * page] = 1;
    ok(resident(p, 4, "0101"), "what was written is there");
    is(madvise(p, 2 * page, MADV_DONTNEED), 0, "DONTNEED");
    ok(resident(p, 4, "0001"), "takes it away");
    unmap(p, 4);
    if (ftruncate(fd, 4 * page) || pwrite(fd, "x", 1, 2 * page) != 1)
        vm_die(errno, "cannot write a file");
    p = map_at(area(4), 4, RW, MAP_SHARED, fd, 0);
    char *q = map_at(area(4), 4, RW, MAP_SHARED, fd, 0);
    ok(resident(p, 4, "0010"), "a file's page that was written is there");
    q[0] = 1;
    ok(resident(p, 4, "1010"), "and one touched through another map");
    unmap(p, 4);
    unmap(q, 4);
    close(fd);
}

static void mincore_refused(void)
{
    static unsigned char vector[16];
    char *p = anon_at(area(3), 3, RW), *read_only = anon_at(area(1), 1, PROT_READ);

    fails(mincore(p + 1, page, vector), EINVAL);
    fails(mincore(p, page, (unsigned char *)KERNEL_ADDRESS), EFAULT);
    fails(mincore(p, page, (void *)8), EFAULT);
    fails(mincore(p, page, (unsigned char *)read_only), EFAULT);
    fails(mincore(p, 1ul << 47, vector), ENOMEM);
    fails(mincore(p, -1ul, vector), ENOMEM);
    fails(mincore((void *)(1ul << 47), 0, vector), ENOMEM);
    is(mincore(p, 0, vector), 0, "length 0");
    unmap(p + page, 1);
    fails(mincore(p, 3 * page, vector), ENOMEM);
    is(mincore(p, page, vector), 0, "up to the hole");
    unmap(p, 3);
    fails(mincore(p, page, vector), ENOMEM);
    unmap(read_only, 1);
}

void suite_madvise(void)
{
    refused();
    dontneed_anonymous();
    dontneed_file();
    dontneed_locked();
    for_fork();
    residency();
    mincore_refused();
}
