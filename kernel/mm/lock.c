/*
 * lock.c: mlock and its family: VMAs whose pages are to stay, and are brought in at once.
 *
 * Nothing is ever paged out here, so a locked page is as good as any other. What is left, and kept
 * to the letter: VM_LOCKED cuts and merges VMAs, its pages are counted (each once, however often
 * it is locked) and limited, MADV_DONTNEED and msync's INVALIDATE refuse them, and the pages are
 * there when the call returns, but for VM_LOCKONFAULT. => mm.lock held for write.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/abi/mman.h"

static bool may_lock_at_all(const struct mm *mm)
{
    return mm->lock_exempt || mm->limit[MM_LIMIT_MEMLOCK];
}

/* The range gets these VM_LOCK_BITS. Stops at a hole, as Linux does, unless told to skip it. */
static int set_bits(struct mm *mm, vaddr_t start, vaddr_t end, u32 bits, bool skip_holes)
{
    struct change c = {.start = start,
                       .end = end,
                       .part = change_bits,
                       .no_vma = -ENOMEM,
                       .skip_holes = skip_holes,
                       .set = bits,
                       .clear = VM_LOCK_BITS};

    return change_range(mm, &c, vma_find(&mm->vmas, start));
}

/* [start, start + length) in whole pages. A length that wraps is none, as on Linux. */
static u64 whole_pages(vaddr_t *start, u64 length)
{
    length = page_align_up(length + (*start & ~PAGE_MASK));
    *start &= PAGE_MASK;
    return length;
}

long mm_mlock(struct mm *mm, vaddr_t start, u64 length, u32 flags)
{
    u32 bits = VM_LOCKED | (flags & MLOCK_ONFAULT ? VM_LOCKONFAULT : 0);
    int error = -ENOMEM;

    if (flags & ~(u32)MLOCK_ONFAULT)
        return -EINVAL;
    if (!may_lock_at_all(mm))
        return -EPERM;
    length = whole_pages(&start, length);
    if (length == 0)
        return 0;
    if (start + length < start)
        return -EINVAL;
    rwsem_write_lock(&mm->lock);
    struct vma *first = vma_find(&mm->vmas, start);
    u64 locked = mm_pages_in(mm, first, start, start + length, VM_LOCKED);
    if (mm_may_lock(mm, VM_LOCKED, (length >> PAGE_SHIFT) - locked))
        error = set_bits(mm, start, start + length, bits, false);
    rwsem_write_unlock(&mm->lock);
    return error ? error : mm_populate(mm, start, start + length, POPULATE_LOCK);
}

long mm_munlock(struct mm *mm, vaddr_t start, u64 length)
{
    length = whole_pages(&start, length);
    if (length == 0)
        return 0;
    if (start + length < start)
        return -EINVAL;
    rwsem_write_lock(&mm->lock);
    int error = set_bits(mm, start, start + length, 0, false);
    rwsem_write_unlock(&mm->lock);
    return error;
}

long mm_mlockall(struct mm *mm, u32 flags)
{
    u32 bits = VM_LOCKED | (flags & MCL_ONFAULT ? VM_LOCKONFAULT : 0);
    bool current = flags & MCL_CURRENT;

    if (!flags || flags == MCL_ONFAULT || (flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)))
        return -EINVAL;
    if (!may_lock_at_all(mm))
        return -EPERM;
    rwsem_write_lock(&mm->lock);
    bool may = !current || mm_may_lock(mm, VM_LOCKED, mm->total_pages - mm->kind_pages[MM_LOCKED]);
    if (may) {
        mm->lock_future = flags & MCL_FUTURE ? bits : 0;
        if (current)
            set_bits(mm, 0, USER_LIMIT, bits, true);
    }
    rwsem_write_unlock(&mm->lock);
    if (may && current)
        mm_populate(mm, 0, USER_LIMIT, POPULATE_MAP);
    return may ? 0 : -ENOMEM;
}

long mm_munlockall(struct mm *mm)
{
    rwsem_write_lock(&mm->lock);
    mm->lock_future = 0;
    set_bits(mm, 0, USER_LIMIT, 0, true);
    rwsem_write_unlock(&mm->lock);
    return 0;
}
