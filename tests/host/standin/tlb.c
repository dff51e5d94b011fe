/*
 * tlb.c: mmu.h as a model TLB that never forgets by itself. It models hardware layouts.
 *
 * It holds two kinds of things, as a real CPU does (Intel SDM volume 3, section 4.10): translations
 * of pages, and ways, the tables that were read to get to them. A translation goes only when its
 * address is dropped; a way when any address that its table maps is. led_to counts, for each frame,
 * what leads to it; memory for which it is not 0 must not be freed.
 */
#include <stdlib.h>

#include "kernel/core/panic.h"
#include "kernel/mm/layout.h"
#include "lib/abi/errno.h"
#include "tests/host/standin/host.h"

struct translation {
    struct translation *next;
    struct mmu_space *space;
    vaddr_t addr;
    pte_t entry;
    u64 frame;
};

struct way { /* the table of [base, last], which is not the root */
    struct mmu_space *space;
    vaddr_t base, last;
    u64 frame;
};

enum { BUCKETS = 1 << 14 };

static struct translation *buckets[BUCKETS];
static u32 *led_to; /* by frame */
static u64 led_to_size, held;
static struct way *ways;
static u64 ways_held, ways_size;

u64 host_tlb_drops;
bool host_attach_fails;

static struct translation **bucket(vaddr_t addr)
{
    return &buckets[(addr >> PAGE_SHIFT) * 0x9e3779b97f4a7c15ul >> 50];
}

u64 host_tlb_count(void)
{
    return held;
}

bool host_tlb_leads_to(pfn_t pfn)
{
    return pfn.v < led_to_size && led_to[pfn.v];
}

static u32 *lead(u64 frame)
{
    if (frame >= led_to_size) {
        u64 size = 2 * frame + 1024;
        led_to = realloc(led_to, size * sizeof(*led_to));
        while (led_to_size < size)
            led_to[led_to_size++] = 0;
    }
    return &led_to[frame];
}

static void forget(struct translation **link)
{
    struct translation *t = *link;

    *link = t->next;
    --*lead(t->frame);
    held--;
    free(t);
}

static void remember_way(struct mmu_space *space, vaddr_t addr, int level, u64 frame)
{
    vaddr_t last = addr | (LEVEL_SPAN(level + 1) - 1);

    for (u64 i = 0; i < ways_held; i++)
        if (ways[i].frame == frame && ways[i].space == space && ways[i].last == last)
            return;
    if (ways_held == ways_size) {
        ways_size = 2 * ways_size + 64;
        ways = realloc(ways, ways_size * sizeof(*ways));
    }
    ways[ways_held++] = (struct way){space, align_down(addr, LEVEL_SPAN(level + 1)), last, frame};
    ++*lead(frame);
}

static void forget_ways(struct mmu_space *space, vaddr_t start, vaddr_t end)
{
    u64 kept = 0;

    for (u64 i = 0; i < ways_held; i++)
        if (ways[i].space == space && ways[i].last >= start && ways[i].base < end)
            --*lead(ways[i].frame);
        else
            ways[kept++] = ways[i];
    ways_held = kept;
}

static struct translation **find(struct mmu_space *space, vaddr_t addr)
{
    struct translation **link = bucket(addr);

    while (*link && ((*link)->space != space || (*link)->addr != addr))
        link = &(*link)->next;
    return link;
}

/* Walk the table as the CPU does, remembering the ways; NULL where an entry is not present. */
static pte_t *hardware_walk(struct mmu_space *space, vaddr_t addr)
{
    paddr_t table = space->root;

    for (int level = LEVEL_TOP;; level--) {
        pte_t *entry = (pte_t *)phys_to_virt(table) + level_index(addr, level);
        if (!pte_present(*entry))
            return NULL;
        if (level == LEVEL_PTE)
            return entry;
        table = (paddr_t){pte_pfn(*entry).v << PAGE_SHIFT};
        remember_way(space, addr, level - 1, pte_pfn(*entry).v);
    }
}

