/*
 * test_remap_file.c: remap_file_pages: which page is seen where, how many VMAs it takes, what is
 * refused, and every allocation failed in turn. The numbers are those of Shutemov's mail.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

static struct mm *mm;
static struct test_file f;

static void begin(u64 pages, bool sparse)
{
    host_begin();
    mm = mm_create();
    file_make(&f, PAGES(pages), sparse);
}

static void end(const char *name)
{
    mm_end(mm);
    file_end(&f);
    host_end(name);
}

static long remap(u64 page, u64 pages, u64 pgoff)
{
    return mm_remap_file_pages(mm, PAGES(page), PAGES(pages), 0, pgoff, 0);
}

static void map_shared(u64 page, u64 pages)
{
    map_file(mm, PAGES(page), PAGES(pages), RW, MAP_SHARED | MAP_FIXED, &f, 0);
}

/* The letters of the file's pages at page, page + 1, ... */
static bool shows(u64 page, const char *letters)
{
    bool right = true;
    for (; *letters; page++, letters++)
        right &= peek(mm, PAGES(page)) == *letters;
    return right;
}

static void test_order(void)
{
    begin(6, false);
    map_shared(100, 6);
    is(remap(102, 1, 5), 0, "one page in the middle");
    ok(shows(100, "abfdef") && mm->vmas.count == 3, "shows another, in three VMAs");
    ok(mm->rss[RSS_FILE] == 6, "and is there at once");
    is(remap(102, 1, 2), 0, "back");
    ok(shows(100, "abcdef") && mm->vmas.count == 1, "one VMA");
    is(remap(100, 6, 0), 0, "the identity");
    poke(mm, PAGES(100), 'A');
    is(remap(103, 1, 0), 0, "an alias");
    poke(mm, PAGES(103) + 1, 'B');
    ok(peek(mm, PAGES(103)) == 'A' && peek(mm, PAGES(100) + 1) == 'B' && file_byte(&f, 1) == 'B',
       "a store through either is seen through both, and in the file");
    is(f.file.refs, 1 + mm->vmas.count, "a reference for each VMA");
    mm_munmap(mm, PAGES(100), PAGES(6));
    is(f.file.refs, 1, "and none afterwards");
    map_shared(100, 3); /* the program of 48f7df329474 */
    is(remap(100, 1, 1), 0, "the first piece");
    is(remap(100, 2, 1), 0, "a second call over both pieces");
    ok(shows(100, "bcc"), "1, 2, 2");
    mm_check(mm);
    end("order");
}

static void test_arguments(void)
{
    static char before[1 << 16];
    const u64 at = PAGES(100);

    begin(6, false);
    map_shared(100, 6);
    map_file(mm, PAGES(110), PAGES(2), PROT_READ, MAP_SHARED | MAP_FIXED, &f, 0);
    map_shared(112, 2);
    map_file(mm, PAGES(120), PAGES(2), RW, MAP_PRIVATE | MAP_FIXED, &f, 0);
    f.file.access = MM_FILE_READ;
    map_file(mm, PAGES(130), PAGES(2), PROT_READ, MAP_SHARED | MAP_FIXED, &f, 0);
    f.file.access |= MM_FILE_WRITE;
    snprintf(before, sizeof(before), "%s", maps(mm));
    is(mm_remap_file_pages(mm, at, PAGES(1), PROT_READ, 1, 0), -EINVAL, "prot is not 0");
    is(mm_remap_file_pages(mm, at, 0, 0, 1, 0), -EINVAL, "size 0");
    is(mm_remap_file_pages(mm, at, 4095, 0, 1, 0), -EINVAL, "less than a page");
    is(mm_remap_file_pages(mm, at, -at, 0, 1, 0), -EINVAL, "start + size is 0");
    is(mm_remap_file_pages(mm, at, -PAGE_SIZE, 0, 1, 0), -EINVAL, "wraps");
    is(mm_remap_file_pages(mm, at, PAGES(2), 0, ~0ul, 0), -EINVAL, "pgoff wraps");
    is(mm_remap_file_pages(mm, at, PAGES(1), 0, ~0ul, 0), -EINVAL, "pgoff 2^64 - 1");
    is(mm_remap_file_pages(mm, at, PAGES(1), 0, ~0ul - 1, 0), -EOVERFLOW, "2^64 - 2");
    is(mm_remap_file_pages(mm, at, PAGES(1), 0, 1ul << 52, 0), -EOVERFLOW, "2^52 (CVE-2018-7740)");
    is(mm_remap_file_pages(mm, at, PAGES(1), 0, 1ul << 51, 0), -EOVERFLOW, "2^51");
    is(remap(105, 2, 0), -EINVAL, "past the end of the VMA");
    is(remap(99, 2, 0), -EINVAL, "from before it");
    is(remap(104, 7, 0), -EINVAL, "over a hole");
    is(remap(110, 4, 0), -EINVAL, "other rights");
    is(remap(120, 1, 1), -EINVAL, "private");
    is(remap(130, 1, 1), -EINVAL, "of a read-only descriptor");
    is(remap(500, 1, 1), -EINVAL, "nothing");
    ok(strcmp(before, maps(mm)) == 0, "nothing changed");
    is(mm_remap_file_pages(mm, at + 8, 4196, 0, 3, 0), 0, "start and size are rounded down");
    ok(shows(100, "dbcdef"), "one page was meant");
    is(mm_remap_file_pages(mm, at, PAGES(1), 0, 4, 0x7ffeffff), 0, "junk flags");
    is(mm_remap_file_pages(mm, at + PAGES(1), PAGES(1), 0, 5, MAP_NONBLOCK), 0, "NONBLOCK");
    ok(shows(100, "efcdef"), "both work");
    is(remap(102, 1, 77), 0, "past the end of the file");
    is(peek(mm, PAGES(102)), -FAULT_BUSERR, "is SIGBUS");
    is(remap(110, 2, 4), 0, "read-only");
    ok(shows(110, "ef") && poke(mm, PAGES(110), 1) == -FAULT_ACCERR, "stays read-only");
    mm_mlock(mm, PAGES(112), PAGES(2), 0);
    is(remap(112, 1, 3), 0, "locked memory");
    is(mm->kind_pages[MM_LOCKED], 2, "stays locked");
    mm_check(mm);
    end("arguments");
}

