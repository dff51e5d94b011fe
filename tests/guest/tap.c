/*
 * tap.c: the test protocol; see tap.h.
 */
#include "tests/guest/tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX = 1024 };

static int checks, failed;

static void put(const char *format, ...)
{
    char line[LINE_MAX];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length >= LINE_MAX)
        length = LINE_MAX - 1;
    for (ssize_t done = 0, n; done < length; done += n)
        if ((n = write(STDOUT_FILENO, line + done, length - done)) <= 0)
            _exit(3);
}

static bool result(bool condition, const char *file, int line, const char *format, va_list args)
{
    char what[LINE_MAX / 2];

    vsnprintf(what, sizeof what, format, args);
    put("%s %d - %s\n", condition ? "ok" : "not ok", ++checks, what);
    if (!condition) {
        failed++;
        put("# failed at %s:%d\n", file, line);
    }
    return condition;
}

bool tap_check(bool condition, const char *file, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    result(condition, file, line, format, args);
    va_end(args);
    return condition;
}

bool tap_equal(long got, long want, const char *file, int line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    result(got == want, file, line, format, args);
    va_end(args);
    if (got != want)
        put("# got %ld (%#lx), wanted %ld (%#lx)\n", got, got, want, want);
    return got == want;
}

bool tap_fails(long got, int error, int want, const char *file, int line, const char *what)
{
    bool good = got == -1 && error == want;

    tap_check(good, file, line, "%s: %s", what, strerrorname_np(want));
    if (!good && got == -1)
        put("# errno %s\n", strerrorname_np(error) ? strerrorname_np(error) : "unknown");
    else if (!good)
        put("# returned %#lx\n", got);
    return good;
}

void tap_note(const char *format, ...)
{
    char text[LINE_MAX / 2];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put("# %s\n", text);
}

void tap_skip(const char *format, ...)
{
    char text[LINE_MAX / 2];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put("ok %d # SKIP %s\n", ++checks, text);
}

int tap_done(void)
{
    put("1..%d\n", checks);
    return failed != 0;
}
