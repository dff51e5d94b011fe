/* dev.h: start-up of the devices, and what their files share inside the room. */
#ifndef KERNEL_DEV_DEV_H
#define KERNEL_DEV_DEV_H

#include "kernel/fs/fs.h"

void dev_init(void); /* after fs_init: makes the files of /dev */

void tty_init(void);
void tty_irq(void);
void link_init(void);
void link_irq(void);
void mem_devices_init(void);

/* Make /dev/NAME, a character device. Logs an error. */
void dev_make(const char *name, u32 major, u32 minor, const struct file_ops *ops);

#endif
