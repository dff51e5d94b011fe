/*
 * test_usage.c: what /proc tells of an address space: lines of maps in batches, smaps' sums and their cost, sizes, copies out of
 * memory, and the counts of pages by kind.
 */
#include "tests/host/standin/mm_test.h"

static struct mm_usage usage_at(struct mm *mm, vaddr_t addr)
{
    struct mm_usage usage = {0};
    struct proc_vma_info info;
    char line[512];
    vaddr_t at = addr;
    int n = proc_smaps_line(mm, &at, line, sizeof(line), &info, &usage);
    ASSERT(n > 0 && info.start <= addr && at == info.end, "%lx: %d", addr, n);
    return usage;
}

static void test_batches(void)
{
    static char all[1 << 16], batch[1 << 16];
    host_begin();
    struct mm *mm = mm_create();
    for (int i = 0; i < 300; i++)
        map_at(mm, PAGES(100 + 2 * i), 1, RW);
    snprintf(all, sizeof(all), "%s", maps(mm));
    u64 steps = mm->counts.n[VMC_vma_steps];
    for (size_t size = 129; size < 5000; size += 613) {
        vaddr_t at = 0;
        int length = 0, n, calls = 0;
        for (; (n = proc_maps_lines(mm, &at, batch + length, size)) > 0; length += n, calls++)
            ASSERT(n < (int)size, "%d bytes of %zu", n, size);
        ok(strcmp(all, batch) == 0, "the same lines by buffers of %zu bytes, in %d calls", size,
           calls);
    }
    is(mm->counts.n[VMC_vma_steps], steps, "looking is not counted");
    mm_put(mm);
    host_end("batches");
}

static void test_no_room(void)
{
    struct test_file f;
    char line[512];
    vaddr_t at = 0;
    host_begin();
    struct mm *mm = mm_create();
    file_make(&f, PAGES(2), false);
    map_at(mm, PAGES(10), 1, RW);
    map_file(mm, PAGES(20), PAGES(1), RW, MAP_SHARED | MAP_FIXED, &f, 0);
    fail_countdown = 1;
    int n = proc_maps_lines(mm, &at, line, sizeof(line));
    ok(n > 0 && at == PAGES(11), "without room for a path the lines before it come");
    fail_countdown = 1;
    is(proc_maps_lines(mm, &at, line, sizeof(line)), (long)-ENOMEM, "then -ENOMEM");
    ok(proc_maps_lines(mm, &at, line, sizeof(line)) > 0, "and it can be tried again");
    fail_countdown = 0;
    mm_put(mm);
    file_end(&f);
    host_end("no room");
}

static void test_private(void)
{
    host_begin();
    struct mm *mm = mm_create();
    map_at(mm, PAGES(100), 16, RW);
    for (int i = 0; i < 8; i++)
        poke(mm, PAGES(100 + i), 1);
    peek(mm, PAGES(110));
    struct mm_usage u = usage_at(mm, PAGES(100));
    is(u.rss, PAGES(9), "rss: what was touched");
    is(u.pss, PAGES(9) << PSS_SHIFT, "all ours");
    is(u.private_dirty, PAGES(8), "written");
    is(u.private_clean, PAGES(1), "only read");
    is(u.anonymous, PAGES(9), "anonymous");
    is(u.shared_clean + u.shared_dirty + u.locked, 0, "nothing else");
    mm_mprotect(mm, PAGES(100), PAGES(16), PROT_NONE);
    is(usage_at(mm, PAGES(100)).rss, PAGES(9), "PROT_NONE changes nothing");
    mm_put(mm);
    host_end("private");
}

static void test_shared(void)
{
    struct test_file f;
    host_begin();
    struct mm *mm = mm_create();
    file_make(&f, PAGES(4), false);
    u64 mapped = page_mapped_count();
    map_file(mm, PAGES(100), PAGES(4), RW, MAP_SHARED | MAP_FIXED, &f, 0);
    map_file(mm, PAGES(200), PAGES(4), RW, MAP_PRIVATE | MAP_FIXED, &f, 0);
    poke(mm, PAGES(100), 1);
    peek(mm, PAGES(101));
    is(page_mapped_count() - mapped, 2, "two pages are mapped");
    peek(mm, PAGES(200));
    peek(mm, PAGES(201));
    is(page_mapped_count() - mapped, 2, "and twice they count once");
    struct mm_usage u = usage_at(mm, PAGES(100));
    is(u.rss, PAGES(2), "rss");
    is(u.pss, PAGES(1) << PSS_SHIFT, "pss: each the half");
    is(u.shared_dirty, PAGES(1), "one written");
    is(u.shared_clean, PAGES(1), "one not");
    is(u.anonymous, 0, "none anonymous");
    poke(mm, PAGES(200), 2);
    u = usage_at(mm, PAGES(200));
    is(u.anonymous, PAGES(1), "a private copy is");
    is(usage_at(mm, PAGES(100)).private_dirty, PAGES(1), "and leaves the other alone");
    mm_munmap(mm, PAGES(100), PAGES(104));
    is(page_mapped_count(), mapped, "unmapped, none is mapped");
    mm_put(mm);
    file_end(&f);
    host_end("shared");
}

