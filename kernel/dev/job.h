/*
 * job.h: job control: whose the terminal is.
 *
 *      session (one leader, the shell)
 *        |-- foreground group      reads, and gets Ctrl-C
 *        \-- background groups     are stopped when they read (SIGTTIN), change settings, or with TOSTOP write (SIGTTOU)
 */
#ifndef KERNEL_DEV_JOB_H
#define KERNEL_DEV_JOB_H

#include "lib/types.h"

void job_init(void);
/* Send signal to the foreground group. => no lock held; not in an interrupt. */
void job_signal(u32 signal);
/* Have it sent. => locks before RANK_WAIT_QUEUE; any context. */
void job_signal_soon(u32 signal);
/* May the running process do what SIGTTIN (read) or SIGTTOU (change, write) is for? 0; -RESTART_SYS: its group has got the
 * signal; -EIO: that would be of no use. => no lock held. */
long job_check(u32 signal);
/* Is the terminal the one of the running process's session? */
bool job_is_mine(void);
/* The ioctls about all this, with the argument in *value (TIOCSCTTY's by value). -ENOTTY: not one of them. */
int job_ioctl(u32 cmd, u32 *value);

#endif
