/*
 * test_page.c: the buddy allocator, slab and kmalloc: what they give, that they give it back, and
 * that they notice misuse. Geometry comes from the layout.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/core/failpoint.h"
#include "kernel/mm/slab.h"
#include "tests/host/standin/host.h"

enum { FRAMES = 8192 };

static struct page *held[FRAMES];

/* Written and read without ASan's eyes, as a wild pointer of the kernel would be. */
__attribute__((no_sanitize("address"))) static void wild_write(void *p, u8 byte)
{
    *(volatile u8 *)p ^= byte;
}

static void test_all_memory(void)
{
    u64 all = page_free_count();
    u64 n = 0;
    bool distinct = true;

    host_begin();
    is(all, page_total_count(), "all memory is free at first");
    is(all, FRAMES - HOST_MISSING, "frame 0 and the hole are not memory");
    while ((held[n] = page_alloc(0, PAGE_KERNEL)) != NULL) {
        distinct = distinct && page_pfn_valid(page_to_pfn(held[n])) && held[n]->maps == 0;
        *(u64 *)page_to_virt(held[n]) = n;
        n++;
    }
    is(n, all, "every frame can be had");
    for (u64 i = 0; i < n; i++)
        distinct = distinct && *(u64 *)page_to_virt(held[i]) == i;
    ok(distinct, "no frame was given twice");
    is(page_free_count(), 0, "none is left");
    ok(!page_alloc(3, PAGE_KERNEL), "and no block");
    for (u64 i = 0; i < n; i++)
        page_free(held[(i * 4099) % n]); /* 4099 is prime and n is no multiple of it */
    page_check();
    held[0] = page_alloc(PAGE_ORDERS - 1, PAGE_KERNEL);
    ok(held[0] && page_to_pfn(held[0]).v % (1u << (PAGE_ORDERS - 1)) == 0,
       "halves joined up to the largest block");
    page_free(held[0]);
    host_end("all memory");
}

static void test_random(void)
{
    u64 n = 0;

    host_begin();
    srand(1);
    for (int turn = 0; turn < 20000; turn++) {
        if (rand() % 2 && n < 300) {
            struct page *page = page_alloc(rand() % 6, PAGE_KERNEL);
            if (page) {
                memset(page_to_virt(page), 0xee, PAGE_SIZE << page->order);
                held[n++] = page;
            }
        } else if (n) {
            u64 i = rand() % n;
            page_free(held[i]);
            held[i] = held[--n];
        }
        if (turn % 1000 == 0)
            page_check();
    }
    while (n)
        page_free(held[--n]);
    host_end("20000 random turns");
}

static void test_references(void)
{
    struct page *page;

    host_begin();
    page = page_alloc_zeroed(PAGE_CACHE);
    is(*(u64 *)page_to_virt(page), 0, "page_alloc_zeroed gives zeros");
    page_get(page);
    page_put(page);
    is(page->kind, PAGE_CACHE, "the first of two page_puts keeps the page");
    ok(host_panics(({
           page_get(page);
           page_free(page);
       })),
       "page_free of a page that is used");
    page->refs = 1;
    page->maps = 1;
    ok(host_panics(page_free(page)), "page_free of a page that is mapped");
    page->maps = 0;
    page_put(page);
    ok(host_panics(page_put(page)), "one page_put too many");
    ok(host_panics(page_free(page)), "double page_free");
    page->refs = 0;
    host_end("references");
}

static void test_misuse(void)
{
    struct page *page;
    u64 pfn;
    u8 kind;

    host_begin();
    page = page_alloc(2, PAGE_KERNEL);
    ok(host_panics(page_free(page + 1)), "page_free of a tail");
    page_free(page);
    page = page_alloc(0, PAGE_KERNEL);
    pfn = page_to_pfn(page).v;
    page_free(page);
    wild_write(page_to_virt(page) + 100, 1);
    ok(host_panics(({
           while ((page = page_alloc(0, PAGE_KERNEL)) && page_to_pfn(page).v != pfn)
               ;
       })) &&
           strstr(host_panic_message, "offset 60"),
       "a write after free is found");
    page = pfn_to_page((pfn_t){pfn}); /* the panic left it in nobody's hands: give it back */
    memset(page_to_virt(page), 0x6b, PAGE_SIZE);
    page->kind = PAGE_KERNEL;
    page->refs = 1;
    page->order = 0;
    page_free(page);
    ok(host_panics(page_alloc(PAGE_ORDERS, PAGE_KERNEL)), "an order too large");
    ok(host_panics(page_add_range((pfn_t){5}, (pfn_t){6})), "a range added twice");
    kind = page->kind;
    page->kind = PAGE_ANON;
    ok(host_panics(page_check()), "page_check sees a free page of the wrong kind");
    page->kind = kind;
    host_end("misuse");
}

