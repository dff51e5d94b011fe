/*
 * fork.c: a second address space like the first.
 *
 *      parent's entry   writable          becomes   read-only, page shared   (F5 in fault.c: the next write copies)
 *      child's entry    none              becomes   the same
 *
 * First all VMAs are copied and hooked, so that truncate finds the child's too; then the entries, by one walk of the parent's
 * table for each run of neighbours. Only what a fault could not bring back is copied, as in Linux: VMAs that private pages
 * were written in (anon_id). Shared files, files only read and zeroes only read are left to faults.
 *
 *      leaves   under the parent's leaf table's lock: a reference for each page, the write right off, the entry into image
 *      leave    nothing locked: image goes into the child's leaf table, made if need be
 *
 * So no two tables are locked at once. A file's map_lock is held while its VMA's entries are copied: truncate sees
 * both spaces before or both after. The child's VMAs get ids of their own, marked as inherited: see vma.h.
 *
 * => The parent's mm.lock is held for write, so that it neither faults nor maps. Nobody but truncate can reach the child. An
 * error puts the child, which undoes all; what the parent keeps is entries without write right, which a fault gives back.
 */
#include "kernel/core/panic.h"
#include "kernel/mm/space.h"
#include "kernel/sched/thread.h"
#include "lib/abi/errno.h"
#include "lib/string.h"

#include <limits.h>

struct fork {
    struct walk walk; /* first; of the parent */
    struct mm *child;
    struct page *image_page;
    pte_t *image; /* what goes into the child's leaf table, by index */
    vaddr_t low,
        high; /* of image: addresses of the first entry and behind the last; low >= high: empty */
    vaddr_t drop_start, drop_end; /* the parent's entries that lost the right to write */
};

/* ---- the VMAs ---- */

/* 0 or -ENOMEM. */
static int copy_vma(struct mm *child, const struct vma *vma)
{
    u64 promised = vma->flags & VM_ACCOUNT ? vma_pages(vma) : 0;
    if (promised && commit_charge(child, promised))
        return -ENOMEM;
    struct vma *copy = vma_alloc(&child->vmas);
    if (!copy) {
        commit_return(promised);
        return -ENOMEM;
    }
    struct vma_shape shape = vma_part(vma, vma->start, vma->end);
    bool written = vma->anon_id && !(vma->flags & VM_WIPEONFORK);
    shape.flags &= ~(u32)VM_LOCK_BITS;
    shape.anon_id = written ? child->next_anon_id++ | ANON_ID_INHERITED : 0;
    if (shape.file)
        mm_file_get(shape.file);
    mm_insert_shape(child, &shape, NULL, copy);
    return 0;
}

static int copy_vmas(struct mm *child, struct mm *parent)
{
    for (struct vma *vma = vma_next(&parent->vmas, NULL); vma; vma = vma_next(&parent->vmas, vma))
        if (!(vma->flags & VM_DONTCOPY) && copy_vma(child, vma))
            return -ENOMEM;
    return 0;
}

/* ---- the entries ---- */

static void image_clear(struct fork *fork)
{
    fork->low = ~0ul;
    fork->high = 0;
}

/* One more user of the page that *entry names. Returns the child's entry. => the parent's table is locked. */
static pte_t share_entry(struct fork *fork, pte_t *entry, vaddr_t addr)
{
    pte_t e = *entry;
    struct page *page = pfn_to_page(pte_pfn(e));

    page_get(page);
    page_map(page);
    if (!pte_writable(e))
        return e;
    e = pte_no_write(pt_entry_take(entry)); /* the CPU may be setting the dirty bit */
    WRITE_ONCE(entry->v, e.v);
    fork->drop_start = min_u64(fork->drop_start, addr);
    fork->drop_end = addr + PAGE_SIZE;
    return e;
}

static void fork_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr,
                        unsigned n)
{
    struct fork *fork = (struct fork *)w;
    pte_t *image = fork->image + level_index(addr, LEVEL_PTE);
    (void)table; /* a page stays a page: the live count stays */

    fork->low = min_u64(fork->low, addr);
    fork->high = addr + n * PAGE_SIZE;
    for (unsigned i = 0; i < n; i++, addr += PAGE_SIZE)
        image[i] = pte_has_page(entries[i]) ? share_entry(fork, &entries[i], addr) : (pte_t){0};
}

/* Empty the image, into the child's leaf table: slot is the entry of fork->low. NULL: there is no
 * table, and the pages get their references back. */
