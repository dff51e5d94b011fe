/*
 * stack.c: a mapping that grows down when the page below it is touched (MAP_GROWSDOWN, and
 * [stack]).
 *
 *      |== other ==|<---- vm.stack_guard_gap ---->|<- new ->|=== stack ===|
 *                    never used by either          addr      start
 *
 * One guard page is not enough: a big local array steps over it (CVE-2017-1000364). Growth changes
 * the VMA set, so it needs mm.lock for write, which a fault does not have: the fault lets go, this
 * grows the stack after looking again at everything (another thread may have been faster), and the
 * access is tried anew.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"

static bool may_grow(struct mm *mm, struct vma *vma, vaddr_t start)
{
    struct vma *prev = vma_prev(&mm->vmas, vma);
    u64 guard = knob_value(&vma_stack_guard_knob) << PAGE_SHIFT;

    if (start == 0 || start < knob_value(&mmap_min_addr_knob) ||
        vma->end - start > mm->limit[MM_LIMIT_STACK])
        return false;
    if ((vma->start - start) >> PAGE_SHIFT > vma->pgoff)
        return false;
    return !prev || (prev->flags & VM_GROWSDOWN) || !vma_accessible(prev) ||
           start - prev->end >= guard;
}

static bool grow_locked(struct mm *mm, vaddr_t start)
{
    struct vma *vma = vma_find(&mm->vmas, start);

    if (!vma || vma->start <= start) /* gone, or grown by another thread: the retry will see */
        return true;
    u64 pages = (vma->start - start) >> PAGE_SHIFT;
    if (!(vma->flags & VM_GROWSDOWN) || !may_grow(mm, vma, start))
        return false;
    if (!mm_may_grow(mm, vma->flags, pages) || !mm_may_lock(mm, vma->flags, pages))
        return false;
    if ((vma->flags & VM_ACCOUNT) && commit_charge(mm, pages))
        return false;
    vma_resize(&mm->vmas, vma, start, vma->end);
    mm_account(mm, vma->flags, pages);
    return true;
}

enum fault_result stack_grow(struct mm *mm, vaddr_t addr)
{
    rwsem_write_lock(&mm->lock);
    bool grown = grow_locked(mm, addr & PAGE_MASK);
    rwsem_write_unlock(&mm->lock);
    return grown ? FAULT_RETRY : FAULT_MAPERR;
}
