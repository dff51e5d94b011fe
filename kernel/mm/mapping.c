/*
 * mapping.c: the contents of a file in memory, and who maps them.
 *
 *      mapping --pages--> radix tree: page offset -> page          (lock)
 *              --vmas---> interval tree of VMAs, by page offset     (map_lock)
 *
 * The cache holds one reference on each page, each page table entry another. A fault that has
 * found a page must look at the size again once it holds its table's lock: truncate writes the
 * size first and takes every such lock after. Sizes go up to 2^63-1, page offsets up to 2^51:
 * nothing overflows.
 */
#include "kernel/mm/mapping.h"
#include "kernel/core/panic.h"
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/string.h"

void mapping_init(struct mapping *m)
{
    *m = (struct mapping){0};
    spin_init(&m->lock, RANK_PAGE_CACHE);
    mutex_init(&m->map_lock, RANK_FILE_MAP);
}

/* ---- the VMAs ---- */

static struct vma *vma_of(const struct interval_node *node)
{
    return container_of(node, struct vma, file_node);
}

static u64 first_page(const struct interval_node *node)
{
    return vma_of(node)->pgoff;
}

static u64 last_page(const struct interval_node *node)
{
    return vma_of(node)->pgoff + vma_pages(vma_of(node)) - 1;
}

static rb_update_fn update_last;
static const struct interval_kind by_page = {first_page, last_page, update_last};

static bool update_last(struct rb_node *node)
{
    return interval_update(node, &by_page);
}

void mapping_add_vma(struct mapping *m, struct vma *vma)
{
    CHECK(mutex_held(&m->map_lock), "map_lock is not held");
    interval_insert(&m->vmas, &vma->file_node, &by_page);
}

void mapping_remove_vma(struct mapping *m, struct vma *vma)
{
    CHECK(mutex_held(&m->map_lock), "map_lock is not held");
    interval_remove(&m->vmas, &vma->file_node, &by_page);
}

struct vma *mapping_next_vma(struct mapping *m, struct vma *vma, pgoff_t first)
{
    struct interval_node *next =
        interval_next(&m->vmas, vma ? &vma->file_node : NULL, first, &by_page);

    return next ? vma_of(next) : NULL;
}

/* => map_lock held or the mapping quiet. */
void mapping_check(struct mapping *m)
{
    u64 count = 0, index = 0;

    ASSERT(interval_check(&m->vmas, &by_page), "interval tree");
    for (struct vma *vma = NULL; (vma = mapping_next_vma(m, vma, 0)) != NULL;)
        ASSERT(vma->file->mapping == m, "%lx: maps another file", vma->start);
    for (struct page *page; (page = radix_next(&m->pages, &index)) != NULL; index++, count++)
        ASSERT(page->mapping == m && page->index == index && page->refs > page->maps,
               "page %lx: index %lx, refs %u, maps %u", index, page->index, page->refs, page->maps);
    ASSERT(count == m->count, "%lu pages, %lu counted", count, m->count);
}

/* ---- the pages ---- */

enum { ANY_INDEX = 0, BELOW_END = 1 };

static struct page *lookup(struct mapping *m, pgoff_t index)
{
    struct page *page = radix_get(&m->pages, index);

    if (page)
        page_get(page);
    return page;
}

/* Enter page, fresh from the allocator, at index; or find that another one is there now. */
static int enter(struct mapping *m, pgoff_t index, unsigned below_end, struct page **page)
{
    struct page *fresh = *page;

    spin_lock(&m->lock);
    int error =
        below_end && !mapping_has(m, index) ? -EFAULT : radix_insert(&m->pages, index, fresh);
    if (error == 0) {
        fresh->mapping = m;
        fresh->index = index;
        fresh->dirty = 0;
        page_get(fresh);
        m->count++;
    } else if (error == -EEXIST) {
        *page = lookup(m, index);
    }
    spin_unlock(&m->lock);
    if (error)
        page_free(fresh);
    return error == -EEXIST ? 0 : error;
}

