/*
 * change.c: one thing after the other for the VMAs of a range: what mprotect, mlock, madvise and
 * msync have in common.
 *
 *                 start                        end
 *                   |                           |
 *      VMAs   |=====|==|   |=====|  |=====|  |==|======|
 *                   part    part     part    part        holes: an end, or an ENOMEM kept for last
 *
 * When flags change, each part either moves into a neighbour that has the new flags already
 * (vma_merge_part), or is cut out. Two VMAs are reserved at most, since only the range's two ends
 * can cut; so memory cannot run out half-way. => mm.lock held for write to change flags, else for
 * read.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"

/* The VMAs that changing flags over the range can take. 0 or -ENOMEM. */
static int reserve(struct mm *mm, struct change *c, struct vma *first)
{
    struct vma *last = first;

    if (first && c->end > first->end)
        last = vma_find(&mm->vmas, c->end - 1);
    bool low = first && first->start < c->start;
    bool high = last && last->start < c->end && last->end > c->end;
    for (int cuts = low + high; cuts > 0; cuts--) {
        struct vma *vma = vma_alloc(&mm->vmas);
        if (!vma)
            return -ENOMEM;
        c->spare[c->spares++] = vma;
    }
    return 0;
}

static int each_part(struct mm *mm, struct change *c, struct vma *first)
{
    vaddr_t at = c->start;
    int result = 0;

    for (struct vma *vma = first; vma && vma->start < c->end && at < c->end;
         vma = vma_next(&mm->vmas, vma)) {
        if (vma->start > at) {
            result = -ENOMEM;
            at = vma->start;
            if (!c->skip_holes)
                break;
        }
        vaddr_t end = min_u64(vma->end, c->end);
        int error = c->part(mm, c, &vma, at, end);
        if (error)
            return error;
        at = max_u64(end, min_u64(vma->end, c->end));
    }
    return at < c->end ? -ENOMEM : result;
}

int change_range(struct mm *mm, struct change *c, struct vma *first)
{
    bool failed = c->no_vma && reserve(mm, c, first);
    int error = failed ? c->no_vma : each_part(mm, c, first);

    while (c->spares > 0)
        vma_free(c->spare[--c->spares]);
    return error;
}

int change_call(struct mm *mm, struct change *c)
{
    bool write = c->no_vma;

    write ? rwsem_write_lock(&mm->lock) : rwsem_read_lock(&mm->lock);
    int error = change_range(mm, c, vma_find(&mm->vmas, c->start));
    write ? rwsem_write_unlock(&mm->lock) : rwsem_read_unlock(&mm->lock);
    return error;
}

/* Cut [start, end) out of vma; returns the VMA that is just it. */
static struct vma *isolate(struct mm *mm, struct change *c, struct vma *vma, vaddr_t start,
                           vaddr_t end)
{
    if (vma->start < start) {
        struct vma *upper = c->spare[--c->spares];
        vma_split(&mm->vmas, vma, start, upper);
        vma = upper;
    }
    if (end < vma->end)
        vma_split(&mm->vmas, vma, end, c->spare[--c->spares]);
    return vma;
}

static bool cuts_too_much(struct mm *mm, struct vma *vma, vaddr_t start, vaddr_t end, u32 flags)
{
    u32 cuts = (start > vma->start) + (end < vma->end);

    return cuts && map_count_full(mm, cuts) &&
           !vma_can_merge_part(&mm->vmas, vma, start, end, flags);
}

int change_flags(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start, vaddr_t end,
                 u32 flags)
{
    u32 old = (*vma)->flags;
    s64 pages = (end - start) >> PAGE_SHIFT;

    if (cuts_too_much(mm, *vma, start, end, flags))
        return c->no_vma;
    struct vma *covers = vma_merge_part(&mm->vmas, *vma, start, end, flags);
    if (!covers) {
        covers = isolate(mm, c, *vma, start, end);
        covers->flags = flags;
    }
    *vma = covers;
    mm_account(mm, old, -pages);
    mm_account(mm, flags, pages);
    return 0;
}

int change_bits(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start, vaddr_t end)
{
    u32 old = (*vma)->flags, flags = (old & ~c->clear) | c->set;

    return flags == old ? 0 : change_flags(mm, c, vma, start, end, flags);
}
