/*
 * test_mmap.c: mmap, munmap, mprotect and brk give Linux's answers (taken from Linux 6.18), place
 * where Linux places, split and merge as Linux does; and a failure at any point leaves all as it
 * was.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

static struct mm *mm;
static struct test_file f;

static void begin(void)
{
    host_begin();
    mm = mm_create();
}

static void end(const char *name)
{
    mm_end(mm);
    host_end(name);
}

static void knob(const char *name, u64 value)
{
    char text[24];
    snprintf(text, sizeof(text), "%lu", value);
    set_knob(name, text);
}

/* ---- errors ---- */

#define SHARED_VALIDATE_SYNC (MAP_SHARED_VALIDATE | MAP_SYNC)

static void test_mmap_errors(void)
{
    begin();
    file_make(&f, PAGES(4), true);
    is(map(mm, 0, 0, PROT_READ, ANON), -EINVAL, "length 0");
    is(map(mm, 0, PAGES(1), PROT_READ, MAP_ANONYMOUS), -EINVAL, "neither shared nor private");
    is(map_file(mm, 0, PAGES(1), PROT_READ, 0, &f, 0), -EINVAL, "the same for a file");
    is(map(mm, 0, PAGES(1), PROT_READ, MAP_SHARED_VALIDATE | MAP_ANONYMOUS), -EINVAL,
       "anonymous memory cannot be validated");
    is(map(mm, PAGES(100) + 1, PAGES(1), PROT_READ, ANON | MAP_FIXED), -EINVAL, "FIXED, unaligned");
    is(map_file(mm, 0, PAGES(1), PROT_READ, MAP_PRIVATE, &f, 5), -EINVAL, "unaligned offset");
    is(map(mm, 0, ~0ul, PROT_READ, ANON), -ENOMEM, "length 2^64 - 1");
    is(map(mm, 0, -PAGES(1), PROT_READ, ANON), -ENOMEM, "length 2^64 - 4096");
    is(map(mm, 0, -PAGES(2), PROT_READ, ANON), -ENOMEM, "length 2^64 - 8192");
    is(map(mm, 0, USER_LIMIT, PROT_READ, ANON), -ENOMEM, "length 2^47");
    is(map(mm, USER_END, PAGES(1), PROT_READ, ANON | MAP_FIXED), -ENOMEM, "FIXED at the limit");
    is(map(mm, USER_END - PAGES(1), PAGES(2), PROT_READ, ANON | MAP_FIXED), -ENOMEM, "across it");
    is(map(mm, 0xffff800000000000, PAGES(1), PROT_READ, ANON | MAP_FIXED), -ENOMEM,
       "kernel address");
    is(map(mm, 0, PAGES(1), RW, ANON | MAP_HUGETLB), -ENOMEM, "huge pages: there are none");
    is(map_file(mm, 0, PAGES(1), RW, MAP_PRIVATE | MAP_HUGETLB, &f, 0), -EINVAL, "nor of files");
    is(map(mm, 0, PAGES(1), RW, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN), -EINVAL,
       "a shared stack");
    is(map_file(mm, 0, PAGES(1), RW, MAP_PRIVATE | MAP_GROWSDOWN, &f, 0), -EINVAL,
       "a stack of a file");
    is(map_file(mm, 0, PAGES(1), PROT_READ, SHARED_VALIDATE_SYNC, &f, 0), -EOPNOTSUPP,
       "unknown flag, validated");
    is(map_file(mm, 0, PAGES(1), PROT_READ, MAP_SHARED_VALIDATE | MAP_FIXED_NOREPLACE, &f, 0),
       -EOPNOTSUPP, "FIXED_NOREPLACE is one, as on Linux");
    is(map_file(mm, 0, PAGES(1), PROT_READ, MAP_PRIVATE, &f, 1ul << 63), -EOVERFLOW, "offset 2^63");
    is(map_file(mm, 0, PAGES(1), PROT_READ, MAP_PRIVATE, &f, 0x7ffffffffffff000), -EOVERFLOW,
       "the end is past 2^63 - 1");
    is(map_file(mm, 0, PAGES(2), PROT_READ, MAP_PRIVATE, &f, -PAGES(1)), -EOVERFLOW,
       "offset + length wraps");
    is(mm->vmas.count, 0, "and nothing is mapped");
    ok(map_file(mm, 0, PAGES(1), PROT_READ, MAP_PRIVATE, &f, 0x7fffffffffffe000) > 0,
       "the last page of the largest file");
    ok(map_file(mm, 0, PAGES(1), PROT_READ, MAP_SHARED | MAP_SYNC, &f, 0) > 0,
       "MAP_SHARED ignores unknown flags");
    ok(map(mm, 0, PAGES(2), PROT_READ, ANON) > 0, "anonymous");
    ok(map_file(mm, 0, PAGES(2), PROT_READ, ANON, NULL, -PAGES(1)) > 0,
       "whose offset means nothing");
    mm_end(mm);
    file_end(&f);
    host_end("mmap's errors");
}

