/*
 * fault_watch.h: tells a fault that comes for ever from one that comes again.
 *
 * A fault whose entry allows the access already is nothing unusual: another thread was faster, or the CPU had an old
 * translation. The instruction is then made again, and goes through. If it does not, time after time, the CPU refuses for a
 * reason that no entry shows, and making it again would never end. Pure; belongs to one thread, without a lock.
 */
#ifndef KERNEL_PROC_FAULT_WATCH_H
#define KERNEL_PROC_FAULT_WATCH_H

#include "lib/types.h"

enum {
    FAULT_WATCH_PATIENCE = 64
}; /* threads that fight for a page do not meet so often in a row */

struct fault_watch {
    vaddr_t ip, addr;
    u32 access;
    u32 times; /* in a row: the same, and nothing was to be done */
};

/* A fault at ip on addr; allowed: nothing was to be done. True: it will never go through. */
static inline bool fault_watch(struct fault_watch *w, vaddr_t ip, vaddr_t addr, u32 access,
                               bool allowed)
{
    bool same = w->ip == ip && w->addr == addr && w->access == access;
    u32 times = !allowed ? 0 : same ? w->times + 1 : 1;
    *w = (struct fault_watch){ip, addr, access, times};
    return times > FAULT_WATCH_PATIENCE;
}

#endif
