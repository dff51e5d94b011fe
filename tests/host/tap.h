/*
 * tap.h: a test program speaks TAP (Test Anything Protocol, version 12) on standard output.
 *
 *   int main(void) { ok(1 + 1 == 2, "addition"); is(1 + 1, 2, "addition again"); return tap_done();
 * }
 *
 * The plan comes last, so a program that dies half-way is seen. Diagnostics are "# " lines after
 * the failed test.
 */
#ifndef TESTS_HOST_TAP_H
#define TESTS_HOST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned tap_run __attribute__((unused)), tap_failed __attribute__((unused));

/* Report one test; fmt is its name. Returns cond. */
#define ok(cond, ...) tap_ok((cond), #cond, __FILE__, __LINE__, __VA_ARGS__)

/* Two numbers must be equal; shows both when not. */
#define is(got, want, ...)                                                                         \
    tap_is((unsigned long)(got), (unsigned long)(want), #got, __FILE__, __LINE__, __VA_ARGS__)

#define diag(...) (printf("# "), printf(__VA_ARGS__), printf("\n"))

__attribute__((format(printf, 2, 0))) static inline void tap_line(bool passed, const char *fmt,
                                                                  va_list ap)
{
    tap_run++;
    tap_failed += !passed;
    printf("%s %u - ", passed ? "ok" : "not ok", tap_run);
    vprintf(fmt, ap);
    printf("\n");
}

__attribute__((format(printf, 5, 6))) static inline bool
tap_ok(bool cond, const char *text, const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    tap_line(cond, fmt, ap);
    va_end(ap);
    if (!cond)
        diag("%s:%d: false: %s", file, line, text);
    fflush(stdout);
    return cond;
}

__attribute__((format(printf, 6, 7))) static inline bool tap_is(unsigned long got,
                                                                unsigned long want,
                                                                const char *text, const char *file,
                                                                int line, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    tap_line(got == want, fmt, ap);
    va_end(ap);
    if (got != want)
        diag("%s:%d: %s is %lu (0x%lx), not %lu (0x%lx)", file, line, text, got, got, want, want);
    fflush(stdout);
    return got == want;
}

/* Prints the plan; returns the exit status. */
static inline int tap_done(void)
{
    printf("1..%u\n", tap_run);
    if (tap_failed)
        diag("%u of %u failed", tap_failed, tap_run);
    return tap_failed || !tap_run;
}

#endif
