/*
 * pt.h: the page table of one address space, and the one walk over it.
 *
 *   pt -> pgd table -> pud table -> pmd table -> pte table -> page
 *
 * Every kind of range work (zap, free, protect, populate, query; later fork copy and move) is a
 * struct walk_ops handed to walk_range, which descends the tables once, jumps over what is empty
 * and calls the operations on runs of entries. The VMA store is unknown here: the caller says which
 * addresses.
 *
 * Locks: an entry changes under the lock of its table (struct page). Tables are added under mm.lock
 * held for read or write; they are freed only with mm.lock held for write, after the VMA has left
 * the store. => Nothing here sleeps, but for operations that do.
 */
#ifndef KERNEL_MM_PT_H
#define KERNEL_MM_PT_H

#include "kernel/core/vmcount.h"
#include "kernel/mm/layout.h"
#include "kernel/mm/page.h"
#include "kernel/x86/mmu.h"

struct pt {
    struct page *root;      /* the pgd table */
    struct mmu_space hw;    /* what the machine knows of it */
    struct vmcount *counts; /* of the address space */
    u64 tables;             /* pages in use as tables, root included. Atomic */
};

/* Make an empty table. 0 or -ENOMEM, and then nothing is held. */
int pt_init(struct pt *pt, struct vmcount *counts);
/* Every range was zapped and its tables freed before; only the root is left, and goes. => nobody
 * else knows pt any more. */
void pt_destroy(struct pt *pt);

/* ---- one page: the fault's way down ---- */

struct pt_slot {
    struct pt *pt;
    struct page *table; /* leaf table, locked */
    pte_t *entry;
    vaddr_t addr;
};

/* Find the leaf entry of addr and lock its table. => mm.lock held. With alloc, missing tables are
 * made. 0; -ENOMEM; -ENOENT: no table there and alloc is false. Nothing is locked after an error.
 */
int pt_slot_lock(struct pt *pt, vaddr_t addr, bool alloc, struct pt_slot *slot);
/* Keeps the live count. When this returns the machine uses entry and nothing else, so the page that
 * was there may go. */
void pt_slot_set(struct pt_slot *slot, pte_t entry);
void pt_slot_unlock(struct pt_slot *slot);

/* ---- the walk ---- */

struct walk;

struct walk_ops {
    /* n leaf entries from entries on, none of them none, all in one table, which is locked. May
     * change them through pt_entry_set. NULL: the walk does not go down to leaf entries at all. */
    void (*leaves)(struct walk *w, struct page *table, pte_t *entries, vaddr_t addr, unsigned n);
    /* [start, end) is empty below one entry (level), or is a run of none leaf entries of one table,
     * which is locked (LEVEL_PTE). May be NULL. */
    void (*hole)(struct walk *w, vaddr_t start, vaddr_t end, int level);
    /* On the way up: all of the range that lies below *entry of parent, [start, end), has been
     * walked. Nothing is locked. May be NULL. */
    void (*leave)(struct walk *w, struct page *parent, pte_t *entry, vaddr_t start, vaddr_t end);
    bool populate;  /* make missing tables and hand none entries to leaves too */
    long none_cost; /* work charged for an entry that is none */
    long leaf_cost; /* work charged for a leaf entry that is not none */
};

struct walk {
    struct pt *pt;
    const struct walk_ops *ops;
    long work; /* what may still be charged; at 0 or below the walk stops. LONG_MAX: no limit */
    int error; /* set by an operation, or -ENOMEM by populate: the walk stops */
    u64 reads[PT_LEVELS]; /* entries read, by level */
};

/* Walk [start, end), not empty, page aligned; end 0 is 2^64. At least one entry of each level on
 * the way is read. Returns where it stopped: end when all is done. => mm.lock as the operation
 * needs it, no table locked. */
vaddr_t walk_range(struct walk *w, vaddr_t start, vaddr_t end);

/* Walk all of [start, end), whatever the work, and count the reads as index. */
void walk_whole(struct walk *w, vaddr_t start, vaddr_t end, enum vmcount_index index);

static inline u64 walk_reads(const struct walk *w) /* of all levels */
{
    u64 reads = 0;

    for (int level = 0; level < PT_LEVELS; level++)
        reads += w->reads[level];
    return reads;
}

/* Set one entry of table, keeping its live count. => table locked. */
static inline void pt_entry_set(struct page *table, pte_t *entry, pte_t value)
{
    table->live += pte_none(*entry);
    table->live -= pte_none(value);
    WRITE_ONCE(entry->v, value.v);
}

/* Empty an entry and return what it held. The CPU may be setting its dirty bit at this moment, if
 * the entry lets it write: then the exchange must be one operation. => table locked; the caller
 * subtracts from the live count. */
static inline pte_t pt_entry_take(pte_t *entry)
{
    pte_t e = {READ_ONCE(entry->v)};

    if (pte_present(e) && pte_writable(e) && !pte_dirty(e))
        return (pte_t){__atomic_exchange_n(&entry->v, 0, __ATOMIC_RELAXED)};
    WRITE_ONCE(entry->v, 0);
    return e;
}

static inline pte_t *pt_entries(const struct page *table)
{
    return page_to_virt(table);
}

static inline struct page *pt_child(pte_t entry) /* the table that an upper entry points to */
{
    return pfn_to_page(pte_pfn(entry));
}

/* Hang a new, empty table below *entry of parent, unless somebody else did meanwhile. 0 or -ENOMEM.
 * => mm.lock held, parent not locked. */
int pt_table_make(struct pt *pt, struct page *parent, pte_t *entry);

/* Entries of the root that are user space's; the rest is the kernel half, which is not counted as
 * live. */
#define PT_ROOT_USER_ENTRIES (USER_LIMIT >> LEVEL_SHIFT(LEVEL_TOP))

/* ---- range work ---- */

/* Drop the machine's translations of [start, end), page by page or all at once, and count it.
 * => a leaf table may be locked. */
void pt_drop(struct pt *pt, vaddr_t start, vaddr_t end);

/* Change the rights (RIGHT_ bits; 0: no access) of all pages of [start, end). Write is given only
 * to pages that may be written at once: all of a shared mapping, and private pages with no other
 * user; the next write to any other page faults and copies. => mm.lock for write. Flushes. */
void pt_protect(struct pt *pt, vaddr_t start, vaddr_t end, unsigned rights, bool shared);

/* The leaf table of addr, which is there. => mm.lock held; not locked. */
struct page *pt_leaf_table(struct pt *pt, vaddr_t addr);

/* Move the entries of [from, from + length) to the same places above `to`; the ranges do not
 * overlap. First the tables: 0 or -ENOMEM, which may leave some behind that are empty. Then the
 * move, which cannot fail; the target holds no entry, and the machine learns of the new places by
 * missing. => mm.lock for write throughout. */
int pt_move_prepare(struct pt *pt, vaddr_t from, vaddr_t to, u64 length);
void pt_move(struct pt *pt, vaddr_t from, vaddr_t to, u64 length);

/* Counts the live entries of every table against the entries themselves, levels, references;
 * panics. */
void pt_check(struct pt *pt);

#endif
