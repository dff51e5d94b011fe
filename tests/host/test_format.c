/*
 * test_format.c: lib/format.c against the libc's snprintf, which is the oracle for everything ISO C
 * defines: every combination of flags, width, precision, length and value below, into buffers that
 * are too small as well. What ISO C leaves open (%p, a null string, an unknown conversion) is
 * checked against format.h's word.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format.h"
#include "tests/host/tap.h"

static const char *const flag_sets[] = {"",   "-",  "0",  "+",  " ",  "#",
                                        "-0", "+ ", "#0", "-#", "+0", "-+ #0"};
static const char *const widths[] = {"", "1", "7", "25"};
static const char *const precisions[] = {"", ".", ".0", ".1", ".6", ".30"};
static const char *const lengths[] = {"hh", "h", "", "l", "ll", "z", "t", "j"};
static const unsigned long values[] = {
    0,     1,     7,          8,        42,       127,      128,       255,       256,
    32767, 32768, 0x7fffffff, 1u << 31, UINT_MAX, LONG_MAX, 1ul << 63, ULONG_MAX, 0xdeadbeefcafe};

static unsigned long cases, wrong;

static void report(const char *fmt, const char *got, const char *want)
{
    if (wrong++ < 10)
        diag("%s: \"%s\", not \"%s\"", fmt, got, want);
}

/* The formats below are odd on purpose, and made at run time. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-truncation"
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-overflow"
#pragma GCC diagnostic ignored "-Wformat-zero-length"

/* One number by both, whole and cut to small buffers. */
static void compare_number(const char *fmt, size_t size, bool is_long, unsigned long value)
{
    char got[128], want[128];
    memset(got, 'x', sizeof(got));
    memset(want, 'x', sizeof(want));
    int n = is_long ? format_to(got, size, fmt, value) : format_to(got, size, fmt, (unsigned)value);
    int m = is_long ? snprintf(want, size, fmt, value) : snprintf(want, size, fmt, (unsigned)value);
    cases++;
    if (n != m || memcmp(got, want, sizeof(got)))
        report(fmt, got, want);
}

static void test_spec(const char *flags, const char *width, const char *precision,
                      const char *length)
{
    for (const char *c = "diuxXo"; *c; c++) {
        char fmt[64];
        snprintf(fmt, sizeof(fmt), "<%%%s%s%s%s%c>", flags, width, precision, length, *c);
        bool is_long = strchr("lztj", length[0]) && length[0];
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            compare_number(fmt, 128, is_long, values[v]);
            compare_number(fmt, values[v] % 9, is_long, values[v]);
        }
    }
}

static void test_numbers(void)
{
    for (size_t f = 0; f < 12; f++)
        for (size_t w = 0; w < 4; w++)
            for (size_t p = 0; p < 6; p++)
                for (size_t l = 0; l < 8; l++)
                    test_spec(flag_sets[f], widths[w], precisions[p], lengths[l]);
    is(wrong, 0, "%lu numbers as snprintf has them", cases);
}

#define SAME(fmt, ...)                                                                             \
    do {                                                                                           \
        char got[128] = {0}, want[128] = {0};                                                      \
        int n = format_to(got, sizeof(got), fmt, ##__VA_ARGS__);                                   \
        int m = snprintf(want, sizeof(want), fmt, ##__VA_ARGS__);                                  \
        ok(n == m && !strcmp(got, want), "%s", #fmt " " #__VA_ARGS__) ||                           \
            (diag("\"%s\", not \"%s\"", got, want), 0);                                            \
    } while (0)

static void test_text(void)
{
    SAME("plain");
    SAME("");
    SAME("100%%");
    SAME("[%s]", "text");
    SAME("[%10s|%-10s]", "right", "left");
    SAME("[%.3s|%.0s|%.s|%10.2s]", "abcdef", "x", "y", "zzz");
    SAME("[%c%c|%3c|%-3c]", 'a', 'b', 'c', 'd');
    SAME("[%*d|%-*d|%*d]", 5, 1, 5, 2, -5, 3);
    SAME("[%.*d|%.*d|%.*s]", 3, 7, -1, 8, 2, "abc");
    SAME("%s %d %lx %c %llu", "all", -1, 255ul, '!', ~0ull);
    SAME("[%d]", INT_MIN);
    SAME("[%ld]", LONG_MIN);
    SAME("[%hhd|%hhu|%hd]", 300, 300, 70000);
    SAME("[%zu|%zd|%td|%jd]", sizeof(int), (ssize_t)-1, (ptrdiff_t)-2, (intmax_t)-3);
    SAME("[%#x|%#X|%#o|%#o|%#.0o|%#.0x]", 255, 255, 8, 0, 0, 0);
    /* an unended string is never read past its precision: ASan watches */
    char *unended = malloc(4);
    char got[8];
    memcpy(unended, "abcd", 4);
    is(format_to(got, sizeof(got), "%.4s", unended), 4,
       "a string without NUL, cut by its precision");
    ok(!strcmp(got, "abcd"), "and its text");
    free(unended);
}

static void test_sizes(void)
{
    char buf[4] = "xyz";
    is(format_to(buf, 0, "hello"), 5, "size 0 counts");
    ok(!strcmp(buf, "xyz"), "and stores nothing");
    is(format_to(NULL, 0, "%50d", 1), 50, "size 0 with NULL");
    is(format_to(buf, 1, "hello"), 5, "size 1");
    is(buf[0], 0, "is only the NUL");
    is(format_to(buf, 4, "%s", "hello"), 5, "cut");
    ok(!strcmp(buf, "hel"), "at size - 1");
    is(format_to(buf, 4, "%2000000000d", 1), 2000000000, "a width of two thousand million");
    is(format_to(buf, 4, "%*s", INT_MIN, ""), INT_MAX, "the most negative width");
    ok(format_to(buf, 4, "%2000000000d%2000000000d", 1, 1) == -1, "a length beyond int is -1");
    is(format_to(buf, 4, "%99999999999999999999d", 1), INT_MAX, "a width beyond int is held there");
}

static void test_own_word(void)
{
    char buf[64];
    format_to(buf, sizeof(buf), "%p|%p|%20p", NULL, (void *)0x1234abcd, (void *)0x10);
    ok(!strcmp(buf, "0x0|0x1234abcd|                0x10"), "%%p: %s", buf);
    format_to(buf, sizeof(buf), "%s|%.2s|%8s", (char *)NULL, (char *)NULL, (char *)NULL);
    ok(!strcmp(buf, "(null)|(n|  (null)"), "a null string: %s", buf);
    format_to(buf, sizeof(buf), "%k %y|%");
    ok(!strcmp(buf, "%k %y|%"), "unknown conversions stand as they are: %s", buf);
    format_to(buf, sizeof(buf), "%-08.3l");
    ok(!strcmp(buf, "%-08.3l"), "an unfinished one too: %s", buf);
}

int main(void)
{
    test_numbers();
    test_text();
    test_sizes();
    test_own_word();
    return tap_done();
}
