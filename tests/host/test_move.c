/*
 * test_move.c: mremap's walk: the 16 TiB that must not be stepped over page by page, entries that
 * go over the borders of other tables, and translations that must not outlive the move.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

enum { FIXED = MREMAP_MAYMOVE | MREMAP_FIXED };

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

static bool absent(u64 page, u64 n)
{
    bool right = true;
    for (u64 i = 0; i < n; i++)
        right &= peek(mm, PAGES(page + i)) == -FAULT_MAPERR;
    return right;
}

static void test_sparse(void)
{
    const u64 length = 1ul << 44, middle = length / 2 + PAGES(7);
    const vaddr_t from = (1ul << 40) + PAGES(768), to = (1ul << 45) + PAGES(3);
    const struct {
        u64 at;
        u8 byte;
    } touched[] = {{0, 1}, {middle, 2}, {length - PAGES(1), 3}};

    begin();
    map(mm, from, length, RW, ANON | MAP_FIXED | MAP_NORESERVE);
    for (int i = 0; i < 3; i++)
        poke(mm, from + touched[i].at, touched[i].byte);
    u64 tables = mm->pt.tables, before = mm->counts.n[VMC_move_reads];
    is(mm_mremap(mm, from, length, length, FIXED, to), (long)to, "16 TiB, three pages");
    bool right = true;
    for (int i = 0; i < 3; i++)
        right &= peek(mm, to + touched[i].at) == touched[i].byte &&
                 peek(mm, from + touched[i].at) == -FAULT_MAPERR;
    ok(right, "moved");
    u64 reads = mm->counts.n[VMC_move_reads] - before;
    ok(reads < 8000, "%lu entries read, not one for each GiB of each table level", reads);
    ok(mm->pt.tables <= tables, "%lu tables were %lu", mm->pt.tables, tables);
    mm_check(mm);
    end("sparse");
}

/* Entries that straddle target tables, holes between, and sentinels around (nanos PR 985). */
static void test_straddle(void)
{
    const u64 from = 512 * 20 + 3, to = 512 * 40 + 500, n = 700;

    begin();
    map_at(mm, PAGES(from), n, RW);
    map_at(mm, PAGES(to - 1), n + 2, RW);
    poke(mm, PAGES(to - 1), 7);
    poke(mm, PAGES(to + n), 8);
    for (u64 i = 0; i < n; i += 1 + (i % 5))
        poke(mm, PAGES(from + i), i);
    u64 rss = mm->rss[RSS_ANON];
    is(remap(from, n, n, FIXED, to), PAGES(to), "700 pages with holes over other tables' borders");
    bool right = true;
    for (u64 i = 0, next = 0; i < n; i++) {
        bool was = i == next;
        right &= peek(mm, PAGES(to + i)) == (was ? (u8)i : 0);
        next += was ? 1 + (i % 5) : 0;
    }
    ok(right && peek(mm, PAGES(to - 1)) == 7 && peek(mm, PAGES(to + n)) == 8,
       "each page where it belongs, the neighbours untouched");
    ok(mm->rss[RSS_ANON] >= rss && absent(from, n), "none lost");
    mm_check(mm);
    is(remap(to, n, n, FIXED, to + 1024), PAGES(to + 1024), "within one table and the next");
    mm_check(mm);
    end("straddle");
}

/* After the move nothing leads to the old place: the model TLB would panic when the page goes. */
static void test_truncate_after(void)
{
    begin();
    map_file(mm, PAGES(100), PAGES(4), RW, MAP_SHARED | MAP_FIXED, &f, 0);
    poke(mm, PAGES(102), 'X');
    is(remap(100, 4, 4, FIXED, 612), PAGES(612), "a file map moves");
    is(peek(mm, PAGES(614)), 'X', "with its pages");
    mapping_truncate(&f.mapping, PAGES(1));
    ok(peek(mm, PAGES(614)) == -FAULT_BUSERR && absent(100, 4),
       "truncate finds it at the new place (CVE-2018-18281)");
    is(f.file.refs, 2, "one reference");
    mm_check(mm);
    end("truncate after");
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
            if (work) /* block takes 2^29 turns to unmap it in the end */
                test_sparse();
            test_straddle();
            test_truncate_after();
        }
    }
    return tap_done();
}
