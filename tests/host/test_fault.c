/*
 * test_fault.c: every kind of memory at its first touch: the cases F0 to F5, the signals, growing
 * stacks, and what is left behind when memory runs out at any point.
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

static u64 count_of(enum vmcount_index index)
{
    return mm->counts.n[index];
}

static pte_t entry_at(vaddr_t addr)
{
    struct pt_slot slot;
    pte_t e = {0};
    if (pt_slot_lock(&mm->pt, addr, false, &slot) == 0) {
        e = *slot.entry;
        pt_slot_unlock(&slot);
    }
    return e;
}

static void test_anonymous(void)
{
    begin();
    vaddr_t a = map(mm, 0, PAGES(4), RW, ANON);
    is(peek(mm, a + 123), 0, "F1: memory begins as zero");
    ok(!pte_writable(entry_at(a)) && vma_find(&mm->vmas, a)->anon_id == 0,
       "read only: not written yet");
    is(poke(mm, a, 'w'), 0, "F5: the first write");
    is(count_of(VMC_cow_copies), 0, "takes the page as it is");
    ok(vma_find(&mm->vmas, a)->anon_id != 0, "and gives the VMA its id");
    is(poke(mm, a + PAGES(1), 'x'), 0, "F1: a write to nothing");
    ok(pte_writable(entry_at(a + PAGES(1))) && pte_dirty(entry_at(a + PAGES(1))),
       "is writable and dirty at once");
    ok(peek(mm, a) == 'w' && peek(mm, a + PAGES(1)) == 'x', "and kept");
    is(count_of(VMC_faults), 3, "three faults");
    is(count_of(VMC_pages_zeroed), 2, "two pages zeroed");
    is(mm->rss[RSS_ANON], 2, "rss");
    is(mm_fault(mm, a, FAULT_WRITE), FAULT_ALLOWED, "F0: spurious");
    is(mm->rss[RSS_ANON], 2, "changes nothing");
    end("anonymous");
}

static void test_rights(void)
{
    begin();
    map_at(mm, PAGES(100), 1, PROT_READ);
    map_at(mm, PAGES(102), 1, PROT_NONE);
    map_at(mm, PAGES(104), 1, PROT_READ | PROT_EXEC);
    map_at(mm, PAGES(106), 1, PROT_WRITE);
    is(poke(mm, PAGES(100), 1), -FAULT_ACCERR, "write to read-only");
    is(run_at(mm, PAGES(100)), -FAULT_ACCERR, "run what is not executable");
    is(peek(mm, PAGES(102)), -FAULT_ACCERR, "PROT_NONE");
    is(run_at(mm, PAGES(104)), 0, "run what is");
    is(poke(mm, PAGES(104), 1), -FAULT_ACCERR, "but not write");
    is(peek(mm, PAGES(106)), 0, "write implies read on this machine");
    is(peek(mm, PAGES(101)), -FAULT_MAPERR, "a hole");
    is(peek(mm, 0), -FAULT_MAPERR, "address 0");
    is(peek(mm, USER_END - 1), -FAULT_MAPERR, "the last user byte");
    is(mm_fault(mm, USER_END, FAULT_READ), FAULT_MAPERR, "past user space");
    is(mm_fault(mm, ~0ul, FAULT_WRITE), FAULT_MAPERR, "the last address of all");
    end("rights");
}

static void test_private_file(void)
{
    begin();
    file_make(&f, PAGES(3) + 10, false);
    vaddr_t a = map_file(mm, 0, PAGES(5), RW, MAP_PRIVATE, &f, 0);
    is(peek(mm, a + PAGES(1)), 'b', "F2: the file's page");
    is(mm->rss[RSS_FILE], 1, "is the cache's own");
    is(poke(mm, a + PAGES(1), 'B'), 0, "F5: written");
    is(file_byte(&f, PAGES(1)), 'b', "the file is as it was");
    ok(mm->rss[RSS_FILE] == 0 && mm->rss[RSS_ANON] == 1 && count_of(VMC_cow_copies) == 1,
       "one copy");
    poke(mm, a + PAGES(2) + 1, 'C');
    ok(peek(mm, a + PAGES(2)) == 'c' && file_byte(&f, PAGES(2) + 1) == 0,
       "F3: written at once: a copy");
    *(u8 *)access_byte(mm, a, FAULT_READ, &(enum fault_result){0}) =
        'A'; /* as another mapping would */
    is(peek(mm, a), 'A', "a page not yet written sees later writes to the file");
    is(peek(mm, a + PAGES(3) + 10), 0, "after the end in the last page: zero");
    is(peek(mm, a + PAGES(4)), -FAULT_BUSERR, "a whole page past the end: SIGBUS");
    is(poke(mm, a + PAGES(4), 1), -FAULT_BUSERR, "for a write too");
    mapping_truncate(&f.mapping, PAGES(5));
    is(peek(mm, a + PAGES(4)), 0, "growing the file makes it readable");
    is(f.modified, 0, "nobody wrote to the file");
    mm_end(mm);
    file_end(&f);
    host_end("private file");
}