static void test_file_rights(void)
{
    static const struct {
        u32 access, prot, flags;
        long want;
    } cases[] = {
        {MM_FILE_WRITE, PROT_READ, MAP_PRIVATE, -EACCES},
        {MM_FILE_WRITE, RW, MAP_SHARED, -EACCES},
        {MM_FILE_READ, RW, MAP_SHARED, -EACCES},
        {MM_FILE_READ, RW, MAP_PRIVATE, 0},
        {MM_FILE_READ, PROT_READ, MAP_SHARED, 0},
        {MM_FILE_READ | MM_FILE_WRITE, RW, MAP_SHARED, 0},
    };
    begin();
    file_make(&f, PAGES(1), true);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        f.file.access = cases[i].access;
        long got = map_file(mm, 0, PAGES(1), cases[i].prot, cases[i].flags, &f, 0);
        is(got < 0 ? got : 0, cases[i].want, "opened %u, prot %u, flags %u", cases[i].access,
           cases[i].prot, cases[i].flags);
    }
    is(f.file.refs, 1 + mm->vmas.count, "each VMA has one reference of the file");
    f.file.mapping = NULL;
    is(map_file(mm, 0, PAGES(1), PROT_READ, MAP_PRIVATE, &f, 0), -ENODEV, "a pipe or terminal");
    f.file.mapping = &f.mapping;
    mm_end(mm);
    file_end(&f);
    host_end("rights of files");
}

static void test_munmap_errors(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    is(mm_munmap(mm, PAGES(100), 0), -EINVAL, "length 0");
    is(mm_munmap(mm, PAGES(100) + 1, PAGES(1)), -EINVAL, "unaligned");
    is(mm_munmap(mm, PAGES(100), ~0ul), -EINVAL, "wrapped");
    is(mm_munmap(mm, PAGES(100), -PAGES(1)), -EINVAL, "wrapped, aligned");
    is(mm_munmap(mm, 0xffff800000000000, PAGES(1)), -EINVAL, "kernel address");
    is(mm_munmap(mm, USER_END, PAGES(1)), -EINVAL, "past user space");
    is(mm_munmap(mm, USER_END - PAGES(1), PAGES(1) + 1), -EINVAL, "across the end");
    is(mm->total_pages, 4, "nothing went");
    is(mm_munmap(mm, PAGES(200), PAGES(10)), 0, "a hole");
    is(mm_munmap(mm, PAGES(102), 1), 0, "length 1");
    is(mm->total_pages, 3, "is a whole page");
    is(mm_munmap(mm, PAGES(90), PAGES(20)), 0, "over holes");
    is(mm->vmas.count, 0, "takes what there is");
    end("munmap's errors");
}

