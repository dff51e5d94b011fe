/*
 * pt.c: the page table of an address space: making and ending it, the fault's way to one entry,
 * changing rights.
 *
 * A table is one page (PAGE_TABLE). Its struct page holds the lock of its entries and the count of
 * those that are not none (live), so that nobody ever has to search a table to learn that it is
 * empty. The root's kernel half belongs to kernel/x86 and is not counted.
 *
 * Locks: mm.lock is held for read or write by all callers. Tables may be added under either, so an
 * upper entry changes under its table's lock; but it goes back to none only under mm.lock for write
 * (zap.c), so whoever holds mm.lock may walk down without locking upper tables.
 */
#include "kernel/mm/pt.h"

#include "kernel/core/panic.h"
#include "kernel/core/vmcount.h"
#include "lib/abi/errno.h"

/* ---- tables ---- */

static struct page *table_new(struct pt *pt, int level)
{
    struct page *table = page_alloc_zeroed(PAGE_TABLE);

    if (!table)
        return NULL;
    table->level = level;
    spin_init(&table->lock, level == LEVEL_PTE ? RANK_TABLE_LEAF : RANK_TABLE);
    __atomic_fetch_add(&pt->tables, 1, __ATOMIC_RELAXED);
    vmcount_add(pt->counts, VMC_tables_allocated, 1);
    return table;
}

/* Never linked, or (the root) linked no more. */
static void table_delete(struct pt *pt, struct page *table)
{
    __atomic_fetch_sub(&pt->tables, 1, __ATOMIC_RELAXED);
    vmcount_add(pt->counts, VMC_tables_freed, 1);
    page_free(table);
}

int pt_table_make(struct pt *pt, struct page *parent, pte_t *entry)
{
    struct page *table = table_new(pt, parent->level - 1);
    bool hung = false;

    if (!table)
        return -ENOMEM;
    spin_lock(&parent->lock);
    if (pte_none(*entry)) {
        pt_entry_set(parent, entry, pte_table(page_to_pfn(table)));
        hung = true;
    }
    spin_unlock(&parent->lock);
    if (!hung)
        table_delete(pt, table); /* another fault was faster */
    return 0;
}

int pt_init(struct pt *pt, struct vmcount *counts)
{
    int error;

    *pt = (struct pt){.counts = counts};
    pt->root = table_new(pt, LEVEL_TOP);
    if (!pt->root)
        return -ENOMEM;
    error = mmu_attach(&pt->hw, page_to_phys(pt->root));
    if (error)
        table_delete(pt, pt->root);
    return error;
}

void pt_destroy(struct pt *pt)
{
    ASSERT(pt->tables == 1 && pt->root->live == 0, "%lu tables, %u entries of the root left",
           pt->tables, pt->root->live);
    mmu_detach(&pt->hw);
    table_delete(pt, pt->root);
    pt->root = NULL;
}

/* ---- one page ---- */

struct page *pt_leaf_table(struct pt *pt, vaddr_t addr)
{
    struct page *table = pt->root;

    for (int level = LEVEL_TOP; level > LEVEL_PTE; level--) {
        pte_t *entry = pt_entries(table) + level_index(addr, level);
        CHECK(!pte_none(*entry), "%lx: no table of level %d", addr, level - 1);
        table = pt_child(*entry);
    }
    return table;
}

int pt_slot_lock(struct pt *pt, vaddr_t addr, bool alloc, struct pt_slot *slot)
{
    struct page *table = pt->root;

    CHECK(addr < USER_LIMIT, "%lx", addr);
#pragma GCC unroll 8
    for (int level = LEVEL_TOP; level > LEVEL_PTE; level--) {
        pte_t *entry = pt_entries(table) + level_index(addr, level);

        if (unlikely(pte_none((pte_t){READ_ONCE(entry->v)}))) {
            if (!alloc)
                return -ENOENT;
            if (pt_table_make(pt, table, entry))
                return -ENOMEM;
        }
        table = pt_child(*entry);
    }
    spin_lock(&table->lock);
    slot->pt = pt;
    slot->table = table;
    slot->entry = pt_entries(table) + level_index(addr, LEVEL_PTE);
    slot->addr = addr & PAGE_MASK;
    return 0;
}

