/*
 * gather.c: what was taken out of the page table and must not be free yet.
 *
 * A page may be given to somebody else only when no CPU can reach it by an old translation any
 * more; a table, only when no CPU can still read it on the way to one. So the walk clears entries
 * and hands pages and tables to the gather, and the gather drops the translations of all of them at
 * once, then frees:
 *
 *      clear the entries  ->  drop the translations  ->  free
 *
 * It lies on the stack of whoever unmaps and never allocates; when it is full it is flushed, if
 * need be under the lock of the table that is being emptied.
 */
#include "kernel/core/panic.h"
#include "kernel/core/vmcount.h"
#include "kernel/mm/zap.h"

static void gather_clear(struct gather *gather)
{
    gather->n = 0;
    gather->start = ~0ul;
    gather->end = 0;
    gather->tables = NULL;
}

void gather_init(struct gather *gather, struct pt *pt)
{
    gather->pt = pt;
    gather_clear(gather);
}

static void gather_cover(struct gather *gather, vaddr_t addr)
{
    gather->start = min_u64(gather->start, addr);
    gather->end = max_u64(gather->end, addr + PAGE_SIZE);
}

/* => The entry of addr is cleared, its table still locked. The reference that the entry held is the
 * gather's now. */
void gather_page(struct gather *gather, vaddr_t addr, struct page *page)
{
    gather_cover(gather, addr);
    gather->pages[gather->n++] = page;
    if (gather->n == GATHER_PAGES)
        gather_flush(gather);
}

/* => mm.lock held for write; no entry points to table any more, and nothing is live in it. addr is
 * any address that it mapped: the drop of one address takes with it what the CPU remembers of the
 * tables above (Intel SDM volume 3, section 4.10.4.1). The pages below it went through gather_page
 * before. */
void gather_table(struct gather *gather, vaddr_t addr, struct page *table)
{
    ASSERT(table->live == 0, "table %lx of %lx has %u live entries", page_to_pfn(table).v, addr,
           table->live);
    gather_cover(gather, addr);
    table->next = gather->tables;
    gather->tables = table;
    __atomic_fetch_sub(&gather->pt->tables, 1, __ATOMIC_RELAXED);
    vmcount_add(gather->pt->counts, VMC_tables_freed, 1);
}

void gather_flush(struct gather *gather)
{
    struct page *table = gather->tables;

    if (gather->start >= gather->end)
        return;
    pt_drop(gather->pt, gather->start, gather->end);
    for (unsigned i = 0; i < gather->n; i++)
        page_put(gather->pages[i]);
    while (table) {
        struct page *next = table->next;
        page_free(table);
        table = next;
    }
    gather_clear(gather);
}