static void test_mprotect_errors(void)
{
    begin();
    map_at(mm, PAGES(100), 4, PROT_READ);
    is(mm_mprotect(mm, PAGES(100), 0, 1), 0, "length 0");
    is(mm_mprotect(mm, PAGES(100) + 1, 0, 1), -EINVAL, "unaligned");
    is(mm_mprotect(mm, PAGES(100), ~0ul, 1), -ENOMEM, "length 2^64 - 1");
    is(mm_mprotect(mm, PAGES(100), -PAGES(1), 1), -ENOMEM, "length 2^64 - 4096");
    is(mm_mprotect(mm, PAGES(100), PAGES(1), 0x10), -EINVAL, "unknown right");
    is(mm_mprotect(mm, PAGES(100), PAGES(1), 8 | 1), 0, "PROT_SEM");
    is(mm_mprotect(mm, PAGES(100), PAGES(1), 1 | PROT_GROWSDOWN), -EINVAL,
       "GROWSDOWN of what doesn't");
    is(mm_mprotect(mm, PAGES(100), PAGES(1), 1 | PROT_GROWSUP), -EINVAL, "GROWSUP");
    is(mm_mprotect(mm, PAGES(100), PAGES(1), 1 | PROT_GROWSUP | PROT_GROWSDOWN), -EINVAL, "both");
    is(mm_mprotect(mm, PAGES(300), PAGES(1), 1), -ENOMEM, "unmapped");
    is(mm_mprotect(mm, 0xffff800000000000, PAGES(1), 1), -ENOMEM, "kernel address");
    map_at(mm, PAGES(106), 2, PROT_READ);
    is(mm_mprotect(mm, PAGES(102), PAGES(6), RW), -ENOMEM, "a hole in the range");
    ok(poke(mm, PAGES(103), 1) == 0 && poke(mm, PAGES(106), 1) < 0,
       "what is before it has changed, what is after has not");
    is(mm_mprotect(mm, PAGES(99), PAGES(2), RW), -ENOMEM, "a hole first");
    ok(poke(mm, PAGES(100), 1) < 0, "changes nothing");
    map(mm, PAGES(1000), PAGES(2), RW, ANON | MAP_FIXED | MAP_GROWSDOWN);
    poke(mm, PAGES(990), 1);
    is(mm_mprotect(mm, PAGES(1001), PAGES(1), PROT_READ | PROT_GROWSDOWN), 0,
       "GROWSDOWN: down to the stack's start");
    ok(poke(mm, PAGES(990), 1) == -FAULT_ACCERR && poke(mm, PAGES(1001), 1) == -FAULT_ACCERR,
       "all of it");
    end("mprotect's errors");
}

/* ---- places ---- */

static void test_places(void)
{
    begin();
    knob("vm.zap_block_pages", 1 << 20); /* all of user space in 32,768 blocks, not in 2^32 */
    vaddr_t base = mm->mmap_base;
    vaddr_t a = map(mm, 0, PAGES(2), PROT_READ, ANON), b = map(mm, 0, 1, RW, ANON);
    ok(a == base - PAGES(2) && b == a - PAGES(1), "top down from mmap_base");
    is(map(mm, 0x10001234, PAGES(1), RW, ANON), 0x10001000, "a free hint is rounded down and used");
    is(map(mm, 0x10001000, PAGES(1), RW, ANON), b - PAGES(1), "a busy one is not an error");
    is(map(mm, 0x1234, PAGES(1), RW, ANON), 65536, "a hint below vm.mmap_min_addr is raised");
    ok(map(mm, 1, PAGES(1), RW, ANON) > 0x10000000, "a hint that rounds to 0 is none");
    is(map(mm, PAGES(1), PAGES(1), RW, ANON | MAP_FIXED), PAGES(1), "FIXED below it: root may");
    is(map(mm, 0, PAGES(1), RW, ANON | MAP_FIXED), 0, "even at 0");
    ok(map(mm, USER_END, PAGES(1), RW, ANON) < (long)base, "a hint outside is ignored");
    is(map(mm, 0, PAGES(1), RW, ANON | MAP_32BIT), 0x40000000, "MAP_32BIT: from 1 GiB up");
    is(map(mm, 0x7ffff000, PAGES(2), RW, ANON | MAP_32BIT), 0x40001000,
       "its hint must lie below 2 GiB whole");
    is(map(mm, 0x70000000, PAGES(2), RW, ANON | MAP_32BIT), 0x70000000, "and then is used");
    is(map(mm, 0, 1ul << 30, RW, ANON | MAP_32BIT), -ENOMEM, "1 GiB has no room left there");
    is(map(mm, USER_END - PAGES(3), PAGES(3), PROT_READ, ANON | MAP_FIXED), USER_END - PAGES(3),
       "the top of user space");
    is(peek(mm, USER_END - 1), 0, "its last byte");
    is(mm_munmap(mm, USER_END - PAGES(3), PAGES(3)), 0, "unmapped again");
    is(map(mm, 0, base - 65536, PROT_READ, ANON), -ENOMEM, "no hole is that long");
    mm_munmap(mm, 0, base);
    is(map(mm, 0, base - 65536, PROT_READ, ANON), 65536, "now there is just one");
    is(map(mm, 0, PAGES(1), PROT_READ, ANON), base, "below is full: bottom up, above mmap_base");
    end("places");
    knob("vm.zap_block_pages", 8);
}

