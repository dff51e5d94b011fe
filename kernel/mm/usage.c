/*
 * usage.c: questions about an address space that change nothing in it: how much is there and whose it is
 * (/proc/PID/smaps), how large it is (status, statm), what its memory holds (cmdline, environ).
 *
 *      smaps:  VMA --walk_range--> entries that are there --> each page's users
 *
 * The walk jumps over what is empty, so the answer for 16 TiB in which nothing was touched takes as
 * many reads as the root has entries for it. They are counted as query_reads. A page is private
 * when one entry leads to it, shared when more do; the count may change while it is looked at.
 * => mm.lock held for read.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/string.h"

#include <limits.h>

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

void usage_add(struct mm *mm, const struct vma *vma, struct mm_usage *usage)
{
    static const struct walk_ops ops = {.leaves = usage_leaves};
    struct usage_walk walk = {.walk = {.pt = &mm->pt, .ops = &ops, .work = LONG_MAX},
                              .usage = usage};
    u64 before = usage->pss;

    walk_range(&walk.walk, vma->start, vma->end);
    vmcount_add(&mm->counts, VMC_query_reads, walk_reads(&walk.walk));
    if (vma->flags & VM_LOCKED)
        usage->locked += usage->pss - before;
}

/* ---- sizes ---- */

/* => takes no lock: each number is right by itself. */
void mm_sizes(struct mm *mm, struct mm_sizes *sizes)
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

/* ---- memory ---- */

/* n bytes of the page at addr. => mm.lock held; a VMA is there. */
static void peek_page(struct mm *mm, vaddr_t addr, void *dst, size_t n)
{
    struct pt_slot slot;
    struct page *page = NULL;

    if (pt_slot_lock(&mm->pt, addr, false, &slot) == 0) {
        if (pte_has_page(*slot.entry)) {
            page = pfn_to_page(pte_pfn(*slot.entry));
            page_get(page);
        }
        pt_slot_unlock(&slot);
    }
    if (!page) {
        memset(dst, 0, n);
        return;
    }
    memcpy(dst, (u8 *)page_to_virt(page) + (addr & ~PAGE_MASK), n);
    page_put(page);
}

size_t mm_peek(struct mm *mm, vaddr_t addr, void *dst, size_t length)
{
    size_t done = 0;

    rwsem_read_lock(&mm->lock);
    while (done < length) {
        struct vma *vma = vma_find_quiet(&mm->vmas, addr);
        if (!vma || addr < vma->start)
            break;
        size_t n = min_u64(length - done, PAGE_SIZE - (addr & ~PAGE_MASK));
        peek_page(mm, addr, (u8 *)dst + done, n);
        addr += n;
        done += n;
    }
    rwsem_read_unlock(&mm->lock);
    return done;
}
