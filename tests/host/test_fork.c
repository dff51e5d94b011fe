/*
 * test_fork.c: mm_fork and copy-on-write: what a child gets of each kind of memory, what writing does on
 * either side, generations, truncate through both, and memory that runs out at every point.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

static struct mm *mm, *child;
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

static void child_make(void)
{
    child = mm_fork(mm);
    ASSERT(child, "no child");
    mm_check(mm);
    mm_check(child);
}

static void child_end(void)
{
    mm_end(child);
    mm_check(mm);
}

static pte_t entry_of(struct mm *space, vaddr_t addr)
{
    struct pt_slot slot;
    pte_t e = {0};
    if (pt_slot_lock(&space->pt, addr, false, &slot) == 0) {
        e = *slot.entry;
        pt_slot_unlock(&slot);
    }
    return e;
}

/* ---- each kind of memory ---- */

static void test_private(void)
{
    begin();
    map_at(mm, PAGES(100), 4, RW);
    poke(mm, PAGES(100), 'a');
    poke(mm, PAGES(101), 'b');
    ok(peek(mm, PAGES(102)) == 0, "one page is only read");
    child_make();
    is(mm->counts.n[VMC_fork_reads], PT_LEVELS - 1 + 4, "one walk down, four leaf entries");
    ok(!pte_writable(entry_of(mm, PAGES(100))) && !pte_writable(entry_of(child, PAGES(100))),
       "neither may write");
    is(pte_pfn(entry_of(mm, PAGES(100))).v, pte_pfn(entry_of(child, PAGES(100))).v,
       "both have the same page");
    is(child->rss[RSS_ANON], 3, "rss of the child");
    is(child->total_pages, 4, "pages mapped");
    is(commit_total(), 8, "and promised again");
    is(poke(child, PAGES(100), 'c'), 0, "the child writes");
    is(child->counts.n[VMC_cow_copies], 1, "to a copy");
    is(poke(mm, PAGES(101), 'p'), 0, "the parent writes");
    is(mm->counts.n[VMC_cow_copies], 1, "to a copy");
    ok(peek(mm, PAGES(100)) == 'a' && peek(child, PAGES(100)) == 'c', "page 0 differs");
    ok(peek(mm, PAGES(101)) == 'p' && peek(child, PAGES(101)) == 'b', "page 1 differs");
    is(poke(mm, PAGES(100), 'q'), 0, "the last user of a page");
    is(mm->counts.n[VMC_cow_copies], 1, "takes it as it is");
    poke(child, PAGES(103), 'z');
    is(peek(mm, PAGES(103)), 0, "new pages are private");
    child_end();
    end("private memory");
}

static void test_after_child(void)
{
    begin();
    map_at(mm, PAGES(100), 1, RW);
    poke(mm, PAGES(100), 'a');
    child_make();
    child_end();
    poke(mm, PAGES(100), 'b');
    is(mm->counts.n[VMC_cow_copies], 0, "after the child's end nothing is copied");
    child_make();
    mm_end(mm);
    mm = child;
    is(peek(mm, PAGES(100)), 'b', "the parent ended first: the child has it all");
    poke(mm, PAGES(100), 'c');
    is(mm->counts.n[VMC_cow_copies], 0, "and copies nothing either");
    ok(vma_find(&mm->vmas, PAGES(100))->store == &mm->vmas, "its VMAs are its own");
    map_at(mm, PAGES(200), 2, RW);
    is(poke(mm, PAGES(201), 1), 0, "and so is its tree");
    end("either ends first");
}

static void test_held(void)
{
    begin();
    map_at(mm, PAGES(100), 1, RW);
    poke(mm, PAGES(100), 'a');
    struct page *page = pfn_to_page(pte_pfn(entry_of(mm, PAGES(100))));
    page_get(page); /* as a system call that copies to it may */
    child_make();
    child_end();
    poke(mm, PAGES(100), 'b');
    is(mm->counts.n[VMC_cow_copies], 1, "a page that somebody else holds is copied");
    is(*(u8 *)page_to_virt(page), 'a', "and his stays as it was");
    page_put(page);
    end("pages held by others");
}

