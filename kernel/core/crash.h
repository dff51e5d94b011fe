/*
 * crash.h: the knob debug.crash, which breaks the kernel on purpose.
 */
#ifndef KERNEL_CORE_CRASH_H
#define KERNEL_CORE_CRASH_H

/* break_live damages a page table's count of live entries and has it checked; it lives above core.
 * */
void crash_register_knob(void (*break_live)(void));

#endif