static void test_fixed(void)
{
    begin();
    map_at(mm, PAGES(100), 10, RW);
    for (int i = 0; i < 10; i++)
        poke(mm, PAGES(100 + i), 'a' + i);
    is(map(mm, PAGES(103), PAGES(2), RW, ANON | MAP_FIXED_NOREPLACE), -EEXIST,
       "NOREPLACE on something");
    is(map(mm, PAGES(109), PAGES(5), RW, ANON | MAP_FIXED_NOREPLACE), -EEXIST, "on a part");
    is(peek(mm, PAGES(103)), 'd', "nothing changed");
    is(map(mm, PAGES(110), PAGES(1), PROT_READ, ANON | MAP_FIXED_NOREPLACE), PAGES(110),
       "NOREPLACE on nothing");
    map_at(mm, PAGES(103), 2, PROT_READ);
    ok(peek(mm, PAGES(102)) == 'c' && peek(mm, PAGES(103)) == 0 && peek(mm, PAGES(104)) == 0 &&
           peek(mm, PAGES(105)) == 'f',
       "FIXED replaces just what it covers");
    is(mm->vmas.count, 4, "three VMAs where one was, and the neighbour");
    map_at(mm, PAGES(103), 2, RW);
    is(mm->vmas.count, 2, "the same kind again: one");
    ok(peek(mm, PAGES(102)) == 'c' && peek(mm, PAGES(105)) == 'f', "with its contents");
    map_at(mm, PAGES(95), 30, PROT_READ);
    is(mm->vmas.count, 1, "over all, and beyond both ends");
    is(mm->rss[RSS_ANON], 0, "the old pages are gone");
    end("fixed");
}

static void test_populate(void)
{
    begin();
    vaddr_t a = map(mm, 0, PAGES(8), RW, ANON | MAP_POPULATE);
    is(mm->rss[RSS_ANON], 8, "MAP_POPULATE");
    ok(mm->counts.n[VMC_faults] == 0 && poke(mm, a, 1) == 0 && mm->counts.n[VMC_faults] == 0,
       "no faults, ready to write");
    map(mm, 0, PAGES(2), RW, ANON | MAP_LOCKED);
    is(mm->rss[RSS_ANON], 10, "MAP_LOCKED");
    map(mm, 0, PAGES(2), PROT_NONE, ANON | MAP_POPULATE);
    map(mm, 0, PAGES(2), RW, ANON | MAP_POPULATE | MAP_NONBLOCK);
    is(mm->rss[RSS_ANON], 10, "not without rights, not with NONBLOCK");
    map(mm, 0, PAGES(1 << 20), RW, ANON | MAP_POPULATE | MAP_NORESERVE);
    ok(page_free_count() < 64, "more than there is: as far as it goes, no error");
    end("populate");
}

/* ---- splits and merges ---- */