static int find_page(struct mapping *m, pgoff_t index, bool create, unsigned below_end,
                     struct page **page)
{
    spin_lock(&m->lock);
    bool past_end = below_end && !mapping_has(m, index);
    *page = past_end ? NULL : lookup(m, index);
    spin_unlock(&m->lock);
    if (past_end)
        return -EFAULT;
    if (*page || !create)
        return 0;
    *page = page_alloc_zeroed(m->kernel ? PAGE_KERNEL : PAGE_CACHE);
    if (!*page)
        return -ENOMEM;
    int error = enter(m, index, below_end, page);
    if (error)
        *page = NULL;
    return error;
}

int mapping_page(struct mapping *m, pgoff_t index, bool create, struct page **page)
{
    return find_page(m, index, create, ANY_INDEX, page);
}

int mapping_page_for_fault(struct mapping *m, pgoff_t index, struct page **page)
{
    return find_page(m, index, true, BELOW_END, page);
}

static void free_pages(struct mapping *m, u64 index, pgoff_t last)
{
    for (;;) {
        spin_lock(&m->lock);
        struct page *page = radix_next(&m->pages, &index);
        page = index <= last ? page : NULL;
        if (page) {
            radix_remove(&m->pages, index);
            page->mapping = NULL;
            m->count--;
        }
        spin_unlock(&m->lock);
        if (!page)
            return;
        page_put(page);
    }
}

void mapping_destroy(struct mapping *m)
{
    ASSERT(!m->vmas.node, "a VMA still maps the file");
    free_pages(m, 0, ~0ul);
}

/* Unmap pages [first, last] wherever they are mapped; copies: private copies of them too. The
 * tables stay: they are another's to free. */
static void unmap_file(struct mapping *m, pgoff_t first, pgoff_t last, bool copies)
{
    for (struct vma *vma = NULL; (vma = mapping_next_vma(m, vma, first)) != NULL;) {
        u64 skip = first > vma->pgoff ? first - vma->pgoff : 0;
        if (vma->pgoff > last)
            break;
        u64 end = min_u64(vma_pages(vma) - 1, last - vma->pgoff) + 1;
        unmap_pages(vma, vma->start + (skip << PAGE_SHIFT), vma->start + (end << PAGE_SHIFT),
                    !copies);
    }
}

/* => may sleep. The pages leave the index first, so that a fault which found one before sees under
 * its table's lock that it is no longer the file's. */
void mapping_punch(struct mapping *m, pgoff_t first, u64 count)
{
    mutex_lock(&m->map_lock);
    free_pages(m, first, first + count - 1);
    unmap_file(m, first, first + count - 1, false);
    mutex_unlock(&m->map_lock);
}

/* Zero the page that holds the last byte of `size` from there on: what is stored past the end
 * through a mapping is never part of the file. */
static void zero_tail(struct mapping *m, u64 size)
{
    struct page *page = NULL;
    u64 used = size & (PAGE_SIZE - 1);

    if (used == 0)
        return;
    mapping_page(m, size >> PAGE_SHIFT, false, &page);
    if (!page)
        return;
    memset((u8 *)page_to_virt(page) + used, 0, PAGE_SIZE - used);
    page_put(page);
}

void mapping_truncate(struct mapping *m, u64 size)
{
    mutex_lock(&m->map_lock);
    u64 old = m->size;
    spin_lock(&m->lock);
    WRITE_ONCE(m->size, size);
    spin_unlock(&m->lock);
    if (size < old) {
        pgoff_t first = page_align_up(size) >> PAGE_SHIFT;
        unmap_file(m, first, ~0ul, true);
        free_pages(m, first, ~0ul);
    }
    zero_tail(m, min_u64(size, old));
    mutex_unlock(&m->map_lock);
}
