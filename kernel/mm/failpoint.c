/*
 * failpoint.c: the countdown of failpoint.h. Written by tests only, on one CPU.
 */
#include "kernel/mm/failpoint.h"

u64 fail_countdown;
