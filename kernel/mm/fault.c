/*
 * fault.c: what a page of each kind of memory is when it is first touched, or written to.
 *
 * A VMA says what should be there, the entry what is there. The two name the case, and the switch
 * in fault_page is the definition of every kind of memory:
 *
 *      case           VMA                 entry            what is done
 *      F0 SPURIOUS    any                 allows it        nothing: another thread was faster
 *      F1 ZERO        private anonymous   none             a zeroed page; read-only until written
 *      F2 FILE_READ   private file, read  none             the cache's page, read-only
 *      F3 FILE_COPY   private file, write none             a private copy of the cache's page
 *      F4 SHARED      shared, any access  none, read-only  the cache's page; a write dirties it
 *      F5 COW         private, write      read-only        a private copy, or the page itself if
 *                                                          nobody else uses it
 *
 * Order: look at the entry under its table's lock; let go and get the page ready; lock again and
 * enter it only if the entry is still the same and the file still has the page, else FAULT_RETRY.
 * Tables don't go meanwhile: mm.lock is held for read, from the VMA's lookup to the end. An entry
 * has one reference of its page and one count in page->maps.
 */
#include "kernel/core/panic.h"
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/string.h"

enum fault_case { F0_SPURIOUS, F1_ZERO, F2_FILE_READ, F3_FILE_COPY, F4_SHARED, F5_COW };

struct fault {
    struct mm *mm;
    struct vma *vma;
    vaddr_t addr; /* of the page */
    bool write;
    struct pt_slot slot;
    pte_t seen;        /* the entry, when the case was named */
    struct page *page; /* what will be entered, with a reference */
};

static enum fault_case fault_case(const struct fault *f)
{
    bool shared = f->vma->flags & VM_SHARED;

    if (pte_none(f->seen)) {
        if (shared)
            return F4_SHARED;
        if (!f->vma->file)
            return F1_ZERO;
        return f->write ? F3_FILE_COPY : F2_FILE_READ;
    }
    if (!f->write || pte_writable(f->seen))
        return F0_SPURIOUS;
    return shared ? F4_SHARED : F5_COW;
}

static pgoff_t file_index(const struct fault *f)
{
    return f->vma->pgoff + ((f->addr - f->vma->start) >> PAGE_SHIFT);
}

/* ---- pages ---- */

/* The first private write to a VMA gives it an id; see struct vma. Several threads may be here at
 * once. */
