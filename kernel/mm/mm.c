/*
 * mm.c: an address space's beginning and end, and its books.
 *
 *      struct mm --vmas--> what should be there     (VMA store)
 *                --pt----> what is there            (page table)
 *                rss, total_pages, counts           mm_check compares them with both
 *
 * The end: once the last reference is gone nobody can fault or map, so one unmap takes out
 * everything, carrying the left-over of one VMA's zap to the next; then only the root table is
 * left.
 */
#include "kernel/core/panic.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/space.h"
#include "kernel/mm/zap.h"

#include <limits.h>

enum {
    STACK_LIMIT = 8 << 20,  /* RLIMIT_STACK */
    STACK_ROOM = 128 << 20, /* what mmap keeps clear of it */
    MEMLOCK_LIMIT = 8 << 20,
};

static struct slab_cache mm_cache, node_cache;

static void *node_alloc(void)
{
    return slab_alloc_zeroed(&node_cache);
}

static void node_free(void *node)
{
    slab_free(&node_cache, node);
}

void mm_init_once(void)
{
    static const struct radix_allocator nodes = {node_alloc, node_free};

    slab_cache_init(&mm_cache, "mm", sizeof(struct mm), 8);
    slab_cache_init(&node_cache, "radix_node", RADIX_NODE_SIZE, 8);
    radix_set_allocator(&nodes);
    vma_init_once();
    shared_init_once();
    knob_register(&max_map_count_knob);
    knob_register(&mmap_min_addr_knob);
    knob_register(&overcommit_knob);
    zap_register_knobs();
}

struct mm *mm_create(void)
{
    struct mm *mm = slab_alloc_zeroed(&mm_cache);

    if (!mm)
        return NULL;
    if (pt_init(&mm->pt, &mm->counts)) {
        slab_free(&mm_cache, mm);
        return NULL;
    }
    rwsem_init(&mm->lock, RANK_MM);
    vma_store_init(&mm->vmas, &mm->counts);
    mm->refs = 1;
    mm->next_anon_id = 1;
    for (int i = 0; i < MM_LIMITS; i++)
        mm->limit[i] = ~0ul;
    mm->limit[MM_LIMIT_STACK] = STACK_LIMIT;
    mm->limit[MM_LIMIT_MEMLOCK] = MEMLOCK_LIMIT;
    mm->lock_exempt = true; /* there is only root */
    u64 guard = knob_value(&vma_stack_guard_knob) << PAGE_SHIFT;
    mm->mmap_base = align_down(USER_END - max_u64(STACK_ROOM, STACK_LIMIT + guard), PAGE_SIZE);
    return mm;
}

struct mm *mm_get(struct mm *mm)
{
    __atomic_fetch_add(&mm->refs, 1, __ATOMIC_RELAXED);
    return mm;
}

void mm_put(struct mm *mm)
{
    if (__atomic_fetch_sub(&mm->refs, 1, __ATOMIC_ACQ_REL) != 1)
        return;
    rwsem_write_lock(&mm->lock);
    unmap_all(mm);
    rwsem_write_unlock(&mm->lock);
    ASSERT(mm->vmas.count == 0 && mm->total_pages == 0 && !mm->rss[RSS_ANON] && !mm->rss[RSS_FILE],
           "%u VMAs, %lu pages, rss %lu + %lu left", mm->vmas.count, mm->total_pages,
           mm->rss[RSS_ANON], mm->rss[RSS_FILE]);
    pt_destroy(&mm->pt);
    slab_free(&mm_cache, mm);
}

/* ---- the books ---- */

struct audit {
    struct walk walk; /* first */
    struct mm *mm;
    struct vma *vma; /* that the last entry was in */
    u64 rss[RSS_KINDS];
};

static void audit_entry(struct audit *audit, pte_t e, vaddr_t addr)
{
    struct vma *vma = audit->vma;
    struct page *page = pfn_to_page(pte_pfn(e));

    while (vma && vma->end <= addr)
        vma = vma_next(&audit->mm->vmas, vma);
    audit->vma = vma;
    ASSERT(vma && vma->start <= addr, "%lx: an entry (%lx) outside all VMAs", addr, e.v);
    ASSERT(page->kind == PAGE_ANON ? !(vma->flags & VM_SHARED) : vma->file != NULL,
           "%lx: page of kind %u", addr, page->kind);
    audit->rss[page->kind == PAGE_ANON ? RSS_ANON : RSS_FILE]++;
    if (!pte_present(e))
        return;
    ASSERT(vma_accessible(vma) && (!pte_writable(e) || (vma->flags & VM_WRITE)) &&
               (!pte_executable(e) || (vma->flags & VM_EXEC)),
           "%lx: entry %lx allows more than VMA flags %x", addr, e.v, vma->flags);
    ASSERT(!pte_writable(e) || (vma->flags & VM_SHARED) ||
               (page->kind == PAGE_ANON && vma->anon_id),
           "%lx: a private page is writable unseen", addr);
}

static void audit_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr,
                         unsigned n)
{
    (void)table;
    for (unsigned i = 0; i < n; i++)
        audit_entry((struct audit *)w, entries[i], addr + i * PAGE_SIZE);
}

void mm_check(struct mm *mm)
{
    static const struct walk_ops ops = {.leaves = audit_leaves};
    struct audit audit = {.walk = {.pt = &mm->pt, .ops = &ops, .work = LONG_MAX}, .mm = mm};
    u64 pages = 0, kinds[MM_KINDS] = {0};

    vma_check(&mm->vmas);
    pt_check(&mm->pt);
    for (struct vma *vma = vma_next(&mm->vmas, NULL); vma; vma = vma_next(&mm->vmas, vma)) {
        pages += vma_pages(vma);
        for (int kind = 0; kind < MM_KINDS; kind++)
            kinds[kind] += mm_is_kind(vma->flags, kind) ? vma_pages(vma) : 0;
        ASSERT(vma->file || !(vma->flags & VM_SHARED), "%lx: shared without a file", vma->start);
    }
    audit.vma = vma_next(&mm->vmas, NULL);
    walk_range(&audit.walk, 0, USER_LIMIT);
    ASSERT(pages == mm->total_pages, "%lu pages mapped, %lu counted", pages, mm->total_pages);
    for (int kind = 0; kind < MM_KINDS; kind++)
        ASSERT(kinds[kind] == mm->kind_pages[kind], "kind %d: %lu pages, %lu counted", kind,
               kinds[kind], mm->kind_pages[kind]);
    for (int kind = 0; kind < RSS_KINDS; kind++)
        ASSERT(audit.rss[kind] == mm->rss[kind], "rss %d: %lu pages, %lu counted", kind,
               audit.rss[kind], mm->rss[kind]);
}
