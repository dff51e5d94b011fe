/*
 * page.c: the buddy allocator.
 *
 * Free memory is kept in blocks of 2^order frames, aligned to their size, one free list an order. A
 * block that is wanted and not there is made by halving a larger one; a block that is freed joins
 * its buddy (the other half of the block they came from) while that is free as a whole:
 *
 *      order 2   |  0   1   2   3  |      to find a block's buddy, flip the bit of its size
 *      order 1   |  0   1 | 2   3  |      in its frame number: 0 and 2 are buddies at order 1,
 *      order 0   | 0 | 1 | 2 | 3   |      2 and 3 at order 0
 *
 * The free lists are linked through the struct pages, so free memory itself is never touched,
 * except to be poisoned in checking builds. A free frame's `dirty` says that it was: memory from
 * boot was not. The lock guards lists, counts, and the struct pages of free frames.
 */
#include "kernel/mm/page.h"

#include "kernel/core/failpoint.h"
#include "kernel/core/poison.h"

enum { RANGES_MAX = 128 };

static struct {
    struct spinlock lock;
    struct list_head free[PAGE_ORDERS];
    u64 free_count, total_count; /* frames */
    u64 kind_count[PAGE_KINDS];  /* frames allocated, by kind */
    u32 ranges;
    struct {
        u64 start, end; /* frame numbers */
    } range[RANGES_MAX];
} buddy;

/* ---- blocks; => buddy.lock held ---- */

static void block_insert(struct page *page, unsigned order)
{
    page->kind = PAGE_FREE;
    page->order = order;
    list_add(&buddy.free[order], &page->link);
}

static void block_remove(struct page *page)
{
    list_del(&page->link);
    page->kind = PAGE_FREE_TAIL;
}

/* The free block of exactly 2^order frames that page's block can join, or NULL. */
static struct page *block_buddy(struct page *page, unsigned order)
{
    pfn_t other = {page_to_pfn(page).v ^ (1ul << order)};

    if (order == PAGE_ORDERS - 1 || !page_pfn_valid(other))
        return NULL;
    page = pfn_to_page(other);
    return page->kind == PAGE_FREE && page->order == order ? page : NULL;
}

/* All struct pages of the block are PAGE_FREE_TAIL already. */
static void block_free(struct page *page, unsigned order)
{
    struct page *other;

    buddy.free_count += 1ul << order;
    while ((other = block_buddy(page, order)) != NULL) {
        block_remove(other);
        if (other < page)
            page = other;
        order++;
    }
    block_insert(page, order);
}

/* Take a block of 2^order frames off the lists, halving a larger one if need be. NULL: none. */
static struct page *block_take(unsigned order)
{
    unsigned from = order;
    struct page *page;

    while (list_empty(&buddy.free[from]))
        if (++from == PAGE_ORDERS)
            return NULL;
    page = list_entry(buddy.free[from].next, struct page, link);
    block_remove(page);
    while (from > order) {
        from--;
        block_insert(page + (1ul << from), from);
    }
    buddy.free_count -= 1ul << order;
    return page;
}

/* ---- frames going in and out ---- */

static void frame_poison(struct page *page)
{
    poison_fill(page_to_virt(page), PAGE_SIZE);
    page->dirty = CONFIG_CHECK;
}

static void frame_unpoison(struct page *page)
{
    void *va = page_to_virt(page);

    poison_lift(va, PAGE_SIZE);
    if (CONFIG_CHECK && page->dirty) {
        size_t at = poison_intact(va, PAGE_SIZE);
        ASSERT(at == PAGE_SIZE, "frame %lx was written after it was freed, at offset %lx: %lx",
               page_to_pfn(page).v, at, *(u64 *)(va + at));
    }
}

struct page *page_alloc(unsigned order, enum page_kind kind)
{
    struct page *page;

    ASSERT(order < PAGE_ORDERS && kind >= PAGE_KERNEL, "order %u, kind %d", order, kind);
    if (fail_this())
        return NULL;
    spin_lock(&buddy.lock);
    page = block_take(order);
    if (page)
        buddy.kind_count[kind] += 1ul << order;
    spin_unlock(&buddy.lock);
    if (!page)
        return NULL;
    for (struct page *frame = page; frame < page + (1ul << order); frame++) {
        frame_unpoison(frame);
        *frame = (struct page){.kind = kind};
    }
    page->refs = 1;
    page->order = order;
    return page;
}

struct page *page_alloc_zeroed(enum page_kind kind)
{
    struct page *page = page_alloc(0, kind);

    if (page)
        memset(page_to_virt(page), 0, PAGE_SIZE);
    return page;
}

void page_free(struct page *page)
{
    unsigned order = page->order, kind = page->kind;

    ASSERT(kind >= PAGE_KERNEL, "frame %lx is of kind %u: not allocated", page_to_pfn(page).v,
           page->kind);
    ASSERT(page->refs == 1 && page->maps == 0, "frame %lx has %u users and %u maps",
           page_to_pfn(page).v, page->refs, page->maps);
    for (struct page *frame = page; frame < page + (1ul << order); frame++) {
        frame_poison(frame);
        frame->kind = PAGE_FREE_TAIL;
        frame->refs = 0;
    }
    spin_lock(&buddy.lock);
    buddy.kind_count[kind] -= 1ul << order;
    block_free(page, order);
    spin_unlock(&buddy.lock);
}

