/*
 * symbols.h: names of the kernel's functions, from the table that tools/ksyms.py puts into section
 * .ksyms.
 */
#ifndef KERNEL_CORE_SYMBOLS_H
#define KERNEL_CORE_SYMBOLS_H

#include "lib/types.h"

/* The function that addr lies in and how far in, or NULL. Safe in any context. */
const char *symbol_find(u64 addr, u64 *offset);

#endif
