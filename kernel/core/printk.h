/*
 * printk.h: the kernel log.
 *
 * A line goes to the log's serial port (COM2), which the launcher keeps as a file, and into a ring
 * in memory that panic and gdb can show. Lines carry the time since boot. Usable from the first C
 * line on and in any context; takes only its own lock (rank RANK_PRINTK).
 */
#ifndef KERNEL_CORE_PRINTK_H
#define KERNEL_CORE_PRINTK_H

#include <stdarg.h>

#include "lib/types.h"

void printk(const char *fmt, ...) PRINTF_LIKE(1, 2);
void printk_v(const char *fmt, va_list ap);
/* Where the log that is still kept begins and ends: bytes ever written. *start is raised to what is there. => any context */
u64 printk_end(u64 *start);
/* n bytes of it from start on, as far as they are not overwritten meanwhile. => any context */
void printk_copy(char *buf, size_t n, u64 start);
/* A panic is under way: no lock is waited for any more. */
void printk_enter_panic(void);

#endif
