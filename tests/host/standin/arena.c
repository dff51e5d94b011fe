/*
 * arena.c: physical memory for the host tests, and the brackets of a test.
 *
 * Frames lie at DIRECT_MAP_BASE, their struct pages at PAGE_ARRAY_BASE. Memory has a hole and odd
 * ends, as on a real machine: frame 0 is none, and in the middle 69 frames are missing, 64 of them
 * with their struct pages.
 */
#include <sys/mman.h>

#include "kernel/core/panic.h"
#include "kernel/core/poison.h"
#include "tests/host/standin/host.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

static u64 free_at_begin;

static void map_at(u64 base, u64 size)
{
    void *p = mmap((void *)base, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT(p == (void *)base, "no host memory at %lx", base);
}

void host_boot(u64 frames)
{
    u64 hole = align_down(frames / 3, 64); /* 64 struct pages fill a page of the host */

    map_at(DIRECT_MAP_BASE, frames << PAGE_SHIFT);
    map_at(PAGE_ARRAY_BASE, align_up(frames * sizeof(struct page), 4096));
    ASAN_POISON_MEMORY_REGION((void *)DIRECT_MAP_BASE, frames << PAGE_SHIFT);
    mprotect(PAGE_ARRAY + hole, 64 * sizeof(struct page), PROT_NONE);
    page_add_range((pfn_t){1}, (pfn_t){hole});
    page_add_range((pfn_t){hole + HOST_HOLE}, (pfn_t){frames});
}

void host_memory_freed(const void *p, size_t n)
{
    u64 last = virt_to_phys((const char *)p + n - 1).v >> PAGE_SHIFT;

    ASAN_POISON_MEMORY_REGION(p, n);
    if (n < PAGE_SIZE)
        return;
    for (u64 pfn = virt_to_phys(p).v >> PAGE_SHIFT; pfn <= last; pfn++)
        if (host_tlb_leads_to((pfn_t){pfn}))
            panic("frame %lx is freed while the TLB holds a translation that leads to it", pfn);
}

void host_memory_used(const void *p, size_t n)
{
    ASAN_UNPOISON_MEMORY_REGION(p, n);
}

__attribute__((no_sanitize("address"))) size_t host_poison_intact(const void *p, size_t n)
{
    size_t i = 0;

    while (i < n && *(const volatile u64 *)((const char *)p + i) == POISON_WORD)
        i += sizeof(u64);
    return i;
}

__attribute__((no_sanitize("address"))) void *host_link_get(void *const *link)
{
    return *link;
}

__attribute__((no_sanitize("address"))) void host_link_set(void **link, void *next)
{
    *link = next;
}

void host_begin(void)
{
    host_locks_check("at the beginning of a test");
    free_at_begin = page_free_count();
}

const char *host_leak(void)
{
    page_check();
    host_locks_check("at the end of a test");
    if (host_tlb_count())
        return "translations are left";
    if (page_free_count() < free_at_begin)
        return "pages are lost";
    return page_free_count() > free_at_begin ? "pages came from nowhere" : NULL;
}
