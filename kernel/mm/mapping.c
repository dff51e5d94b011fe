/*
 * mapping.c: the contents of a file in memory, and who maps them.
 *
 *      mapping --pages--> radix tree: page offset -> page          (lock)
 *              --vmas---> interval tree of VMAs, by pgoff          (map_lock)
 *                              [10,19] last 90
 *                             /               \        each node knows the largest last page
 *                     [2,5] last 7       [40,90] last 90   below it, so the search for "who maps
 *                          \                           page 60 or more" skips [2,5]
 *                         [3,7] last 7
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

static struct vma *vma_of(struct rb_node *node)
{
    return node ? container_of(node, struct vma, file_node) : NULL;
}

static pgoff_t last_page(const struct vma *vma)
{
    return vma->pgoff + vma_pages(vma) - 1;
}

static pgoff_t largest_last(struct rb_node *node)
{
    pgoff_t last = last_page(vma_of(node));

    if (node->left)
        last = max_u64(last, vma_of(node->left)->file_last);
    if (node->right)
        last = max_u64(last, vma_of(node->right)->file_last);
    return last;
}

static bool update_last(struct rb_node *node)
{
    pgoff_t last = largest_last(node);
    bool changed = vma_of(node)->file_last != last;

    vma_of(node)->file_last = last;
    return changed;
}

void mapping_add_vma(struct mapping *m, struct vma *vma)
{
    struct rb_node **link = &m->vmas.node, *parent = NULL;

    CHECK(mutex_held(&m->map_lock), "map_lock is not held");
    while (*link) {
        parent = *link;
        link = vma->pgoff < vma_of(parent)->pgoff ? &parent->left : &parent->right;
    }
    rb_insert(&m->vmas, &vma->file_node, parent, link, update_last);
}

void mapping_remove_vma(struct mapping *m, struct vma *vma)
{
    CHECK(mutex_held(&m->map_lock), "map_lock is not held");
    rb_erase(&m->vmas, &vma->file_node, update_last);
}

/* The first VMA in order of this subtree that reaches page `first`. */
static struct vma *first_reaching(struct rb_node *node, pgoff_t first)
{
    while (node && vma_of(node)->file_last >= first) {
        if (node->left && vma_of(node->left)->file_last >= first)
            node = node->left;
        else if (last_page(vma_of(node)) >= first)
            return vma_of(node);
        else
            node = node->right;
    }
    return NULL;
}

struct vma *mapping_next_vma(struct mapping *m, struct vma *vma, pgoff_t first)
{
    struct vma *found;

    if (!vma)
        return first_reaching(m->vmas.node, first);
    if ((found = first_reaching(vma->file_node.right, first)) != NULL)
        return found;
    for (struct rb_node *n = &vma->file_node, *p; (p = rb_parent(n)) != NULL; n = p) {
        if (p->left != n)
            continue;
        if (last_page(vma_of(p)) >= first)
            return vma_of(p);
        if ((found = first_reaching(p->right, first)) != NULL)
            return found;
    }
    return NULL;
}

/* => map_lock held or the mapping quiet. */
void mapping_check(struct mapping *m)
{
    u64 count = 0;

    ASSERT(rb_check(m->vmas.node) >= 0, "interval tree");
    for (struct rb_node *n = rb_first(&m->vmas); n; n = rb_next(n)) {
        ASSERT(vma_of(n)->file_last == largest_last(n), "%lx: last page %lx is %lx",
               vma_of(n)->start, vma_of(n)->file_last, largest_last(n));
        ASSERT(vma_of(n)->file->mapping == m, "%lx: maps another file", vma_of(n)->start);
    }
    u64 index = 0;
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