static void test_anonymous(void)
{
    begin(1, true);
    map(mm, PAGES(100), PAGES(3), RW, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED);
    for (int i = 0; i < 3; i++)
        poke(mm, PAGES(100 + i), 'a' + i);
    is(remap(100, 3, 0), 0, "all of it, whose VMA holds the last reference");
    ok(shows(100, "abc"), "keeps what is in it");
    is(remap(100, 1, 2), 0, "shared anonymous memory");
    ok(shows(100, "cbc"), "is as good as a file");
    end("anonymous");
}

/* Page i of a map of n pages to page n - 1 - i: i + 2 VMAs after call i, n after the last but one,
 * but for the middle of an odd n, which goes where it was. */
static u64 wanted_count(u64 n, u64 i)
{
    u64 count = i + 2 < n ? i + 2 : n;
    return n % 2 && i == n / 2 ? count - 1 : count;
}

static void test_reverse(u64 n)
{
    const u64 base = 100000;
    bool right = true;

    begin(n, true);
    map_shared(base, n);
    for (u64 i = 0; i < n; i++)
        poke(mm, PAGES(base + i), i), poke(mm, PAGES(base + i) + 1, i >> 8);
    for (u64 i = 0; i < n; i++)
        right &= remap(base + i, 1, n - 1 - i) == 0 && mm->vmas.count == wanted_count(n, i);
    ok(right, "%lu pages reversed: VMAs 2, 3, 4 ... %lu, %lu", n, n, n);
    mm_check(mm);
    for (u64 i = 0; i < n; i++)
        right &= peek(mm, PAGES(base + i)) == (u8)(n - 1 - i) &&
                 peek(mm, PAGES(base + i) + 1) == (u8)((n - 1 - i) >> 8);
    ok(right, "each shows the page it should");
    for (u64 i = 0; i < n; i++)
        right &= remap(base + i, 1, i) == 0;
    ok(right && mm->vmas.count == 1, "restored in order: one VMA");
    mapping_check(&f.mapping);
    end("reverse");
}

/* With b other VMAs and the limit L, call L - b is the first to fail. */
static void test_limit(u64 limit, u64 others)
{
    const u64 base = 1000000, n = limit + 500;
    char text[24];
    u64 i = 0;
    long got;

    begin(4, true);
    f.mapping.size = PAGES(n);
    snprintf(text, sizeof(text), "%lu", limit);
    set_knob("vm.max_map_count", text);
    for (u64 k = 0; k < others; k++)
        map_at(mm, PAGES(100 + 2 * k), 1, RW);
    map_shared(base, n);
    poke(mm, PAGES(base + limit - others), 'K');
    while ((got = mm_remap_file_pages(mm, PAGES(base + i), PAGES(1), 0, n - 1 - i, MAP_NONBLOCK)) ==
           0)
        i++;
    ok(got == -ENOMEM && i == limit - others, "limit %lu, %lu other VMAs: call %lu is ENOMEM",
       limit, others, i);
    is(mm->vmas.count, limit + 1, "one more than the limit");
    is(peek(mm, PAGES(base + i)), 'K', "the old mapping is intact");
    set_knob("vm.max_map_count", "65530");
    mm_check(mm);
    end("limit");
}

static long fail_middle(void)
{
    return remap(102, 1, 5);
}

static long fail_pieces(void)
{
    return remap(101, 4, 0);
}

static void test_failures(void)
{
    static long (*const calls[])(void) = {fail_middle, fail_pieces};
    static char before[1 << 16];

    for (unsigned i = 0; i < ARRAY_SIZE(calls); i++) {
        unsigned tries = 0;
        bool same = true;
        long result;

        begin(8, false);
        map_shared(100, 8);
        if (i == 1)
            remap(103, 1, 7);
        do {
            snprintf(before, sizeof(before), "%s", maps(mm));
            u64 vmas = objects("vma"), refs = f.file.refs;
            fail_countdown = ++tries;
            result = calls[i]();
            fail_countdown = 0;
            if (result < 0)
                same &= result == -ENOMEM && strcmp(before, maps(mm)) == 0 &&
                        vmas == objects("vma") && refs == f.file.refs;
            mm_check(mm);
        } while (result < 0 && tries < 100);
        ok(same && tries > 1 && result == 0, "%u failures, all as it was", tries - 1);
        end("failures");
    }
}

int main(void)
{
    host_boot(40000);
    mm_init_once();
    BOTH_FINDS(find)
    {
        for (int work = 0; work < 2; work++) {
            set_knob("vm.zap", work ? "work" : "block");
            diag("vm.find=%s vm.zap=%s", *find, work ? "work" : "block");
            test_order();
            test_arguments();
            test_anonymous();
            test_reverse(2);
            test_reverse(7);
            test_reverse(101);
            test_limit(40, 3);
            test_failures();
        }
    }
    set_knob("vm.find", "gap");
    test_reverse(16384);
    test_limit(65530, 23);
    return tap_done();
}
