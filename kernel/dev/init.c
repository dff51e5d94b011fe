/*
 * init.c: start-up of the devices, and their interrupts' way to them. ISA line 4 is shared by COM1 and COM3 (line 3, of COM2
 * and COM4, is not used: both are written only).
 */
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/dev/dev.h"
#include "kernel/x86/irq.h"
#include "lib/format.h"

enum { IRQ_COM1_COM3 = 4 };

void upcall_irq(u32 line)
{
    if (line == IRQ_COM1_COM3) {
        tty_irq();
        link_irq();
    }
}

void dev_make(const char *name, u32 major, u32 minor, const struct file_ops *ops)
{
    char path[64];
    format_to(path, sizeof(path), "/dev/%s", name);
    fs_unlink(fs_root, path, false); /* one from the initramfs has no driver */
    int ret = fs_make(fs_root, path, S_IFCHR | 0666, abi_makedev(major, minor), ops);
    if (ret < 0)
        printk("dev: %s cannot be made: error %d\n", path, -ret);
}

void dev_init(void)
{
    mem_devices_init();
    tty_init();
    link_init();
    irq_line_enable(IRQ_COM1_COM3);
}
