/* time.h: time since boot and wall-clock time, from the TSC (calibrated once) and the CMOS clock.
 * */
#ifndef KERNEL_CORE_TIME_H
#define KERNEL_CORE_TIME_H

#include "lib/types.h"

u64 time_ns(void);      /* since boot, monotonic */
u64 time_wall_ns(void); /* since 1970-01-01 UTC */

#endif