static void test_merges(void)
{
    begin();
    map_at(mm, PAGES(100), 3, RW);
    mm_munmap(mm, PAGES(101), PAGES(1));
    is(mm->vmas.count, 2, "unmap the middle");
    map_at(mm, PAGES(101), 1, RW);
    is(mm->vmas.count, 1, "fill the hole: 1");
    mm_mprotect(mm, PAGES(101), PAGES(1), PROT_READ);
    is(mm->vmas.count, 3, "mprotect the middle: 3");
    mm_mprotect(mm, PAGES(101), PAGES(1), RW);
    is(mm->vmas.count, 1, "and back: 1");
    poke(mm, PAGES(100), 1);
    mm_mprotect(mm, PAGES(101), PAGES(1), PROT_READ);
    mm_mprotect(mm, PAGES(101), PAGES(1), RW);
    is(mm->vmas.count, 1, "also when it was written");
    map_at(mm, PAGES(104), 1, RW);
    poke(mm, PAGES(104), 1);
    map_at(mm, PAGES(103), 1, RW);
    is(mm->vmas.count, 2, "fill the hole between two already written: 2");
    map(mm, PAGES(105), PAGES(1), RW, ANON | MAP_FIXED | MAP_NORESERVE);
    is(mm->vmas.count, 3, "MAP_NORESERVE is another kind");
    end("merges of anonymous memory");

    begin();
    file_make(&f, PAGES(8), false);
    map_file(mm, PAGES(200), PAGES(3), PROT_READ, MAP_SHARED | MAP_FIXED, &f, 0);
    mm_munmap(mm, PAGES(201), PAGES(1));
    ok(mm->vmas.count == 2 && vma_find(&mm->vmas, PAGES(201))->pgoff == 2,
       "a file's middle: 2 VMAs, offsets 0 and 2 pages");
    is(f.file.refs, 3, "two references");
    map_file(mm, PAGES(201), PAGES(1), PROT_READ, MAP_SHARED | MAP_FIXED, &f, PAGES(1));
    ok(mm->vmas.count == 1 && f.file.refs == 2, "the same offset again: 1 VMA, 1 reference");
    map_file(mm, PAGES(201), PAGES(1), PROT_READ, MAP_SHARED | MAP_FIXED, &f, PAGES(5));
    ok(mm->vmas.count == 3 && peek(mm, PAGES(201)) == 'f', "another offset: 3");
    mm_munmap(mm, PAGES(200), PAGES(3));
    is(f.file.refs, 1, "no reference is left");
    map_file(mm, PAGES(201), PAGES(2), RW, MAP_PRIVATE | MAP_FIXED, &f, PAGES(1));
    map_file(mm, PAGES(200), PAGES(1), RW, MAP_PRIVATE | MAP_FIXED, &f, 0);
    ok(mm->vmas.count == 1 && vma_find(&mm->vmas, 0)->pgoff == 0, "**BB: the offset moves down");
    mm_mprotect(mm, PAGES(200), PAGES(1), PROT_READ);
    mm_munmap(mm, PAGES(200), PAGES(1));
    ok(peek(mm, PAGES(201)) == 'b' && peek(mm, PAGES(202)) == 'c',
       "splitting off the lower part leaves the rest's data");
    mm_end(mm);
    file_end(&f);
    host_end("merges of files");
}

static void test_mprotect_contents(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    for (int i = 0; i < 4; i++)
        poke(mm, PAGES(100 + i), 'a' + i);
    is(mm_mprotect(mm, PAGES(101), PAGES(2), PROT_NONE), 0, "PROT_NONE");
    is(peek(mm, PAGES(101)), -FAULT_ACCERR, "at once");
    is(mm->rss[RSS_ANON], 4, "the pages stay");
    mm_check(mm);
    is(mm_mprotect(mm, PAGES(100), PAGES(4), PROT_READ), 0, "over three VMAs");
    ok(mm->vmas.count == 1 && peek(mm, PAGES(101)) == 'b' && peek(mm, PAGES(102)) == 'c',
       "with their contents");
    is(poke(mm, PAGES(103), 1), -FAULT_ACCERR, "read only, at once");
    is(mm_mprotect(mm, PAGES(100), PAGES(4), RW | PROT_EXEC), 0, "all rights");
    u64 faults = mm->counts.n[VMC_faults];
    ok(poke(mm, PAGES(103), 1) == 0 && run_at(mm, PAGES(103)) == 0, "are there");
    is(mm->counts.n[VMC_faults], faults, "without a fault: the pages are ours");
    mm_mprotect(mm, PAGES(101), PAGES(1), PROT_NONE);
    mm_munmap(mm, PAGES(100), PAGES(4));
    is(mm->rss[RSS_ANON], 0, "munmap takes pages without rights as well");
    end("mprotect");
}

