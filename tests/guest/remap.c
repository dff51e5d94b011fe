/*
 * remap.c: remap_file_pages: what is refused, what each page shows, and the exact number of VMAs
 * as the mail's program goes along.
 */
#include "tests/guest/catch.h"

enum { N_MAX = 64 };

static char *shared_at(u64 pages)
{
    char *p = map_at(area(pages), pages, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    for (u64 i = 0; i < pages; i++)
        p[i * page] = i;
    return p;
}

static bool shows(const char *p, u64 pages, const char *numbers)
{
    bool good = true;

    for (u64 i = 0; i < pages; i++)
        good &= p[i * page] == numbers[i] - '0';
    return good;
}

static void refused(void)
{
    char *p = shared_at(4), *private = anon_at(area(4), 4, RW), *hole = area(4);
    int fd = filled_file(4, 'a');

    fails(remap_file_pages(p, page, PROT_READ, 1, 0), EINVAL);
    fails(remap_file_pages(p, page, RW, 1, 0), EINVAL);
    fails(remap_file_pages(p, 0, 0, 1, 0), EINVAL);
    fails(remap_file_pages(p, page - 1, 0, 1, 0), EINVAL);
    fails(remap_file_pages(p, -page, 0, 1, 0), EINVAL);
    fails(remap_file_pages((void *)-page, page, 0, 1, 0), EINVAL);
    fails(remap_file_pages(p, page, 0, -1ul, 0), EINVAL);
    fails(remap_file_pages(private, page, 0, 1, 0), EINVAL);
    fails(remap_file_pages(hole, page, 0, 1, 0), EINVAL);
    fails(remap_file_pages(p, 5 * page, 0, 1, 0), EINVAL);
    fails(remap_file_pages(p - page, 2 * page, 0, 1, 0), EINVAL);
    fails(remap_file_pages(p, page, 0, 1ul << 51, 0), EOVERFLOW);
    fails(remap_file_pages(p, page, 0, 1ul << 52, 0), EOVERFLOW);
    fails(remap_file_pages(p, page, 0, -2ul, 0), EOVERFLOW);
    ok(shows(p, 4, "0123") && vmas(p, 4) == 1, "nothing has changed");
    unmap(p + page, 1);
    fails(remap_file_pages(p, 3 * page, 0, 1, 0), EINVAL);
    unmap(p, 4);
    p = shared_at(4);
    is(mprotect(p + page, page, PROT_READ), 0, "a page with other rights");
    fails(remap_file_pages(p, 2 * page, 0, 1, 0), EINVAL);
    ok(shows(p, 4, "0123") && vmas(p, 4) == 3, "nothing has changed");
    is(remap_file_pages(p + page, page, 0, 3, 0), 0, "that page alone");
    ok(shows(p, 4, "0323"), "shows another");
    ok(segv_accerr(catch_write(p + page), p + page), "and has kept its rights");
    unmap(p, 4);
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int ro = open(link, O_RDONLY);
    if (ro >= 0) {
        p = map_at(area(2), 2, PROT_READ, MAP_SHARED, ro, 0);
        fails(remap_file_pages(p, page, 0, 1, 0), EINVAL);
        unmap(p, 2);
        close(ro);
    }
    unmap(private, 4);
    close(fd);
}

static void rounding(void)
{
    char *p = shared_at(4);

    is(remap_file_pages(p + 8, page + 100, 0, 2, 0), 0, "start + 8, a page and 100 bytes");
    ok(shows(p, 4, "2123"), "act on one whole page");
    is(remap_file_pages(p + 3 * page, page, 0, 0, 0x7fff0000), 0, "unknown flags are ignored");
    ok(shows(p, 4, "2120"), "and the page shows another");
    is(remap_file_pages(p, page, 0, 100, 0), 0, "beyond the end of the file: 0");
    ok(bus_adrerr(catch_read(p + 17), p + 17), "and SIGBUS at the first access");
    is(remap_file_pages(p, page, 0, (1ul << 51) - 2, 0), 0, "the last offset that there is");
    ok(bus_adrerr(catch_write(p), p), "no alias of page 0: SIGBUS");
    is(remap_file_pages(p, page, 0, 0, MAP_NONBLOCK), 0, "back to page 0");
    ok(shows(p, 4, "0120"), "which shows it");
    unmap(p, 4);
}

static void aliases(void)
{
    char *p = shared_at(4);

    is(remap_file_pages(p + 3 * page, page, 0, 0, 0), 0, "page 3 shows what page 0 shows");
    p[3 * page] = 77;
    is(p[0], 77, "a store through the alias is seen in both");
    p[0] = 78;
    is(p[3 * page], 78, "either way");
    is(remap_file_pages(p + 3 * page, page, 0, 3, 0), 0, "page 3 back");
    ok(p[3 * page] == 3 && vmas(p, 4) == 1, "its contents are still there, in one VMA");
    unmap(p, 4);
}

/* The test program of the correction of 2016: the second call covers both pieces of the first. */
static void over_pieces(void)
{
    char *p = shared_at(3);

    is(remap_file_pages(p, page, 0, 1, 0), 0, "page 0 shows 1");
    is(remap_file_pages(p, 2 * page, 0, 1, 0), 0, "two pages, over both VMAs, from 1");
    ok(shows(p, 3, "122"), "1, 2, 2");
    is(remap_file_pages(p, 3 * page, 0, 0, 0), 0, "all three, from 0");
    ok(shows(p, 3, "012") && vmas(p, 3) == 1, "0, 1, 2 in one VMA");
    unmap(p, 3);
}

static void files(void)
{
    int fd = filled_file(6, 'a');
    char *p = map_at(area(4), 4, RW, MAP_SHARED, fd, page), c = 0;
    struct map_line line[4];

    is(remap_file_pages(p + page, 2 * page, 0, 4, 0), 0, "two pages of a file");
    ok(p[0] == 'b' && p[page] == 'e' && p[2 * page] == 'f' && p[3 * page] == 'e', "show others");
    is(maps_in(p, 4, line, 4), 3, "three VMAs");
    ok(line[0].offset == page && line[1].offset == 4 * page && line[2].offset == 4 * page,
       "with their offsets");
    p[page] = 'E';
    ok(pread(fd, &c, 1, 4 * page) == 1 && c == 'E' && p[3 * page] == 'E',
       "a store is in the file and in the other page");
    close(fd);
    is(remap_file_pages(p + 3 * page, page, 0, 1, 0), 0, "after close, too");
    is(p[3 * page], 'b', "the map holds the file");
    unmap(p, 4);
}

/* VMAs after call i of the reverse program, by the rule: i + 2, but N after the last; with odd N
 * the middle call changes nothing. */
static u64 expected(u64 n, u64 i)
{
    u64 middle = n / 2;

    if (n == 1)
        return 1;
    if (n % 2 && i == middle)
        return i + 1 < n ? i + 1 : n;
    return i + 1 == n ? n : i + 2;
}

static void reverse(u64 n)
{
    char *p = shared_at(n);
    bool good = true, right = true;

    for (u64 i = 0; i < n; i++) {
        good &= remap_file_pages(p + i * page, page, 0, n - 1 - i, 0) == 0;
        u64 count = vmas(p, n);
        if (count != expected(n, i))
            tap_note("%lu pages, call %lu: %lu VMAs, not %lu", n, i, count, expected(n, i));
        good &= count == expected(n, i);
    }
    for (u64 i = 0; i < n; i++)
        right &= p[i * page] == (char)(n - 1 - i);
    ok(good && right, "%lu pages in reverse: the VMAs after each call", n);
    for (u64 i = 0; i < n; i++)
        good &= remap_file_pages(p + i * page, page, 0, i, 0) == 0;
    for (u64 i = 0; i < n; i++)
        right &= p[i * page] == (char)i;
    ok(good && right, "and forwards again: all pages right");
    is(vmas(p, n), 1, "in one VMA");
    unmap(p, n);
}

static void seven(void)
{
    static const int want[] = {2, 3, 4, 4, 6, 7, 7};
    char *p = shared_at(7);
    bool good = true;

    for (int i = 0; i < 7; i++)
        good &= remap_file_pages(p + i * page, page, 0, 6 - i, 0) == 0 && vmas(p, 7) == want[i];
    ok(good, "seven pages: 2, 3, 4, 4, 6, 7, 7");
    unmap(p, 7);
}

void suite_remap(void)
{
    refused();
    rounding();
    aliases();
    over_pieces();
    files();
    seven();
    for (u64 n = 1; n <= 9; n++)
        reverse(n);
    reverse(N_MAX - 1);
    reverse(N_MAX);
}
