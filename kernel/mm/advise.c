/*
 * advise.c: madvise. Part of it is no advice at all but changes what memory holds.
 *
 *      flags     RANDOM, SEQUENTIAL, NORMAL, DONTDUMP, DODUMP: remembered, they cut VMAs;
 *                DONTFORK, DOFORK, WIPEONFORK, KEEPONFORK: what fork does with the VMA
 *      pages     DONTNEED: private memory is as new, shared memory is read from its file again
 *                REMOVE: a hole in the file
 *                POPULATE_READ, POPULATE_WRITE: faults, beforehand
 *      nothing   WILLNEED, FREE, COLD, PAGEOUT: checked as on Linux. All pages are in memory and
 *                none is ever reclaimed, so none is ever late, and what FREE allows never happens
 *
 * Over a hole it goes on, and the answer is ENOMEM. => mm.lock held for write to change flags, for
 * read else; DONTNEED frees no table.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/abi/mman.h"

typedef int part_fn(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start, vaddr_t end);

/* Having too many VMAs, or no memory for one, may pass: Linux says EAGAIN here. */
static int flag_part(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start, vaddr_t end)
{
    if ((c->set & VM_WIPEONFORK) && (*vma)->file)
        return -EINVAL;
    return change_bits(mm, c, vma, start, end) ? -EAGAIN : 0;
}

static int nothing_part(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start,
                        vaddr_t end)
{
    (void)mm, (void)c, (void)vma, (void)start, (void)end;
    return 0;
}

static int unlocked_part(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start,
                         vaddr_t end)
{
    (void)mm, (void)c, (void)start, (void)end;
    return (*vma)->flags & VM_LOCKED ? -EINVAL : 0;
}

static int free_part(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start, vaddr_t end)
{
    return (*vma)->file ? -EINVAL : unlocked_part(mm, c, vma, start, end);
}

static int dontneed_part(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start,
                         vaddr_t end)
{
    int error = unlocked_part(mm, c, vma, start, end);

    if (!error)
        unmap_pages(*vma, start, end, false);
    return error;
}

static int remove_part(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start,
                       vaddr_t end)
{
    struct mm_file *file = (*vma)->file;

    if (unlocked_part(mm, c, vma, start, end) || !file)
        return -EINVAL;
    if (((*vma)->flags & (VM_SHARED | VM_MAYWRITE)) != (VM_SHARED | VM_MAYWRITE))
        return -EACCES;
    pgoff_t first = (*vma)->pgoff + ((start - (*vma)->start) >> PAGE_SHIFT);
    mapping_punch(file->mapping, first, (end - start) >> PAGE_SHIFT);
    file->ops->modified(file);
    return 0;
}

static const struct advice {
    part_fn *part; /* NULL: there is no such advice */
    u32 set, clear;
} advices[] = {
    [MADV_NORMAL] = {flag_part, 0, VM_RAND_READ | VM_SEQ_READ},
    [MADV_RANDOM] = {flag_part, VM_RAND_READ, VM_SEQ_READ},
    [MADV_SEQUENTIAL] = {flag_part, VM_SEQ_READ, VM_RAND_READ},
    [MADV_WILLNEED] = {nothing_part, 0, 0},
    [MADV_DONTNEED] = {dontneed_part, 0, 0},
    [MADV_FREE] = {free_part, 0, 0},
    [MADV_REMOVE] = {remove_part, 0, 0},
    [MADV_DONTFORK] = {flag_part, VM_DONTCOPY, 0},
    [MADV_DOFORK] = {flag_part, 0, VM_DONTCOPY},
    [MADV_DONTDUMP] = {flag_part, VM_DONTDUMP, 0},
    [MADV_DODUMP] = {flag_part, 0, VM_DONTDUMP},
    [MADV_WIPEONFORK] = {flag_part, VM_WIPEONFORK, 0},
    [MADV_KEEPONFORK] = {flag_part, 0, VM_WIPEONFORK},
    [MADV_COLD] = {unlocked_part, 0, 0},
    [MADV_PAGEOUT] = {unlocked_part, 0, 0},
    [MADV_POPULATE_READ] = {nothing_part, 0, 0},
    [MADV_POPULATE_WRITE] = {nothing_part, 0, 0},
};

static int advise_flags(struct mm *mm, struct change *c)
{
    rwsem_write_lock(&mm->lock);
    struct vma *first = vma_find(&mm->vmas, c->start);
    int error = change_reserve(mm, c, first) ? -EAGAIN : change_range(mm, c, first);
    change_finish(c);
    rwsem_write_unlock(&mm->lock);
    return error;
}

static int advise_pages(struct mm *mm, struct change *c)
{
    rwsem_read_lock(&mm->lock);
    int error = change_range(mm, c, vma_find(&mm->vmas, c->start));
    rwsem_read_unlock(&mm->lock);
    return error;
}

long mm_madvise(struct mm *mm, vaddr_t start, u64 length, int advice)
{
    u64 size = page_align_up(length);

    if (advice < 0 || (u64)advice >= ARRAY_SIZE(advices) || !advices[advice].part)
        return -EINVAL;
    const struct advice *a = &advices[advice];
    if ((start & ~PAGE_MASK) || (length && !size) || start + size < start)
        return -EINVAL;
    if (size == 0)
        return 0;
    if (advice == MADV_POPULATE_READ)
        return mm_populate(mm, start, start + size, POPULATE_READ);
    if (advice == MADV_POPULATE_WRITE)
        return mm_populate(mm, start, start + size, POPULATE_WRITE);
    struct change c = {.start = start,
                       .end = start + size,
                       .part = a->part,
                       .skip_holes = true,
                       .set = a->set,
                       .clear = a->clear};
    return a->part == flag_part ? advise_flags(mm, &c) : advise_pages(mm, &c);
}
