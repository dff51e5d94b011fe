/*
 * test_advise.c: madvise, mincore and msync: what each does to VMAs, pages and files, Linux's
 * errnos, and what is left when memory or room for VMAs runs out.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

static struct mm *mm;
static struct test_file f;

static void begin(void)
{
    host_begin();
    mm = mm_create();
    file_make(&f, PAGES(10), false);
}

static void end(const char *name)
{
    mm_check(mm);
    mm_end(mm);
    file_end(&f);
    host_end(name);
}

static long advise(u64 page, u64 pages, int advice)
{
    return mm_madvise(mm, PAGES(page), PAGES(pages), advice);
}

static u32 flags_at(u64 page)
{
    return vma_find(&mm->vmas, PAGES(page))->flags;
}

static void map_shared(u64 page, u64 pages, u32 prot)
{
    map_file(mm, PAGES(page), PAGES(pages), prot, MAP_SHARED | MAP_FIXED, &f, 0);
}

static void map_private(u64 page, u64 pages)
{
    map_file(mm, PAGES(page), PAGES(pages), RW, MAP_PRIVATE | MAP_FIXED, &f, 0);
}

/* ---- madvise ---- */

static void test_flags(void)
{
    static const struct {
        int set, clear;
        u32 flag;
    } pairs[] = {{MADV_RANDOM, MADV_NORMAL, VM_RAND_READ},
                 {MADV_SEQUENTIAL, MADV_NORMAL, VM_SEQ_READ},
                 {MADV_DONTFORK, MADV_DOFORK, VM_DONTCOPY},
                 {MADV_WIPEONFORK, MADV_KEEPONFORK, VM_WIPEONFORK},
                 {MADV_DONTDUMP, MADV_DODUMP, VM_DONTDUMP}};

    begin();
    map_at(mm, PAGES(100), 6, RW);
    for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
        is(advise(102, 2, pairs[i].set), 0, "advice %d", pairs[i].set);
        ok(mm->vmas.count == 3 && (flags_at(102) & pairs[i].flag) &&
               !(flags_at(101) & pairs[i].flag) && !(flags_at(104) & pairs[i].flag),
           "cuts its part out");
        is(advise(102, 2, pairs[i].clear), 0, "its opposite, %d", pairs[i].clear);
        ok(mm->vmas.count == 1 && !(flags_at(102) & pairs[i].flag), "makes it one again");
    }
    advise(100, 6, MADV_RANDOM);
    advise(100, 6, MADV_SEQUENTIAL);
    is(flags_at(100) & (VM_RAND_READ | VM_SEQ_READ), VM_SEQ_READ, "the later advice counts");
    map_shared(200, 2, RW);
    is(advise(200, 2, MADV_WIPEONFORK), -EINVAL, "WIPEONFORK of a file");
    is(advise(200, 2, MADV_DONTFORK), 0, "DONTFORK of a file");
    set_knob("vm.max_map_count", "2");
    is(advise(101, 1, MADV_RANDOM), -EAGAIN, "no room for VMAs");
    set_knob("vm.max_map_count", "65530");
    static char before[1 << 16];
    snprintf(before, sizeof(before), "%s", maps(mm));
    unsigned tries = 0;
    bool same = true;
    long result;
    do {
        u64 vmas = objects("vma");
        fail_countdown = ++tries;
        result = advise(101, 2, MADV_RANDOM);
        fail_countdown = 0;
        if (result < 0)
            same &= result == -EAGAIN && strcmp(before, maps(mm)) == 0 && vmas == objects("vma");
    } while (result < 0 && tries < 10);
    ok(same && tries > 1 && result == 0, "%u failed allocations: EAGAIN", tries - 1);
    end("flags");
}

