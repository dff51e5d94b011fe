/*
 * string.c: memory and string functions of ISO C, for the kernel and for what is linked with it on
 * the host.
 *
 * The kernel may use no SSE register, so the widest move is eight bytes. Copy and fill go by four
 * words a turn and then byte by byte; that is within a few percent of "rep movsq" on hardware and
 * faster than it where the CPU is emulated. Words are read and written through an unaligned,
 * may_alias type: any address is fine on x86.
 *
 * Compilers turn loops that look like memset into calls of memset, which here would be a call of
 * itself. gcc does not since version 10 when freestanding; others are told function by function.
 * (gcc's attribute loses -fno-omit-frame-pointer on the way, which backtraces want, so it is not
 * used without need.)
 */
#include "lib/string.h"

typedef u64 __attribute__((may_alias, aligned(1))) word_t;

#if defined(__clang__)
#define NO_LOOP_IDIOMS __attribute__((no_builtin))
#elif __GNUC__ < 10
#define NO_LOOP_IDIOMS __attribute__((optimize("no-tree-loop-distribute-patterns")))
#else
#define NO_LOOP_IDIOMS
#endif

enum { WORD = sizeof(word_t), TURN = 4 * sizeof(word_t) };

NO_LOOP_IDIOMS static void copy_forward(u8 *d, const u8 *s, size_t n)
{
    for (; n >= TURN; n -= TURN, d += TURN, s += TURN) {
        word_t a = ((const word_t *)s)[0], b = ((const word_t *)s)[1];
        word_t c = ((const word_t *)s)[2], e = ((const word_t *)s)[3];
        ((word_t *)d)[0] = a;
        ((word_t *)d)[1] = b;
        ((word_t *)d)[2] = c;
        ((word_t *)d)[3] = e;
    }
    for (; n >= WORD; n -= WORD, d += WORD, s += WORD)
        *(word_t *)d = *(const word_t *)s;
    while (n--)
        *d++ = *s++;
}

NO_LOOP_IDIOMS static void copy_backward(u8 *d, const u8 *s, size_t n)
{
    for (; n >= WORD; n -= WORD)
        *(word_t *)(d + n - WORD) = *(const word_t *)(s + n - WORD);
    while (n--)
        d[n] = s[n];
}

NO_LOOP_IDIOMS void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
    copy_forward(dst, src, n);
    return dst;
}

NO_LOOP_IDIOMS void *memmove(void *dst, const void *src, size_t n)
{
    /* Forward is right unless dst lies inside [src, src + n): below it, each word is read before it
     * is written over. The difference is unsigned, so a dst below src is far away. */
    if ((uintptr_t)dst - (uintptr_t)src >= n)
        copy_forward(dst, src, n);
    else if (dst != src)
        copy_backward(dst, src, n);
    return dst;
}

NO_LOOP_IDIOMS void *memset(void *dst, int byte, size_t n)
{
    u8 *d = dst;
    word_t fill = (u8)byte * 0x0101010101010101ul;
    for (; n >= TURN; n -= TURN, d += TURN) {
        ((word_t *)d)[0] = fill;
        ((word_t *)d)[1] = fill;
        ((word_t *)d)[2] = fill;
        ((word_t *)d)[3] = fill;
    }
    for (; n >= WORD; n -= WORD, d += WORD)
        *(word_t *)d = fill;
    while (n--)
        *d++ = (u8)byte;
    return dst;
}

NO_LOOP_IDIOMS int memcmp(const void *a, const void *b, size_t n)
{
    const u8 *p = a, *q = b;
    while (n >= WORD && *(const word_t *)p == *(const word_t *)q) {
        p += WORD;
        q += WORD;
        n -= WORD;
    }
    for (; n; n--, p++, q++) {
        if (*p != *q)
            return *p - *q;
    }
    return 0;
}

void *memchr(const void *s, int byte, size_t n)
{
    for (const u8 *p = s; n; n--, p++) {
        if (*p == (u8)byte)
            return (void *)p;
    }
    return NULL;
}

NO_LOOP_IDIOMS size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

NO_LOOP_IDIOMS size_t strnlen(const char *s, size_t max)
{
    size_t n = 0;
    while (n < max && s[n])
        n++;
    return n;
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (u8)*a - (u8)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n; n--, a++, b++) {
        if (*a != *b)
            return (u8)*a - (u8)*b;
        if (!*a)
            break;
    }
    return 0;
}

char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (!*s)
            return NULL;
    }
}

char *strrchr(const char *s, int c)
{
    const char *found = NULL;
    do {
        if (*s == (char)c)
            found = s;
    } while (*s++);
    return (char *)found;
}

size_t string_copy(char *dst, const char *src, size_t size)
{
    size_t n = strlen(src);
    if (size) {
        size_t take = n < size ? n : size - 1;
        memcpy(dst, src, take);
        dst[take] = '\0';
    }
    return n;
}

/* Value of a digit in base 10 or 16, or -1. */
static int digit_value(char c, unsigned base)
{
    int v = -1;
    if (c >= '0' && c <= '9')
        v = c - '0';
    else if (c >= 'a' && c <= 'f')
        v = c - 'a' + 10;
    else if (c >= 'A' && c <= 'F')
        v = c - 'A' + 10;
    return v < (int)base ? v : -1;
}

/* The shift that a size suffix stands for, or -1. */
static int suffix_shift(const char *s)
{
    if (!*s)
        return 0;
    if (s[1])
        return -1;
    switch (*s) {
    case 'k':
    case 'K':
        return 10;
    case 'm':
    case 'M':
        return 20;
    case 'g':
    case 'G':
        return 30;
    case 't':
    case 'T':
        return 40;
    default:
        return -1;
    }
}

bool parse_u64(const char *s, u64 *out)
{
    unsigned base = 10;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        base = 16;
        s += 2;
    }
    if (digit_value(*s, base) < 0)
        return false;
    u64 value = 0;
    for (int d; (d = digit_value(*s, base)) >= 0; s++) {
        if (__builtin_mul_overflow(value, (u64)base, &value) ||
            __builtin_add_overflow(value, (u64)d, &value))
            return false;
    }
    int shift = suffix_shift(s);
    if (shift < 0 || value > UINT64_MAX >> shift)
        return false;
    *out = value << shift;
    return true;
}
