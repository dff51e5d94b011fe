/*
 * catch.h: tests that fault and live, and tests in children.
 *
 * A fault is caught by a handler on a stack of its own, which notes the signal, its code and its
 * address, and jumps back. What a child finds is one bool, told by its exit status; the parent
 * alone prints TAP.
 */
#ifndef TESTS_GUEST_CATCH_H
#define TESTS_GUEST_CATCH_H

#include "tests/guest/guest.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

struct caught {
    int signal; /* 0: nothing was caught */
    int code;
    char *address;
};

/* Read or write the byte at p, or call it as a function. */
struct caught catch_read(const char *p);
struct caught catch_write(char *p);
struct caught catch_execute(char *p);

/* Did this fault so, at exactly this address? */
bool faulted(struct caught got, int signal, int code, const void *address);
#define segv_maperr(got, address) faulted(got, SIGSEGV, SEGV_MAPERR, address)
#define segv_accerr(got, address) faulted(got, SIGSEGV, SEGV_ACCERR, address)
#define bus_adrerr(got, address) faulted(got, SIGBUS, BUS_ADRERR, address)

/* Run it in a child. Returns what it returns; false also for a child that a signal ended. */
bool in_child(bool (*run)(void *argument), void *argument);

#endif
