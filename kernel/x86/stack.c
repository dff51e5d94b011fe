/*
 * stack.c: kernel stacks in a region of their own, where an overflow meets an unmapped page instead
 * of data.
 *
 * A slot is 32 KiB: 16 KiB that stay unmapped, 16 KiB of stack. One lowest-level table serves 64
 * slots and exists while one of them is in use, so an idle system holds no page for stacks that are
 * gone. All spaces share these tables, since they hang below a top-level entry that paging.c made
 * at boot.
 *
 * Lock: slots_lock guards the map of slots and the tables; it is taken before the page allocator's.
 */
#include "kernel/x86/stack.h"

#include "kernel/core/panic.h"
#include "kernel/core/spinlock.h"
#include "kernel/mm/page.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/hwpt.h"
#include "kernel/x86/memory_map.h"
#include "kernel/x86/paging.h"
#include "lib/bitmap.h"

enum {
    SLOT_SIZE = 2 * THREAD_STACK_SIZE,
    SLOTS = 16384, /* 512 MiB of addresses, below one entry of the second-highest level */
    SLOTS_PER_TABLE = HW_LARGE_SIZE / SLOT_SIZE,
    TABLES = SLOTS / SLOTS_PER_TABLE,
    STACK_PAGES = (THREAD_STACK_SIZE + PAGE_SIZE - 1) / PAGE_SIZE,
    HW_PER_PAGE = PAGE_SIZE / HW_PAGE_SIZE,
};
_Static_assert(THREAD_STACK_SIZE % PAGE_SIZE == 0, "stacks are whole pages");

extern u8 boot_stack_guard[];

static struct spinlock slots_lock;
static u64 slots[BITMAP_WORDS(SLOTS)];
static u8 table_users[TABLES]; /* stacks in use below each table */
static u64 *directory;         /* the table whose entries point at the lowest tables */

static vaddr_t slot_stack(size_t slot)
{
    return STACKS_BASE + slot * SLOT_SIZE + THREAD_STACK_SIZE;
}

void stack_init(void)
{
    spin_init(&slots_lock, RANK_STACKS);
    struct page *page = page_alloc_zeroed(PAGE_KERNEL);
    ASSERT(page, "no memory for the first table");
    u64 *upper = phys_to_virt(paging_root());
    upper = phys_to_virt((paddr_t){upper[hw_index(STACKS_BASE, 3)] & HW_FRAME});
    upper[hw_index(STACKS_BASE, 2)] = page_to_phys(page).v | HW_KERNEL_TABLE;
    directory = page_to_virt(page);
}

static u64 *leaf_entry(vaddr_t addr)
{
    u64 *table = phys_to_virt((paddr_t){directory[hw_index(addr, 1)] & HW_FRAME});
    return &table[hw_index(addr, 0)];
}

static bool get_table(size_t slot)
{
    u64 *entry = &directory[hw_index(slot_stack(slot), 1)];
    if (!table_users[slot / SLOTS_PER_TABLE]) {
        struct page *page = page_alloc_zeroed(PAGE_KERNEL);
        if (!page)
            return false;
        *entry = page_to_phys(page).v | HW_KERNEL_TABLE;
    }
    table_users[slot / SLOTS_PER_TABLE]++;
    return true;
}

/* => Nothing of slot is mapped any more. */
static void put_table(size_t slot)
{
    u64 *entry = &directory[hw_index(slot_stack(slot), 1)];
    if (--table_users[slot / SLOTS_PER_TABLE])
        return;
    struct page *page = virt_to_page(phys_to_virt((paddr_t){*entry & HW_FRAME}));
    *entry = 0;
    invlpg(slot_stack(slot)); /* also drops what the CPU remembers of upper tables */
    page_free(page);
}

/* Unmap and free the lowest n pages of slot's stack. */
static void unmap_pages(size_t slot, unsigned n)
{
    while (n--) {
        vaddr_t addr = slot_stack(slot) + n * PAGE_SIZE;
        paddr_t pa = {*leaf_entry(addr) & HW_FRAME};
        for (unsigned i = 0; i < HW_PER_PAGE; i++) {
            *leaf_entry(addr + i * HW_PAGE_SIZE) = 0;
            invlpg(addr + i * HW_PAGE_SIZE);
        }
        page_free(virt_to_page(phys_to_virt(pa)));
    }
}

static bool map_pages(size_t slot)
{
    for (unsigned n = 0; n < STACK_PAGES; n++) {
        struct page *page = page_alloc(0, PAGE_KERNEL);
        if (!page) {
            unmap_pages(slot, n);
            return false;
        }
        for (unsigned i = 0; i < HW_PER_PAGE; i++)
            *leaf_entry(slot_stack(slot) + n * PAGE_SIZE + i * HW_PAGE_SIZE) =
                (page_to_phys(page).v + i * HW_PAGE_SIZE) | HW_KERNEL_DATA;
    }
    return true;
}

void *stack_alloc(void)
{
    void *stack = NULL;
    spin_lock(&slots_lock);
    size_t slot = bitmap_find_clear(slots, SLOTS, 0);
    if (slot == SLOTS || !get_table(slot))
        goto out;
    if (!map_pages(slot)) {
        put_table(slot);
        goto out;
    }
    bitmap_set(slots, slot);
    stack = (void *)slot_stack(slot);
out:
    spin_unlock(&slots_lock);
    return stack;
}

void stack_free(void *stack)
{
    size_t slot = ((vaddr_t)stack - STACKS_BASE) / SLOT_SIZE;
    spin_lock(&slots_lock);
    ASSERT(slot < SLOTS && (vaddr_t)stack == slot_stack(slot) && bitmap_test(slots, slot),
           "%p is no stack", stack);
    unmap_pages(slot, STACK_PAGES);
    put_table(slot);
    bitmap_clear(slots, slot);
    spin_unlock(&slots_lock);
}

bool stack_is_guard(vaddr_t addr)
{
    if (align_down(addr, HW_PAGE_SIZE) == (u64)boot_stack_guard)
        return true;
    return addr >= STACKS_BASE && addr < STACKS_BASE + (u64)SLOTS * SLOT_SIZE &&
           (addr - STACKS_BASE) % SLOT_SIZE < THREAD_STACK_SIZE;
}
