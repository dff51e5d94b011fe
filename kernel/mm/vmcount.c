/*
 * vmcount.c: the counters' totals, one set for each CPU, and the baseline that a reset stores.
 *
 * A CPU adds to its own set only, so no lock and no atomic operation is needed there; an address
 * space may be running on several CPUs, so its counts are atomic. Readers sum all sets and may miss
 * what is being added meanwhile.
 */
#include "kernel/mm/vmcount.h"

#include "kernel/x86/cpu.h"

#define X(name) #name,
const char *const vmcount_names[VMCOUNT_MAX] = {VMCOUNT_NAMES(X)};
#undef X

static struct vmcount totals[CPU_MAX];
static struct vmcount baseline;

/* => Does not sleep; space may be NULL. */
void vmcount_add(struct vmcount *space, enum vmcount_index index, u64 n)
{
    totals[this_cpu()->id].n[index] += n;
    if (space)
        __atomic_fetch_add(&space->n[index], n, __ATOMIC_RELAXED);
}

/* => Does not sleep; delta is all zero after. */
void vmcount_fold(struct vmcount *space, struct vmcount *delta)
{
    for (int i = 0; i < VMCOUNT_MAX; i++) {
        if (delta->n[i])
            vmcount_add(space, i, delta->n[i]);
        delta->n[i] = 0;
    }
}

static void sum(struct vmcount *out)
{
    *out = (struct vmcount){0};
    for (int cpu = 0; cpu < CPU_MAX; cpu++)
        for (int i = 0; i < VMCOUNT_MAX; i++)
            out->n[i] += READ_ONCE(totals[cpu].n[i]);
}

/* => Does not sleep. */
void vmcount_read(struct vmcount *out)
{
    sum(out);
    for (int i = 0; i < VMCOUNT_MAX; i++)
        out->n[i] -= READ_ONCE(baseline.n[i]);
}

/* => Does not sleep. Two resets at once leave either's baseline, each as good. */
void vmcount_reset(void)
{
    sum(&baseline);
}
