/*
 * tap.h: what a guest test says, in the Test Anything Protocol, version 12.
 *
 * Every check is a line "ok N - what" or "not ok N - what"; a failed one is followed by "# " lines
 * that name the place and the values. The plan is printed last, so a suite that dies half-way has
 * no plan and counts as failed. Lines are written at once and without malloc, because the map of
 * this program is what is being tested.
 */
#ifndef TESTS_GUEST_TAP_H
#define TESTS_GUEST_TAP_H

#include <errno.h>
#include <stdbool.h>

/* The check, its place and its name. Returns condition. */
bool tap_check(bool condition, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool tap_equal(long got, long want, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* A call that must return -1 with errno want; error is errno right after the call. */
bool tap_fails(long result, int error, int want, const char *file, int line, const char *what);
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A check that cannot be made here, and why. */
void tap_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print the plan. Returns the exit status: 0 if all was ok. */
int tap_done(void);

#define ok(condition, ...) tap_check(condition, __FILE__, __LINE__, __VA_ARGS__)
#define is(got, want, ...) tap_equal((long)(got), (long)(want), __FILE__, __LINE__, __VA_ARGS__)
#define fails(call, want)                                                                          \
    ({                                                                                             \
        errno = 0;                                                                                 \
        long tap_result = (long)(call);                                                            \
        tap_fails(tap_result, errno, want, __FILE__, __LINE__, #call);                             \
    })

#endif
