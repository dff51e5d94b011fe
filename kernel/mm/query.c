/*
 * query.c: what is in memory (mincore), and what was written (msync).
 *
 * Both walk over the entries that are there and jump over the rest. A page of a file that has no
 * entry may still be in the cache, and counts as resident. msync has no disk to write to: it tells
 * the file that it was modified, and takes the right to write from the pages, so that the next
 * store faults and is told as well. => mm.lock held for read.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/abi/mman.h"
#include "lib/string.h"

/* ---- mincore ---- */

struct query {
    struct walk walk; /* first */
    const struct vma *vma;
    vaddr_t start;
    u8 *vec; /* of start */
};

static void query_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr,
                         unsigned n)
{
    struct query *q = (struct query *)w;

    (void)table, (void)entries; /* an entry that is not none has a page */
    memset(q->vec + ((addr - q->start) >> PAGE_SHIFT), 1, n);
}

static bool in_cache(struct mapping *m, pgoff_t index)
{
    struct page *page;

    mapping_page(m, index, false, &page);
    if (page)
        page_put(page);
    return page;
}

static void query_hole(struct walk *w, vaddr_t start, vaddr_t end, int level)
{
    struct query *q = (struct query *)w;
    const struct mm_file *file = q->vma->file;
    pgoff_t index = q->vma->pgoff + ((start - q->vma->start) >> PAGE_SHIFT);
    (void)level;

    for (vaddr_t at = start; at < end; at += PAGE_SIZE, index++)
        q->vec[(at - q->start) >> PAGE_SHIFT] = file && in_cache(file->mapping, index);
}

long mm_mincore(struct mm *mm, vaddr_t start, u64 pages, u8 *vec)
{
    static const struct walk_ops ops = {.leaves = query_leaves, .hole = query_hole};
    struct query q = {.walk = {.pt = &mm->pt, .ops = &ops}, .start = start, .vec = vec};
    long result = -ENOMEM;

    rwsem_read_lock(&mm->lock);
    q.vma = vma_find(&mm->vmas, start);
    if (q.vma && q.vma->start <= start) {
        vaddr_t end = min_u64(q.vma->end, start + (pages << PAGE_SHIFT));
        walk_whole(&q.walk, start, end, VMC_query_reads);
        result = (end - start) >> PAGE_SHIFT;
    }
    rwsem_read_unlock(&mm->lock);
    return result;
}

/* ---- msync ---- */

struct sync {
    struct walk walk; /* first */
    bool dirty;
};

static pte_t clean(pte_t e)
{
    unsigned rights = RIGHT_READ | (pte_executable(e) ? RIGHT_EXEC : 0);

    return pte_make_clean(pte_present(e) ? pte_with_rights(e, rights) : e);
}

static void sync_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr,
                        unsigned n)
{
    struct sync *sync = (struct sync *)w;
    bool dirty = false;
    (void)table; /* an entry stays one: so does the live count */

    for (unsigned i = 0; i < n; i++) {
        if (!pte_dirty(entries[i]))
            continue;
        WRITE_ONCE(entries[i].v, clean(pt_entry_take(&entries[i])).v);
        dirty = true;
    }
    if (dirty)
        pt_drop(w->pt, addr, addr + n * PAGE_SIZE);
    sync->dirty |= dirty;
}

/* c->set: MS_ flags. */
static int sync_part(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start, vaddr_t end)
{
    static const struct walk_ops ops = {.leaves = sync_leaves};
    struct sync sync = {.walk = {.pt = &mm->pt, .ops = &ops}};

    if ((c->set & MS_INVALIDATE) && ((*vma)->flags & VM_LOCKED))
        return -EBUSY;
    if (!(c->set & (MS_SYNC | MS_ASYNC)) || !((*vma)->flags & VM_SHARED))
        return 0;
    walk_whole(&sync.walk, start, end, VMC_query_reads);
    if (sync.dirty)
        (*vma)->file->ops->modified((*vma)->file);
    return 0;
}

/* A length that wraps to nothing is nothing, as on Linux. */
long mm_msync(struct mm *mm, vaddr_t start, u64 length, u32 flags)
{
    struct change c = {.start = start,
                       .end = start + page_align_up(length),
                       .part = sync_part,
                       .skip_holes = flags != MS_ASYNC,
                       .set = flags};

    if ((flags & ~(u32)(MS_ASYNC | MS_INVALIDATE | MS_SYNC)) || (start & ~PAGE_MASK) ||
        ((flags & MS_ASYNC) && (flags & MS_SYNC)))
        return -EINVAL;
    if (c.end <= start)
        return c.end < start ? -ENOMEM : 0;
    return change_call(mm, &c);
}
