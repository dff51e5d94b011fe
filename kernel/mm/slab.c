/*
 * slab.c: objects of one size, cut from blocks of pages.
 *
 * A slab is a block of pages whose struct page holds the list of its free objects; the list runs
 * through the objects themselves, so a slab has no header and 2^n sized objects fill it without a
 * rest:
 *
 *      struct page --> [ object | free  | object | free  | ... ]
 *        free_objects ------------'  next ---------^
 *
 * Slabs with room are on the cache's partial list, full ones on none; an empty one goes back to the
 * page allocator at once, so that a leak shows as a missing page. A free object is poisoned behind
 * its link; that also tells a double free. Lock: the cache's, rank RANK_SLAB; it guards the cache
 * and the struct pages of its slabs.
 */
#include "kernel/mm/slab.h"

#include "kernel/mm/failpoint.h"
#include "kernel/mm/page.h"
#include "kernel/mm/poison.h"

enum { LINK_SIZE = sizeof(void *), OBJECT_MIN = 2 * LINK_SIZE };

static struct list_head registry = {&registry, &registry}; /* grows at boot, on one CPU */

/* The smallest slabs that waste at most an eighth. */
static unsigned slab_order(u32 size)
{
    unsigned order = 0;

    while ((PAGE_SIZE << order) < size || (PAGE_SIZE << order) % size > (PAGE_SIZE << order) / 8)
        order++;
    return order;
}

/* => At start-up, on one CPU. align is a power of two, or 0 for that of a pointer. */
void slab_cache_init(struct slab_cache *cache, const char *name, u32 size, u32 align)
{
    align = max_u64(align, LINK_SIZE);
    size = align_up(max_u64(size, OBJECT_MIN), align);
    ASSERT((align & (align - 1)) == 0 && size <= PAGE_SIZE << (PAGE_ORDERS - 1),
           "%s: size %u, align %u", name, size, align);
    *cache =
        (struct slab_cache){.name = name, .size = size, .align = align, .order = slab_order(size)};
    cache->per_slab = (PAGE_SIZE << cache->order) / size;
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

static void object_push(struct slab_cache *cache, struct page *slab, void *object)
{
    poison_fill(object, align_down(cache->size, LINK_SIZE));
    poison_link_set(object, slab->free_objects);
    slab->free_objects = object;
}

static void *object_pop(struct slab_cache *cache, struct page *slab)
{
    void *object = slab->free_objects;

    slab->free_objects = poison_link_get(object);
    poison_lift(object, cache->size);
    if (CONFIG_CHECK) {
        size_t at = poison_intact(object + LINK_SIZE, cache->size - LINK_SIZE);
        ASSERT(at == cache->size - LINK_SIZE,
               "%s: object %p was written after it was freed, at offset %lu: %lx", cache->name,
               object, at + LINK_SIZE, *(u64 *)(object + LINK_SIZE + at));
    }
    return object;
}

/* A new slab with all objects free, on the partial list; NULL without memory. */
static struct page *slab_grow(struct slab_cache *cache)
{
    struct page *slab = page_alloc(cache->order, PAGE_SLAB);

    if (!slab)
        return NULL;
    slab->cache = cache;
    slab->free_objects = NULL;
    slab->objects_used = 0;
    for (u32 i = cache->per_slab; i-- > 0;)
        object_push(cache, slab, page_to_virt(slab) + (size_t)i * cache->size);
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

static bool on_free_list(const struct page *slab, const void *object)
{
    void *other = slab->free_objects;

    while (other && other != object)
        other = poison_link_get(other);
    return other;
}

/* Panics unless object may be freed to cache. Only an object that looks free is searched for among
 * the free ones. */
static void object_check(struct slab_cache *cache, struct page *slab, void *object)
{
    size_t offset = object - page_to_virt(slab);

    ASSERT(slab->kind == PAGE_SLAB && slab->cache == cache,
           "%s: object %p is not of this cache (kind %u)", cache->name, object, slab->kind);
    ASSERT(offset % cache->size == 0 && offset / cache->size < cache->per_slab,
           "%s: %p is inside an object (offset %lu)", cache->name, object, offset);
    if (CONFIG_CHECK && poison_intact(object + LINK_SIZE, LINK_SIZE) == LINK_SIZE)
        ASSERT(!on_free_list(slab, object), "%s: object %p is freed twice", cache->name, object);
}

/* ---- the interface ---- */

/* => Does not sleep. NULL without memory. */
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
        object = object_pop(cache, slab);
        cache->objects++;
        if (++slab->objects_used == cache->per_slab)
            list_del(&slab->slab_link);
    }
    spin_unlock(&cache->lock);
    return object;
}

/* => Does not sleep. NULL without memory. */
void *slab_alloc_zeroed(struct slab_cache *cache)
{
    void *object = slab_alloc(cache);

    if (object)
        memset(object, 0, cache->size);
    return object;
}

/* => Does not sleep. object came from slab_alloc of the same cache. */
void slab_free(struct slab_cache *cache, void *object)
{
    struct page *slab = slab_of(cache, object);

    spin_lock(&cache->lock);
    object_check(cache, slab, object);
    object_push(cache, slab, object);
    cache->objects--;
    if (slab->objects_used-- == cache->per_slab)
        list_add(&cache->partial, &slab->slab_link);
    if (slab->objects_used == 0)
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

/* => Does not sleep. size > 0. NULL without memory, or above the largest block. */
void *kmalloc(size_t size)
{
    struct page *page;
    unsigned order = 0;

    ASSERT(size > 0, "kmalloc of nothing");
    if (!kmalloc_caches[0].size)
        kmalloc_init();
    for (int i = 0; i < KMALLOC_CACHES; i++)
        if (size <= kmalloc_caches[i].size)
            return slab_alloc(&kmalloc_caches[i]);
    while (order < PAGE_ORDERS && (PAGE_SIZE << order) < size)
        order++;
    page = order < PAGE_ORDERS ? page_alloc(order, PAGE_KERNEL) : NULL;
    return page ? page_to_virt(page) : NULL;
}

/* As kmalloc. */
void *kzalloc(size_t size)
{
    void *p = kmalloc(size);

    if (p)
        memset(p, 0, size);
    return p;
}

/* => Does not sleep. p came from kmalloc or kzalloc, or is NULL. */
void kfree(void *p)
{
    struct page *page;

    if (!p)
        return;
    page = virt_to_page(p);
    if (page->kind == PAGE_SLAB) { /* slabs of these sizes are one page each */
        ASSERT(page->cache >= kmalloc_caches && page->cache < kmalloc_caches + KMALLOC_CACHES,
               "kfree of %p, which belongs to cache %s", p, page->cache->name);
        slab_free(page->cache, p);
        return;
    }
    ASSERT(page->kind == PAGE_KERNEL && p == page_to_virt(page), "kfree of %p (kind %u)", p,
           page->kind);
    page_free(page);
}
