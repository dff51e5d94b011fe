/*
 * test_lock.c: the mlock family and the limits of setrlimit: what is cut, counted, brought in and
 * refused; and that what counts pages by kind is right at every step (mm_check compares).
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

static struct mm *mm;
static struct test_file f;

static void begin(void)
{
    host_begin();
    mm = mm_create();
    file_make(&f, PAGES(4), false);
}

static void end(const char *name)
{
    mm_check(mm);
    mm_end(mm);
    file_end(&f);
    host_end(name);
}

static long lock(u64 page, u64 pages)
{
    return mm_mlock(mm, PAGES(page), PAGES(pages), 0);
}

static u64 locked(void)
{
    mm_check(mm);
    return mm->kind_pages[MM_LOCKED];
}

static void test_mlock(void)
{
    begin();
    map_at(mm, PAGES(100), 8, RW);
    is(mm_mlock(mm, PAGES(101) + 100, PAGES(1), 0), 0, "a page that lies across two");
    ok(locked() == 2 && mm->vmas.count == 3 && mm->rss[RSS_ANON] == 2, "locks both, and has them");
    is(lock(100, 4), 0, "over them");
    ok(locked() == 4 && mm->vmas.count == 2, "each counts once");
    is(mm_munlock(mm, PAGES(101) + 1, 1), 0, "a byte");
    ok(locked() == 3 && mm->vmas.count == 4, "unlocks its page");
    is(mm_munlock(mm, PAGES(100), PAGES(8)), 0, "all");
    ok(locked() == 0 && mm->vmas.count == 1, "is one VMA again");
    is(mm_mlock(mm, PAGES(104), PAGES(2), MLOCK_ONFAULT), 0, "ONFAULT");
    ok(locked() == 2 && mm->rss[RSS_ANON] == 4, "brings nothing in");
    is(mm_mlock(mm, PAGES(104), PAGES(2), 2), -EINVAL, "an unknown flag");
    is(mm_mlock(mm, PAGES(104), 0, 0), 0, "length 0");
    is(mm_mlock(mm, PAGES(900), 0, 0), 0, "of nothing");
    is(mm_mlock(mm, PAGES(100), ~0ul, 0), 0, "a length that wraps to 0");
    is(mm_mlock(mm, PAGES(100), -PAGES(2), 0), -EINVAL, "a range that wraps");
    is(mm_munlock(mm, PAGES(100), -PAGES(2)), -EINVAL, "for munlock too");
    is(lock(900, 1), -ENOMEM, "a hole");
    map_at(mm, PAGES(110), 2, RW);
    is(lock(106, 6), -ENOMEM, "over a hole");
    is(locked(), 4, "locks what comes before it");
    is(lock(900, 1ul << 40), -ENOMEM, "past user space");
    mm_munmap(mm, PAGES(104), PAGES(4));
    is(locked(), 0, "munmap takes the count along");
    map_at(mm, PAGES(200), 1, PROT_NONE);
    is(lock(200, 1), -ENOMEM, "pages that can't be had");
    is(locked(), 1, "are locked");
    u64 rss = mm->rss[RSS_ANON];
    is(mm_mprotect(mm, PAGES(200), PAGES(1), RW), 0, "given rights");
    is(mm->rss[RSS_ANON], rss + 1, "they are there at once");
    mm_munmap(mm, PAGES(200), PAGES(1));
    map_file(mm, PAGES(300), PAGES(5), RW, MAP_SHARED | MAP_FIXED, &f, 0);
    is(lock(300, 5), -ENOMEM, "past the end of a file");
    is(mm->rss[RSS_FILE], 4, "after what is there");
    map_at(mm, PAGES(400), 1, RW);
    fail_countdown = 1;
    is(lock(400, 1), -EAGAIN, "no memory for the page");
    fail_countdown = 0;
    end("mlock");
}

static void test_failures(void)
{
    static char before[1 << 16];
    unsigned tries = 0;
    bool same = true;
    long result;

    begin();
    map_at(mm, PAGES(100), 200, RW);
    for (int i = 0; i < 200; i++)
        poke(mm, PAGES(100 + i), i);
    snprintf(before, sizeof(before), "%s", maps(mm));
    do {
        u64 vmas = objects("vma");
        fail_countdown = ++tries;
        result = lock(110, 20);
        fail_countdown = 0;
        if (result < 0)
            same &= result == -ENOMEM && !strcmp(before, maps(mm)) && vmas == objects("vma") &&
                    locked() == 0;
    } while (result < 0 && tries < 20);
    ok(same && tries > 1 && result == 0 && locked() == 20, "%u failed allocations", tries - 1);
    set_knob("vm.max_map_count", "4");
    is(lock(200, 5), -ENOMEM, "no room for two more VMAs");
    ok(mm->vmas.count == 3 && locked() == 20, "all as it was");
    set_knob("vm.max_map_count", "65530");
    end("mlock failures");
}

static void test_mlockall(void)
{
    begin();
    map_at(mm, PAGES(100), 3, RW);
    map_at(mm, PAGES(200), 2, PROT_NONE);
    is(mm_mlockall(mm, 0), -EINVAL, "no flag");
    is(mm_mlockall(mm, MCL_ONFAULT), -EINVAL, "ONFAULT alone");
    is(mm_mlockall(mm, 8), -EINVAL, "an unknown flag");
    is(mm_mlockall(mm, MCL_CURRENT), 0, "CURRENT");
    ok(locked() == 5 && mm->rss[RSS_ANON] == 3, "what is there, as far as it can be had");
    map_at(mm, PAGES(300), 2, RW);
    is(locked(), 5, "not what comes");
    is(mm_mlockall(mm, MCL_FUTURE), 0, "FUTURE");
    is(locked(), 5, "not what is there");
    map_at(mm, PAGES(400), 2, RW);
    ok(locked() == 7 && mm->rss[RSS_ANON] == 5, "later maps are locked, and brought in");
    mm->brk = mm->brk_start = PAGES(1000);
    mm_brk(mm, PAGES(1003));
    ok(locked() == 10 && mm->rss[RSS_ANON] == 8, "the heap too");
    is(mm_mlockall(mm, MCL_FUTURE | MCL_CURRENT | MCL_ONFAULT), 0, "ONFAULT");
    map_at(mm, PAGES(500), 2, RW);
    ok(locked() == 14 && mm->rss[RSS_ANON] == 8, "brings nothing in");
    is(mm_munlockall(mm), 0, "munlockall");
    is(locked(), 0, "none is");
    map_at(mm, PAGES(600), 2, RW);
    is(locked(), 0, "nor will be");
    ok(map(mm, 0, PAGES(3), RW, ANON | MAP_LOCKED) > 0 && locked() == 3, "MAP_LOCKED counts");
    end("mlockall");
}

static void test_memlock(void)
{
    begin();
    map_at(mm, PAGES(100), 20, RW);
    mm->limit[MM_LIMIT_MEMLOCK] = PAGES(6);
    is(lock(100, 20), 0, "CAP_IPC_LOCK: no limit");
    mm_munlockall(mm);
    mm->lock_exempt = false;
    is(lock(100, 7), -ENOMEM, "over the limit");
    is(locked(), 0, "nothing was locked");
    is(lock(100, 6), 0, "up to it");
    is(lock(100, 6), 0, "again: pages locked before are not counted twice");
    is(lock(104, 3), -ENOMEM, "one more");
    is(map(mm, 0, PAGES(1), RW, ANON | MAP_LOCKED), -EAGAIN, "MAP_LOCKED");
    is(mm_mlockall(mm, MCL_CURRENT), -ENOMEM, "mlockall");
    is(mm_mlockall(mm, MCL_FUTURE), 0, "FUTURE is granted");
    is(map(mm, 0, PAGES(1), RW, ANON), -EAGAIN, "and then it is mmap");
    mm->brk = mm->brk_start = PAGES(1000);
    is(mm_brk(mm, PAGES(1001)), PAGES(1000), "and brk");
    mm_munlockall(mm);
    mm->limit[MM_LIMIT_MEMLOCK] = 0;
    is(lock(100, 1), -EPERM, "limit 0");
    is(map(mm, 0, PAGES(1), RW, ANON | MAP_LOCKED), -EPERM, "for mmap");
    is(mm_mlockall(mm, MCL_FUTURE), -EPERM, "and mlockall");
    end("RLIMIT_MEMLOCK");
}

static void test_space(void)
{
    static char before[1 << 16];

    begin();
    map_at(mm, PAGES(100), 10, RW);
    map_at(mm, PAGES(200), 5, PROT_READ);
    map(mm, PAGES(1000), PAGES(1), RW, ANON | MAP_FIXED | MAP_GROWSDOWN);
    mm->brk = mm->brk_start = PAGES(5000);
    mm->limit[MM_LIMIT_AS] = PAGES(20);
    snprintf(before, sizeof(before), "%s", maps(mm));
    is(map(mm, 0, PAGES(5), RW, ANON), -ENOMEM, "RLIMIT_AS: mmap");
    is(map_file(mm, 0, PAGES(5), PROT_READ, MAP_SHARED, &f, 0), -ENOMEM, "of a file");
    is(map(mm, PAGES(108), PAGES(7), RW, ANON | MAP_FIXED), -ENOMEM, "more than it replaces");
    is(mm_brk(mm, PAGES(5005)), PAGES(5000), "brk");
    is(poke(mm, PAGES(994), 1), -FAULT_MAPERR, "a stack's growth");
    ok(strcmp(before, maps(mm)) == 0 && commit_total() == 11, "all as it was");
    is(map(mm, PAGES(108), PAGES(6), RW, ANON | MAP_FIXED), PAGES(108), "up to the limit");
    is(mm_munmap(mm, PAGES(100), PAGES(14)), 0, "unmapping");
    is(poke(mm, PAGES(994), 1), 0, "then the stack has room");
    ok(mm->kind_pages[MM_STACK] == 7 && mm->kind_pages[MM_DATA] == 0, "they are no data");
    is(mm->peak_total_pages, 20, "the peak");
    mm->limit[MM_LIMIT_AS] = 0;
    is(mm_munmap(mm, PAGES(200), PAGES(1)), 0, "below the limit already: unmapping works");
    is(mm_mprotect(mm, PAGES(201), PAGES(1), PROT_NONE), 0, "mprotect too");

    mm->limit[MM_LIMIT_AS] = ~0ul;
    mm_munmap(mm, 0, USER_END);
    map_at(mm, PAGES(100), 10, RW);
    map_at(mm, PAGES(200), 5, PROT_READ);
    mm->limit[MM_LIMIT_DATA] = PAGES(12);
    is(map(mm, 0, PAGES(3), RW, ANON), -ENOMEM, "RLIMIT_DATA: mmap");
    is(mm_brk(mm, PAGES(5003)), PAGES(5000), "brk");
    is(mm_mprotect(mm, PAGES(200), PAGES(3), RW), -ENOMEM, "mprotect to writable");
    is(mm_brk(mm, PAGES(5002)), PAGES(5002), "brk, up to the limit");
    ok(map(mm, 0, PAGES(30), PROT_READ, ANON) > 0, "what can't be written is no data");
    ok(map(mm, 0, PAGES(30), RW, MAP_SHARED | MAP_ANONYMOUS) > 0, "nor what is shared");
    is(mm->kind_pages[MM_DATA], 12, "data pages");
    mm->limit[MM_LIMIT_DATA] = PAGES(1);
    is(mm_brk(mm, PAGES(5001)), PAGES(5001), "shrinking always works");
    is(mm_brk(mm, PAGES(5002)), PAGES(5001), "growing again does not");
    end("RLIMIT_AS and RLIMIT_DATA");
}

static void test_stack(void)
{
    begin();
    map(mm, PAGES(1000), PAGES(2), RW, ANON | MAP_FIXED | MAP_GROWSDOWN);
    mm->limit[MM_LIMIT_STACK] = PAGES(8);
    is(poke(mm, PAGES(994), 1), 0, "RLIMIT_STACK: up to it");
    is(poke(mm, PAGES(993), 1), -FAULT_MAPERR, "not beyond");
    mm_mlockall(mm, MCL_CURRENT);
    mm->limit[MM_LIMIT_STACK] = PAGES(9);
    mm->lock_exempt = false;
    mm->limit[MM_LIMIT_MEMLOCK] = PAGES(8);
    is(poke(mm, PAGES(993), 1), -FAULT_MAPERR, "a locked stack: RLIMIT_MEMLOCK");
    mm->limit[MM_LIMIT_MEMLOCK] = PAGES(9);
    is(poke(mm, PAGES(993), 1), 0, "up to it");
    is(locked(), 9, "it counts");
    mm_munmap(mm, PAGES(993), PAGES(5));
    is(mm_peak_rss(mm), 9, "the most that was in memory");
    end("RLIMIT_STACK");
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
            test_mlock();
            test_failures();
            test_mlockall();
            test_memlock();
            test_space();
            test_stack();
        }
    }
    return tap_done();
}