static void test_dontneed(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    map_private(200, 3);
    map_shared(300, 3, RW);
    for (int i = 0; i < 3; i++)
        poke(mm, PAGES(100 + i), 1), poke(mm, PAGES(200 + i), 2), poke(mm, PAGES(300 + i), 'S');
    u64 tables = mm->pt.tables;
    is(advise(101, 2, MADV_DONTNEED), 0, "private anonymous memory");
    ok(peek(mm, PAGES(100)) == 1 && peek(mm, PAGES(101)) == 0 && peek(mm, PAGES(102)) == 0,
       "is zero again");
    is(advise(200, 2, MADV_DONTNEED), 0, "a private file map");
    ok(peek(mm, PAGES(200)) == 'S' && peek(mm, PAGES(202)) == 2, "is the file's again");
    is(advise(300, 3, MADV_DONTNEED), 0, "a shared one");
    ok(mm->rss[RSS_FILE] == 1 && peek(mm, PAGES(301)) == 'S', "loses nothing");
    is(mm->pt.tables, tables, "tables stay");
    is(advise(100, 4, MADV_DONTNEED), 0, "all of a table's pages");
    is(mm->pt.tables, tables, "and its table stays");
    mm_mlock(mm, PAGES(102), PAGES(1), 0);
    poke(mm, PAGES(101), 5);
    is(advise(101, 3, MADV_DONTNEED), -EINVAL, "locked");
    ok(peek(mm, PAGES(101)) == 0, "after what came before it");
    is(advise(102, 1, MADV_FREE), -EINVAL, "FREE of locked");
    is(advise(102, 1, MADV_COLD), -EINVAL, "COLD of locked");
    mm_munlock(mm, PAGES(102), PAGES(1));
    poke(mm, PAGES(100), 6);
    poke(mm, PAGES(200), 6);
    is(advise(100, 101, MADV_DONTNEED), -ENOMEM, "over a hole: ENOMEM");
    ok(peek(mm, PAGES(100)) == 0 && peek(mm, PAGES(200)) == 'S', "after doing the rest");
    end("DONTNEED");
}

static void test_remove(void)
{
    begin();
    map_shared(300, 6, RW);
    map_private(200, 6);
    map_shared(400, 6, PROT_READ);
    for (int i = 0; i < 6; i++)
        peek(mm, PAGES(300 + i)), peek(mm, PAGES(200 + i)), peek(mm, PAGES(400 + i));
    poke(mm, PAGES(202), 'P');
    f.modified = 0;
    u64 pages = f.mapping.count;
    is(advise(301, 3, MADV_REMOVE), 0, "REMOVE");
    ok(peek(mm, PAGES(300)) == 'a' && peek(mm, PAGES(301)) == 0 && peek(mm, PAGES(303)) == 0 &&
           peek(mm, PAGES(304)) == 'e',
       "three pages of the file are zero");
    ok(peek(mm, PAGES(401)) == 0 && peek(mm, PAGES(201)) == 0, "through other maps too");
    ok(peek(mm, PAGES(202)) == 'P', "but for a private copy");
    ok(f.mapping.count == pages - 1 && f.mapping.size == PAGES(10), "the size stays");
    ok(f.modified > 0, "the file was modified");
    is(advise(400, 1, MADV_REMOVE), 0, "a map that could be made writable will do");
    is(advise(200, 1, MADV_REMOVE), -EACCES, "private");
    map_at(mm, PAGES(100), 1, RW);
    is(advise(100, 1, MADV_REMOVE), -EINVAL, "no file");
    mm_mlock(mm, PAGES(300), PAGES(1), 0);
    is(advise(300, 1, MADV_REMOVE), -EINVAL, "locked");
    mapping_check(&f.mapping);
    end("REMOVE");
}

