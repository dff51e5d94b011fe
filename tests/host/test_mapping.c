/*
 * test_mapping.c: the page cache and who maps it: pages, failing allocations, the interval tree
 * against a plain walk, and truncate: what is past the end goes from every mapping, and never
 * comes back with the old bytes.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

static struct test_file f;

static void test_pages(void)
{
    struct page *page, *again;

    host_begin();
    file_make(&f, PAGES(4), true);
    is(mapping_page(&f.mapping, 2, false, &page), 0, "a hole is no error");
    ok(!page && f.mapping.count == 0, "and no page");
    mapping_page(&f.mapping, 2, true, &page);
    mapping_page(&f.mapping, 2, true, &again);
    ok(page == again && page->refs == 3 && page->index == 2 && page->mapping == &f.mapping,
       "created once, then found; the cache has a reference of its own");
    ok(page->kind == PAGE_CACHE && ((u8 *)page_to_virt(page))[77] == 0, "zeroed");
    page_put(page);
    page_put(page);
    is(mapping_page_for_fault(&f.mapping, 4, &page), -EFAULT, "a fault past the end");
    is(mapping_page(&f.mapping, 4, true, &page), 0, "a writer may go there");
    page_put(page);
    is(f.mapping.count, 2, "two pages are held");
    file_end(&f);
    host_end("pages");
}

/* Each allocation that a page at an index needs, made to fail. */
static void test_page_failures(void)
{
    u64 index = 1ul << 50, tries = 0;
    struct page *page;
    int error;
    bool clean = true;

    host_begin();
    file_make(&f, ~0ul >> 1, true);
    mapping_page(&f.mapping, 3, true, &page);
    page_put(page);
    u64 free = page_free_count();
    do {
        fail_countdown = ++tries;
        error = mapping_page_for_fault(&f.mapping, index, &page);
        if (error)
            clean &= error == -ENOMEM && !page && f.mapping.count == 1;
        mapping_check(&f.mapping);
    } while (error);
    fail_countdown = 0;
    page_put(page);
    ok(clean && tries > 8, "%lu failures: -ENOMEM, and nothing is there", tries - 1);
    mapping_truncate(&f.mapping, PAGES(4));
    ok(page_free_count() >= free && f.mapping.count == 1,
       "truncate gives the page and its nodes back");
    file_end(&f);
    host_end("page failures");
}

static void test_sizes(void)
{
    const u64 max = ~0ul >> 1;

    host_begin();
    file_make(&f, max, true);
    ok(mapping_has(&f.mapping, (1ul << 51) - 1) && !mapping_has(&f.mapping, 1ul << 51),
       "2^63 - 1 bytes are 2^51 pages");
    struct mm *mm = mm_create();
    long addr = map_file(mm, 0, PAGES(1), RW, MAP_SHARED, &f, max - 2 * PAGE_SIZE + 1);
    poke(mm, addr + 5, 'x');
    is(file_byte(&f, max - 2 * PAGE_SIZE + 6), 'x',
       "the last but one page can be mapped and written");
    mapping_truncate(&f.mapping, max - 1);
    mapping_truncate(&f.mapping, max);
    is(peek(mm, addr + 5), 'x', "truncate up there leaves the pages below");
    mapping_truncate(&f.mapping, 0);
    is(peek(mm, addr + 5), -FAULT_BUSERR, "truncate to nothing takes all");
    is(f.mapping.count, 0, "no page is left");
    mm_end(mm);
    file_end(&f);
    host_end("sizes");
}

