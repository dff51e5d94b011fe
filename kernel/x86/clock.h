/*
 * clock.h: starting the clocks; reading them is kernel/core/time.h.
 */
#ifndef KERNEL_X86_CLOCK_H
#define KERNEL_X86_CLOCK_H

#include "lib/types.h"

enum { TICK_HZ = 100 };

void clock_init(void); /* calibrates the TSC, reads the CMOS clock; about 30 ms */
u32 clock_khz(void);   /* the TSC's rate */
void clock_start_tick(
    void); /* upcall_tick TICK_HZ times a second from now on, when interrupts are on */

#endif
