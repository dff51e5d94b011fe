/*
 * commit.c: how much private memory has been promised, and when a promise is refused.
 *
 * Each writable private mapping that is not MAP_NORESERVE promises all its pages (VM_ACCOUNT),
 * each shared anonymous object too. The promise is given back when the VMA or the object goes,
 * page for page. vm.overcommit_memory, as Linux:
 *
 *      0   guess: refuse a single request larger than all of memory
 *      1   always: refuse nothing
 *      2   never: refuse what brings the sum over half of memory, less a reserve for others
 *
 * One atomic counter; no lock.
 */
#include "kernel/core/panic.h"
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"

enum { COMMIT_PERCENT = 50, USER_RESERVE_PAGES = (128 << 20) >> PAGE_SHIFT, RESERVE_DIVISOR = 32 };

struct knob overcommit_knob = {
    .name = "vm.overcommit_memory",
    .help = "0: refuse the absurd, 1: promise anything, 2: promise no more than half of memory",
    .max = OVERCOMMIT_NEVER,
};

static u64 committed;

u64 commit_total(void)
{
    return __atomic_load_n(&committed, __ATOMIC_RELAXED);
}

u64 commit_limit(void)
{
    return page_total_count() * COMMIT_PERCENT / 100;
}

static bool refused(const struct mm *mm, u64 pages, u64 sum)
{
    switch (knob_value(&overcommit_knob)) {
    case OVERCOMMIT_ALWAYS:
        return false;
    case OVERCOMMIT_NEVER: {
        u64 reserve = min_u64(mm->total_pages / RESERVE_DIVISOR, USER_RESERVE_PAGES);
        return sum + reserve > commit_limit();
    }
    default:
        return pages > page_total_count();
    }
}

/* => does not sleep; mm's total_pages may be a little out of date. */
int commit_charge(const struct mm *mm, u64 pages)
{
    u64 sum = __atomic_add_fetch(&committed, pages, __ATOMIC_RELAXED);

    if (!refused(mm, pages, sum))
        return 0;
    commit_return(pages);
    return -ENOMEM;
}

void commit_return(u64 pages)
{
    u64 before = __atomic_fetch_sub(&committed, pages, __ATOMIC_RELAXED);

    CHECK(before >= pages, "%lu pages given back of %lu promised", pages, before);
}