static void test_populate(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    map_at(mm, PAGES(104), 2, PROT_READ);
    is(advise(100, 4, MADV_POPULATE_READ), 0, "POPULATE_READ");
    is(mm->rss[RSS_ANON], 4, "all there");
    is(advise(100, 4, MADV_POPULATE_WRITE), 0, "POPULATE_WRITE");
    is(advise(100, 6, MADV_POPULATE_WRITE), -EINVAL, "of a part without the right");
    is(advise(104, 3, MADV_POPULATE_READ), -ENOMEM, "over a hole");
    map_at(mm, PAGES(110), 1, PROT_WRITE);
    map_at(mm, PAGES(111), 1, PROT_NONE);
    is(advise(110, 1, MADV_POPULATE_READ), -EINVAL, "READ of write-only");
    is(advise(110, 1, MADV_POPULATE_WRITE), 0, "WRITE of write-only");
    is(advise(111, 1, MADV_POPULATE_READ), -EINVAL, "of PROT_NONE");
    map_shared(200, 11, RW);
    is(advise(200, 11, MADV_POPULATE_READ), -EFAULT, "past the end of the file");
    is(mm->rss[RSS_FILE], 10, "after what is before it");
    map_at(mm, PAGES(300), 1, RW);
    fail_countdown = 1;
    is(advise(300, 1, MADV_POPULATE_WRITE), -ENOMEM, "no memory");
    fail_countdown = 0;
    end("POPULATE");
}

static void test_advice_errors(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    map_shared(106, 2, RW);
    is(mm_madvise(mm, PAGES(100) + 1, PAGES(1), MADV_NORMAL), -EINVAL, "unaligned");
    is(mm_madvise(mm, PAGES(100), ~0ul, MADV_NORMAL), -EINVAL, "2^64 - 1");
    is(mm_madvise(mm, PAGES(100), -PAGE_SIZE, MADV_NORMAL), -EINVAL, "2^64 - a page");
    is(mm_madvise(mm, PAGES(100), 0, MADV_NORMAL), 0, "length 0");
    is(advise(100, 0, 99), -EINVAL, "unknown, length 0");
    is(advise(100, 1, -1), -EINVAL, "negative");
    is(advise(100, 1, 100), -EINVAL, "HWPOISON");
    is(advise(100, 1, 5), -EINVAL, "a number between");
    is(advise(100, 8, MADV_NORMAL), -ENOMEM, "over a hole");
    is(advise(104, 1, MADV_NORMAL), -ENOMEM, "a hole");
    is(advise(100, 8, MADV_WILLNEED), -ENOMEM, "WILLNEED over a hole");
    is(advise(100, 4, MADV_WILLNEED), 0, "WILLNEED");
    poke(mm, PAGES(100), 9);
    ok(advise(100, 4, MADV_FREE) == 0 && peek(mm, PAGES(100)) == 9, "FREE; nothing takes it");
    is(advise(106, 2, MADV_FREE), -EINVAL, "FREE of a file");
    is(advise(100, 4, MADV_PAGEOUT), 0, "PAGEOUT");
    end("errors");
}

/* ---- mincore ---- */

static bool resident(u64 page, const char *want)
{
    u8 vec[64];
    long n = mm_mincore(mm, PAGES(page), strlen(want), vec);
    bool right = n == (long)strlen(want);
    for (long i = 0; right && i < n; i++)
        right = vec[i] == want[i] - '0';
    return right;
}

static void test_mincore(void)
{
    u8 vec[16];

    begin();
    map_at(mm, PAGES(100), 6, RW);
    map_at(mm, PAGES(106), 1, PROT_READ);
    ok(resident(100, "000000"), "nothing is there");
    poke(mm, PAGES(101), 1), peek(mm, PAGES(104));
    ok(resident(100, "010010"), "what was touched is");
    advise(101, 1, MADV_DONTNEED);
    ok(resident(100, "000010"), "DONTNEED takes it");
    mm_mprotect(mm, PAGES(104), PAGES(1), PROT_NONE);
    ok(resident(104, "1"), "PROT_NONE leaves it there");
    is(mm_mincore(mm, PAGES(105), 5, vec), 1, "an answer ends with its VMA");
    is(mm_mincore(mm, PAGES(107), 5, vec), -ENOMEM, "a hole");
    file_end(&f);
    file_make(&f, PAGES(10), true);
    map_shared(200, 6, RW);
    map_private(300, 6);
    ok(resident(200, "000000"), "a file with no page");
    poke(mm, PAGES(202), 1);
    ok(resident(200, "001000") && resident(300, "001000"),
       "a page is resident in every map of its file");
    map(mm, 1ul << 40, 1ul << 30, RW, ANON | MAP_FIXED);
    u64 reads = mm->counts.n[VMC_query_reads];
    static u8 many[4096];
    mm_mincore(mm, 1ul << 40, 4096, many);
    ok(mm->counts.n[VMC_query_reads] - reads < 16, "what is empty is not read page by page");
    end("mincore");
}