static void remember(struct mmu_space *space, vaddr_t addr, pte_t entry)
{
    struct translation *t = malloc(sizeof(*t)), **first = bucket(addr);

    *t = (struct translation){*first, space, addr, entry, pte_pfn(entry).v};
    *first = t;
    held++;
    ++*lead(t->frame);
}

/* ---- the verbs ---- */

int mmu_attach(struct mmu_space *space, paddr_t root)
{
    if (host_attach_fails)
        return -ENOMEM;
    *space = (struct mmu_space){.root = root, .cpus = 1};
    return 0;
}

void mmu_detach(struct mmu_space *space)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct translation *t = buckets[i]; t; t = t->next)
            ASSERT(t->space != space, "detached with a translation of %lx", t->addr);
    for (u64 i = 0; i < ways_held; i++)
        ASSERT(ways[i].space != space, "detached with a way to the table of %lx", ways[i].base);
    space->cpus = 0;
}

void mmu_switch(struct mmu_space *space)
{
    (void)space;
}

void mmu_fill(struct mmu_space *space, vaddr_t addr, pte_t entry)
{
    struct translation **link = find(space, addr);
    pte_t *found = hardware_walk(space, addr);

    ASSERT(found && found->v == entry.v, "fill of %lx with %lx, which is not in the table", addr,
           entry.v);
    if (*link) {
        ASSERT((*link)->frame == pte_pfn(entry).v, "%lx leads to frame %lx and was not dropped",
               addr, (*link)->frame);
        forget(link);
    }
    remember(space, addr, entry);
}

unsigned mmu_drop(struct mmu_space *space, vaddr_t start, vaddr_t end)
{
    ASSERT(start < end, "drop of [%lx, %lx)", start, end);
    host_tlb_drops++;
    forget_ways(space, start, end);
    if ((end - start) >> PAGE_SHIFT <= 64) {
        for (vaddr_t addr = start; addr < end; addr += PAGE_SIZE)
            if (*find(space, addr))
                forget(find(space, addr));
        return 0;
    }
    for (int i = 0; held && i < BUCKETS; i++)
        for (struct translation **link = &buckets[i]; *link;) {
            bool gone = (*link)->space == space && (*link)->addr - start < end - start;
            if (gone)
                forget(link);
            else
                link = &(*link)->next;
        }
    return 0;
}

unsigned mmu_drop_all(struct mmu_space *space)
{
    return mmu_drop(space, 0, USER_LIMIT);
}

void mmu_harvest(struct mmu_space *space, vaddr_t start, vaddr_t end)
{
    (void)space;
    ASSERT(start < end, "harvest of [%lx, %lx)", start, end);
}

void mmu_check(const struct mmu_space *space)
{
    ASSERT(space->root.v, "no root");
}

/* ---- the program ---- */

static bool allows(pte_t entry, unsigned rights)
{
    return (!(rights & RIGHT_WRITE) || pte_writable(entry)) &&
           (!(rights & RIGHT_EXEC) || pte_executable(entry));
}

struct page *host_access(struct mmu_space *space, vaddr_t addr, unsigned rights)
{
    struct translation **link;
    pte_t *entry;

    addr &= PAGE_MASK;
    if (addr >= USER_LIMIT)
        return NULL;
    link = find(space, addr);
    if (*link && allows((*link)->entry, rights) &&
        (!(rights & RIGHT_WRITE) || pte_dirty((*link)->entry)))
        return pfn_to_page((pfn_t){(*link)->frame});
    entry = hardware_walk(space, addr);
    if (*link)
        forget(link); /* a fault, or a walk that sets the dirty bit, drops what was held for the
                         address */
    if (!entry || !allows(*entry, rights))
        return NULL;
    if (rights & RIGHT_WRITE)
        *entry = pte_make_dirty(*entry);
    remember(space, addr, *entry);
    return pfn_to_page(pte_pfn(*entry));
}