static void test_shared_file(void)
{
    begin();
    file_make(&f, PAGES(2), false);
    vaddr_t a = map_file(mm, 0, PAGES(3), RW, MAP_SHARED, &f, 0);
    vaddr_t b = map_file(mm, 0, PAGES(1), PROT_READ, MAP_PRIVATE, &f, 0);
    is(peek(mm, a), 'a', "F4: read");
    ok(!pte_writable(entry_at(a)) && f.modified == 0,
       "and not writable, so that the first write is seen");
    is(poke(mm, a, 'X'), 0, "F4: write");
    ok(f.modified == 1 && pfn_to_page(pte_pfn(entry_at(a)))->dirty,
       "the file is told, the page dirty");
    ok(file_byte(&f, 0) == 'X' && peek(mm, b) == 'X', "seen by read() and other maps at once");
    poke(mm, a, 'Y');
    is(f.modified, 1, "told once");
    mm_mprotect(mm, a, PAGES(1), PROT_READ);
    mm_mprotect(mm, a, PAGES(1), RW);
    poke(mm, a, 'Z');
    is(f.modified, 2, "and again after mprotect there and back");
    poke(mm, a + PAGES(1), 'W');
    is(f.modified, 3, "F4: write to nothing yet");
    is(mm->rss[RSS_FILE], 3, "rss");
    is(peek(mm, a + PAGES(2)), -FAULT_BUSERR, "past the end");
    mm_check(mm);
    mm_end(mm);
    file_end(&f);
    host_end("shared file");
}

static void test_read_only_fd(void)
{
    begin();
    file_make(&f, PAGES(1), false);
    f.file.access = MM_FILE_READ;
    vaddr_t a = map_file(mm, 0, PAGES(1), PROT_READ, MAP_SHARED, &f, 0);
    is(peek(mm, a), 'a', "shared map of a read-only descriptor");
    is(mm_mprotect(mm, a, PAGES(1), RW), -EACCES, "can never be written");
    ok(strstr(maps(mm), "r--s"), "and is shown as shared");
    mm_end(mm);
    file_end(&f);
    host_end("read-only descriptor");
}

static void test_shared_anonymous(void)
{
    begin();
    vaddr_t a = map(mm, 0, PAGES(2), RW, MAP_SHARED | MAP_ANONYMOUS);
    vaddr_t b = map(mm, 0, PAGES(2), RW, MAP_SHARED | MAP_ANONYMOUS);
    ok(b == a - PAGES(2) && mm->vmas.count == 2, "two neighbours stay two");
    poke(mm, a, 'a');
    poke(mm, b + PAGES(1), 'b');
    ok(peek(mm, a) == 'a' && peek(mm, b + PAGES(1)) == 'b' && peek(mm, b) == 0,
       "each its own memory");
    mm_munmap(mm, a, PAGES(1));
    is(objects("shared_memory"), 2, "the object lives as long as any part of its map");
    mm_munmap(mm, a, PAGES(2));
    is(objects("shared_memory"), 1, "and goes with the last");
    ok(strstr(maps(mm), "/dev/zero (deleted)"), "named as in Linux");
    end("shared anonymous");
}

/* Another user of the page, as fork will make one. */
static void test_cow_copy(void)
{
    begin();
    vaddr_t a = map(mm, 0, PAGES(1), RW, ANON);
    poke(mm, a, 'o');
    struct pt_slot slot;
    pt_slot_lock(&mm->pt, a, false, &slot);
    struct page *page = pfn_to_page(pte_pfn(*slot.entry));
    page_get(page);
    pt_slot_set(&slot, pte_with_rights(*slot.entry, RIGHT_READ));
    pt_slot_unlock(&slot);
    poke(mm, a + 1, 'n');
    ok(peek(mm, a) == 'o' && pte_pfn(entry_at(a)).v != page_to_pfn(page).v,
       "F5: used by another too: copied");
    ok(page->refs == 1 && page->maps == 0, "and the old page left to the other");
    is(count_of(VMC_cow_copies), 1, "counted");
    page_put(page);
    end("copy on write");
}

/* ---- stacks ---- */

