/*
 * pvh.c: the information a PVH loader (qemu -kernel) leaves: struct hvm_start_info and its tables.
 *
 * Layout after Xen's public/arch-x86/hvm/start_info.h, version 1. All addresses are physical and
 * are read through the early direct map, which ends at 4 GiB; what points higher is refused. Text
 * is copied, so nothing of the loader's memory is needed afterwards but the initramfs.
 */
#include "boot/boot.h"
#include "kernel/core/printk.h"
#include "kernel/x86/memory_map.h"
#include "lib/string.h"

enum { START_INFO_MAGIC = 0x336ec578, MEMORY_RAM = 1, MEMORY_ENTRIES_MAX = 4096 };

struct start_info {
    u32 magic, version, flags, modules;
    u64 module_list, cmdline, rsdp;
    u64 memory_map; /* from version 1 on */
    u32 memory_entries, reserved;
};
_Static_assert(sizeof(struct start_info) == 56, "hvm_start_info");

struct module {
    u64 address, size, cmdline, reserved;
};

struct memory_entry {
    u64 address, size;
    u32 type, reserved;
};
_Static_assert(sizeof(struct memory_entry) == 24, "hvm_memmap_table_entry");

static char cmdline[BOOT_CMDLINE_MAX];

enum { QEMU_CMDLINE_MAX = 4096 }; /* the buffer of its PVH loader, with the NUL */

/* size bytes at physical address pa, or NULL when the early tables do not reach them. */
static const void *early_view(u64 pa, u64 size)
{
    const u64 limit = (u64)BOOT_EARLY_DIRECT_GIB << 30;
    return pa && size <= limit && pa <= limit - size ? phys_to_virt((paddr_t){pa}) : NULL;
}

static void read_memory(struct boot_info *out, const struct memory_entry *entry, u32 n)
{
    bool fits = true;
    for (u32 i = 0; i < n; i++) {
        if (entry[i].type == MEMORY_RAM && entry[i].address < DIRECT_MAP_SIZE)
            fits &= regions_add(out, entry[i].address,
                                entry[i].address +
                                    min_u64(entry[i].size, DIRECT_MAP_SIZE - entry[i].address));
    }
    for (u32 i = 0; i < n; i++) { /* where two entries disagree, it is not memory */
        u64 end = entry[i].address + entry[i].size;
        if (entry[i].type != MEMORY_RAM)
            fits &=
                regions_remove(out, entry[i].address, end < entry[i].address ? UINT64_MAX : end);
    }
    if (!fits)
        printk("warning: more than %d regions of memory; the rest is not used\n", BOOT_REGIONS_MAX);
}

static void read_cmdline(struct boot_info *out, u64 pa)
{
    const u64 limit = (u64)BOOT_EARLY_DIRECT_GIB << 30;
    const char *text = early_view(pa, 1);
    cmdline[0] = '\0';
    out->cmdline = cmdline;
    if (!text)
        return;
    size_t n = strnlen(text, min_u64(BOOT_CMDLINE_MAX, limit - pa));
    if (n == BOOT_CMDLINE_MAX) {
        printk("warning: the command line is cut at %d bytes\n", BOOT_CMDLINE_MAX - 1);
        n--;
    }
    if (n >= QEMU_CMDLINE_MAX)
        printk("warning: the command line has %lu bytes or more; QEMU passes on %d, so its end may "
               "be cut\n",
               n, QEMU_CMDLINE_MAX - 1);
    memcpy(cmdline, text, n);
    cmdline[n] = '\0';
}

static void read_initramfs(struct boot_info *out, const struct start_info *info)
{
    if (!info->modules)
        return;
    const struct module *module = early_view(info->module_list, sizeof(*module));
    if (!module || !early_view(module->address, module->size)) {
        printk("warning: the initramfs is not below 4 GiB and is left out\n");
        return;
    }
    out->initramfs.v = module->address;
    out->initramfs_length = module->size;
}

const char *pvh_read(struct boot_info *out, u64 pa)
{
    const struct start_info *info = early_view(pa, sizeof(*info));
    if (!info || info->magic != START_INFO_MAGIC)
        return "the loader is neither PVH nor any other that this kernel knows";
    out->loader = "PVH";
    read_cmdline(out, info->cmdline);
    if (info->version < 1)
        return "the PVH loader gives no memory map (version 0)";
    u32 n = info->memory_entries;
    const struct memory_entry *entries =
        n <= MEMORY_ENTRIES_MAX ? early_view(info->memory_map, n * sizeof(*entries)) : NULL;
    if (!entries)
        return "the PVH loader's memory map is out of reach";
    read_memory(out, entries, n);
    read_initramfs(out, info);
    out->rsdp.v = info->rsdp;
    return NULL;
}
