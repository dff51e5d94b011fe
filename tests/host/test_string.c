/*
 * test_string.c: lib/string.c against the libc's functions: every small size at every alignment,
 * with guard bytes on both sides; overlapping moves in both directions; and the parser of numbers.
 * The kernel's functions go by lib_NAME here (host.mk); the libc's keep their names.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bitmap.h"
#include "tests/host/tap.h"

void *lib_memcpy(void *restrict dst, const void *restrict src, size_t n);
void *lib_memmove(void *dst, const void *src, size_t n);
void *lib_memset(void *dst, int byte, size_t n);
int lib_memcmp(const void *a, const void *b, size_t n);
void *lib_memchr(const void *s, int byte, size_t n);
size_t lib_strlen(const char *s);
size_t lib_strnlen(const char *s, size_t max);
int lib_strcmp(const char *a, const char *b);
int lib_strncmp(const char *a, const char *b, size_t n);
char *lib_strchr(const char *s, int c);
char *lib_strrchr(const char *s, int c);
size_t string_copy(char *dst, const char *src, size_t size);
bool parse_u64(const char *s, uint64_t *out);

enum { SIZES = 100, ROOM = 160 };

static unsigned char from[ROOM], got[ROOM], want[ROOM];

static void fill(void)
{
    for (int i = 0; i < ROOM; i++) {
        from[i] = (unsigned char)(i * 37 + 11);
        got[i] = want[i] = (unsigned char)(200 - i);
    }
}

static bool same(void)
{
    return !memcmp(got, want, ROOM);
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static void test_copy_and_fill(void)
{
    unsigned bad = 0;
    for (size_t n = 0; n < SIZES; n++) {
        for (size_t d = 0; d < 9; d++) {
            for (size_t s = 0; s < 9; s++) {
                fill();
                memcpy(want + d, from + s, n);
                bad += lib_memcpy(got + d, from + s, n) != got + d || !same();
            }
            fill();
            memset(want + d, (int)n * 3 - 100, n);
            bad += lib_memset(got + d, (int)n * 3 - 100, n) != got + d || !same();
        }
    }
    is(bad, 0, "memcpy and memset");
}

static void test_move(void)
{
    unsigned bad = 0;
    for (size_t n = 0; n < SIZES; n++) {
        for (size_t d = 0; d < 40; d++) {
            for (size_t s = 0; s < 40; s++) {
                fill();
                memmove(want + d, want + s, n);
                bad += lib_memmove(got + d, got + s, n) != got + d || !same();
            }
        }
    }
    is(bad, 0, "memmove with every overlap");
}

static void test_compare(void)
{
    unsigned bad = 0;
    for (size_t n = 0; n < 40; n++) {
        for (size_t at = 0; at <= n; at++) { /* at == n: no difference */
            fill();
            memcpy(got + 3, from, n);
            bad += lib_memcmp(got + 3, from, n) != 0;
            got[3 + at] ^= 0x80;
            bad += sign(lib_memcmp(got + 3, from, n)) != sign(memcmp(got + 3, from, n));
        }
    }
    is(bad, 0, "memcmp: sign of the first different byte");
    is(lib_memcmp("a", "b", 0), 0, "memcmp of nothing");
}

static void test_strings(void)
{
    static const char *const words[] = {
        "", "a", "b", "ab", "abc", "abd", "\xff", "\x7f", "aaaaaaaaaaaaaaaaaaaab", "z"};
    unsigned bad = 0;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const char *a = words[i];
        bad += lib_strlen(a) != strlen(a);
        for (size_t n = 0; n < 5; n++)
            bad += lib_strnlen(a, n) != strnlen(a, n);
        for (size_t j = 0; j < ARRAY_SIZE(words); j++) {
            bad += sign(lib_strcmp(a, words[j])) != sign(strcmp(a, words[j]));
            for (size_t n = 0; n < 5; n++)
                bad += sign(lib_strncmp(a, words[j], n)) != sign(strncmp(a, words[j], n));
        }
        for (int c = -128; c < 256; c++) {
            bad += lib_strchr(a, c) != strchr(a, c);
            bad += lib_strrchr(a, c) != strrchr(a, c);
            bad += lib_memchr(a, c, strlen(a)) != memchr(a, c, strlen(a));
        }
    }
    is(bad, 0, "string functions");
}

static void test_string_copy(void)
{
    char buf[5] = "????";
    is(string_copy(buf, "abc", sizeof(buf)), 3, "string_copy that fits");
    ok(!strcmp(buf, "abc"), "all of it");
    is(string_copy(buf, "abcdefg", sizeof(buf)), 7, "string_copy that does not");
    ok(!strcmp(buf, "abcd"), "is cut and ended");
    is(string_copy(buf, "x", 0), 1, "into nothing");
    ok(!strcmp(buf, "abcd"), "stores nothing");
}

static void test_parse(void)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } table[] = {
        {"0", true, 0},
        {"1", true, 1},
        {"007", true, 7},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"99999999999999999999999", false, 0},
        {"0x0", true, 0},
        {"0xffffffffffffffff", true, UINT64_MAX},
        {"0x10000000000000000", false, 0},
        {"0XaBc", true, 0xabc},
        {"4K", true, 4096},
        {"4k", true, 4096},
        {"2M", true, 2ul << 20},
        {"3g", true, 3ul << 30},
        {"16T", true, 16ul << 40},
        {"0x10K", true, 16384},
        {"16777215T", true, 16777215ul << 40},
        {"16777216T", false, 0},
        {"18014398509481983K", true, 18014398509481983ul << 10},
        {"18014398509481984K", false, 0},
        {"", false, 0},
        {"0x", false, 0},
        {"K", false, 0},
        {"1KK", false, 0},
        {"1 ", false, 0},
        {" 1", false, 0},
        {"-1", false, 0},
        {"+1", false, 0},
        {"1P", false, 0},
        {"12a", false, 0},
        {"0xg", false, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        uint64_t value = 0x1234;
        bool good = parse_u64(table[i].text, &value);
        ok(good == table[i].good && value == (good ? table[i].value : 0x1234), "parse_u64 \"%s\"",
           table[i].text);
    }
}

static void test_bitmap(void)
{
    u64 map[BITMAP_WORDS(130)] = {0};
    for (size_t i = 0; i < 130; i++) {
        if (bitmap_find_clear(map, 130, 0) != i)
            break;
        bitmap_set(map, i);
    }
    is(bitmap_find_clear(map, 130, 0), 130, "bitmap fills in order, and is then full");
    bitmap_clear(map, 64);
    is(bitmap_find_clear(map, 130, 3), 64, "the only clear bit");
    is(bitmap_find_clear(map, 130, 65), 130, "none behind it");
    ok(!bitmap_test(map, 64) && bitmap_test(map, 63) && bitmap_test(map, 65),
       "its neighbours are set");
}

int main(void)
{
    test_copy_and_fill();
    test_move();
    test_compare();
    test_strings();
    test_string_copy();
    test_parse();
    test_bitmap();
    return tap_done();
}
