/*
 * test_change.c: mappings that change: splits and merges as Linux does them, contents that stay,
 * and brk.
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

int main(void)
{
    host_boot(8192);
    mm_init_once();
    BOTH_FINDS(find)
    {
        for (int work = 0; work < 2; work++) {
            set_knob("vm.zap", work ? "work" : "block");
            diag("vm.find=%s vm.zap=%s", *find, work ? "work" : "block");
            test_merges();
            test_mprotect_contents();
            test_boundary_far();
            test_brk();
        }
    }
    return tap_done();
}
