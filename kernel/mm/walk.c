/*
 * walk.c: the one walk over the page table.
 *
 *      walk_range -> walk_pgd -> walk_pud -> walk_pmd -> walk_pte -> operations on runs of entries
 *
 * The functions walk_pgd ... walk_pte are one piece of code, walk_level, made once for each level
 * of the layout, so that shifts are constants and a backtrace tells where in the table the kernel
 * is. Each handles a range that lies below one table: entry by entry, it jumps over what is empty
 * and hands what is not to the next level.
 *
 *      addr                next                                  end
 *       |-------------------|-------------------|-----------------|
 *       |  entry: a table   |    entry: none    |  entry: a table |
 *       |  walk it          |    hole           |  walk it        |
 *
 * `next` is where the entry ends or the range does, never where a block does: an empty entry is
 * read once, however much it covers. What limits a turn is work, which each entry that is read may
 * cost (Linux 2.6.15 has the same rule). A walk stops only between entries, after at least one, and
 * returns the address to go on from.
 */
#include "kernel/mm/pt.h"

#include <limits.h>

#include "kernel/core/panic.h"
#include "lib/abi/errno.h"

/* Kept whole and under their own names: students break on them. */
#define A_LEVEL __attribute__((noinline, noclone))

typedef vaddr_t walk_fn(struct walk *w, struct page *table, vaddr_t addr, vaddr_t end);

#define X(name, level) static walk_fn walk_##name;
LAYOUT_TABLE_LEVELS(X)
#undef X
static walk_fn walk_pte;

#define X(name, level) [level] = walk_##name,
static walk_fn *const walk_by_level[PT_LEVELS] = {LAYOUT_TABLE_LEVELS(X)[LEVEL_PTE] = walk_pte};
#undef X

/* The operation on a run is done; did it ask to stop? */
ALWAYS_INLINE void walk_stop_on_error(struct walk *w)
{
    if (unlikely(w->error))
        w->work = 0;
}

/* Leaf entries, under their table's lock, in runs of none and not none (of either, to populate). */
ALWAYS_INLINE vaddr_t walk_leaves(struct walk *w, struct page *table, vaddr_t addr, vaddr_t end)
{
    const struct walk_ops *ops = w->ops;
    pte_t *entry = pt_entries(table) + level_index(addr, LEVEL_PTE);

    spin_lock(&table->lock);
    do {
        bool none = !ops->populate && pte_none(*entry);
        long cost = none ? ops->none_cost : ops->leaf_cost;
        vaddr_t start = addr;
        pte_t *first = entry;

        do {
            entry++;
            addr += PAGE_SIZE;
            w->work -= cost;
        } while (addr != end && w->work > 0 && (ops->populate || pte_none(*entry) == none));

        w->reads[LEVEL_PTE] += entry - first;
        if (!none)
            ops->leaves(w, table, first, start, entry - first);
        else if (ops->hole)
            ops->hole(w, start, addr, LEVEL_PTE);
        walk_stop_on_error(w);
    } while (addr != end && w->work > 0);
    spin_unlock(&table->lock);
    return addr;
}

/* *entry is none: returns true if there is a table below it now. */
ALWAYS_INLINE bool walk_none(struct walk *w, struct page *table, pte_t *entry, vaddr_t addr,
                             vaddr_t next, int level)
{
    w->work -= w->ops->none_cost;
    if (w->ops->populate) {
        w->error = pt_table_make(w->pt, table, entry);
        walk_stop_on_error(w);
        return !w->error;
    }
    if (w->ops->hole) {
        w->ops->hole(w, addr, next, level);
        walk_stop_on_error(w);
    }
    return false;
}

/* The part of table (a table of this level) that maps [addr, end). */
ALWAYS_INLINE vaddr_t walk_level(struct walk *w, struct page *table, vaddr_t addr, vaddr_t end,
                                 const int level)
{
    pte_t *entry;

    CHECK(table->kind == PAGE_TABLE && table->level == level,
          "frame %lx: kind %u, level %u, not %d, at %lx", page_to_pfn(table).v, table->kind,
          table->level, level, addr);
    if (level == LEVEL_PTE)
        return walk_leaves(w, table, addr, end);

    entry = pt_entries(table) + level_index(addr, level);
    do {
        vaddr_t next = level_end(addr, end, level), reached = next;

        w->reads[level]++;
        if (!pte_none(*entry) || walk_none(w, table, entry, addr, next, level)) {
            if (level > LEVEL_PMD || w->ops->leaves)
                reached = walk_by_level[level - 1](w, pt_child(*entry), addr, next);
            if (w->ops->leave && reached == next)
                w->ops->leave(w, table, entry, addr, next);
        } else if (unlikely(w->error)) {
            return addr; /* no table could be made for it */
        }
        entry++;
        addr = reached;
    } while (addr != end && w->work > 0);
    return addr;
}

#define X(name, level)                                                                             \
    static A_LEVEL vaddr_t walk_##name(struct walk *w, struct page *table, vaddr_t addr,           \
                                       vaddr_t end)                                                \
    {                                                                                              \
        return walk_level(w, table, addr, end, level);                                             \
    }
LAYOUT_TABLE_LEVELS(X)
X(pte, LEVEL_PTE)
#undef X

vaddr_t walk_range(struct walk *w, vaddr_t start, vaddr_t end)
{
    ASSERT(start <= end - 1 && ((start | end) & ~PAGE_MASK) == 0, "[%lx, %lx)", start, end);
    return walk_by_level[LEVEL_TOP](w, w->pt->root, start, end);
}

void walk_whole(struct walk *w, vaddr_t start, vaddr_t end, enum vmcount_index index)
{
    w->work = LONG_MAX;
    walk_range(w, start, end);
    vmcount_add(w->pt->counts, index, walk_reads(w));
}
