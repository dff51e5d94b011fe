/*
 * mprotect.c: new rights for a range, one VMA after the other.
 *
 * Each VMA's part either moves into a neighbour that has the new flags already (vma_merge_part),
 * or is cut out and changed. Two VMAs are reserved at most, since only the range's two ends can
 * cut; so memory cannot run out half-way. Linux stops at the first part it must refuse (a hole:
 * ENOMEM, a right the file does not allow: EACCES) and leaves what came before it changed, and so
 * does this. => mm.lock held for write.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/abi/mman.h"

enum { PROT_SEM = 8 }; /* Linux accepts it; it means nothing on x86 */

struct protect {
    vaddr_t start, end;
    u32 rights; /* VM_READ, VM_WRITE, VM_EXEC */
    struct vma *spare[2];
    unsigned spares;
};

static int reserve(struct mm *mm, struct protect *p, struct vma *first)
{
    struct vma *last = first;

    if (p->end > first->end)
        last = vma_find(&mm->vmas, p->end - 1);
    bool cuts[2] = {first->start < p->start, last && last->start < p->end && last->end > p->end};
    for (int i = 0; i < 2; i++) {
        if (!cuts[i])
            continue;
        struct vma *vma = vma_alloc(&mm->vmas);
        if (!vma)
            return -ENOMEM;
        p->spare[p->spares++] = vma;
    }
    return 0;
}

/* Cut [start, end) out of vma; returns the VMA that is just it. */
static struct vma *isolate(struct mm *mm, struct protect *p, struct vma *vma, vaddr_t start,
                           vaddr_t end)
{
    if (vma->start < start) {
        struct vma *upper = p->spare[--p->spares];
        vma_split(&mm->vmas, vma, start, upper);
        vma = upper;
    }
    if (end < vma->end)
        vma_split(&mm->vmas, vma, end, p->spare[--p->spares]);
    return vma;
}

/* The part's flags with the new rights. Writable private memory has to be promised; the promise
 * goes again while nothing can have been written. Returns the pages to charge (or, negative, to
 * give back). */
static s64 new_flags(const struct vma *vma, u32 rights, u64 pages, u32 *flags)
{
    *flags = (vma->flags & ~(u32)(VM_READ | VM_WRITE | VM_EXEC)) | rights;
    if (rights & VM_WRITE) {
        if (vma->flags & (VM_ACCOUNT | VM_WRITE | VM_SHARED | VM_NORESERVE))
            return 0;
        *flags |= VM_ACCOUNT;
        return pages;
    }
    if (!(vma->flags & VM_ACCOUNT) || vma->file || vma->anon_id)
        return 0;
    *flags &= ~(u32)VM_ACCOUNT;
    return -(s64)pages;
}

static bool cuts_too_much(struct mm *mm, struct vma *vma, vaddr_t start, vaddr_t end, u32 flags)
{
    u32 cuts = (start > vma->start) + (end < vma->end);

    return cuts && map_count_full(mm, cuts) &&
           !vma_can_merge_part(&mm->vmas, vma, start, end, flags);
}

static void set_entries(struct mm *mm, struct vma *vma, vaddr_t start, vaddr_t end)
{
    unsigned rights = (vma->flags & VM_READ ? RIGHT_READ : 0) |
                      (vma->flags & VM_WRITE ? RIGHT_WRITE : 0) |
                      (vma->flags & VM_EXEC ? RIGHT_EXEC : 0);

    /* The first write must be seen: it dirties a file, or gives private memory its id. */
    if ((rights & RIGHT_WRITE) && ((vma->flags & VM_SHARED) || vma->anon_id == 0))
        rights = (rights & ~(unsigned)RIGHT_WRITE) | RIGHT_READ;
    pt_protect(&mm->pt, start, end, rights, vma->flags & VM_SHARED);
}

/* One VMA's part of the range. *vma is the VMA that covers it afterwards. */
static int protect_part(struct mm *mm, struct protect *p, struct vma **vma, vaddr_t start,
                        vaddr_t end)
{
    u32 flags, old = (*vma)->flags;
    s64 charge = new_flags(*vma, p->rights, (end - start) >> PAGE_SHIFT, &flags);

    if (p->rights & ~(old >> 4)) /* VM_MAY rights lie 4 above the rights */
        return -EACCES;
    if (flags == old)
        return 0;
    if (cuts_too_much(mm, *vma, start, end, flags))
        return -ENOMEM;
    if (charge > 0 && commit_charge(mm, charge))
        return -ENOMEM;
    if (charge < 0)
        commit_return(-charge);
    struct vma *merged = vma_merge_part(&mm->vmas, *vma, start, end, flags);
    if (!merged) {
        merged = isolate(mm, p, *vma, start, end);
        merged->flags = flags;
    }
    *vma = merged;
    set_entries(mm, merged, start, end);
    return 0;
}
_Static_assert(VM_MAYREAD == VM_READ << 4 && VM_MAYWRITE == VM_WRITE << 4 &&
                   VM_MAYEXEC == VM_EXEC << 4,
               "rights that may be given lie 4 bits above the rights");

static int protect_range(struct mm *mm, struct protect *p, struct vma *vma)
{
    vaddr_t at = p->start;

    for (; vma && at < p->end; vma = vma_next(&mm->vmas, vma)) {
        if (vma->start > at)
            return -ENOMEM;
        vaddr_t end = min_u64(vma->end, p->end);
        int error = protect_part(mm, p, &vma, at, end);
        if (error)
            return error;
        at = max_u64(end, min_u64(vma->end, p->end));
    }
    return at < p->end ? -ENOMEM : 0;
}

static int protect_locked(struct mm *mm, struct protect *p, bool grows_down)
{
    struct vma *first = vma_find(&mm->vmas, p->start);

    if (!first || first->start >= p->end)
        return -ENOMEM;
    if (grows_down) {
        if (!(first->flags & VM_GROWSDOWN))
            return -EINVAL;
        p->start = first->start;
    }
    if (first->start > p->start)
        return -ENOMEM;
    int error = reserve(mm, p, first);
    if (!error)
        error = protect_range(mm, p, first);
    while (p->spares > 0)
        vma_free(p->spare[--p->spares]);
    return error;
}

long mm_mprotect(struct mm *mm, vaddr_t addr, u64 length, u32 prot)
{
    u32 grows = prot & (PROT_GROWSDOWN | PROT_GROWSUP);
    struct protect p = {.start = addr, .end = addr + page_align_up(length)};

    prot &= ~grows;
    if (grows == (PROT_GROWSDOWN | PROT_GROWSUP) || (addr & ~PAGE_MASK))
        return -EINVAL;
    if (length == 0)
        return 0;
    if (p.end <= addr)
        return -ENOMEM;
    if (prot & ~(u32)(PROT_READ | PROT_WRITE | PROT_EXEC | PROT_SEM))
        return -EINVAL;
    p.rights = prot & (VM_READ | VM_WRITE | VM_EXEC); /* the same bits */
    rwsem_write_lock(&mm->lock);
    int error = protect_locked(mm, &p, grows == PROT_GROWSDOWN);
    if (!error && grows == PROT_GROWSUP)
        error = -EINVAL; /* no VMA grows up here */
    rwsem_write_unlock(&mm->lock);
    return error;
}
_Static_assert(VM_READ == PROT_READ && VM_WRITE == PROT_WRITE && VM_EXEC == PROT_EXEC,
               "rights have the same bits as PROT_");
