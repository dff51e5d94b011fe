/*
 * tlb.c: mmu.h as a model TLB that never forgets by itself.
 *
 * Each translation remembers the page it leads to and the tables it was read through, as the paging-structure caches
 * of a real CPU do (Intel SDM volume 3, section 4.10.3). led_to counts, for each frame, the translations that lead to
 * or through it. Only mmu_drop of the address, or mmu_drop_all, removes one. It models hardware layouts.
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
    u64 frames[PT_LEVELS + 1]; /* [0]: the page; [1 + level]: the table of that level */
};

enum { BUCKETS = 1 << 14 };

static struct translation *buckets[BUCKETS];
static u32 *led_to; /* by frame */
static u64 led_to_size, held;

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

static void lead(const struct translation *t, int change)
{
    for (int i = 0; i <= PT_LEVELS; i++) {
        if (t->frames[i] >= led_to_size) {
            u64 size = 2 * t->frames[i] + 1024;
            led_to = realloc(led_to, size * sizeof(*led_to));
            while (led_to_size < size)
                led_to[led_to_size++] = 0;
        }
        led_to[t->frames[i]] += change;
    }
}

static void forget(struct translation **link)
{
    struct translation *t = *link;

    *link = t->next;
    lead(t, -1);
    held--;
    free(t);
}

static struct translation **find(struct mmu_space *space, vaddr_t addr)
{
    struct translation **link = bucket(addr);

    while (*link && ((*link)->space != space || (*link)->addr != addr))
        link = &(*link)->next;
    return link;
}

/* Walk the table as the CPU does; false where an entry is not present. Fills in the frames. */
static pte_t *hardware_walk(struct mmu_space *space, vaddr_t addr, u64 *frames)
{
    pte_t *entry = NULL;
    pfn_t table = {space->root.v >> PAGE_SHIFT};

    for (int level = LEVEL_TOP;; level--) {
        frames[1 + level] = table.v;
        entry = (pte_t *)phys_to_virt((paddr_t){table.v << PAGE_SHIFT}) + level_index(addr, level);
        if (!pte_present(*entry))
            return NULL;
        table = pte_pfn(*entry);
        frames[level == 0 ? 0 : 1 + level - 1] = table.v;
        if (level == 0)
            return entry;
    }
}

static void remember(struct mmu_space *space, vaddr_t addr, pte_t entry, const u64 *frames)
{
    struct translation *t = malloc(sizeof(*t)), **first = bucket(addr);

    *t = (struct translation){.next = *first, .space = space, .addr = addr, .entry = entry};
    for (int i = 0; i <= PT_LEVELS; i++)
        t->frames[i] = frames[i];
    *first = t;
    held++;
    lead(t, 1);
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
    space->cpus = 0;
}

void mmu_switch(struct mmu_space *space)
{
    (void)space;
}

void mmu_fill(struct mmu_space *space, vaddr_t addr, pte_t entry)
{
    u64 frames[PT_LEVELS + 1];
    struct translation **link = find(space, addr);
    pte_t *found = hardware_walk(space, addr, frames);

    ASSERT(found && found->v == entry.v, "fill of %lx with %lx, which is not in the table", addr,
           entry.v);
    if (*link) {
        ASSERT((*link)->frames[0] == frames[0], "%lx leads to frame %lx and was not dropped", addr,
               (*link)->frames[0]);
        forget(link);
    }
    remember(space, addr, entry, frames);
}

unsigned mmu_drop(struct mmu_space *space, vaddr_t start, vaddr_t end)
{
    ASSERT(start < end, "drop of [%lx, %lx)", start, end);
    host_tlb_drops++;
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
    u64 frames[PT_LEVELS + 1];
    struct translation **link;
    pte_t *entry;

    addr &= PAGE_MASK;
    if (addr >= USER_LIMIT)
        return NULL;
    link = find(space, addr);
    if (*link && allows((*link)->entry, rights) &&
        (!(rights & RIGHT_WRITE) || pte_dirty((*link)->entry)))
        return pfn_to_page((pfn_t){(*link)->frames[0]});
    entry = hardware_walk(space, addr, frames);
    if (*link)
        forget(
            link); /* a fault, or a walk that sets the dirty bit, drops what was held for the address */
    if (!entry || !allows(*entry, rights))
        return NULL;
    if (rights & RIGHT_WRITE)
        *entry = pte_make_dirty(*entry);
    remember(space, addr, *entry, frames);
    return pfn_to_page((pfn_t){frames[0]});
}
