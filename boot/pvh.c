/*
 * pvh.c: the information a PVH loader (qemu -kernel) leaves: struct hvm_start_info and its tables.
 *
 * Layout after Xen's public/arch-x86/hvm/start_info.h, version 1. All addresses are physical. What
 * is taken from there, and how little of it is believed: loader.c.
 */
#include "boot/boot.h"
#include "kernel/core/printk.h"
#include "lib/string.h"

enum { START_INFO_MAGIC = 0x336ec578, MEMORY_ENTRIES_MAX = 4096 };

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

enum { QEMU_CMDLINE_MAX = 4096 }; /* the buffer of its PVH loader, with the NUL */

static void read_initramfs(struct boot_info *out, const struct start_info *info)
{
    if (!info->modules)
        return;
    const struct module *module = boot_view(info->module_list, sizeof(*module));
    if (module)
        boot_take_initramfs(out, module->address, module->size);
    else
        printk("warning: the list of modules is not below 4 GiB; there is no initramfs\n");
}

const char *pvh_read(struct boot_info *out, u64 pa)
{
    const struct start_info *info = boot_view(pa, sizeof(*info));
    if (!info || info->magic != START_INFO_MAGIC)
        return "the loader is neither PVH nor any other that this kernel knows";
    out->loader = "PVH";
    boot_take_cmdline(out, info->cmdline, UINT64_MAX);
    if (strlen(out->cmdline) >= QEMU_CMDLINE_MAX)
        printk("warning: the command line has %lu bytes or more; QEMU passes on %d, so its end may "
               "be cut\n",
               strlen(out->cmdline), QEMU_CMDLINE_MAX - 1);
    if (info->version < 1)
        return "the PVH loader gives no memory map (version 0)";
    u32 n = info->memory_entries;
    const struct boot_memory_entry *entries =
        n <= MEMORY_ENTRIES_MAX ? boot_view(info->memory_map, n * sizeof(*entries)) : NULL;
    if (!entries)
        return "the PVH loader's memory map is out of reach";
    boot_take_memory(out, entries, n, sizeof(*entries));
    read_initramfs(out, info);
    out->rsdp.v = info->rsdp;
    return NULL;
}
