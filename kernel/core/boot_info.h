/*
 * boot_info.h: what the boot loader told us, in one form whatever the protocol (PVH or
 * Multiboot2). Filled in by boot/, valid for ever; the text and the initramfs lie in memory that is
 * never handed out before boot_info_release_initramfs().
 */
#ifndef KERNEL_CORE_BOOT_INFO_H
#define KERNEL_CORE_BOOT_INFO_H

#include "lib/types.h"

enum { BOOT_REGIONS_MAX = 128, BOOT_CMDLINE_MAX = 65536 };

struct boot_region { /* usable memory only; sorted, disjoint, any byte boundaries */
    paddr_t start, end;
};

struct boot_info {
    const char *loader; /* "PVH" or "Multiboot2" */
    char *cmdline;      /* "" when there is none; cmdline_parse cuts it up in place */
    paddr_t initramfs;  /* length 0: none */
    u64 initramfs_length;
    paddr_t rsdp; /* 0: not given */
    u32 regions;
    struct boot_region region[BOOT_REGIONS_MAX];
};

const struct boot_info *boot_info(void);
/* The initramfs has been unpacked: its whole pages go to the page allocator. Once. */
void boot_info_release_initramfs(void);

#endif
