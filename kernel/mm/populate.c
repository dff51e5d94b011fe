/*
 * populate.c: bringing pages in before they are touched: MAP_POPULATE, mlock, MADV_POPULATE_*.
 *
 * VMA by VMA, page by page through the fault's own way, so each page is what a touch would have
 * made it: private writable memory is written, all else is read. mm.lock is held for a page at a
 * time; what was mapped may change meanwhile, and then the next page is looked at anew.
 */
#include "kernel/mm/space.h"
#include "kernel/sched/thread.h"
#include "lib/abi/errno.h"

struct part {
    vaddr_t start, end;
    u32 flags;
};

static bool next_part(struct mm *mm, vaddr_t at, vaddr_t end, struct part *part)
{
    rwsem_read_lock(&mm->lock);
    struct vma *vma = vma_find(&mm->vmas, at);
    bool found = vma && vma->start < end;
    if (found)
        *part = (struct part){max_u64(vma->start, at), min_u64(vma->end, end), vma->flags};
    rwsem_read_unlock(&mm->lock);
    return found;
}

static enum fault_result populate_part(struct mm *mm, const struct part *part,
                                       enum fault_access access)
{
    enum fault_result result = FAULT_DONE;

    for (vaddr_t at = part->start; at < part->end && result == FAULT_DONE; at += PAGE_SIZE) {
        do
            result = fault_in(mm, at, access, false);
        while (result == FAULT_RETRY);
        sched_yield_point();
    }
    return result;
}

static int answer(enum fault_result result, enum populate how)
{
    if (result == FAULT_DONE || how <= POPULATE_LOCKED)
        return 0;
    if (how == POPULATE_LOCK) /* as mlock has it: Linux's __mlock_posix_error_return */
        return result == FAULT_OOM ? -EAGAIN : -ENOMEM;
    if (result == FAULT_BUSERR)
        return -EFAULT;
    return result == FAULT_ACCERR ? -EINVAL : -ENOMEM;
}

/* What to do with pages of VMAs with these flags. */
static enum fault_access access_for(u32 flags, enum populate how)
{
    bool write = how == POPULATE_WRITE;

    if (how <= POPULATE_LOCK)
        write = (flags & (VM_WRITE | VM_SHARED)) == VM_WRITE;
    return write ? FAULT_WRITE : FAULT_READ;
}

int mm_populate(struct mm *mm, vaddr_t start, vaddr_t end, enum populate how)
{
    bool advice = how == POPULATE_READ || how == POPULATE_WRITE;
    struct part part;

    for (vaddr_t at = start; at < end; at = part.end) {
        if (!next_part(mm, at, end, &part))
            return advice ? -ENOMEM : 0;
        if (advice && part.start > at)
            return -ENOMEM;
        if (how == POPULATE_READ && !(part.flags & VM_READ))
            return -EINVAL;
        if (!advice && (part.flags & VM_LOCKONFAULT))
            continue;
        if (how == POPULATE_LOCKED && !(part.flags & VM_LOCKED))
            continue;
        int error = answer(populate_part(mm, &part, access_for(part.flags, how)), how);
        if (error)
            return error;
    }
    return 0;
}
