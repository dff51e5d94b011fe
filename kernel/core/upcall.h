/*
 * upcall.h: the calls that go against the layers, all of them. The machine's side (kernel/x86)
 * calls these; the rooms named beside each implement them.
 */
#ifndef KERNEL_CORE_UPCALL_H
#define KERNEL_CORE_UPCALL_H

#include "lib/types.h"

struct trap_frame; /* kernel/x86/trap.h */

/* Page fault with a user address: from user mode, or from a user copy in the kernel (interrupts
 * on). Returns true when the access may be tried again. False only for a user copy: it then fails
 * with EFAULT. From user mode a bad access ends in a signal, and the call returns true.
 * proc/fault_upcall.c */
bool upcall_user_fault(struct trap_frame *frame, vaddr_t addr, u32 error_code);
/* Any other exception from user mode; becomes a signal. proc/ */
void upcall_user_exception(struct trap_frame *frame, u32 vector);
/* System call; the result goes into the frame. Interrupts on. sys/syscall.c */
void upcall_syscall(struct trap_frame *frame);
/* Timer tick, interrupts off; user: it struck user mode. sched/ */
void upcall_tick(bool user);
/* Device interrupt line (ISA number), interrupts off. dev/ */
void upcall_irq(u32 line);
/* On the way back to user mode, interrupts on: signals, rescheduling. proc/ */
void upcall_return_to_user(struct trap_frame *frame);
/* Has the running thread to end its sleep for a signal, or (fatal) for SIGKILL? Any locks, interrupts
 * off or on. proc/signal.c */
bool upcall_signal_wanted(bool fatal);
/* A panic wants its record sent and the machine ended. dev/exitport.c */
NORETURN void upcall_machine_end(const char *record);
/* Panic text for whoever watches the console (not only the log). dev/tty.c; polled, no locks. */
void upcall_console_panic(const char *text);

#endif
