/*
 * pt_check.c: does the page table agree with its own books?
 *
 * Looks at every table and every entry: kinds, levels, references, the live count of each table,
 * and the number of tables. A broken invariant panics with what it found. Callable from tests,
 * procfs and gdb. => mm.lock held, so that no table goes; entries should not change meanwhile.
 */
#include "kernel/mm/pt.h"

#include "kernel/core/panic.h"
static void check_leaf(pte_t e, vaddr_t addr)
{
    struct page *page = pfn_to_page(pte_pfn(e));

    if (!pte_has_page(e))
        return;
    ASSERT(page_pfn_valid(pte_pfn(e)), "%lx: entry %lx leads to no memory", addr, e.v);
    ASSERT(page->kind == PAGE_ANON || page->kind == PAGE_CACHE,
           "%lx: entry %lx leads to a page of kind %u", addr, e.v, page->kind);
    ASSERT(page->refs > 0 && page->maps > 0 && page->maps <= page->refs,
           "%lx: its page has %u users and %u maps", addr, page->refs, page->maps);
}

/* Returns the number of tables: this one and all below. Recurs once a level. */
static u64 check_table(struct page *table, vaddr_t base, int level)
{
    unsigned n = level == LEVEL_TOP ? PT_ROOT_USER_ENTRIES : PT_ENTRIES;
    u64 tables = 1;
    u32 live = 0;

    ASSERT(table->kind == PAGE_TABLE && table->level == level && table->refs == 1,
           "table of %lx: kind %u, level %u, not %d, %u users", base, table->kind, table->level,
           level, table->refs);
    for (unsigned i = 0; i < n; i++) {
        pte_t e = pt_entries(table)[i];
        vaddr_t addr = base + ((u64)i << LEVEL_SHIFT(level));

        if (pte_none(e))
            continue;
        live++;
        if (level == LEVEL_PTE) {
            check_leaf(e, addr);
            continue;
        }
        ASSERT(page_pfn_valid(pte_pfn(e)), "%lx: entry %lx of level %d leads to no memory", addr,
               e.v, level);
        tables += check_table(pt_child(e), addr, level - 1);
    }
    ASSERT(live == table->live, "table of %lx, level %d: %u live entries, %u counted", base, level,
           live, table->live);
    return tables;
}

void pt_check(struct pt *pt)
{
    u64 tables = check_table(pt->root, 0, LEVEL_TOP);

    ASSERT(tables == pt->tables, "%lu tables, %lu counted", tables, pt->tables);
    mmu_check(&pt->hw);
}