void page_put(struct page *page)
{
    u32 refs = __atomic_fetch_sub(&page->refs, 1, __ATOMIC_ACQ_REL);

    ASSERT(refs > 0 && page->kind >= PAGE_KERNEL, "frame %lx, kind %u, had %u users",
           page_to_pfn(page).v, page->kind, refs);
    if (refs == 1) {
        page->refs = 1; /* nobody else can see it: page_free's caller holds the last reference */
        page_free(page);
    }
}

/* ---- pages in page tables ---- */

static u64 mapped; /* frames of files with maps > 0. Atomic */

void page_map(struct page *page)
{
    if (__atomic_fetch_add(&page->maps, 1, __ATOMIC_RELAXED) == 0 && page->kind == PAGE_CACHE)
        __atomic_fetch_add(&mapped, 1, __ATOMIC_RELAXED);
}

void page_unmap(struct page *page)
{
    if (__atomic_fetch_sub(&page->maps, 1, __ATOMIC_RELAXED) == 1 && page->kind == PAGE_CACHE)
        __atomic_fetch_sub(&mapped, 1, __ATOMIC_RELAXED);
}

u64 page_mapped_count(void)
{
    return __atomic_load_n(&mapped, __ATOMIC_RELAXED);
}

/* ---- what there is ---- */

/* The largest order of a block that may start at pfn and lies below end. */
static unsigned order_at(u64 pfn, u64 end)
{
    unsigned order = PAGE_ORDERS - 1;

    while (pfn % (1ul << order) || pfn + (1ul << order) > end)
        order--;
    return order;
}

static void range_note(pfn_t start, pfn_t end)
{
    ASSERT(start.v <= end.v && buddy.ranges < RANGES_MAX, "[%lx, %lx), %u ranges", start.v, end.v,
           buddy.ranges);
    for (u32 i = 0; i < buddy.ranges; i++)
        ASSERT(end.v <= buddy.range[i].start || start.v >= buddy.range[i].end,
               "[%lx, %lx) overlaps [%lx, %lx)", start.v, end.v, buddy.range[i].start,
               buddy.range[i].end);
    buddy.range[buddy.ranges].start = start.v;
    buddy.range[buddy.ranges++].end = end.v;
    buddy.total_count += end.v - start.v;
}

void page_add_range(pfn_t start, pfn_t end)
{
    if (buddy.ranges == 0) {
        spin_init(&buddy.lock, RANK_PAGE_ALLOC);
        for (unsigned order = 0; order < PAGE_ORDERS; order++)
            list_init(&buddy.free[order]);
    }
    range_note(start, end);
    spin_lock(&buddy.lock);
    for (u64 pfn = start.v, order; pfn < end.v; pfn += 1ul << order) {
        struct page *page = pfn_to_page((pfn_t){pfn});

        order = order_at(pfn, end.v);
        for (u64 i = 0; i < 1ul << order; i++)
            page[i].kind = PAGE_FREE_TAIL;
        block_free(page, order);
    }
    spin_unlock(&buddy.lock);
}

bool page_pfn_valid(pfn_t pfn)
{
    for (u32 i = 0; i < buddy.ranges; i++)
        if (pfn.v - buddy.range[i].start < buddy.range[i].end - buddy.range[i].start)
            return true;
    return false;
}

u64 page_free_count(void)
{
    return READ_ONCE(buddy.free_count);
}

u64 page_total_count(void)
{
    return buddy.total_count;
}

u64 page_kind_count(enum page_kind kind)
{
    return READ_ONCE(buddy.kind_count[kind]);
}

static void block_check(struct page *page, unsigned order)
{
    pfn_t pfn = page_to_pfn(page);

    ASSERT(page->kind == PAGE_FREE && page->order == order && pfn.v % (1ul << order) == 0,
           "frame %lx on the list of order %u: kind %u, order %u", pfn.v, order, page->kind,
           page->order);
    ASSERT(!block_buddy(page, order), "frame %lx, order %u, and its buddy are both free", pfn.v,
           order);
    for (u64 i = 1; i < 1ul << order; i++)
        ASSERT(page_pfn_valid((pfn_t){pfn.v + i}) && page[i].kind == PAGE_FREE_TAIL,
               "frame %lx inside the free block at %lx is of kind %u", pfn.v + i, pfn.v,
               page[i].kind);
}

void page_check(void)
{
    struct list_head *pos;
    u64 count = 0, used = 0;

    spin_lock(&buddy.lock);
    for (unsigned order = 0; order < PAGE_ORDERS; order++)
        list_for_each (pos, &buddy.free[order]) {
            block_check(list_entry(pos, struct page, link), order);
            count += 1ul << order;
        }
    ASSERT(count == buddy.free_count, "%lu frames on the lists, %lu counted", count,
           buddy.free_count);
    for (int kind = 0; kind < PAGE_KINDS; kind++)
        used += buddy.kind_count[kind];
    ASSERT(count + used == buddy.total_count, "%lu frames free, %lu in use, of %lu", count, used,
           buddy.total_count);
    spin_unlock(&buddy.lock);
}