void pt_slot_set(struct pt_slot *slot, pte_t entry)
{
    pte_t old = *slot->entry;

    bool only_more_rights = pte_pfn(old).v == pte_pfn(entry).v && pte_present(entry) &&
                            pte_writable(old) <= pte_writable(entry) &&
                            pte_executable(old) <= pte_executable(entry);
    if (pte_present(old) && !only_more_rights) {
        slot->table->live -= 1;
        pt_entry_take(slot->entry);
        pt_drop(slot->pt, slot->addr, slot->addr + PAGE_SIZE);
    }
    pt_entry_set(slot->table, slot->entry, entry);
    if (pte_present(entry))
        mmu_fill(&slot->pt->hw, slot->addr, entry);
}

void pt_slot_unlock(struct pt_slot *slot)
{
    spin_unlock(&slot->table->lock);
}

/* ---- dropping translations ---- */

enum { DROP_ALL_PAGES = 32 }; /* above this, dropping all and missing again is cheaper */

void pt_drop(struct pt *pt, vaddr_t start, vaddr_t end)
{
    u64 pages = (end - start) >> PAGE_SHIFT;
    unsigned ipis;

    if (pages > DROP_ALL_PAGES) {
        ipis = mmu_drop_all(&pt->hw);
        vmcount_add(pt->counts, VMC_flush_all, 1);
    } else {
        ipis = mmu_drop(&pt->hw, start, end);
        vmcount_add(pt->counts, VMC_flush_pages, pages);
    }
    if (ipis)
        vmcount_add(pt->counts, VMC_flush_ipis, ipis);
}

/* ---- rights ---- */

struct protect {
    struct walk walk; /* first */
    unsigned rights;
    bool shared;
    vaddr_t start, end; /* of what changed and may be in the TLB */
};

/* May a write to this page of a writable mapping go through without a fault? */
static bool protect_write_ok(const struct protect *protect, pte_t e)
{
    const struct page *page = pfn_to_page(pte_pfn(e));

    return protect->shared || (page->kind == PAGE_ANON && READ_ONCE(page->refs) == 1);
}

static pte_t protect_entry(const struct protect *protect, pte_t e)
{
    unsigned rights = protect->rights;

    if (!rights)
        return pte_no_access(e);
    if ((rights & RIGHT_WRITE) && !protect_write_ok(protect, e))
        rights &= ~RIGHT_WRITE;
    return pte_with_rights(e, rights);
}

/* An entry is none for a moment: a CPU that looks now faults and waits for mm.lock. */
static void protect_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr,
                           unsigned n)
{
    struct protect *protect = (struct protect *)w;
    (void)table; /* none becomes none and a page stays a page: the live count stays */

    for (unsigned i = 0; i < n; i++, addr += PAGE_SIZE) {
        pte_t e = entries[i];

        if (!pte_has_page(e))
            continue;
        e = protect_entry(protect, pt_entry_take(&entries[i]));
        WRITE_ONCE(entries[i].v, e.v);
        protect->start = min_u64(protect->start, addr);
        protect->end = addr + PAGE_SIZE;
    }
}

void pt_protect(struct pt *pt, vaddr_t start, vaddr_t end, unsigned rights, bool shared)
{
    static const struct walk_ops ops = {.leaves = protect_leaves};
    struct protect protect = {
        .walk = {.pt = pt, .ops = &ops},
        .rights = rights,
        .shared = shared,
        .start = end,
        .end = start,
    };

    walk_whole(&protect.walk, start, end, VMC_protect_reads);
    if (protect.start < protect.end)
        pt_drop(pt, protect.start, protect.end);
}
