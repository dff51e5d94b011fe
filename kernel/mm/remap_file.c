/*
 * remap_file_pages: other pages of the file under part of a shared mapping, by emulation: the part
 * is mapped anew with mmap, as Linux does since 4.0 (c8d78c1823f4).
 *
 *      VMA  | 0 1 2 3 4 5 |   remap(page 2, 1 page, pgoff 5)   | 0 1 | 5 | 3 4 5 |   three VMAs
 *
 * So each page out of order costs a VMA, and vm.max_map_count is the limit. Linux's later
 * corrections are in here: several VMAs may be covered (4.5), the file is held by a reference of
 * its own, since the unmap inside may drop the VMA's (2015), and rights are those of the VMA that
 * is there under the lock (2024). => mm.lock held for write.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/abi/mman.h"

/* The VMAs from first on cover up to end without a hole and are of the same file and flags. */
static bool covered(struct mm *mm, struct vma *first, vaddr_t end)
{
    struct vma *vma = first, *next;

    for (; vma->end < end; vma = next) {
        next = vma_next(&mm->vmas, vma);
        if (!next || next->start != vma->end || next->file != first->file ||
            next->flags != first->flags)
            return false;
    }
    return true;
}

static long remap_locked(struct mm *mm, vaddr_t start, u64 size, u64 pgoff, bool *locked)
{
    struct vma *vma = vma_find(&mm->vmas, start);

    if (!vma || vma->start > start || !(vma->flags & VM_SHARED) || !covered(mm, vma, start + size))
        return -EINVAL;
    if (pgoff > ~0ul >> PAGE_SHIFT) /* no file is that long, nor its offset a number */
        return -EOVERFLOW;
    *locked = vma->flags & VM_LOCKED;
    struct mm_file *file = mm_file_get(vma->file);
    struct mmap_request request = {
        .addr = start,
        .length = size,
        .prot = vma->flags & VM_RIGHTS,
        .flags = MAP_SHARED | MAP_FIXED | (*locked ? MAP_LOCKED : 0),
        .file = file,
        .offset = pgoff << PAGE_SHIFT,
    };
    long addr = mmap_locked(mm, &request);
    mm_file_put(file);
    return addr;
}

/* Of the flags only MAP_NONBLOCK means anything: the pages are not brought in. */
long mm_remap_file_pages(struct mm *mm, vaddr_t start, u64 size, u32 prot, u64 pgoff, u32 flags)
{
    bool locked = false;

    start &= PAGE_MASK;
    size &= PAGE_MASK;
    if (prot || start + size <= start || pgoff + (size >> PAGE_SHIFT) < pgoff)
        return -EINVAL;
    rwsem_write_lock(&mm->lock);
    long addr = remap_locked(mm, start, size, pgoff, &locked);
    rwsem_write_unlock(&mm->lock);
    if (addr < 0)
        return addr;
    if (locked || !(flags & MAP_NONBLOCK))
        mm_populate(mm, start, start + size, POPULATE_MAP);
    return 0;
}