static void test_cost(void)
{
    host_begin();
    struct mm *mm = mm_create();
    u64 terabytes = 16ul << 40;
    long p = map(mm, 0, terabytes, RW, ANON | MAP_NORESERVE);
    ok(p > 0, "16 TiB");
    u64 before = mm->counts.n[VMC_query_reads];
    is(usage_at(mm, p).rss, 0, "nothing is there");
    u64 reads = mm->counts.n[VMC_query_reads] - before;
    ok(reads <= (terabytes >> LEVEL_SHIFT(LEVEL_TOP)) + 1, "by %lu reads", reads);
    poke(mm, p + (terabytes / 2), 1);
    before = mm->counts.n[VMC_query_reads];
    is(usage_at(mm, p).rss, PAGE_SIZE, "one page");
    reads = mm->counts.n[VMC_query_reads] - before;
    ok(reads <= PT_LEVELS * PT_ENTRIES + 40, "by %lu reads", reads);
    mm_put(mm);
    host_end("cost");
}

static void test_sizes(void)
{
    struct mm_sizes s;
    host_begin();
    struct mm *mm = mm_create();
    map_at(mm, PAGES(100), 10, RW);
    map_at(mm, PAGES(200), 5, PROT_READ | PROT_EXEC);
    map_at(mm, PAGES(300), 3, PROT_READ);
    poke(mm, PAGES(100), 1);
    proc_mm_sizes(mm, &s);
    ok(s.total == 18 && s.data == 10 && s.exec == 5 && s.stack == 0 && s.locked == 0,
       "%lu pages: %lu data, %lu code", s.total, s.data, s.exec);
    ok(s.rss_anon == 1 && s.rss_shared == 0 && s.tables == PT_LEVELS, "one there");
    mm_munmap(mm, PAGES(100), PAGES(10));
    proc_mm_sizes(mm, &s);
    ok(s.total == 8 && s.peak == 18 && s.rss_anon == 0 && s.rss_peak == 1, "peaks stay");
    mm_put(mm);
    host_end("sizes");
}

static void test_peek(void)
{
    u8 buf[3 * PAGE_SIZE];
    host_begin();
    struct mm *mm = mm_create();
    map_at(mm, PAGES(100), 2, RW);
    poke(mm, PAGES(101), 'x');
    memset(buf, 1, sizeof(buf));
    is(mm_peek(mm, PAGES(100) + 10, buf, sizeof(buf)), 2 * PAGE_SIZE - 10, "up to the end");
    ok(buf[0] == 0 && buf[PAGE_SIZE - 10] == 'x', "zero where nothing is there, and what is");
    is(mm->rss[RSS_ANON], 1, "nothing was brought in");
    is(mm_peek(mm, PAGES(99), buf, 1), 0, "nothing where nothing is mapped");
    is(mm_peek(mm, PAGES(100), buf, 0), 0, "or asked for");
    mm_put(mm);
    host_end("peek");
}

static void test_kinds(void)
{
    host_begin();
    u64 anon = page_kind_count(PAGE_ANON), free = page_free_count();
    struct page *one = page_alloc(0, PAGE_ANON), *four = page_alloc(2, PAGE_ANON);
    is(page_kind_count(PAGE_ANON) - anon, 5, "frames are counted by kind");
    fail_countdown = 1;
    ok(!page_alloc(0, PAGE_ANON), "an allocation that fails");
    fail_countdown = 0;
    is(page_kind_count(PAGE_ANON) - anon, 5, "counts nothing");
    page_free(four);
    page_put(one);
    is(page_kind_count(PAGE_ANON), anon, "until they are freed");
    is(page_free_count(), free, "all of them");
    page_check();
    host_end("kinds");
}

int main(void)
{
    host_boot(4096);
    mm_init_once();
    test_batches();
    test_no_room();
    test_private();
    test_shared();
    test_cost();
    test_sizes();
    test_peek();
    test_kinds();
    return tap_done();
}