static void test_boundary_far(void) /* history, case 4: a border that moves by 2 GiB and more */
{
    begin();
    file_make(&f, 1ul << 40, true);
    vaddr_t a = 1ul << 40;
    map_file(mm, a, 1ul << 36, PROT_READ, MAP_SHARED | MAP_FIXED, &f, 0);
    mm_mprotect(mm, a, 1ul << 30, RW);
    mm_mprotect(mm, a, (1ul << 35) + PAGES(1), RW);
    struct vma *high = vma_find(&mm->vmas, a + (1ul << 36) - 1);
    ok(mm->vmas.count == 2 && high->pgoff == (1ul << (35 - PAGE_SHIFT)) + 1,
       "the upper VMA's offset is right");
    mm_end(mm);
    file_end(&f);
    host_end("far borders");
}

/* ---- brk ---- */

static void test_brk(void)
{
    begin();
    mm->brk_start = mm->brk = PAGES(1000) + 8;
    is(mm_brk(mm, 0), PAGES(1000) + 8, "where it is");
    is(mm_brk(mm, PAGES(1000) + 100), PAGES(1000) + 100, "within the page: memory begins after it");
    is(mm->vmas.count, 0, "nothing is mapped yet");
    is(mm_brk(mm, PAGES(1003)), PAGES(1003), "up");
    ok(mm->total_pages == 2 && poke(mm, PAGES(1001), 'h') == 0 && poke(mm, PAGES(1003), 1) < 0,
       "two pages");
    ok(strstr(maps(mm), "[heap]"), "named");
    is(mm_brk(mm, PAGES(1010) + 1), PAGES(1010) + 1, "further");
    is(mm->vmas.count, 1, "in one VMA");
    poke(mm, PAGES(1009), 'x');
    is(mm_brk(mm, PAGES(1002)), PAGES(1002), "down");
    is(mm_brk(mm, PAGES(1010)), PAGES(1010), "and up");
    ok(peek(mm, PAGES(1009)) == 0 && peek(mm, PAGES(1001)) == 'h',
       "memory taken again is zero, what stayed is kept");
    is(mm_brk(mm, PAGES(1000)), PAGES(1010), "below its start: unchanged");
    is(mm_brk(mm, ~0ul), PAGES(1010), "2^64 - 1");
    is(mm_brk(mm, USER_END + 1), PAGES(1010), "past user space (CVE-2003-0961)");
    map_at(mm, PAGES(1020), 1, RW);
    is(mm_brk(mm, PAGES(1020)), PAGES(1010), "up to a page short of a mapping");
    is(mm_brk(mm, PAGES(1025)), PAGES(1010), "into it");
    is(mm_brk(mm, PAGES(1019)), PAGES(1019), "one page stays free");
    map(mm, PAGES(2000), PAGES(1), RW, ANON | MAP_FIXED | MAP_GROWSDOWN);
    mm_munmap(mm, PAGES(1020), PAGES(1));
    is(mm_brk(mm, PAGES(2000 - 256)), PAGES(1019), "into a stack's guard gap");
    is(mm_brk(mm, PAGES(2000 - 257)), PAGES(2000 - 257), "up to a page short of it");
    mm_munmap(mm, PAGES(1100), PAGES(2000));
    is(mm_brk(mm, PAGES(1500)), PAGES(2000 - 257), "shrinking over what is not there");
    is(mm_brk(mm, PAGES(1050)), PAGES(1050), "over a part of it");
    mm_check(mm);
    end("brk");
}

/* ---- limits ---- */

