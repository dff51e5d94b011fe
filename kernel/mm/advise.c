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

enum work { NO_ADVICE, FLAGS, CHECK, DROP, PUNCH };

static const struct advice {
    enum work work;
    u32 set, clear;
    u32 refused;    /* VMAs with these flags */
    bool anonymous; /* VMAs of files are refused */
} advices[] = {
    [MADV_NORMAL] = {FLAGS, .clear = VM_RAND_READ | VM_SEQ_READ},
    [MADV_RANDOM] = {FLAGS, .set = VM_RAND_READ, .clear = VM_SEQ_READ},
    [MADV_SEQUENTIAL] = {FLAGS, .set = VM_SEQ_READ, .clear = VM_RAND_READ},
    [MADV_WILLNEED] = {CHECK},
    [MADV_DONTNEED] = {DROP, .refused = VM_LOCKED},
    [MADV_FREE] = {CHECK, .refused = VM_LOCKED, .anonymous = true},
    [MADV_REMOVE] = {PUNCH, .refused = VM_LOCKED},
    [MADV_DONTFORK] = {FLAGS, .set = VM_DONTCOPY},
    [MADV_DOFORK] = {FLAGS, .clear = VM_DONTCOPY},
    [MADV_DONTDUMP] = {FLAGS, .set = VM_DONTDUMP},
    [MADV_DODUMP] = {FLAGS, .clear = VM_DONTDUMP},
    [MADV_WIPEONFORK] = {FLAGS, .set = VM_WIPEONFORK, .anonymous = true},
    [MADV_KEEPONFORK] = {FLAGS, .clear = VM_WIPEONFORK},
    [MADV_COLD] = {CHECK, .refused = VM_LOCKED},
    [MADV_PAGEOUT] = {CHECK, .refused = VM_LOCKED},
    [MADV_POPULATE_READ] = {CHECK},
    [MADV_POPULATE_WRITE] = {CHECK},
    [MADV_DONTNEED_LOCKED] = {DROP},
};

struct advise {
    struct change change; /* first */
    const struct advice *advice;
};

static int punch(const struct vma *vma, vaddr_t start, vaddr_t end)
{
    if (!vma->file)
        return -EINVAL;
    if ((vma->flags & (VM_SHARED | VM_MAYWRITE)) != (VM_SHARED | VM_MAYWRITE))
        return -EACCES;
    pgoff_t first = vma->pgoff + ((start - vma->start) >> PAGE_SHIFT);
    mapping_punch(vma->file->mapping, first, (end - start) >> PAGE_SHIFT);
    vma->file->ops->modified(vma->file);
    return 0;
}

static int advise_part(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start,
                       vaddr_t end)
{
    const struct advice *advice = ((struct advise *)c)->advice;

    if (((*vma)->flags & advice->refused) || ((*vma)->file && advice->anonymous))
        return -EINVAL;
    switch (advice->work) {
    case FLAGS:
        return change_bits(mm, c, vma, start, end);
    case DROP:
        unmap_pages(*vma, start, end, false);
        return 0;
    case PUNCH:
        return punch(*vma, start, end);
    default:
        return 0;
    }
}

long mm_madvise(struct mm *mm, vaddr_t start, u64 length, int advice)
{
    u64 size = page_align_up(length);

    if (advice < 0 || (u64)advice >= ARRAY_SIZE(advices) || !advices[advice].work)
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
    struct advise advise = {.change = {.start = start,
                                       .end = start + size,
                                       .part = advise_part,
                                       .no_vma = a->work == FLAGS ? -EAGAIN : 0, /* it may pass */
                                       .skip_holes = true,
                                       .set = a->set,
                                       .clear = a->clear},
                            .advice = a};
    return change_call(mm, &advise.change);
}
