/*
 * limit.c: how much an address space holds, by kind, and how much more it may (setrlimit).
 *
 *      kind     flags of its VMAs            limited by
 *      total    all                          RLIMIT_AS
 *      data     writable private, no stack   RLIMIT_DATA
 *      locked   VM_LOCKED                    RLIMIT_MEMLOCK, unless the program has CAP_IPC_LOCK
 *      exec     executable, not writable
 *      stack    VM_GROWSDOWN                 RLIMIT_STACK, each by itself (stack.c)
 *
 * Kinds and tests are Linux's. => mm.lock held for write.
 */
#include "kernel/mm/space.h"

bool mm_is_kind(u32 flags, enum mm_kind kind)
{
    switch (kind) {
    case MM_LOCKED:
        return flags & VM_LOCKED;
    case MM_DATA:
        return (flags & (VM_WRITE | VM_SHARED | VM_GROWSDOWN)) == VM_WRITE;
    case MM_EXEC:
        return (flags & (VM_EXEC | VM_WRITE | VM_GROWSDOWN)) == VM_EXEC;
    case MM_STACK:
        return flags & VM_GROWSDOWN;
    default:
        return false;
    }
}

void mm_account(struct mm *mm, u32 flags, s64 pages)
{
    mm->total_pages += pages;
    mm->peak_total_pages = max_u64(mm->peak_total_pages, mm->total_pages);
    for (int kind = 0; kind < MM_KINDS; kind++)
        if (mm_is_kind(flags, kind))
            mm->kind_pages[kind] += pages;
}

u64 mm_pages_in(struct mm *mm, struct vma *first, vaddr_t start, vaddr_t end, u32 flags)
{
    u64 bytes = 0;

    for (struct vma *vma = first; vma && vma->start < end; vma = vma_next(&mm->vmas, vma))
        if ((vma->flags & flags) == flags)
            bytes += min_u64(vma->end, end) - max_u64(vma->start, start);
    return bytes >> PAGE_SHIFT;
}

static bool fits(const struct mm *mm, enum mm_limit limit, u64 pages)
{
    return pages <= mm->limit[limit] >> PAGE_SHIFT;
}

bool mm_may_grow(const struct mm *mm, u32 flags, u64 pages)
{
    return fits(mm, MM_LIMIT_AS, mm->total_pages + pages) &&
           (!mm_is_kind(flags, MM_DATA) ||
            fits(mm, MM_LIMIT_DATA, mm->kind_pages[MM_DATA] + pages));
}

bool mm_may_lock(const struct mm *mm, u32 flags, u64 pages)
{
    return !(flags & VM_LOCKED) || mm->lock_exempt ||
           fits(mm, MM_LIMIT_MEMLOCK, mm->kind_pages[MM_LOCKED] + pages);
}
