/*
 * brk.c: the heap, a private anonymous mapping whose end a program moves.
 *
 *      brk_start                 brk               a page and any guard gap stay free up to here
 *          |======== [heap] =======|.............|== next VMA
 *
 * Every refusal is the old break: the call has no errno. => mm.lock held for write.
 */
#include "kernel/mm/space.h"

enum { HEAP_FLAGS = VM_READ | VM_WRITE | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC | VM_ACCOUNT };

static bool shrink(struct mm *mm, vaddr_t start, vaddr_t end)
{
    struct vma *vma = vma_find(&mm->vmas, start);

    return vma && vma->start < end && unmap_range(mm, vma, start, end) == 0;
}

static bool add_heap(struct mm *mm, const struct vma_shape *shape, struct vma *next)
{
    if (mm_merge_shape(mm, shape, vma_prev(&mm->vmas, next), NULL))
        return true;
    struct vma *vma = vma_alloc(&mm->vmas);
    if (vma)
        mm_insert_shape(mm, shape, next, vma);
    return vma;
}

static bool grow(struct mm *mm, vaddr_t start, vaddr_t end)
{
    struct vma_shape shape = {.start = start,
                              .end = end,
                              .flags = HEAP_FLAGS | mm->lock_future,
                              .pgoff = start >> PAGE_SHIFT};
    u64 pages = (end - start) >> PAGE_SHIFT;
    struct vma *next = vma_find(&mm->vmas, start);

    if (next && end + PAGE_SIZE > vma_gap_end(next))
        return false;
    if (!mm_may_lock(mm, shape.flags, pages) || !mm_may_grow(mm, shape.flags, pages))
        return false;
    if (map_count_full(mm, 0) || commit_charge(mm, pages))
        return false;
    if (add_heap(mm, &shape, next))
        return true;
    commit_return(pages);
    return false;
}

static bool move_break(struct mm *mm, vaddr_t new_brk)
{
    if (new_brk < mm->brk_start || new_brk > USER_END)
        return false;
    if (new_brk - mm->brk_start >
        mm->limit[MM_LIMIT_DATA]) /* even if it is less than now, as on Linux */
        return false;
    vaddr_t old_end = page_align_up(mm->brk), new_end = page_align_up(new_brk);
    if (new_end < old_end)
        return shrink(mm, new_end, old_end);
    return new_end == old_end || grow(mm, old_end, new_end);
}

vaddr_t mm_brk(struct mm *mm, vaddr_t new_brk)
{
    rwsem_write_lock(&mm->lock);
    vaddr_t old = mm->brk;
    if (move_break(mm, new_brk))
        mm->brk = new_brk;
    vaddr_t now = mm->brk;
    bool populate = now > old && (mm->lock_future & VM_LOCKED);
    rwsem_write_unlock(&mm->lock);
    if (populate)
        mm_populate(mm, page_align_up(old), page_align_up(now), POPULATE_MAP);
    return now;
}
