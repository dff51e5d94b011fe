/* signal.h: signal numbers, sigaction, siginfo and sigaltstack as Linux x86-64 lays them out. */
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
#define ABI_SIGRTMIN 32 /* from here on every signal sent is queued */
#define SIG_DFL 0
#define SIG_IGN 1
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SS_ONSTACK 1
#define SS_DISABLE 2
#define SS_AUTODISARM (1u << 31)
#define ABI_MINSIGSTKSZ 2048

#define SA_NOCLDSTOP 1u
#define SA_NOCLDWAIT 2u
#define SA_SIGINFO 4u
#define SA_EXPOSE_TAGBITS 0x800u
#define SA_RESTORER 0x04000000u
#define SA_ONSTACK 0x08000000u
#define SA_RESTART 0x10000000u
#define SA_NODEFER 0x40000000u
#define SA_RESETHAND 0x80000000u
#define SA_ALL                                                                                     \
    (SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_EXPOSE_TAGBITS | SA_RESTORER | SA_ONSTACK |     \
     SA_RESTART | SA_NODEFER | SA_RESETHAND)

/* si_code: who sent it */
#define SI_USER 0
#define SI_KERNEL 0x80
#define SI_QUEUE -1
#define SI_TKILL -6
/* or what happened */
#define ILL_ILLOPN 2
#define FPE_INTDIV 1
#define FPE_FLTDIV 3
#define FPE_FLTOVF 4
#define FPE_FLTUND 5
#define FPE_FLTRES 6
#define FPE_FLTINV 7
#define SEGV_MAPERR 1
#define SEGV_ACCERR 2
#define BUS_ADRALN 1
#define BUS_ADRERR 2
#define TRAP_TRACE 2
#define TRAP_HWBKPT 4
#define CLD_EXITED 1
#define CLD_KILLED 2
#define CLD_STOPPED 5
#define CLD_CONTINUED 6

#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2

struct abi_sigaction { /* the kernel's form: rt_sigaction */
    u64 handler;
    u64 flags;
    u64 restorer;
    u64 mask;
};

/* The part of siginfo that has a meaning; programs see ABI_SIGINFO_SIZE bytes, the rest zero. */
struct abi_siginfo {
    s32 signo, error, code;
    u32 pad;
    union {
        struct {
            s32 pid;
            u32 uid;
            u64 value;
        } sender;
        struct {
            s32 pid;
            u32 uid;
            s32 status;
            u32 pad;
            s64 utime, stime; /* in AT_CLKTCK's ticks */
        } child;
        u64 addr; /* of a fault */
        u64 words[4];
    };
};
#define ABI_SIGINFO_SIZE 128

struct abi_sigaltstack {
    u64 ss_sp;
    s32 ss_flags;
    u32 pad;
    u64 ss_size;
};

#endif
