/*
 * test_mmap.c: what mmap, munmap and mprotect answer (taken from Linux 6.18), and where mmap
 * places.
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
    is(map(mm, 0, PAGES(1), RW, ANON | MAP_HUGETLB | 12 << 26), -EINVAL, "of a size that is none");
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
        }
    }
    return tap_done();
}
