/*
 * slab.c: objects of one size, cut from blocks of pages, and kmalloc on top of them.
 *
 * A slab is a block of pages; its struct page holds what core/objects.h keeps of a block. Slabs
 * with room are on the cache's partial list, full ones on none; an empty one goes back to the page
 * allocator at once, so that a leak shows as a missing page. Lock: the cache's, rank RANK_SLAB; it
 * guards the cache and the struct pages of its slabs.
 */
#include "kernel/mm/slab.h"

#include "kernel/core/failpoint.h"
#include "kernel/core/poison.h"
#include "kernel/mm/page.h"

static struct list_head registry = {&registry, &registry}; /* grows at boot, on one CPU */

/* The smallest slabs that waste at most an eighth. */
static unsigned slab_order(u32 size)
{
    unsigned order = 0;

    while ((PAGE_SIZE << order) < size || (PAGE_SIZE << order) % size > (PAGE_SIZE << order) / 8)
        order++;
    return order;
}

void slab_cache_init(struct slab_cache *cache, const char *name, u32 size, u32 align)
{
    size = object_size(size, align);
    ASSERT(size <= PAGE_SIZE << (PAGE_ORDERS - 1), "%s: size %u", name, size);
    *cache = (struct slab_cache){.order = slab_order(size)};
    cache->kind = (struct object_kind){name, size, (PAGE_SIZE << cache->order) / size};
    spin_init(&cache->lock, RANK_SLAB);
    list_init(&cache->partial);
    list_add_tail(&registry, &cache->link);
}

struct slab_cache *slab_next(struct slab_cache *cache)
{
    struct list_head *next = cache ? cache->link.next : registry.next;

    return next == &registry ? NULL : list_entry(next, struct slab_cache, link);
}

/* ---- slabs and objects; => cache->lock held ---- */

static struct page *slab_of(struct slab_cache *cache, const void *object)
{
    u64 pfn = page_to_pfn(virt_to_page(object)).v;

    return pfn_to_page((pfn_t){align_down(pfn, 1ul << cache->order)});
}

/* A new slab with all objects free, on the partial list; NULL without memory. */
static struct page *slab_grow(struct slab_cache *cache)
{
    struct page *slab = page_alloc(cache->order, PAGE_SLAB);

    if (!slab)
        return NULL;
    slab->cache = cache;
    object_cut(&slab->objects, &cache->kind, page_to_virt(slab));
    list_add(&cache->partial, &slab->slab_link);
    cache->pages += 1ul << cache->order;
    return slab;
}

static void slab_shrink(struct slab_cache *cache, struct page *slab)
{
    list_del(&slab->slab_link);
    cache->pages -= 1ul << cache->order;
    poison_lift(page_to_virt(slab), PAGE_SIZE << cache->order);
    page_free(slab);
}

/* ---- the interface ---- */

void *slab_alloc(struct slab_cache *cache)
{
    struct page *slab;
    void *object = NULL;

    if (fail_this())
        return NULL;
    spin_lock(&cache->lock);
    slab = list_empty(&cache->partial) ? slab_grow(cache)
                                       : list_entry(cache->partial.next, struct page, slab_link);
    if (slab) {
        object = object_take(&slab->objects, &cache->kind);
        cache->objects++;
        if (slab->objects.used == cache->kind.per_block)
            list_del(&slab->slab_link);
    }
    spin_unlock(&cache->lock);
    return object;
}

void *slab_alloc_zeroed(struct slab_cache *cache)
{
    void *object = slab_alloc(cache);

    if (object)
        memset(object, 0, cache->kind.size);
    return object;
}

void slab_free(struct slab_cache *cache, void *object)
{
    struct page *slab = slab_of(cache, object);

    spin_lock(&cache->lock);
    ASSERT(slab->kind == PAGE_SLAB && slab->cache == cache,
           "%s: object %p is not of this cache (kind %u)", cache->kind.name, object, slab->kind);
    object_give(&slab->objects, &cache->kind, page_to_virt(slab), object);
    cache->objects--;
    if (slab->objects.used == cache->kind.per_block - 1)
        list_add(&cache->partial, &slab->slab_link);
    if (slab->objects.used == 0)
        slab_shrink(cache, slab);
    spin_unlock(&cache->lock);
}

/* ---- kmalloc ---- */

enum {
    KMALLOC_MIN_SHIFT = 4,
    KMALLOC_MAX_SHIFT = 11,
    KMALLOC_CACHES = KMALLOC_MAX_SHIFT - KMALLOC_MIN_SHIFT + 1
};

static struct slab_cache kmalloc_caches[KMALLOC_CACHES];

/* The first kmalloc is made at boot, by one CPU. */
static void kmalloc_init(void)
{
    static const char *const names[KMALLOC_CACHES] = {"kmalloc-16",   "kmalloc-32",  "kmalloc-64",
                                                      "kmalloc-128",  "kmalloc-256", "kmalloc-512",
                                                      "kmalloc-1024", "kmalloc-2048"};

    for (int i = 0; i < KMALLOC_CACHES; i++)
        slab_cache_init(&kmalloc_caches[i], names[i], 1u << (KMALLOC_MIN_SHIFT + i),
                        1u << (KMALLOC_MIN_SHIFT + i));
}

void *kmalloc(size_t size)
{
    struct page *page;
    unsigned order = 0;

    ASSERT(size > 0, "kmalloc of nothing");
    if (!kmalloc_caches[0].kind.size)
        kmalloc_init();
    for (int i = 0; i < KMALLOC_CACHES; i++)
        if (size <= kmalloc_caches[i].kind.size)
            return slab_alloc(&kmalloc_caches[i]);
    while (order < PAGE_ORDERS && (PAGE_SIZE << order) < size)
        order++;
    page = order < PAGE_ORDERS ? page_alloc(order, PAGE_KERNEL) : NULL;
    return page ? page_to_virt(page) : NULL;
}

void *kzalloc(size_t size)
{
    void *p = kmalloc(size);

    if (p)
        memset(p, 0, size);
    return p;
}

void kfree(void *p)
{
    struct page *page;

    if (!p)
        return;
    page = virt_to_page(p);
    if (page->kind == PAGE_SLAB) { /* slabs of these sizes are one page each */
        ASSERT(page->cache >= kmalloc_caches && page->cache < kmalloc_caches + KMALLOC_CACHES,
               "kfree of %p, which belongs to cache %s", p, page->cache->kind.name);
        slab_free(page->cache, p);
        return;
    }
    ASSERT(page->kind == PAGE_KERNEL && p == page_to_virt(page), "kfree of %p (kind %u)", p,
           page->kind);
    page_free(page);
}
