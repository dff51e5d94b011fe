/*
 * failpoint.h: make any allocation fail, on purpose. The page and slab allocators ask fail_this() before
 * each allocation; tests arm it to fail the Nth one, for N = 1, 2, 3 ... until an operation gets through, and
 * check after each failure that nothing was lost. Compiled out unless CONFIG_CHECK.
 */
#ifndef KERNEL_MM_FAILPOINT_H
#define KERNEL_MM_FAILPOINT_H

#include "kernel/core/panic.h"

extern u64 fail_countdown; /* 0: off; n: the nth allocation from now fails, once */

static inline bool fail_this(void)
{
    return CONFIG_CHECK && unlikely(fail_countdown != 0) && --fail_countdown == 0;
}

#endif
