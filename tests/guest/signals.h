/*
 * signals.h: what the parts of suite_signal share.
 */
#ifndef TESTS_GUEST_SIGNALS_H
#define TESTS_GUEST_SIGNALS_H

#include "tests/guest/guest.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

/* What the last handler saw. */
extern struct seen {
    volatile int count;
    int signal;
    siginfo_t info;
    ucontext_t context;
    char *stack; /* an address in the handler's frame */
} seen;

typedef void handler_t(int signal, siginfo_t *info, void *context);

/* sigaction with SA_SIGINFO and these flags, nothing else blocked; ends the program when it fails. */
void handle(int signal, handler_t *handler, int flags);
void unhandle(int signal);
/* Fills in seen. */
void note(int signal, siginfo_t *info, void *context);
/* The same, and siglongjmp to escape. */
void note_and_escape(int signal, siginfo_t *info, void *context);
extern sigjmp_buf escape;

/* In a child that does action: its status as waitpid tells it. */
int status_of(void (*action)(void));
#define dies_by(action, signal)                                                                    \
    is(status_of(action), signal, "%s: the child ends by %s", #action, #signal)

u64 now_ns(void);

void signals_faults(void);
void signals_frames(void);
void signals_sleeping(void);

#endif
