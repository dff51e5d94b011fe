/*
 * poison.h (host): the kernel's poison, told to AddressSanitizer as well.
 *
 * The first include is the real header under other names; each function here wraps its namesake.
 * Freeing memory is also where the model TLB (host.h) looks whether any translation still leads to
 * it.
 */
#ifndef STANDIN_MM_POISON_H
#define STANDIN_MM_POISON_H

#define poison_fill real_poison_fill
#define poison_lift real_poison_lift
#define poison_intact real_poison_intact
#define poison_link_get real_poison_link_get
#define poison_link_set real_poison_link_set
#include "../../../../../kernel/mm/poison.h"
#undef poison_fill
#undef poison_lift
#undef poison_intact
#undef poison_link_get
#undef poison_link_set

void host_memory_freed(const void *p, size_t n); /* arena.c */
void host_memory_used(const void *p, size_t n);
size_t host_poison_intact(const void *p, size_t n); /* may look at free memory */
void *host_link_get(void *const *link);
void host_link_set(void **link, void *next);

static inline void poison_fill(void *p, size_t n)
{
    host_memory_used(p, n);
    real_poison_fill(p, n);
    host_memory_freed(p, n);
}

static inline void poison_lift(const void *p, size_t n)
{
    host_memory_used(p, n);
}

static inline size_t poison_intact(const void *p, size_t n)
{
    return host_poison_intact(p, n);
}

static inline void *poison_link_get(void *const *link)
{
    return host_link_get(link);
}

static inline void poison_link_set(void **link, void *next)
{
    host_link_set(link, next);
}

#endif
