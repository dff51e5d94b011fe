/*
 * page.h: physical memory in frames, and the buddy allocator that hands them out.
 *
 * Each frame of memory has a struct page; pfn_to_page and page_to_pfn go between the two. Free
 * memory is kept in blocks of 2^order frames (page.c). The unit is the layout's page. => Nothing
 * here sleeps.
 */
#ifndef KERNEL_MM_PAGE_H
#define KERNEL_MM_PAGE_H

#include "kernel/core/objects.h"
#include "kernel/core/spinlock.h"
#include "kernel/mm/layout.h"
#include "kernel/x86/memory_map.h"
#include "lib/list.h"

enum { PAGE_ORDERS = 11 }; /* blocks of 1 to 1024 frames */

enum page_kind {
    PAGE_NOT_MEMORY, /* a hole, or reserved at boot; never allocated, never freed */
    PAGE_FREE,       /* head of a free block */
    PAGE_FREE_TAIL,  /* inside a free block */
    PAGE_KERNEL,     /* allocated, no further meaning here */
    PAGE_SLAB,
    PAGE_TABLE, /* a page table */
    PAGE_ANON,  /* private memory of user programs */
    PAGE_CACHE, /* a page of a file */
    PAGE_KINDS
};

struct slab_cache;
struct mapping;

struct page {
    u32 refs; /* users; the page is freed when the last goes. Atomic */
    u32 maps; /* leaf entries that point here. Atomic */
    u8 kind;  /* enum page_kind */
    u8 order; /* of the block this page heads */
    u8 level; /* PAGE_TABLE: enum pt_level */
    u8 dirty; /* PAGE_CACHE: written since the last msync; a free frame: it is poisoned (page.c) */
    struct spinlock lock; /* PAGE_TABLE: guards the entries, live and live_map */
    union {
        struct list_head link; /* PAGE_FREE: the free list; PAGE_KERNEL: the owner's */
        struct {               /* PAGE_TABLE */
            struct page *next; /* chain of tables to be freed */
            u64 live_summary;  /* room for vm.zap=live */
            u64 *live_map;
            u32 live; /* entries that are not none */
        };
        struct {                     /* PAGE_CACHE */
            struct mapping *mapping; /* NULL once truncated away */
            pgoff_t index;
        };
        struct { /* PAGE_SLAB */
            struct list_head slab_link;
            struct slab_cache *cache;
            struct object_block objects;
        };
    };
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct page) == 64, "struct page is one cache line");

#ifndef PAGE_ARRAY
#define PAGE_ARRAY ((struct page *)PAGE_ARRAY_BASE)
#endif

static inline pfn_t page_to_pfn(const struct page *page)
{
    return (pfn_t){(u64)(page - PAGE_ARRAY)};
}

/* pfn must be memory (page_pfn_valid). */
static inline struct page *pfn_to_page(pfn_t pfn)
{
    return PAGE_ARRAY + pfn.v;
}

static inline paddr_t page_to_phys(const struct page *page)
{
    return (paddr_t){page_to_pfn(page).v << PAGE_SHIFT};
}

static inline void *page_to_virt(const struct page *page)
{
    return phys_to_virt(page_to_phys(page));
}

static inline struct page *virt_to_page(const void *va)
{
    return pfn_to_page((pfn_t){virt_to_phys(va).v >> PAGE_SHIFT});
}

/* Boot, one CPU: tell the allocator of a run of usable frames whose struct pages exist (zeroed).
 * Once a range, in any order, no overlap. */
void page_add_range(pfn_t start, pfn_t end);
bool page_pfn_valid(pfn_t pfn); /* was it added? Takes no lock: ranges only grow, at boot */

/* A block of 2^order frames, refs 1 (the struct pages behind the head: 0), kind as given, contents
 * undefined; NULL when there is none. */
struct page *page_alloc(unsigned order, enum page_kind kind);
struct page *page_alloc_zeroed(enum page_kind kind); /* order 0 */
/* Free a block that page_alloc gave, used by nobody else (refs are 1) and mapped nowhere. */
void page_free(struct page *page);

static inline void page_get(struct page *page)
{
    __atomic_fetch_add(&page->refs, 1, __ATOMIC_RELAXED);
}
void page_put(struct page *page); /* drop a reference; frees with the last */

/* An entry that points to page came or went. => the entry's table is locked. */
void page_map(struct page *page);
void page_unmap(struct page *page);

u64 page_free_count(void);                /* frames free now */
u64 page_total_count(void);               /* frames ever added */
u64 page_kind_count(enum page_kind kind); /* frames allocated as this kind now */
u64 page_mapped_count(void);              /* frames of files that an entry points to */
void page_check(void); /* looks at every free frame; panics. => no lock from the allocator on */

#endif
