/* wait.h: clone's flags, wait's options and statuses, Linux x86-64's values. */
#ifndef LIB_ABI_WAIT_H
#define LIB_ABI_WAIT_H

#include "lib/types.h"

#define CLONE_SIGNAL_MASK 0xffu /* CSIGNAL: the signal for the parent */
#define CLONE_VM 0x100ul
#define CLONE_FS 0x200ul
#define CLONE_FILES 0x400ul
#define CLONE_SIGHAND 0x800ul
#define CLONE_PIDFD 0x1000ul
#define CLONE_PTRACE 0x2000ul
#define CLONE_VFORK 0x4000ul
#define CLONE_PARENT 0x8000ul
#define CLONE_THREAD 0x10000ul
#define CLONE_NEWNS 0x20000ul
#define CLONE_SYSVSEM 0x40000ul
#define CLONE_SETTLS 0x80000ul
#define CLONE_PARENT_SETTID 0x100000ul
#define CLONE_CHILD_CLEARTID 0x200000ul
#define CLONE_DETACHED 0x400000ul
#define CLONE_UNTRACED 0x800000ul
#define CLONE_CHILD_SETTID 0x1000000ul

#define WNOHANG 1u
#define WUNTRACED 2u
#define WSTOPPED 2u
#define WEXITED 4u
#define WCONTINUED 8u
#define WNOWAIT 0x1000000u
#define WNOTHREAD 0x20000000u
#define WALL 0x40000000u
#define WCLONE 0x80000000u

#define WAITID_ALL 0
#define WAITID_PID 1
#define WAITID_PGID 2
#define WAITID_PIDFD 3

struct abi_wait_info { /* the part of siginfo_t that waitid fills in */
    s32 signo, error, code, pad;
    s32 pid;
    u32 uid;
    s32 status;
};
_Static_assert(sizeof(struct abi_wait_info) == 28, "siginfo_t of a child");

/* A status as wait4 tells it. */
static inline u32 wait_exit_status(u32 code)
{
    return (code & 0xff) << 8;
}

static inline u32 wait_stop_status(u32 signal)
{
    return signal << 8 | 0x7f;
}

#define WAIT_CONTINUED 0xffffu

static inline u32 wait_signal_of(u32 status) /* 0: it exited */
{
    return status & 0x7f;
}

#endif