/* ---- msync ---- */

static long sync(u64 page, u64 pages, u32 flags)
{
    return mm_msync(mm, PAGES(page), PAGES(pages), flags);
}

static void test_msync(void)
{
    begin();
    map_shared(200, 6, RW);
    map_private(300, 4);
    poke(mm, PAGES(300), 1);
    is(f.modified, 0, "a private store is none");
    poke(mm, PAGES(201), 'x');
    is(f.modified, 1, "the first store is noticed");
    poke(mm, PAGES(201), 'y');
    is(f.modified, 1, "the second is not");
    is(sync(200, 6, MS_SYNC), 0, "msync");
    is(f.modified, 2, "tells it");
    is(sync(200, 6, MS_SYNC), 0, "again");
    is(f.modified, 2, "has nothing to tell");
    poke(mm, PAGES(201), 'z');
    is(f.modified, 3, "a store after it is noticed at once");
    is(sync(200, 6, MS_ASYNC), 0, "ASYNC");
    is(f.modified, 4, "does the same");
    poke(mm, PAGES(203), '1'), poke(mm, PAGES(203), '2');
    f.modified = 0;
    mm_mprotect(mm, PAGES(203), PAGES(1), PROT_NONE);
    ok(sync(203, 1, MS_SYNC) == 0 && f.modified == 1, "a page that may not be touched now");
    mm_mprotect(mm, PAGES(203), PAGES(1), RW);
    is(peek(mm, PAGES(203)), '2', "is still there");
    poke(mm, PAGES(204), '3');
    f.modified = 0;
    mm_munmap(mm, PAGES(204), PAGES(1));
    is(f.modified, 1, "munmap tells it too");
    mm_munmap(mm, PAGES(202), PAGES(1));
    is(f.modified, 1, "if there was a store");
    is(sync(300, 4, MS_SYNC | MS_INVALIDATE), 0, "private");
    is(sync(200, 6, MS_SYNC), -ENOMEM, "a hole");
    is(sync(202, 1, MS_ASYNC), -ENOMEM, "ASYNC of a hole");
    poke(mm, PAGES(203), '4');
    f.modified = 0;
    ok(sync(202, 2, MS_SYNC) == -ENOMEM && f.modified == 1, "the rest is done");
    poke(mm, PAGES(203), '5');
    f.modified = 0;
    ok(sync(202, 2, MS_ASYNC) == -ENOMEM && f.modified == 0, "but not by ASYNC, as on Linux");
    is(sync(200, 1, 0), 0, "no flag");
    is(sync(200, 1, MS_SYNC | MS_ASYNC), -EINVAL, "SYNC with ASYNC");
    is(sync(200, 1, 8), -EINVAL, "an unknown flag");
    is(mm_msync(mm, PAGES(200) + 1, PAGES(1), MS_SYNC), -EINVAL, "unaligned");
    is(mm_msync(mm, PAGES(200), ~0ul, MS_SYNC), 0, "a length that wraps to 0");
    is(mm_msync(mm, PAGES(200), -PAGE_SIZE, MS_SYNC), -ENOMEM, "a range that wraps");
    is(sync(700, 0, MS_SYNC), 0, "length 0");
    mm_mlock(mm, PAGES(201), PAGES(1), 0);
    is(sync(201, 1, MS_INVALIDATE), -EBUSY, "INVALIDATE of locked pages");
    is(sync(201, 1, MS_SYNC), 0, "SYNC of them");
    end("msync");
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
            test_flags();
            test_dontneed();
            test_remove();
            test_populate();
            test_advice_errors();
            test_mincore();
            test_msync();
        }
    }
    return tap_done();
}
