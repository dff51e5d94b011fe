/*
 * early_memory.c: the kernel's own tables and the struct page array need memory before the page
 * allocator, which needs both. They get whole pages off the front of the first region that can give
 * one; the rest is then handed over.
 *
 *      boot_info:   |####|  |############################|     |###########|
 *      taken out:   first MiB, kernel, initramfs
 *      pool:                    |-> pages ... ####|  |###|     |###########|
 *
 * One CPU, at boot.
 */
#include "kernel/x86/early_memory.h"

#include "boot/boot.h"
#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/mm/page.h"
#include "kernel/x86/hwpt.h"
#include "lib/string.h"

enum { LOW_MEMORY = 1 << 20 }; /* left to firmware, and to starting other CPUs */

static struct boot_info pool; /* only its regions */
static u64 limit = (u64)BOOT_EARLY_DIRECT_GIB << 30;
static bool handed_over;

extern u8 kernel_data_end[];

u64 boot_kernel_end(void)
{
    return (u64)kernel_data_end - KERNEL_BASE;
}

static u64 total_bytes(const struct boot_info *info)
{
    u64 sum = 0;
    for (u32 i = 0; i < info->regions; i++)
        sum += info->region[i].end.v - info->region[i].start.v;
    return sum;
}

void early_memory_init(const struct boot_info *info)
{
    /* Rounded up: firmware keeps a few hundred KiB of what the user was promised. */
    u64 mib = (total_bytes(info) + (1 << 20) - 1) >> 20;
    if (mib < MEMORY_MIB_MIN)
        panic_refuse("Fathom needs %d MiB of memory; this machine has %lu MiB", MEMORY_MIB_MIN,
                     mib);
    pool.regions = info->regions;
    memcpy(pool.region, info->region, sizeof(pool.region));
    u64 initrd = align_down(info->initramfs.v, PAGE_SIZE);
    u64 initrd_end = align_up(info->initramfs.v + info->initramfs_length, PAGE_SIZE);
    bool fits = regions_remove(&pool, 0, LOW_MEMORY);
    fits &= regions_remove(&pool, LOW_MEMORY, boot_kernel_end());
    if (info->initramfs_length)
        fits &= regions_remove(&pool, initrd, initrd_end);
    if (!fits)
        printk("warning: more than %d regions of memory; the rest is not used\n", BOOT_REGIONS_MAX);
}

/* The first whole page of a region, or its end when there is none. */
static u64 first_page(const struct boot_region *r)
{
    return align_up(r->start.v, HW_PAGE_SIZE);
}

paddr_t early_memory_page(void)
{
    ASSERT(!handed_over, "the page allocator is there");
    for (u32 i = 0; i < pool.regions; i++) {
        struct boot_region *r = &pool.region[i];
        u64 page = first_page(r);
        if (page >= r->end.v || r->end.v - page < HW_PAGE_SIZE || page + HW_PAGE_SIZE > limit)
            continue;
        r->start.v = page + HW_PAGE_SIZE;
        memset(phys_to_virt((paddr_t){page}), 0, HW_PAGE_SIZE);
        return (paddr_t){page};
    }
    panic_refuse("too little memory for the kernel's own tables");
}

void early_memory_lift_limit(void)
{
    limit = UINT64_MAX;
}

void early_memory_hand_over(void)
{
    handed_over = true;
    for (u32 i = 0; i < pool.regions; i++) {
        u64 start = align_up(pool.region[i].start.v, PAGE_SIZE);
        u64 end = align_down(pool.region[i].end.v, PAGE_SIZE);
        if (start < end)
            page_add_range((pfn_t){start >> PAGE_SHIFT}, (pfn_t){end >> PAGE_SHIFT});
    }
}

void boot_info_release_initramfs(void)
{
    const struct boot_info *info = boot_info();
    u64 start = align_up(max_u64(info->initramfs.v, LOW_MEMORY), PAGE_SIZE);
    u64 end = align_down(info->initramfs.v + info->initramfs_length, PAGE_SIZE);
    ASSERT(handed_over, "too early");
    if (start < end && info->initramfs_length)
        page_add_range((pfn_t){start >> PAGE_SHIFT}, (pfn_t){end >> PAGE_SHIFT});
}