static void test_shared(void)
{
    begin();
    file_make(&f, PAGES(8), false);
    vaddr_t a = map(mm, 0, PAGES(3), RW, MAP_SHARED | MAP_ANONYMOUS);
    map_file(mm, PAGES(300), PAGES(4), RW, MAP_SHARED | MAP_FIXED, &f, 0);
    poke(mm, a, 's');
    poke(mm, PAGES(300), 'S');
    child_make();
    is(mm->counts.n[VMC_fork_reads], 0, "shared pages are left to faults");
    ok(peek(child, a) == 's' && peek(child, PAGES(300)) == 'S', "which find them");
    poke(child, a + PAGES(1), 't');
    poke(child, PAGES(301), 'T');
    ok(peek(mm, a + PAGES(1)) == 't' && peek(mm, PAGES(301)) == 'T', "the parent sees what is new");
    is(f.file.refs, 3, "the file has one reference more");
    child_end();
    is(f.file.refs, 2, "and loses it");
    mm_munmap(mm, PAGES(300), PAGES(4));
    file_end(&f);
    end("shared memory");
}

static void test_file(void)
{
    begin();
    file_make(&f, PAGES(8), false);
    map_file(mm, PAGES(300), PAGES(4), RW, MAP_PRIVATE | MAP_FIXED, &f, 0);
    map_file(mm, PAGES(310), PAGES(4), RW, MAP_PRIVATE | MAP_FIXED, &f, 0);
    peek(mm, PAGES(310));
    peek(mm, PAGES(300));
    poke(mm, PAGES(301), 'x');
    child_make();
    is(mm->counts.n[VMC_fork_reads], PT_LEVELS - 1 + 4, "only the VMA that was written is walked");
    ok(pte_none(entry_of(child, PAGES(310))) && !pte_none(entry_of(child, PAGES(300))),
       "and copied");
    is(child->rss[RSS_FILE], 1, "the file's page");
    is(child->rss[RSS_ANON], 1, "the private copy");
    poke(child, PAGES(301), 'y');
    poke(child, PAGES(300), 'z');
    ok(peek(mm, PAGES(301)) == 'x' && peek(mm, PAGES(300)) == 'a' && peek(child, PAGES(300)) == 'z',
       "each has its own");
    is(file_byte(&f, 0), 'a', "the file is as it was");
    is(child->counts.n[VMC_cow_copies], 2, "two copies");
    mapping_check(&f.mapping);
    mapping_truncate(&f.mapping, PAGES(1));
    mm_check(mm);
    mm_check(child);
    ok(peek(child, PAGES(301)) == -FAULT_BUSERR && peek(mm, PAGES(301)) == -FAULT_BUSERR,
       "truncate takes the private copies of both");
    is(peek(child, PAGES(310)), 'a', "what is below the end stays");
    child_end();
    mm_munmap(mm, PAGES(300), PAGES(20));
    file_end(&f);
    end("private file memory");
}

/* Case 32 (Dirty COW): a forced write into a private map of a file that may not be written. */
static void test_forced(void)
{
    begin();
    file_make(&f, PAGES(2), false);
    f.file.access = MM_FILE_READ;
    map_file(mm, PAGES(300), PAGES(1), PROT_READ, MAP_PRIVATE | MAP_FIXED, &f, 0);
    is(mm_write(mm, PAGES(300), "D", 1), 0, "a debugger's write");
    ok(peek(mm, PAGES(300)) == 'D' && file_byte(&f, 0) == 'a', "changes the copy, not the file");
    child_make();
    is(mm_write(child, PAGES(300), "E", 1), 0, "again in the child");
    ok(peek(mm, PAGES(300)) == 'D' && peek(child, PAGES(300)) == 'E' && file_byte(&f, 0) == 'a',
       "three values");
    is(poke(child, PAGES(300), 1), -FAULT_ACCERR, "the program itself may not");
    child_end();
    mm_munmap(mm, PAGES(300), PAGES(1));
    file_end(&f);
    end("forced writes");
}

static void test_rights(void)
{
    begin();
    map_at(mm, PAGES(100), 3, RW);
    for (int i = 0; i < 3; i++)
        poke(mm, PAGES(100 + i), 'a' + i);
    mm_mprotect(mm, PAGES(101), PAGES(1), PROT_NONE);
    child_make();
    is(peek(child, PAGES(101)), -FAULT_ACCERR, "PROT_NONE stays");
    mm_mprotect(child, PAGES(101), PAGES(1), RW);
    mm_mprotect(mm, PAGES(101), PAGES(1), RW);
    is(peek(child, PAGES(101)), 'b', "and its page is there");
    poke(child, PAGES(101), 'x');
    is(peek(mm, PAGES(101)), 'b', "a private one");
    mm_mprotect(mm, PAGES(100), PAGES(3), PROT_READ);
    mm_mprotect(mm, PAGES(100), PAGES(3), RW);
    ok(!pte_writable(entry_of(mm, PAGES(100))), "mprotect doesn't give a shared page away");
    poke(mm, PAGES(100), 'y');
    is(peek(child, PAGES(100)), 'a', "so the child keeps its own");
    child_end();
    end("rights");
}

