/*
 * restart.h: what a system call returns that a signal has woken before its time. No program sees these: on the way back
 * proc/signal.c makes EINTR of them, or has the call made again.
 *
 *                             no handler runs     a handler, SA_RESTART    a handler without
 *      RESTART_SYS            again               again                    EINTR                read, wait4
 *      RESTART_NOHAND         again               EINTR                    EINTR                pause, sigsuspend
 *      RESTART_BLOCK          goes on from where  EINTR                    EINTR                nanosleep, poll
 *                             it was (restart_syscall)
 *
 * The numbers are Linux's, as debuggers show them.
 */
#ifndef KERNEL_CORE_RESTART_H
#define KERNEL_CORE_RESTART_H

enum { RESTART_SYS = 512, RESTART_NOHAND = 514, RESTART_BLOCK = 516 };

#endif
