/*
 * fs.c: start-up of the file system: the tree, what the boot loader brought, /proc, /dev. An initramfs that is damaged or
 * does not fit ends the machine here, with the offset and the reason on the console, in the log and in the result record.
 */
#include "kernel/fs/fs.h"

#include "kernel/core/boot_info.h"
#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/fs/initramfs.h"
#include "kernel/x86/memory_map.h"

struct fs_hooks fs_hooks;

NORETURN static void give_up(const struct initramfs_error *e)
{
    if (e->error == -ENOMEM)
        panic_refuse("initramfs needs more memory: the file at offset %llu has %llu bytes, %llu "
                     "bytes are free",
                     (unsigned long long)e->offset, (unsigned long long)e->needed,
                     (unsigned long long)(page_free_count() * PAGE_SIZE));
    panic_refuse("initramfs damaged at offset %llu: %s", (unsigned long long)e->offset, e->what);
}

void fs_init(void)
{
    const struct boot_info *info = boot_info();
    struct initramfs_error error;
    if (tree_init() < 0)
        panic("no memory for the root directory");
    file_init();
    if (info->initramfs_length &&
        initramfs_unpack(phys_to_virt(info->initramfs), info->initramfs_length, &error) < 0)
        give_up(&error);
    if (info->initramfs_length)
        boot_info_release_initramfs();
    else
        printk("fs: no initramfs, the root directory is empty\n");
    fs_mkdir(fs_root, "/dev", 0755);
    fs_mkdir(fs_root, "/tmp", 01777);
    procfs_init();
    proc_system_init();
}
