/*
 * proc_usage.c: how much there is of an address space, and whose it is: sums for /proc/PID/smaps,
 * sizes for status and statm.
 *
 *      smaps:  VMA --walk_range--> entries that are there --> each page's users
 *
 * The walk jumps over what is empty, so the answer for 16 TiB in which nothing was touched takes as
 * many reads as the root has entries for it. They are counted as query_reads. A page is private
 * when one entry leads to it, shared when more do; the count may change while it is looked at.
 */
#include "kernel/fs/proc_maps.h"

struct usage_walk {
    struct walk walk; /* first */
    struct mm_usage *usage;
};

static void usage_entry(struct mm_usage *usage, pte_t e)
{
    const struct page *page = pfn_to_page(pte_pfn(e));
    u32 maps = READ_ONCE(page->maps);
    u64 share = (PAGE_SIZE << PSS_SHIFT) / max_u64(maps, 1);
    bool dirty = pte_dirty(e) || (page->kind == PAGE_CACHE && page->dirty);

    usage->rss += PAGE_SIZE;
    usage->pss += share;
    usage->referenced += pte_young(e) ? PAGE_SIZE : 0;
    usage->pss_dirty += dirty ? share : 0;
    if (page->kind == PAGE_ANON) {
        usage->anonymous += PAGE_SIZE;
        usage->pss_anon += share;
    } else {
        usage->pss_file += share;
    }
    if (maps > 1)
        *(dirty ? &usage->shared_dirty : &usage->shared_clean) += PAGE_SIZE;
    else
        *(dirty ? &usage->private_dirty : &usage->private_clean) += PAGE_SIZE;
}

static void usage_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr,
                         unsigned n)
{
    (void)table, (void)addr;
    for (unsigned i = 0; i < n; i++)
        if (pte_has_page(entries[i]))
            usage_entry(((struct usage_walk *)w)->usage, entries[i]);
}

void proc_usage_sum(struct mm *mm, const struct vma *vma, struct mm_usage *usage)
{
    static const struct walk_ops ops = {.leaves = usage_leaves};
    struct usage_walk walk = {.walk = {.pt = &mm->pt, .ops = &ops}, .usage = usage};
    u64 before = usage->pss;

    walk_whole(&walk.walk, vma->start, vma->end, VMC_query_reads);
    if (vma->flags & VM_LOCKED)
        usage->locked += usage->pss - before;
}

void proc_mm_sizes(struct mm *mm, struct mm_sizes *sizes)
{
    u64 file = READ_ONCE(mm->rss[RSS_FILE]);

    *sizes = (struct mm_sizes){
        .total = READ_ONCE(mm->total_pages),
        .peak = READ_ONCE(mm->peak_total_pages),
        .locked = READ_ONCE(mm->kind_pages[MM_LOCKED]),
        .data = READ_ONCE(mm->kind_pages[MM_DATA]),
        .stack = READ_ONCE(mm->kind_pages[MM_STACK]),
        .exec = READ_ONCE(mm->kind_pages[MM_EXEC]),
        .rss_anon = READ_ONCE(mm->rss[RSS_ANON]),
        .rss_shared = file,
        .rss_peak = mm_peak_rss(mm),
        .tables = READ_ONCE(mm->pt.tables),
    };
}
