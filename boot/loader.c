/*
 * loader.c: what the readers of both boot protocols share (pvh.c, multiboot2.c).
 *
 * A loader is trusted as little as a file: every address and length is checked before it is read
 * through the early direct map, which ends at 4 GiB. What is out of reach or makes no sense is left
 * out with a warning, or refused by the reader. Text is copied, so nothing of the loader's memory is
 * needed afterwards but the initramfs, which the loader may have put anywhere:
 *
 *      regions      |########################|      |##############|
 *      kernel           |kkkk|
 *      initramfs                |iiiii|             taken
 *                     |iiiii|         |iiiii|       left out, with a warning
 *
 * Runs on one CPU at boot; the host tests run it on a memory of their own.
 */
#include "boot/boot.h"
#include "kernel/core/printk.h"
#include "kernel/x86/memory_map.h"
#include "lib/string.h"

enum { LOW_MEMORY = 1 << 20 };

static const u64 limit = (u64)BOOT_EARLY_DIRECT_GIB << 30;
static char cmdline[BOOT_CMDLINE_MAX];

const void *boot_view(u64 pa, u64 size)
{
    return pa && size <= limit && pa <= limit - size ? phys_to_virt((paddr_t){pa}) : NULL;
}

void boot_take_cmdline(struct boot_info *out, u64 pa, u64 size)
{
    const char *text = boot_view(pa, 1);
    cmdline[0] = '\0';
    out->cmdline = cmdline;
    if (!text || !size)
        return;
    size_t n = strnlen(text, min_u64(min_u64(size, BOOT_CMDLINE_MAX), limit - pa));
    if (n == BOOT_CMDLINE_MAX) {
        printk("warning: the command line is cut at %d bytes\n", BOOT_CMDLINE_MAX - 1);
        n--;
    }
    memcpy(cmdline, text, n);
    cmdline[n] = '\0';
}

static const struct boot_memory_entry *entry_at(const void *entries, u32 stride, u32 i)
{
    return (const struct boot_memory_entry *)((const u8 *)entries + (u64)stride * i);
}

void boot_take_memory(struct boot_info *out, const void *entries, u32 n, u32 stride)
{
    bool fits = true;
    for (u32 i = 0; i < n; i++) {
        const struct boot_memory_entry *e = entry_at(entries, stride, i);
        if (e->type == BOOT_MEMORY_RAM && e->address < DIRECT_MAP_SIZE)
            fits &= regions_add(out, e->address,
                                e->address + min_u64(e->size, DIRECT_MAP_SIZE - e->address));
    }
    for (u32 i = 0; i < n; i++) { /* where two entries disagree, it is not memory */
        const struct boot_memory_entry *e = entry_at(entries, stride, i);
        u64 end = e->address + e->size;
        if (e->type != BOOT_MEMORY_RAM)
            fits &= regions_remove(out, e->address, end < e->address ? UINT64_MAX : end);
    }
    if (!fits)
        printk("warning: more than %d regions of memory; the rest is not used\n", BOOT_REGIONS_MAX);
}

/* Whether [start, end) is wholly usable memory. */
static bool is_memory(const struct boot_info *info, u64 start, u64 end)
{
    for (u32 i = 0; i < info->regions; i++)
        if (start >= info->region[i].start.v && end <= info->region[i].end.v)
            return true;
    return false;
}

void boot_take_initramfs(struct boot_info *out, u64 start, u64 size)
{
    if (!size)
        return;
    if (!boot_view(start, size))
        printk("warning: the initramfs is not below 4 GiB and is left out\n");
    else if (!is_memory(out, start, start + size))
        printk(
            "warning: the initramfs at %#lx, %lu bytes, is not in usable memory and is left out\n",
            start, size);
    else if (start < boot_kernel_end() && start + size > LOW_MEMORY)
        printk("warning: the initramfs at %#lx overlaps the kernel and is left out\n", start);
    else {
        out->initramfs.v = start;
        out->initramfs_length = size;
    }
}