static void image_empty(struct fork *fork, struct pt_slot *slot)
{
    u64 rss[RSS_KINDS] = {0};

    for (vaddr_t addr = fork->low; addr < fork->high; addr += PAGE_SIZE) {
        pte_t *e = &fork->image[level_index(addr, LEVEL_PTE)];
        if (pte_none(*e))
            continue;
        struct page *page = pfn_to_page(pte_pfn(*e));
        if (slot) {
            pt_entry_set(slot->table, slot->entry + ((addr - fork->low) >> PAGE_SHIFT), *e);
            rss[page->kind == PAGE_ANON ? RSS_ANON : RSS_FILE]++;
        } else {
            page_unmap(page);
            page_put(page);
        }
        *e = (pte_t){0};
    }
    for (int kind = 0; kind < RSS_KINDS; kind++)
        mm_rss_add(fork->child, kind, rss[kind]);
    image_clear(fork);
}

/* A leaf table of the parent has been walked. */
static void fork_leave(struct walk *w, struct page *parent, pte_t *entry, vaddr_t start,
                       vaddr_t end)
{
    struct fork *fork = (struct fork *)w;
    struct pt_slot slot;
    (void)entry, (void)start, (void)end;

    if (parent->level != LEVEL_PMD || fork->low >= fork->high)
        return;
    if (pt_slot_lock(&fork->child->pt, fork->low, true, &slot)) {
        image_empty(fork, NULL);
        w->error = -ENOMEM;
        w->work = 0;
    } else {
        image_empty(fork, &slot);
        pt_slot_unlock(&slot);
    }
    sched_yield_point();
}

/* Has vma, of the parent, anything that a fault could not bring back? */
static bool needs_entries(const struct vma *vma)
{
    return vma->anon_id && !(vma->flags & (VM_DONTCOPY | VM_WIPEONFORK));
}

/* Copy the entries of vma and of those directly above it that are like it; *vma is the last of them after. */
static void copy_run(struct fork *fork, struct vma_store *vmas, struct vma **vma)
{
    struct mm_file *file = (*vma)->file;
    vaddr_t start = (*vma)->start;

    for (struct vma *next; !file && (next = vma_next(vmas, *vma)) != NULL; *vma = next)
        if (next->start != (*vma)->end || next->file || !needs_entries(next))
            break;
    mm_file_lock(file);
    walk_range(&fork->walk, start, (*vma)->end);
    mm_file_unlock(file);
}

static int copy_entries(struct fork *fork, struct mm *parent)
{
    for (struct vma *vma = vma_next(&parent->vmas, NULL); vma && !fork->walk.error;
         vma = vma_next(&parent->vmas, vma))
        if (needs_entries(vma))
            copy_run(fork, &parent->vmas, &vma);
    if (fork->drop_start < fork->drop_end)
        pt_drop(&parent->pt, fork->drop_start, fork->drop_end);
    vmcount_add(&parent->counts, VMC_fork_reads, walk_reads(&fork->walk));
    return fork->walk.error;
}

/* ---- all of it ---- */

static void inherit(struct mm *child, const struct mm *parent)
{
    const size_t from = offsetof(struct mm, limit);

    memcpy((u8 *)child + from, (const u8 *)parent + from, sizeof(*child) - from);
}

static int copy_all(struct mm *child, struct mm *parent)
{
    static const struct walk_ops ops = {.leaves = fork_leaves, .leave = fork_leave};
    struct fork fork = {
        .walk = {.pt = &parent->pt, .ops = &ops, .work = LONG_MAX},
        .child = child,
        .image_page = page_alloc_zeroed(PAGE_KERNEL),
        .drop_start = ~0ul,
    };

    if (!fork.image_page)
        return -ENOMEM;
    fork.image = page_to_virt(fork.image_page);
    image_clear(&fork);
    inherit(child, parent);
    int error = copy_vmas(child, parent);
    if (!error)
        error = copy_entries(&fork, parent);
    page_free(fork.image_page);
    return error;
}
_Static_assert(PAGE_SIZE / sizeof(pte_t) == 1u << PT_LEVEL_BITS, "the image of a table is a page");

struct mm *mm_fork(struct mm *parent)
{
    struct mm *child = mm_create();

    if (!child)
        return NULL;
    rwsem_write_lock(&parent->lock);
    int error = copy_all(child, parent);
    rwsem_write_unlock(&parent->lock);
    if (!error)
        return child;
    mm_put(child);
    return NULL;
}