static void test_map_count(void)
{
    const u64 limit = 20;

    begin();
    knob("vm.max_map_count", limit);
    u64 n = 0;
    long got;
    while ((got = map(mm, PAGES(1000 + 2 * n), PAGES(1), RW, ANON | MAP_FIXED)) > 0)
        n++;
    ok(got == -ENOMEM && n == limit + 1, "one can own limit + 1");
    is(map(mm, PAGES(1001), PAGES(1), RW, ANON | MAP_FIXED), -ENOMEM,
       "then even a merging mmap is refused");
    mm->brk = mm->brk_start = PAGES(5000);
    is(mm_brk(mm, PAGES(5001)), PAGES(5000), "and brk");
    mm_munmap(mm, PAGES(1000), PAGES(1));
    map_at(mm, PAGES(3000), 3, RW);
    char before[4096];
    snprintf(before, sizeof(before), "%s", maps(mm));
    is(mm_munmap(mm, PAGES(3001), PAGES(1)), -ENOMEM, "munmap of a middle at the limit");
    is(mm_mprotect(mm, PAGES(3001), PAGES(1), PROT_READ), -ENOMEM, "mprotect of one");
    is(map(mm, PAGES(3001), PAGES(1), PROT_READ, ANON | MAP_FIXED), -ENOMEM, "mmap over one");
    is(mm_mprotect(mm, PAGES(3000), PAGES(1), PROT_READ), -ENOMEM, "mprotect of a head");
    ok(strcmp(before, maps(mm)) == 0, "each leaves all as it was");
    is(mm_munmap(mm, PAGES(3000), PAGES(1)), 0, "munmap of a head needs no VMA");
    is(mm_mprotect(mm, PAGES(3001), PAGES(2), PROT_READ), 0, "nor mprotect of a whole");
    for (vaddr_t at = PAGES(1002); mm->vmas.count > limit - 2; at += PAGES(2))
        mm_munmap(mm, at, PAGES(1));
    map_at(mm, PAGES(4000), 5, RW);
    u64 count = mm->vmas.count;
    ok(count == limit - 1 && mm_mprotect(mm, PAGES(4002), PAGES(1), PROT_READ) == -ENOMEM &&
           mm->vmas.count == count,
       "two splits where there is room for one: refused whole");
    is(mm_munmap(mm, PAGES(4002), PAGES(1)), 0, "one is granted");
    knob("vm.max_map_count", 65530);
    end("vm.max_map_count");
}

static void test_overcommit(void)
{
    u64 all = page_total_count();

    begin();
    is(map(mm, 0, PAGES(all + 1), RW, ANON), -ENOMEM, "more than all memory");
    ok(map(mm, 0, PAGES(all + 1), RW, ANON | MAP_NORESERVE) > 0, "unless NORESERVE");
    vaddr_t a = map(mm, 0, PAGES(all + 1), PROT_READ, ANON);
    ok((long)a > 0, "or read only");
    is(mm_mprotect(mm, a, PAGES(all + 1), RW), -ENOMEM, "which can't be made writable");
    is(map(mm, 0, PAGES(all + 1), RW, MAP_SHARED | MAP_ANONYMOUS), -ENOMEM, "shared");
    ok(map(mm, 0, PAGES(all + 1), RW, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE) > 0,
       "unless NORESERVE");
    is(commit_total(), 0, "nothing is promised yet");
    map(mm, 0, PAGES(all), RW, ANON);
    map_at(mm, PAGES(100), 10, RW);
    is(commit_total(), all + 10, "promises add up");
    mm_mprotect(mm, PAGES(102), PAGES(2), PROT_READ);
    is(commit_total(), all + 8, "what was never written can be taken back");
    poke(mm, PAGES(100), 1);
    mm_mprotect(mm, PAGES(100), PAGES(2), PROT_READ);
    is(commit_total(), all + 8, "what may have been written can't");
    map_at(mm, PAGES(104), 2, RW);
    is(commit_total(), all + 8, "replacing gives back");
    mm_munmap(mm, PAGES(99), PAGES(7));
    is(commit_total(), all + 4, "unmapping too");
    mm_end(mm);
    mm = mm_create();
    set_knob("vm.overcommit_memory", "1");
    ok(map(mm, 0, PAGES(all * 100), RW, ANON) > 0, "1: anything goes");
    mm_end(mm);
    mm = mm_create();
    set_knob("vm.overcommit_memory", "2");
    is(map(mm, 0, PAGES(all / 2 + 1), RW, ANON | MAP_NORESERVE), -ENOMEM,
       "2: half of memory, NORESERVE or not");
    ok(map(mm, 0, PAGES(all / 4), RW, ANON) > 0, "2: a quarter");
    is(map(mm, 0, PAGES(all / 4), RW, ANON), -ENOMEM, "2: but not another one");
    set_knob("vm.overcommit_memory", "0");
    end("overcommit");
}