struct thing {
    u64 a[5];
};

static void test_slab(void)
{
    static struct slab_cache cache, large;
    static struct thing *things[1000];
    u64 n = ARRAY_SIZE(things);
    bool good = true;

    host_begin();
    slab_cache_init(&cache, "thing", sizeof(struct thing), 0);
    slab_cache_init(&large, "large", 700, 64);
    is(cache.kind.size, 40, "objects keep their size");
    is(large.kind.size, 704, "or are rounded up to their alignment");
    ok(slab_next(NULL) == &cache && slab_next(&cache) == &large && !slab_next(&large),
       "the registry");
    for (u64 i = 0; i < n; i++) {
        things[i] = i % 2 ? slab_alloc(&cache) : slab_alloc_zeroed(&cache);
        good = good && (i % 2 || things[i]->a[4] == 0);
        memset(things[i], i, sizeof(struct thing));
    }
    ok(good, "slab_alloc_zeroed gives zeros");
    is(cache.objects, n, "objects are counted");
    is(cache.pages, (n + cache.kind.per_block - 1) / cache.kind.per_block << cache.order,
       "and pages");
    for (u64 i = 0; i < n; i++)
        good = good && ((u8 *)things[i])[39] == (u8)i;
    ok(good, "no object overlaps another");
    ok(host_panics(slab_free(&large, things[0])), "an object freed to another cache");
    ok(host_panics(slab_free(&cache, (char *)things[1] + 8)), "a pointer into an object");
    for (u64 i = 0; i < n - 1; i++)
        slab_free(&cache, things[(i * 7) % (n - 1)]); /* 999 = 27 * 37 */
    is(cache.pages, 1ul << cache.order, "empty slabs go back");
    ok(host_panics(slab_free(&cache, things[0])), "a double free");
    slab_free(&cache, things[n - 1]);
    host_end("slab");
}

static void test_slab_write_after_free(void)
{
    static struct slab_cache cache;
    void *a, *b;

    host_begin();
    slab_cache_init(&cache, "victim", 64, 0);
    a = slab_alloc(&cache);
    b = slab_alloc(&cache);
    slab_free(&cache, a);
    wild_write((char *)a + 40, 0x80);
    ok(host_panics(slab_alloc(&cache)) && strstr(host_panic_message, "offset 40"),
       "a write after free is found");
    cache.objects++; /* it left the free list before the panic */
    pfn_to_page((pfn_t){page_to_pfn(virt_to_page(b)).v})->objects.used++;
    slab_free(&cache, a);
    slab_free(&cache, b);
    host_end("slab write after free");
}

static void test_kmalloc(void)
{
    void *p[64];
    int n = 0;
    bool good = true;

    host_begin();
    for (size_t size = 1; size <= PAGE_SIZE << (PAGE_ORDERS - 1); size = size * 3 / 2 + 1) {
        u8 *bytes = p[n++] = kzalloc(size);
        good = good && bytes && bytes[0] == 0 && bytes[size - 1] == 0;
        memset(bytes, 0xff, size);
    }
    ok(good, "kzalloc of %d sizes up to the largest block", n);
    ok(!kmalloc((PAGE_SIZE << (PAGE_ORDERS - 1)) + 1) && !kmalloc(~0ul), "and nothing above");
    ok(host_panics(kfree((char *)p[n - 1] + PAGE_SIZE)), "kfree inside a block");
    while (n)
        kfree(p[--n]);
    kfree(NULL);
    host_end("kmalloc");
}

static void test_failures(void)
{
    void *kept;

    host_begin();
    fail_countdown = 1;
    ok(!kmalloc(100), "kmalloc fails on demand");
    fail_countdown = 2;
    ok(!kmalloc(100), "also for want of a page");
    fail_countdown = 1;
    ok(!page_alloc_zeroed(PAGE_ANON), "page_alloc too");
    kept = kmalloc(100);
    ok(kept, "and only once");
    kfree(kept);
    host_end("failures");
}

int main(void)
{
    host_boot(FRAMES);
    test_all_memory();
    test_random();
    test_references();
    test_misuse();
    test_slab();
    test_slab_write_after_free();
    test_kmalloc();
    test_failures();
    return tap_done();
}
