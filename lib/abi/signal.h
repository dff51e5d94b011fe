/* signal.h: signal numbers, sigaction and sigaltstack as Linux x86-64 lays them out. */
#ifndef LIB_ABI_SIGNAL_H
#define LIB_ABI_SIGNAL_H

#include "lib/types.h"

#define SIGNAL_NAMES(X)                                                                            \
    X(SIGHUP, 1)                                                                                   \
    X(SIGINT, 2)                                                                                   \
    X(SIGQUIT, 3)                                                                                  \
    X(SIGILL, 4)                                                                                   \
    X(SIGTRAP, 5)                                                                                  \
    X(SIGABRT, 6)                                                                                  \
    X(SIGBUS, 7)                                                                                   \
    X(SIGFPE, 8)                                                                                   \
    X(SIGKILL, 9)                                                                                  \
    X(SIGUSR1, 10)                                                                                 \
    X(SIGSEGV, 11)                                                                                 \
    X(SIGUSR2, 12)                                                                                 \
    X(SIGPIPE, 13)                                                                                 \
    X(SIGALRM, 14)                                                                                 \
    X(SIGTERM, 15)                                                                                 \
    X(SIGSTKFLT, 16)                                                                               \
    X(SIGCHLD, 17)                                                                                 \
    X(SIGCONT, 18)                                                                                 \
    X(SIGSTOP, 19)                                                                                 \
    X(SIGTSTP, 20)                                                                                 \
    X(SIGTTIN, 21)                                                                                 \
    X(SIGTTOU, 22)                                                                                 \
    X(SIGURG, 23)                                                                                  \
    X(SIGXCPU, 24)                                                                                 \
    X(SIGXFSZ, 25)                                                                                 \
    X(SIGVTALRM, 26)                                                                               \
    X(SIGPROF, 27)                                                                                 \
    X(SIGWINCH, 28)                                                                                \
    X(SIGIO, 29)                                                                                   \
    X(SIGPWR, 30)                                                                                  \
    X(SIGSYS, 31)

enum abi_signal {
#define X(name, number) name = number,
    SIGNAL_NAMES(X)
#undef X
};

#define ABI_SIGNALS 64
#define SIG_DFL 0
#define SIG_IGN 1
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SS_ONSTACK 1
#define SS_DISABLE 2
#define SS_AUTODISARM (1u << 31)
#define ABI_MINSIGSTKSZ 2048

struct abi_sigaction { /* the kernel's form: rt_sigaction */
    u64 handler;
    u64 flags;
    u64 restorer;
    u64 mask;
};

struct abi_sigaltstack {
    u64 ss_sp;
    s32 ss_flags;
    u32 pad;
    u64 ss_size;
};

#endif