/* As Linux 6.18: see ANON_ID_INHERITED. */
static void test_merges(void)
{
    begin();
    map_at(mm, PAGES(100), 3, RW);
    for (int i = 0; i < 3; i++)
        poke(mm, PAGES(100 + i), 1);
    mm_mprotect(mm, PAGES(101), PAGES(1), PROT_READ);
    map_at(mm, PAGES(200), 2, RW);
    poke(mm, PAGES(200), 1);
    map_at(mm, PAGES(300), 2, RW);
    child_make();
    u32 before = child->vmas.count;
    mm_mprotect(child, PAGES(101), PAGES(1), RW);
    is(child->vmas.count, before, "split before fork: the parts stay apart in the child");
    mm_mprotect(mm, PAGES(101), PAGES(1), RW);
    is(mm->vmas.count, before - 2, "and join in the parent");
    map_at(child, PAGES(202), 1, RW);
    is(child->vmas.count, before + 1, "new beside inherited: stays apart");
    poke(child, PAGES(202), 1);
    map_at(child, PAGES(203), 1, RW);
    is(child->vmas.count, before + 1, "the child's own join");
    map_at(child, PAGES(302), 1, RW);
    is(child->vmas.count, before + 1, "new beside never written: joins");
    mm_mprotect(child, PAGES(200), PAGES(1), PROT_READ);
    mm_mprotect(child, PAGES(200), PAGES(1), RW);
    is(child->vmas.count, before + 1, "split after fork: joins again");
    child_end();
    end("merges in a child");
}

static void test_flags(void)
{
    begin();
    map_at(mm, PAGES(100), 2, RW);
    map_at(mm, PAGES(110), 2, RW);
    map_at(mm, PAGES(120), 2, RW);
    for (int i = 100; i <= 120; i += 10)
        poke(mm, PAGES(i), 'f');
    mm_madvise(mm, PAGES(100), PAGES(2), MADV_DONTFORK);
    mm_madvise(mm, PAGES(110), PAGES(2), MADV_WIPEONFORK);
    mm_mlock(mm, PAGES(120), PAGES(2), 0);
    mm->brk_start = PAGES(500);
    mm->brk = PAGES(501);
    mm->limit[MM_LIMIT_STACK] = PAGES(77);
    child_make();
    is(peek(child, PAGES(100)), -FAULT_MAPERR, "DONTCOPY: not there");
    is(peek(child, PAGES(110)), 0, "WIPEONFORK: zero");
    is(peek(child, PAGES(120)), 'f', "locked memory is copied");
    is(vma_find(&child->vmas, PAGES(120))->flags & VM_LOCK_BITS, 0, "and not locked");
    is(child->total_pages, 4, "pages");
    is(commit_total(), 6 + 4, "promises");
    ok(child->brk == PAGES(501) && child->brk_start == PAGES(500) &&
           child->limit[MM_LIMIT_STACK] == PAGES(77),
       "brk and limits");
    ok(peek(mm, PAGES(100)) == 'f' && peek(mm, PAGES(110)) == 'f', "the parent has all");
    child_end();
    end("flags");
}

static void test_overcommit(void)
{
    begin();
    map_at(mm, PAGES(100), 8192 / 3, RW);
    poke(mm, PAGES(100), 'o');
    set_knob("vm.overcommit_memory", "2");
    u64 before = commit_total();
    ok(!mm_fork(mm), "vm.overcommit_memory=2: more than half of memory is refused");
    is(commit_total(), before, "nothing stays promised");
    set_knob("vm.overcommit_memory", "0");
    child_make();
    child_end();
    end("promises");
}

/* ---- many ---- */

enum { LEVELS = 200 };

static void test_levels(void)
{
    static struct mm *level[LEVELS];
    begin();
    map_at(mm, PAGES(100), LEVELS, RW);
    for (int i = 0; i < LEVELS; i++) {
        level[i] = i ? mm_fork(level[i - 1]) : mm;
        ASSERT(level[i], "level %d", i);
        poke(level[i], PAGES(100 + i), i + 1);
    }
    bool good = true;
    for (int i = 0; i < LEVELS; i++)
        for (int p = 0; p <= i + 1 && p < LEVELS; p++)
            good &= peek(level[i], PAGES(100 + p)) == (p <= i ? (u8)(p + 1) : 0);
    ok(good, "%d generations, each with what its ancestors wrote", LEVELS);
    for (int i = 0; i < LEVELS; i += 3)
        mm_end(level[i]); /* parents first, and some of the others later */
    for (int i = LEVELS - 1; i >= 0; i--)
        if (i % 3) {
            good &= peek(level[i], PAGES(100)) == 1;
            mm_end(level[i]);
        }
    ok(good, "also while others end");
    host_end("generations");
}