static void test_stack(void)
{
    const u64 guard = PAGES(256);
    vaddr_t top = PAGES(100000);

    begin();
    map(mm, top, PAGES(2), RW, ANON | MAP_FIXED | MAP_GROWSDOWN);
    is(poke(mm, top - 1, 's'), 0, "the page below is touched: the stack grows");
    is(vma_find(&mm->vmas, top)->start, top - PAGES(1), "by just that page");
    is(poke(mm, top - PAGES(300), 's'), 0, "and further at once");
    is(peek(mm, top + PAGES(2)), -FAULT_MAPERR, "not up");
    ok(mm->total_pages == 302 && commit_total() == 302, "all its pages are counted and promised");
    mm_check(mm);

    vaddr_t low = top - PAGES(1000);
    map_at(mm, low, 1, PROT_READ);
    is(poke(mm, low + PAGES(1) + guard - 1, 1), -FAULT_MAPERR,
       "not into the guard gap above a mapping");
    is(poke(mm, low + PAGES(1) + guard, 1), 0, "but up to it");
    map_at(mm, low, 1, PROT_NONE);
    is(poke(mm, low + PAGES(1), 1), 0, "PROT_NONE memory below needs no gap");
    mm_munmap(mm, low, PAGES(1));
    is(poke(mm, top + PAGES(2) - (8 << 20), 1), 0, "as far as the limit of 8 MiB");
    is(poke(mm, top + PAGES(2) - (8 << 20) - 1, 1), -FAULT_MAPERR, "and no byte further");
    long hint = map(mm, low, PAGES(1), PROT_READ, ANON);
    ok(hint != (long)low, "mmap gives nothing inside the gap");
    mm_check(mm);
    end("stack");

    begin();
    map(mm, PAGES(20), PAGES(1), RW, ANON | MAP_FIXED | MAP_GROWSDOWN);
    is(poke(mm, 65536, 1), 0, "down to vm.mmap_min_addr");
    is(poke(mm, 65535, 1), -FAULT_MAPERR, "not below (CVE-2019-9213)");
    is(poke(mm, 0, 1), -FAULT_MAPERR, "and not to 0");
    map(mm, PAGES(500), PAGES(1), PROT_NONE, ANON | MAP_FIXED | MAP_GROWSDOWN);
    is(poke(mm, PAGES(499), 1), -FAULT_ACCERR, "a stack without rights grows, and is not allowed");
    end("stack near 0");
}

/* ---- memory runs out ---- */

static void fail_each(const char *name, vaddr_t addr, enum fault_access access)
{
    enum fault_result result;
    unsigned tries = 0;
    u64 anon = mm->rss[RSS_ANON], file = mm->rss[RSS_FILE];
    bool clean = true;

    do {
        fail_countdown = ++tries;
        result = mm_fault(mm, addr, access);
        clean &= result == FAULT_DONE ||
                 (result == FAULT_OOM && mm->rss[RSS_ANON] == anon && mm->rss[RSS_FILE] == file);
        bool fired = fail_countdown == 0;
        fail_countdown = 0;
        clean &= !fired || result == FAULT_OOM;
        mm_check(mm);
    } while (result != FAULT_DONE);
    ok(clean && tries > 1, "%s: %u failures, each FAULT_OOM without loss", name, tries - 1);
}

static void test_failures(void)
{
    begin();
    file_make(&f, PAGES(4), true);
    fail_each("zero", map(mm, PAGES(1ul << 20), PAGES(1), RW, ANON), FAULT_WRITE);
    vaddr_t a = map_file(mm, PAGES(1ul << 30), PAGES(4), RW, MAP_PRIVATE, &f, 0);
    fail_each("file read", a, FAULT_READ);
    fail_each("copy on write", a, FAULT_WRITE);
    fail_each("file copy", a + PAGES(1), FAULT_WRITE);
    vaddr_t b = map_file(mm, PAGES(3ul << 30), PAGES(4), RW, MAP_SHARED, &f, 0);
    fail_each("shared", b + PAGES(2), FAULT_WRITE);
    mm_end(mm);
    file_end(&f);
    host_end("failing allocations");

    begin();
    a = map(mm, 0, PAGES(20000), RW, ANON | MAP_NORESERVE);
    u64 n = 0;
    int result;
    while ((result = poke(mm, a + PAGES(n), 1)) == 0)
        n++;
    is(result, -FAULT_OOM, "all memory used, after %lu pages", n);
    mm_check(mm);
    end("out of memory");
}

/* Truncate comes between the page's lookup and its entry: here, when the file is told of the
 * write. */
static void truncate_now(struct mm_file *file)
{
    if (container_of(file, struct test_file, file)->modified++ == 0)
        mapping_truncate(file->mapping, 0);
}

static void test_truncate_race(void)
{
    static const struct mm_file_ops ops = {test_file_release, test_file_describe, truncate_now};

    begin();
    file_make(&f, PAGES(1), false);
    f.file.ops = &ops;
    vaddr_t a = map_file(mm, 0, PAGES(1), RW, MAP_SHARED, &f, 0);
    is(mm_fault(mm, a, FAULT_WRITE), FAULT_RETRY,
       "the page was truncated away meanwhile: try again");
    is(mm_fault(mm, a, FAULT_WRITE), FAULT_BUSERR, "then it is past the end");
    is(mm->rss[RSS_FILE], 0, "nothing was entered");
    mm_end(mm);
    file_end(&f);
    host_end("truncate race");
}

int main(void)
{
    host_boot(8192);
    mm_init_once();
    test_anonymous();
    test_rights();
    test_private_file();
    test_shared_file();
    test_read_only_fd();
    test_shared_anonymous();
    test_cow_copy();
    test_stack();
    test_failures();
    test_truncate_race();
    return tap_done();
}