static void test_truncate_maps(void)
{
    host_begin();
    file_make(&f, PAGES(4) + 10, false);
    struct mm *mm = mm_create(), *other = mm_create();
    vaddr_t a = map_file(mm, 0, PAGES(5), RW, MAP_SHARED, &f, 0);
    vaddr_t b = map_file(mm, 0, PAGES(3), RW, MAP_PRIVATE, &f, PAGES(2));
    vaddr_t c = map_file(other, 0, PAGES(5), PROT_READ, MAP_PRIVATE, &f, 0);
    for (int i = 0; i < 5; i++)
        poke(mm, a + PAGES(i) + 100, '0' + i);
    for (int i = 0; i < 3; i++)
        poke(mm, b + PAGES(i) + 200, 'p');
    for (int i = 0; i < 5; i++)
        is(peek(other, c + PAGES(i)), 'a' + i, "page %d through another space", i);
    ok(mm->rss[RSS_ANON] == 3 && mm->rss[RSS_FILE] == 5 && other->rss[RSS_FILE] == 5,
       "rss by kind");
    u64 tables = mm->pt.tables;

    mapping_truncate(&f.mapping, PAGES(3) + 50);
    ok(mm->rss[RSS_ANON] == 2 && mm->rss[RSS_FILE] == 4 && other->rss[RSS_FILE] == 4,
       "the fifth page is gone from all three, the private copy included");
    is(mm->pt.tables, tables, "truncate frees no table");
    is(peek(mm, a + PAGES(4)), -FAULT_BUSERR, "shared: SIGBUS");
    is(peek(mm, b + PAGES(2)), -FAULT_BUSERR, "private copy: SIGBUS");
    is(peek(other, c + PAGES(4)), -FAULT_BUSERR, "the other space: SIGBUS");
    is(peek(mm, b + PAGES(1) + 200), 'p', "a private copy of the page with the end stays");
    is(peek(mm, a + PAGES(3) + 49), 0, "before the end");
    is(peek(mm, a + PAGES(3) + 100), 0, "the tail of the last page was zeroed");
    mm_check(mm);
    mm_check(other);

    poke(mm, a + PAGES(3) + 60, 'T'); /* past the end, in the last page */
    mapping_truncate(&f.mapping, PAGES(5));
    is(peek(mm, a + PAGES(3) + 60), 0,
       "what was stored past the end is not in the file when it grows");
    is(peek(mm, a + PAGES(4) + 100), 0, "a page that comes back is zero");
    is(peek(other, c + PAGES(4)), 0, "everywhere");
    mm_end(mm);
    mm_end(other);
    file_end(&f);
    host_end("truncate");
}

/* ---- the interval tree ---- */

static bool tree_agrees(struct vma **vmas, unsigned n, pgoff_t first)
{
    u64 found = 0, want = 0;
    pgoff_t last = 0;
    bool right = true;
    for (unsigned i = 0; i < n; i++)
        want += vmas[i] && vmas[i]->pgoff + vma_pages(vmas[i]) > first;
    for (struct vma *v = NULL; (v = mapping_next_vma(&f.mapping, v, first)) != NULL; found++) {
        right &= v->pgoff + vma_pages(v) > first && v->pgoff >= last;
        last = v->pgoff;
    }
    return right && found == want;
}

static void test_interval_tree(void)
{
    enum { N = 120 };
    struct vma *vmas[N] = {0};
    bool right = true;

    host_begin();
    file_make(&f, PAGES(1000), true);
    struct mm *mm = mm_create();
    for (unsigned n = 0; n < 3000; n++) {
        unsigned i = rand() % N;
        vaddr_t at = PAGES(100000 + 1000 * (u64)i);
        if (vmas[i]) {
            mm_munmap(mm, at, PAGES(1000));
            vmas[i] = NULL;
        } else {
            map_file(mm, at, PAGES(1 + rand() % (rand() % 8 ? 20 : 400)), PROT_READ,
                     MAP_PRIVATE | MAP_FIXED, &f, PAGES(rand() % 600));
            vmas[i] = vma_find(&mm->vmas, at);
        }
        right &= tree_agrees(vmas, N, rand() % 1100);
        if (n % 16 == 0)
            mapping_check(&f.mapping);
    }
    ok(right, "3000 changes: the VMAs that reach a page are all found, in order");
    mm_end(mm);
    file_end(&f);
    host_end("interval tree");
}

int main(void)
{
    host_boot(8192);
    mm_init_once();
    srand(4);
    test_pages();
    test_page_failures();
    test_sizes();
    test_truncate_maps();
    test_interval_tree();
    return tap_done();
}
