/*
 * move.c: moving page table entries to other addresses: mremap's walk.
 *
 *      from |--[table]----(16 TiB of nothing: one step an empty entry)----[table]--|
 *             |   \                                                         |
 *      to    [table][table]                                              [table]
 *
 * In two walks over what is there. The first makes the tables that the second will need, and may
 * run out of memory; nothing has moved then. The second cannot fail. A page is found by its old
 * address no more before it is found by the new one: entry and translation change while both
 * tables are locked (CVE-2018-18281: the old translation outlived the page, since the flush came
 * after the locks were let go, and truncate had been in between).
 *
 * Two leaf tables are locked at once; mm.lock held for write sees to it that no other mover of
 * this address space takes them the other way round.
 */
#include <limits.h>

#include "kernel/core/panic.h"
#include "kernel/mm/pt.h"

struct move {
    struct walk walk; /* first */
    u64 delta;        /* new address less old, modulo 2^64 */
};

/* A leaf table was passed: if there is anything in it, make those that its entries go to. */
static void make_targets(struct walk *w, struct page *parent, pte_t *entry, vaddr_t start,
                         vaddr_t end)
{
    static const struct walk_ops ops = {.populate = true};
    struct walk making = {.pt = w->pt, .ops = &ops, .work = LONG_MAX};
    u64 delta = ((struct move *)w)->delta;

    if (w->error || parent->level != LEVEL_PMD || pt_child(*entry)->live == 0)
        return;
    walk_range(&making, start + delta, end + delta);
    w->error = making.error;
    if (w->error)
        w->work = 0;
}

int pt_move_prepare(struct pt *pt, vaddr_t from, vaddr_t to, u64 length)
{
    static const struct walk_ops ops = {.leave = make_targets};
    struct move move = {.walk = {.pt = pt, .ops = &ops}, .delta = to - from};

    walk_whole(&move.walk, from, from + length, VMC_move_reads);
    return move.walk.error;
}

/* n entries of table, which is locked, to addresses of one other table (or the same). */
static void move_run(struct pt *pt, struct page *table, pte_t *entries, vaddr_t addr, vaddr_t to,
                     unsigned n)
{
    struct page *target = pt_leaf_table(pt, to);
    pte_t *into = pt_entries(target) + level_index(to, LEVEL_PTE);

    if (target != table)
        spin_lock_second(&target->lock);
    for (unsigned i = 0; i < n; i++) {
        CHECK(pte_none(into[i]), "%lx: entry %lx is in the way", to + i * PAGE_SIZE, into[i].v);
        WRITE_ONCE(into[i].v, pt_entry_take(&entries[i]).v);
    }
    target->live += n;
    table->live -= n;
    pt_drop(pt, addr, addr + n * PAGE_SIZE);
    if (target != table)
        spin_unlock(&target->lock);
}

static void move_leaves(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr,
                        unsigned n)
{
    vaddr_t to = addr + ((struct move *)w)->delta;

    for (unsigned run; n > 0; n -= run) {
        run = min_u64(n, PT_ENTRIES - level_index(to, LEVEL_PTE));
        move_run(w->pt, table, entries, addr, to, run);
        entries += run;
        addr += run * PAGE_SIZE;
        to += run * PAGE_SIZE;
    }
}

void pt_move(struct pt *pt, vaddr_t from, vaddr_t to, u64 length)
{
    static const struct walk_ops ops = {.leaves = move_leaves};
    struct move move = {.walk = {.pt = pt, .ops = &ops}, .delta = to - from};

    walk_whole(&move.walk, from, from + length, VMC_move_reads);
}