/* Everything that a space can have. */
static void build_all(void)
{
    file_make(&f, PAGES(16), false);
    map_at(mm, PAGES(100), 600, RW);
    for (int i = 0; i < 600; i += 7)
        poke(mm, PAGES(100 + i), i);
    mm_mprotect(mm, PAGES(300), PAGES(5), PROT_NONE);
    map_file(mm, LEVEL_SPAN(LEVEL_PUD), PAGES(9), RW, MAP_PRIVATE | MAP_FIXED, &f, 0);
    for (int i = 0; i < 9; i += 2)
        poke(mm, LEVEL_SPAN(LEVEL_PUD) + PAGES(i), i);
    map_file(mm, LEVEL_SPAN(LEVEL_PUD) * 3, PAGES(9), RW, MAP_SHARED | MAP_FIXED, &f, 0);
    poke(mm, LEVEL_SPAN(LEVEL_PUD) * 3, 'm');
    vaddr_t far = LEVEL_SPAN(LEVEL_TOP) + LEVEL_SPAN(LEVEL_PMD);
    map_at(mm, far, 4, RW);
    poke(mm, far, 'f');
}

static u64 checksum(struct mm *space)
{
    u64 sum = 0;
    for (int i = 0; i < 600; i++)
        sum = sum * 31 + peek(space, PAGES(100 + i));
    for (int i = 0; i < 9; i++)
        sum = sum * 31 + peek(space, LEVEL_SPAN(LEVEL_PUD) + PAGES(i));
    return sum * 31 + peek(space, LEVEL_SPAN(LEVEL_TOP) + LEVEL_SPAN(LEVEL_PMD));
}

static void test_no_memory(void)
{
    begin();
    build_all();
    u64 sum = checksum(mm), promised = commit_total(), tables = mm->pt.tables;
    u64 rss = mm->rss[RSS_ANON], unused = page_free_count();
    u32 refs = f.file.refs;
    char *before = strdup(maps(mm));
    bool good = true;
    u64 n = 0;
    for (child = NULL; !child;) {
        unused = page_free_count();
        fail_countdown = ++n;
        child = mm_fork(mm);
        fail_countdown = 0;
        mm_check(mm);
        mapping_check(&f.mapping);
        if (!child)
            good &= page_free_count() == unused && commit_total() == promised &&
                    f.file.refs == refs && mm->pt.tables == tables && mm->rss[RSS_ANON] == rss &&
                    objects("mm") == 1 && !strcmp(maps(mm), before) && checksum(mm) == sum;
    }
    ok(good && n > 15, "%lu allocations failed in turn: the parent unchanged, nothing lost", n - 1);
    is(checksum(child), sum, "then the child is right");
    child_end();
    free(before);
    mm_munmap(mm, 0, USER_LIMIT - PAGE_SIZE);
    file_end(&f);
    end("memory runs out in fork");
}

/* Memory runs out in a fault on shared pages: the other side never notices. */
static void test_no_memory_copy(void)
{
    begin();
    map_at(mm, PAGES(100), 1, RW);
    poke(mm, PAGES(100), 'a');
    child_make();
    fail_countdown = 1;
    is(poke(child, PAGES(100), 'b'), -FAULT_OOM, "no page for the copy");
    fail_countdown = 0;
    mm_check(child);
    ok(peek(child, PAGES(100)) == 'a' && peek(mm, PAGES(100)) == 'a', "nothing changed");
    is(poke(child, PAGES(100), 'b'), 0, "later there is one");
    child_end();
    end("memory runs out in a copy");
}

int main(void)
{
    host_boot(8192);
    mm_init_once();
    test_private();
    test_after_child();
    test_held();
    test_shared();
    test_file();
    test_forced();
    test_rights();
    test_merges();
    test_flags();
    test_overcommit();
    test_levels();
    BOTH_FINDS(find) for (int work = 0; work < 2; work++)
    {
        set_knob("vm.zap", work ? "work" : "block");
        test_no_memory();
        test_no_memory_copy();
    }
    return tap_done();
}