/* ---- every allocation fails in turn ---- */

struct call {
    const char *name;
    long (*run)(void);
};

static long run_mmap(void)
{
    return map(mm, PAGES(5000), PAGES(2), PROT_EXEC, ANON);
}

static long run_shared(void)
{
    return map(mm, PAGES(5000), PAGES(2), RW, MAP_SHARED | MAP_ANONYMOUS);
}

static long run_fixed(void)
{
    return map_file(mm, PAGES(103), PAGES(2), RW, MAP_SHARED | MAP_FIXED, &f, PAGES(1));
}

static long run_munmap(void)
{
    return mm_munmap(mm, PAGES(203), PAGES(2));
}

static long run_mprotect(void)
{
    return mm_mprotect(mm, PAGES(205), PAGES(1), PROT_NONE);
}

static long run_mprotect_two(void)
{
    return mm_mprotect(mm, PAGES(107), PAGES(5), PROT_EXEC);
}

static long run_brk(void)
{
    vaddr_t want = mm->brk + PAGES(3);
    return mm_brk(mm, want) == want ? 0 : -ENOMEM;
}

static const struct call calls[] = {
    {"mmap", run_mmap},     {"mmap shared", run_shared},       {"mmap fixed", run_fixed},
    {"munmap", run_munmap}, {"mprotect middle", run_mprotect}, {"mprotect two", run_mprotect_two},
    {"brk", run_brk},
};

/* Slab pages are full when the test begins, so that each object allocated may need a page and fail
 * for it. */
static void test_failures(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(calls); i++) {
        static char before[1 << 16];
        unsigned tries = 0;
        bool same = true;
        long result;

        begin();
        file_make(&f, PAGES(20), false);
        map_at(mm, PAGES(100), 10, RW);
        map_at(mm, PAGES(110), 5, PROT_READ);
        map_file(mm, PAGES(200), PAGES(10), RW, MAP_PRIVATE | MAP_FIXED, &f, 0);
        for (int page = 0; page < 10; page++)
            poke(mm, PAGES(100 + page), 'm'), poke(mm, PAGES(200 + page), 'f');
        mm->brk = mm->brk_start = PAGES(9000);
        do {
            snprintf(before, sizeof(before), "%s", maps(mm));
            u64 promised = commit_total(), vmas = objects("vma"), refs = f.file.refs;
            fail_countdown = ++tries;
            result = calls[i].run();
            if (result < 0)
                same &= result == -ENOMEM && strcmp(before, maps(mm)) == 0 &&
                        promised == commit_total() && vmas == objects("vma") &&
                        refs == f.file.refs && mm->rss[RSS_ANON] == 20;
            fail_countdown = 0;
            mm_check(mm);
        } while (result < 0 && tries < 100);
        ok(same && tries > 1 && tries < 100, "%s: %u failures, all as it was", calls[i].name,
           tries - 1);
        mm_end(mm);
        file_end(&f);
        host_end(calls[i].name);
    }
}

/* munmap takes what it unmaps even when nothing at all can be allocated. */
static void test_unmap_without_memory(void)
{
    begin();
    map_at(mm, PAGES(100), 10, RW);
    map_at(mm, PAGES(120), 10, RW);
    for (int i = 0; i < 10; i++)
        poke(mm, PAGES(100 + i), 1), poke(mm, PAGES(120 + i), 1);
    fail_countdown = 1;
    is(mm_munmap(mm, PAGES(105), PAGES(20)), 0, "a tail, a hole and a head");
    is(fail_countdown, 1, "without one allocation");
    fail_countdown = 0;
    ok(mm->total_pages == 10 && mm->rss[RSS_ANON] == 10, "ten pages of twenty are left");
    end("munmap without memory");
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
            test_mmap_errors();
            test_file_rights();
            test_munmap_errors();
            test_mprotect_errors();
            test_places();
            test_fixed();
            test_populate();
            test_merges();
            test_mprotect_contents();
            test_boundary_far();
            test_brk();
            test_map_count();
            test_overcommit();
            test_failures();
            test_unmap_without_memory();
        }
    }
    return tap_done();
}