static void ensure_anon_id(struct fault *f)
{
    u32 none = 0, id;

    if (READ_ONCE(f->vma->anon_id))
        return;
    id = vma_neighbour_anon_id(&f->mm->vmas, f->vma);
    if (!id)
        id = __atomic_fetch_add(&f->mm->next_anon_id, 1, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&f->vma->anon_id, &none, id, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

static enum fault_result zero_page(struct fault *f)
{
    f->page = page_alloc_zeroed(PAGE_ANON);
    if (!f->page)
        return FAULT_OOM;
    vmcount_add(&f->mm->counts, VMC_pages_zeroed, 1);
    if (f->write)
        ensure_anon_id(f);
    return FAULT_DONE;
}

static enum fault_result cache_page(struct fault *f)
{
    int error = mapping_page_for_fault(f->vma->file->mapping, file_index(f), &f->page);

    if (error)
        return error == -ENOMEM ? FAULT_OOM : FAULT_BUSERR;
    return FAULT_DONE;
}

/* f->page becomes a private copy of source, whose reference is used up. */
static enum fault_result copy_page(struct fault *f, struct page *source)
{
    f->page = page_alloc(0, PAGE_ANON);
    if (f->page) {
        memcpy(page_to_virt(f->page), page_to_virt(source), PAGE_SIZE);
        vmcount_add(&f->mm->counts, VMC_cow_copies, 1);
        ensure_anon_id(f);
    }
    page_put(source);
    return f->page ? FAULT_DONE : FAULT_OOM;
}

static enum fault_result copy_cache_page(struct fault *f)
{
    enum fault_result result = cache_page(f);

    return result == FAULT_DONE ? copy_page(f, f->page) : result;
}

static enum fault_result shared_page(struct fault *f)
{
    struct mm_file *file = f->vma->file;
    enum fault_result result = cache_page(f);

    if (result == FAULT_DONE && f->write) {
        f->page->dirty = 1;
        file->ops->modified(file);
    }
    return result;
}

/* ---- entries ---- */

static void note_page(struct fault *f, const struct page *page, u64 change)
{
    mm_rss_add(f->mm, page->kind == PAGE_ANON ? RSS_ANON : RSS_FILE, change);
}

/* Rights of the new entry: write only for who asked for it, so that the first write is always
 * seen. */
static pte_t new_entry(const struct fault *f, const struct page *page)
{
    u32 flags = f->vma->flags;
    pte_t entry = pte_leaf(page_to_pfn(page), (flags & VM_WRITE && f->write ? RIGHT_WRITE : 0) |
                                                  (flags & VM_EXEC ? RIGHT_EXEC : 0) | RIGHT_READ);

    return f->write ? pte_make_dirty(entry) : entry;
}

/* The size is read again under the table's lock: see mapping.c. */
static bool still_right(const struct fault *f)
{
    bool cached = f->page->kind == PAGE_CACHE;

    return f->slot.entry->v == f->seen.v &&
           (!cached || (READ_ONCE(f->page->mapping) == f->vma->file->mapping &&
                        mapping_has(f->vma->file->mapping, file_index(f))));
}

/* Enter f->page, whose reference goes to the entry. */
static enum fault_result enter_page(struct fault *f)
{
    struct page *old = pte_none(f->seen) ? NULL : pfn_to_page(pte_pfn(f->seen));

    spin_lock(&f->slot.table->lock);
    if (!still_right(f)) {
        pt_slot_unlock(&f->slot);
        page_put(f->page);
        return FAULT_RETRY;
    }
    if (old != f->page) {
        page_map(f->page);
        note_page(f, f->page, 1);
    }
    pt_slot_set(&f->slot, new_entry(f, f->page)); /* drops the old translation */
    pt_slot_unlock(&f->slot);
    if (!old)
        return FAULT_DONE;
    if (old != f->page) {
        page_unmap(old);
        note_page(f, old, -1ul);
    }
    page_put(old); /* the old entry's reference, or one of two to the same page */
    return FAULT_DONE;
}

/* ---- the cases ---- */

/* => the slot is locked; unlocks it. */
static enum fault_result copy_on_write(struct fault *f)
{
    struct page *old = pfn_to_page(pte_pfn(f->seen));

    if (old->kind == PAGE_ANON && __atomic_load_n(&old->refs, __ATOMIC_ACQUIRE) == 1) {
        ensure_anon_id(f);
        pt_slot_set(&f->slot, new_entry(f, old));
        pt_slot_unlock(&f->slot);
        return FAULT_DONE;
    }
    page_get(old);
    pt_slot_unlock(&f->slot);
    enum fault_result result = copy_page(f, old);
    return result == FAULT_DONE ? enter_page(f) : result;
}

static enum fault_result fault_page(struct fault *f)
{
    enum fault_result result = FAULT_DONE;

    if (pt_slot_lock(&f->mm->pt, f->addr, true, &f->slot))
        return FAULT_OOM;
    f->seen = *f->slot.entry;
    enum fault_case found = fault_case(f);
    if (found == F0_SPURIOUS)
        mmu_fill(&f->mm->pt.hw, f->addr, f->seen);
    if (found == F5_COW)
        return copy_on_write(f);
    pt_slot_unlock(&f->slot);
    switch (found) {
    case F0_SPURIOUS:
        return FAULT_ALLOWED;
    case F1_ZERO:
        result = zero_page(f);
        break;
    case F2_FILE_READ:
        result = cache_page(f);
        break;
    case F3_FILE_COPY:
        result = copy_cache_page(f);
        break;
    case F4_SHARED:
        result = shared_page(f);
        break;
    case F5_COW:
        break;
    }
    return result == FAULT_DONE ? enter_page(f) : result;
}

/* As Linux on x86: write implies read, and so does exec. */
static bool allowed(const struct vma *vma, enum fault_access access, bool force)
{
    switch (access) {
    case FAULT_WRITE:
        return vma->flags & VM_WRITE || (force && vma_accessible(vma) && !(vma->flags & VM_SHARED));
    case FAULT_EXEC:
        return vma->flags & VM_EXEC;
    default:
        return vma_accessible(vma);
    }
}

static enum fault_result fault_at(struct mm *mm, vaddr_t addr, enum fault_access access, bool force)
{
    enum fault_result result = FAULT_MAPERR;

    if (addr >= USER_END)
        return FAULT_MAPERR;
    rwsem_read_lock(&mm->lock);
    struct vma *vma = vma_find(&mm->vmas, addr);
    bool below = vma && addr < vma->start;
    bool grow = below && (vma->flags & VM_GROWSDOWN);
    if (vma && !below) {
        struct fault f = {
            .mm = mm, .vma = vma, .addr = addr & PAGE_MASK, .write = access == FAULT_WRITE};
        result = allowed(vma, access, force) ? fault_page(&f) : FAULT_ACCERR;
    }
    rwsem_read_unlock(&mm->lock);
    return grow ? stack_grow(mm, addr) : result;
}

enum fault_result fault_in(struct mm *mm, vaddr_t addr, enum fault_access access, bool force)
{
    enum fault_result result = fault_at(mm, addr, access, force);

    return result == FAULT_ALLOWED ? FAULT_DONE : result;
}

/* => mm.lock not held, no spin lock held; may sleep. A retry is not counted: the access comes
 * again. */
enum fault_result mm_fault(struct mm *mm, vaddr_t addr, enum fault_access access)
{
    enum fault_result result = fault_at(mm, addr, access, false);

    if (result != FAULT_RETRY)
        vmcount_add(&mm->counts, VMC_faults, 1);
    return result;
}
