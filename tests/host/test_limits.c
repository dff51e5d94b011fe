/*
 * test_limits.c: what is refused leaves all as it was: vm.max_map_count, promises, and every
 * allocation that a call makes, failed in turn.
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
            test_map_count();
            test_overcommit();
            test_failures();
            test_unmap_without_memory();
        }
    }
    return tap_done();
}
