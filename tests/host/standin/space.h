/*
 * space.h: a page table under test, and the few lines that every test of it needs. What is mapped
 * are anonymous pages of their own, unless the test brings another; each mapped page is touched, so
 * the model TLB holds its translation.
 */
#ifndef STANDIN_SPACE_H
#define STANDIN_SPACE_H

#include "kernel/core/knob.h"
#include "kernel/core/panic.h"
#include "kernel/mm/zap.h"
#include "tests/host/standin/host.h"

struct space {
    struct pt pt;
    struct vmcount counts;
};

static inline void space_make(struct space *space)
{
    int error;

    *space = (struct space){0};
    error = pt_init(&space->pt, &space->counts);
    ASSERT(!error, "pt_init: %d", error);
}

/* Map page at addr, taking a reference, and touch it. */
static inline void space_map_page(struct space *space, vaddr_t addr, struct page *page,
                                  unsigned rights)
{
    struct pt_slot slot;
    int error = pt_slot_lock(&space->pt, addr, true, &slot);

    ASSERT(!error && pte_none(*slot.entry), "map %lx: %d", addr, error);
    page_get(page);
    page->maps++;
    pt_slot_set(&slot, pte_leaf(page_to_pfn(page), rights));
    pt_slot_unlock(&slot);
    ASSERT(host_access(&space->pt.hw, addr, RIGHT_READ) == page, "%lx", addr);
}

static inline void space_map(struct space *space, vaddr_t addr)
{
    struct page *page = page_alloc(0, PAGE_ANON);

    ASSERT(page, "no page for %lx", addr);
    space_map_page(space, addr, page, RIGHT_READ | RIGHT_WRITE);
    page_put(page);
}

static inline void space_map_range(struct space *space, vaddr_t start, vaddr_t end)
{
    for (; start < end; start += PAGE_SIZE)
        space_map(space, start);
}

/* The leaf entry of addr; none also where there is no table. */
static inline pte_t space_entry(struct space *space, vaddr_t addr)
{
    struct pt_slot slot;
    pte_t e = {0};

    if (pt_slot_lock(&space->pt, addr, false, &slot) == 0) {
        e = *slot.entry;
        pt_slot_unlock(&slot);
    }
    return e;
}

/* Pages of [start, end) that are mapped; the CPU must see the same. */
static inline u64 space_count(struct space *space, vaddr_t start, vaddr_t end)
{
    u64 n = 0;

    for (; start < end; start += PAGE_SIZE) {
        bool mapped = pte_present(space_entry(space, start));
        n += mapped;
        ASSERT(mapped == !!host_access(&space->pt.hw, start, RIGHT_READ), "%lx", start);
    }
    return n;
}

static inline void set_knob(const char *name, const char *value)
{
    struct knob *knob = knob_find(name);
    int error = knob ? knob_set(knob, value) : -1;

    ASSERT(!error, "%s=%s: %d", name, value, error);
}

static inline void zap_knobs(const char *mode, u64 pages)
{
    char text[24];

    snprintf(text, sizeof(text), "%lu", pages);
    set_knob("vm.zap", mode);
    set_knob("vm.zap_block_pages", text);
}

/* munmap of one range: both passes. Returns the zap for its counts. */
static inline struct zap space_unmap(struct space *space, vaddr_t start, vaddr_t end)
{
    static struct zap zap;

    zap_begin(&zap, &space->pt);
    zap_range(&zap, start, end);
    zap_free_tables(&zap, start, end);
    zap_end(&zap);
    return zap;
}

/* Nothing is mapped any more; only the root is left. */
static inline void space_end(struct space *space)
{
    pt_check(&space->pt);
    pt_destroy(&space->pt);
}

#endif
