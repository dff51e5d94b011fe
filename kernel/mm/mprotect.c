/*
 * mprotect.c: new rights for a range, one VMA after the other.
 *
 * change.c goes along the VMAs and cuts or merges. Linux stops at the first part it must refuse (a
 * hole: ENOMEM, a right the file does not allow: EACCES) and leaves what came before it changed,
 * and so does this. => mm.lock held for write.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/abi/mman.h"

enum { PROT_SEM = 8 }; /* Linux accepts it; it means nothing on x86 */

/* The part's flags with the new rights. Writable private memory has to be promised; the promise
 * goes again while nothing can have been written. Returns the pages to charge (or, negative, to
 * give back). */
static s64 new_flags(const struct vma *vma, u32 rights, u64 pages, u32 *flags)
{
    *flags = (vma->flags & ~(u32)VM_RIGHTS) | rights;
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

static void set_entries(struct mm *mm, struct vma *vma, vaddr_t start, vaddr_t end)
{
    unsigned rights = vma->flags & VM_RIGHTS;

    /* The first write must be seen: it dirties a file, or gives private memory its id. */
    if ((rights & RIGHT_WRITE) && ((vma->flags & VM_SHARED) || vma->anon_id == 0))
        rights = (rights & ~(unsigned)RIGHT_WRITE) | RIGHT_READ;
    pt_protect(&mm->pt, start, end, rights, vma->flags & VM_SHARED);
}

/* Writable memory is what RLIMIT_DATA limits. */
static bool too_much_data(const struct mm *mm, u32 old, u32 flags, u64 pages)
{
    return (flags & VM_WRITE) && !mm_may_grow(mm, flags, pages) && mm_may_grow(mm, old, pages);
}

/* One VMA's part of the range; c->set are the rights. */
static int protect_part(struct mm *mm, struct change *c, struct vma **vma, vaddr_t start,
                        vaddr_t end)
{
    u32 flags, old = (*vma)->flags;
    u64 pages = (end - start) >> PAGE_SHIFT;
    s64 charge = new_flags(*vma, c->set, pages, &flags);

    if (c->set & ~(old >> 4)) /* VM_MAY rights lie 4 above the rights */
        return -EACCES;
    if (flags == old)
        return 0;
    if (too_much_data(mm, old, flags, pages) || (charge > 0 && commit_charge(mm, charge)))
        return -ENOMEM;
    if (change_flags(mm, c, vma, start, end, flags)) {
        commit_return(charge > 0 ? charge : 0);
        return -ENOMEM;
    }
    commit_return(charge < 0 ? -charge : 0);
    set_entries(mm, *vma, start, end);
    return 0;
}
_Static_assert(VM_MAYREAD == VM_READ << 4 && VM_MAYWRITE == VM_WRITE << 4 &&
                   VM_MAYEXEC == VM_EXEC << 4,
               "rights that may be given lie 4 bits above the rights");

static int protect_locked(struct mm *mm, struct change *c, u32 grows)
{
    struct vma *first = vma_find(&mm->vmas, c->start);

    if (!first || first->start >= c->end)
        return -ENOMEM;
    if (grows == PROT_GROWSDOWN) {
        if (!(first->flags & VM_GROWSDOWN))
            return -EINVAL;
        c->start = first->start;
    }
    if (first->start > c->start)
        return -ENOMEM;
    if (grows == PROT_GROWSUP)
        return -EINVAL; /* no VMA grows up here */
    return change_range(mm, c, first);
}

long mm_mprotect(struct mm *mm, vaddr_t addr, u64 length, u32 prot)
{
    u32 grows = prot & (PROT_GROWSDOWN | PROT_GROWSUP);
    struct change c = {.start = addr,
                       .end = addr + page_align_up(length),
                       .part = protect_part,
                       .no_vma = -ENOMEM};

    prot &= ~grows;
    if (grows == (PROT_GROWSDOWN | PROT_GROWSUP) || (addr & ~PAGE_MASK))
        return -EINVAL;
    if (length == 0)
        return 0;
    if (c.end <= addr)
        return -ENOMEM;
    if (prot & ~(u32)(PROT_READ | PROT_WRITE | PROT_EXEC | PROT_SEM))
        return -EINVAL;
    c.set = prot & VM_RIGHTS;
    rwsem_write_lock(&mm->lock);
    int error = protect_locked(mm, &c, grows);
    bool locked = mm->kind_pages[MM_LOCKED] > 0;
    rwsem_write_unlock(&mm->lock);
    if (!error && locked && (c.set & VM_WRITE)) /* locked pages are there as soon as they can be */
        mm_populate(mm, c.start, c.end, POPULATE_LOCKED);
    return error;
}
_Static_assert(VM_READ == PROT_READ && VM_WRITE == PROT_WRITE && VM_EXEC == PROT_EXEC,
               "rights have the same bits as PROT_");
_Static_assert((int)VM_READ == (int)RIGHT_READ && (int)VM_WRITE == (int)RIGHT_WRITE &&
                   (int)VM_EXEC == (int)RIGHT_EXEC,
               "and as those of an entry");
