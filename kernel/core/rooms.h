/*
 * rooms.h: the start-up call of each room that main.c opens and whose own header it needs for
 * nothing else.
 */
#ifndef KERNEL_CORE_ROOMS_H
#define KERNEL_CORE_ROOMS_H

#include "lib/types.h"

void fs_init(void);  /* kernel/fs: file systems, the initramfs */
void dev_init(void); /* kernel/dev: serial ports, terminal */
void sys_init(void); /* kernel/sys: the options of the system-call room */
/* kernel/proc: makes the thread of the first program, which runs once main.c idles */
void proc_init(void);

/* tests/kernel: with `selftest` on the command line, starts the suites instead of the first program
 * and returns true. Not there in kernels built without checks. */
bool kernel_test_start(void) __attribute__((weak));

#endif
