/*
 * paging.c: building the kernel half of the address space (docs/memory-map.md draws it).
 *
 *      DIRECT_MAP_BASE   all usable memory; 1 GiB and 2 MiB pages, not executable. Where the
 *                        kernel's image lies, 4 KiB pages with the image's rights, so that its text
 *                        cannot be written through here either
 *      PAGE_ARRAY_BASE   struct page of all usable memory, and nothing where there is none
 *      STACKS_BASE       one upper table, so that spaces share what stack.c puts below it
 *      KERNEL_BASE       text read-execute, rodata read, data and bss read-write, less the guard page
 *                        of the boot stack
 *
 * The low half stays empty: it is the user's. Everything here is made once at boot, from
 * early_memory.
 */
#include "kernel/x86/paging.h"

#include "boot/boot.h"
#include "kernel/core/panic.h"
#include "kernel/mm/page.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/early_memory.h"
#include "kernel/x86/hwpt.h"
#include "kernel/x86/memory_map.h"

_Static_assert(BOOT_KERNEL_BASE == KERNEL_BASE, "boot.h and memory_map.h");

extern u8 kernel_text_start[], kernel_text_end[], kernel_rodata_start[], kernel_rodata_end[];
extern u8 kernel_data_start[], kernel_data_end[], boot_stack_guard[];

static paddr_t root;

static u64 *table_at(u64 entry)
{
    return phys_to_virt((paddr_t){entry & HW_FRAME});
}

/* The entry for addr at level, with the tables above it made. */
static u64 *entry_for(vaddr_t addr, int level)
{
    u64 *table = phys_to_virt(root);
    for (int l = HW_LEVELS - 1; l > level; l--) {
        u64 *entry = &table[hw_index(addr, l)];
        ASSERT(!(*entry & HW_LARGE), "%#lx is mapped by a large page", addr);
        if (!(*entry & HW_P))
            *entry = early_memory_page().v | HW_KERNEL_TABLE;
        table = table_at(*entry);
    }
    return &table[hw_index(addr, level)];
}

static void map(vaddr_t addr, u64 pa, int level, u64 rights)
{
    u64 *entry = entry_for(addr, level);
    ASSERT(!*entry, "%#lx is mapped already", addr);
    *entry = pa | rights | (level ? HW_LARGE : 0);
}

/* Rights of the page at addr of the image; 0: not to be mapped. */
static u64 image_rights(vaddr_t addr)
{
    if (addr >= (u64)kernel_text_start && addr < (u64)kernel_text_end)
        return HW_KERNEL_TEXT;
    if (addr >= (u64)kernel_rodata_start && addr < (u64)kernel_rodata_end)
        return HW_KERNEL_RODATA;
    if (addr == (u64)boot_stack_guard)
        return 0;
    return HW_KERNEL_DATA;
}

static void map_image(void)
{
    for (vaddr_t addr = (u64)kernel_text_start; addr < (u64)kernel_data_end; addr += HW_PAGE_SIZE) {
        u64 rights = image_rights(addr);
        if (rights)
            map(addr, addr - KERNEL_BASE, 0, rights);
    }
}

/* 2 MiB of the direct map that the image lies in, page by page. */
static void map_direct_image(u64 pa)
{
    for (u64 end = pa + HW_LARGE_SIZE; pa < end; pa += HW_PAGE_SIZE) {
        vaddr_t image = pa + KERNEL_BASE;
        bool fixed = image >= (u64)kernel_text_start && image < (u64)kernel_rodata_end;
        map(pa + DIRECT_MAP_BASE, pa, 0, fixed ? HW_KERNEL_RODATA : HW_KERNEL_DATA);
    }
}

/* Map [start, end), both at 2 MiB, where it is not mapped yet. */
static void map_direct(u64 start, u64 end)
{
    u64 image_end = (u64)kernel_data_end - KERNEL_BASE;
    for (u64 pa = start, step; pa < end; pa += step) {
        bool huge = cpu_has_huge_pages() && !(pa & (HW_HUGE_SIZE - 1)) &&
                    end - pa >= HW_HUGE_SIZE && pa >= image_end;
        step = huge ? HW_HUGE_SIZE : HW_LARGE_SIZE;
        if (pa < image_end)
            map_direct_image(pa);
        else
            map(pa + DIRECT_MAP_BASE, pa, huge ? 2 : 1, HW_KERNEL_DATA);
    }
}

static void map_all_memory(const struct boot_info *info)
{
    u64 done = 0; /* regions are sorted; two may share 2 MiB */
    for (u32 i = 0; i < info->regions; i++) {
        u64 start = max_u64(align_down(info->region[i].start.v, HW_LARGE_SIZE), done);
        u64 end = align_up(info->region[i].end.v, HW_LARGE_SIZE);
        map_direct(start, end);
        done = max_u64(done, end);
    }
}

/* struct pages are mapped by whole pages of the array; two regions may share one. */
static void map_page_array(const struct boot_info *info)
{
    vaddr_t done = 0;
    for (u32 i = 0; i < info->regions; i++) {
        u64 first = info->region[i].start.v >> PAGE_SHIFT;
        u64 last = (info->region[i].end.v - 1) >> PAGE_SHIFT;
        vaddr_t addr = align_down((u64)(PAGE_ARRAY + first), HW_PAGE_SIZE);
        for (addr = max_u64(addr, done); addr < (u64)(PAGE_ARRAY + last + 1); addr += HW_PAGE_SIZE)
            map(addr, early_memory_page().v, 0, HW_KERNEL_DATA);
        done = addr;
    }
}

void paging_init(const struct boot_info *info)
{
    root = early_memory_page();
    map_image();
    map_all_memory(info);
    entry_for(STACKS_BASE, 2);
    write_cr3(root.v);
    this_cpu()->space = NULL;
    early_memory_lift_limit();
    map_page_array(info);
    paging_check();
}

paddr_t paging_root(void)
{
    return root;
}

u64 paging_lookup(vaddr_t addr, int *level)
{
    const u64 *table = phys_to_virt(root);
    for (*level = HW_LEVELS - 1;; --*level) {
        u64 entry = table[hw_index(addr, *level)];
        if (!(entry & HW_P))
            return 0;
        if (*level == 0 || (entry & HW_LARGE))
            return entry;
        table = table_at(entry);
    }
}

static void check_table(const u64 *table, int level, vaddr_t base)
{
    for (unsigned i = level == HW_LEVELS - 1 ? HW_KERNEL_HALF : 0; i < HW_ENTRIES; i++) {
        u64 entry = table[i];
        vaddr_t addr = base + ((u64)i << (12 + 9 * level));
        if (!(entry & HW_P))
            continue;
        ASSERT(!(entry & HW_U), "%#lx is open to users: entry %#lx", addr, entry);
        if (level && !(entry & HW_LARGE))
            check_table(table_at(entry), level - 1, addr);
        else
            ASSERT(!(entry & HW_W) || (entry & HW_XD),
                   "%#lx is writable and executable: entry %#lx", addr, entry);
    }
}

void paging_check(void)
{
    check_table(phys_to_virt(root), HW_LEVELS - 1, 0xffff000000000000ul);
}
