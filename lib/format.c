/*
 * format.c: printf's formatting without a libc; the contract is in format.h.
 *
 * A conversion is read into a struct spec, and its text is put together from up to four parts, in
 * this order:
 *
 *      [spaces] [sign or 0x] [zeros] [digits or text] [spaces, when '-']
 *
 * Everything goes through out_bytes and out_fill, which count every byte and store those that fit.
 * So the length is right whatever the size, and a width of two thousand million costs nothing.
 */
#include "lib/format.h"

#include <limits.h>

#include "lib/string.h"

struct out {
    char *buf;
    size_t size;
    size_t length; /* bytes so far, stored or not; the NUL not counted */
};

enum length { LENGTH_INT, LENGTH_CHAR, LENGTH_SHORT, LENGTH_LONG, LENGTH_LLONG };

struct spec {
    bool left, zero, plus, space, alternate;
    int width;
    int precision; /* -1: none given */
    enum length length;
};

static void out_bytes(struct out *out, const char *s, size_t n)
{
    if (out->length < out->size)
        memcpy(out->buf + out->length, s, min_u64(n, out->size - out->length));
    out->length += n;
}

static void out_fill(struct out *out, char c, size_t n)
{
    if (out->length < out->size)
        memset(out->buf + out->length, c, min_u64(n, out->size - out->length));
    out->length += n;
}

/* A decimal number in the format, held at INT_MAX when it is larger. */
static int read_number(const char **fmt)
{
    long n = 0;
    for (; **fmt >= '0' && **fmt <= '9'; ++*fmt) {
        n = n * 10 + (**fmt - '0');
        if (n > INT_MAX)
            n = INT_MAX;
    }
    return (int)n;
}

static bool read_flag(struct spec *spec, char c)
{
    switch (c) {
    case '-':
        return spec->left = true;
    case '0':
        return spec->zero = true;
    case '+':
        return spec->plus = true;
    case ' ':
        return spec->space = true;
    case '#':
        return spec->alternate = true;
    default:
        return false;
    }
}

static enum length read_length(const char **fmt)
{
    char c = **fmt;
    switch (c) {
    case 'h':
    case 'l':
        if (*++*fmt != c)
            return c == 'h' ? LENGTH_SHORT : LENGTH_LONG;
        ++*fmt;
        return c == 'h' ? LENGTH_CHAR : LENGTH_LLONG;
    case 'z':
    case 't':
    case 'j': /* all three are as long as long */
        ++*fmt;
        return LENGTH_LONG;
    default:
        return LENGTH_INT;
    }
}

/* Read what stands between '%' and the conversion letter. A va_list argument may be an array type,
 * hence ap by pointer in a struct. */
struct arguments {
    va_list ap;
};

static struct spec read_spec(const char **fmt, struct arguments *args)
{
    struct spec spec = {.precision = -1};
    while (read_flag(&spec, **fmt))
        ++*fmt;
    if (**fmt == '*') {
        spec.width = va_arg(args->ap, int);
        if (spec.width < 0) {
            spec.left = true;
            spec.width = spec.width == INT_MIN ? INT_MAX : -spec.width;
        }
        ++*fmt;
    } else {
        spec.width = read_number(fmt);
    }
    if (**fmt == '.') {
        if (*++*fmt == '*') {
            int precision = va_arg(args->ap, int);
            spec.precision = precision < 0 ? -1 : precision;
            ++*fmt;
        } else {
            spec.precision = read_number(fmt);
        }
    }
    spec.length = read_length(fmt);
    return spec;
}

static s64 take_signed(struct arguments *args, enum length length)
{
    switch (length) {
    case LENGTH_CHAR:
        return (signed char)va_arg(args->ap, int);
    case LENGTH_SHORT:
        return (short)va_arg(args->ap, int);
    case LENGTH_LONG:
        return va_arg(args->ap, long);
    case LENGTH_LLONG:
        return va_arg(args->ap, long long);
    default:
        return va_arg(args->ap, int);
    }
}

static u64 take_unsigned(struct arguments *args, enum length length)
{
    switch (length) {
    case LENGTH_CHAR:
        return (unsigned char)va_arg(args->ap, int);
    case LENGTH_SHORT:
        return (unsigned short)va_arg(args->ap, int);
    case LENGTH_LONG:
        return va_arg(args->ap, unsigned long);
    case LENGTH_LLONG:
        return va_arg(args->ap, unsigned long long);
    default:
        return va_arg(args->ap, unsigned);
    }
}

static void put_text(struct out *out, const struct spec *spec, const char *s, size_t n)
{
    size_t pad = (size_t)spec->width > n ? spec->width - n : 0;
    if (!spec->left)
        out_fill(out, ' ', pad);
    out_bytes(out, s, n);
    if (spec->left)
        out_fill(out, ' ', pad);
}

/* The digits of value, ending at end; returns where they begin. None for 0. */
static char *make_digits(char *end, u64 value, unsigned base, bool upper)
{
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    for (; value; value /= base)
        *--end = digits[value % base];
    return end;
}

static void put_number(struct out *out, const struct spec *spec, const char *prefix,
                       const char *digits, size_t n)
{
    size_t prefix_length = strlen(prefix);
    size_t least = spec->precision < 0 ? 1 : (size_t)spec->precision;
    size_t zeros = least > n ? least - n : 0;
    size_t body = prefix_length + zeros + n;
    size_t pad = (size_t)spec->width > body ? spec->width - body : 0;
    bool zero_pad = spec->zero && !spec->left && spec->precision < 0;
    if (!spec->left && !zero_pad)
        out_fill(out, ' ', pad);
    out_bytes(out, prefix, prefix_length);
    out_fill(out, '0', zeros + (zero_pad ? pad : 0));
    out_bytes(out, digits, n);
    if (spec->left)
        out_fill(out, ' ', pad);
}

static void put_signed(struct out *out, const struct spec *spec, s64 value)
{
    char digits[24], *end = digits + sizeof(digits);
    char *first = make_digits(end, value < 0 ? -(u64)value : (u64)value, 10, false);
    const char *sign = value < 0 ? "-" : spec->plus ? "+" : spec->space ? " " : "";
    put_number(out, spec, sign, first, end - first);
}

static void put_unsigned(struct out *out, struct spec *spec, u64 value, char conversion)
{
    char digits[24], *end = digits + sizeof(digits);
    unsigned base = conversion == 'u' ? 10 : conversion == 'o' ? 8 : 16;
    char *first = make_digits(end, value, base, conversion == 'X');
    const char *prefix = "";
    if (spec->alternate && base == 16 && value)
        prefix = conversion == 'X' ? "0X" : "0x";
    if (spec->alternate && base == 8 && (value || spec->precision == 0))
        *--first = '0'; /* "increases the precision", but only when no zero leads already */
    put_number(out, spec, prefix, first, end - first);
}

static void put_pointer(struct out *out, struct spec *spec, u64 value)
{
    char digits[24], *end = digits + sizeof(digits);
    char *first = make_digits(end, value, 16, false);
    put_number(out, spec, "0x", first, end - first);
}

static void put_string(struct out *out, const struct spec *spec, const char *s)
{
    if (!s)
        s = "(null)";
    put_text(out, spec, s, spec->precision < 0 ? strlen(s) : strnlen(s, spec->precision));
}

/* One conversion whose letter is at *fmt. False: no such conversion. */
static bool put_conversion(struct out *out, struct spec *spec, char conversion,
                           struct arguments *args)
{
    char c;
    switch (conversion) {
    case 'd':
    case 'i':
        put_signed(out, spec, take_signed(args, spec->length));
        return true;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        put_unsigned(out, spec, take_unsigned(args, spec->length), conversion);
        return true;
    case 'c':
        c = (char)va_arg(args->ap, int);
        put_text(out, spec, &c, 1);
        return true;
    case 's':
        put_string(out, spec, va_arg(args->ap, const char *));
        return true;
    case 'p':
        put_pointer(out, spec, (u64)(uintptr_t)va_arg(args->ap, void *));
        return true;
    case '%':
        out_bytes(out, "%", 1);
        return true;
    default:
        return false;
    }
}

int format_to_v(char *buf, size_t size, const char *fmt, va_list ap)
{
    struct out out = {buf, size, 0};
    struct arguments args;
    va_copy(args.ap, ap);
    while (*fmt) {
        const char *start = fmt;
        while (*fmt && *fmt != '%')
            fmt++;
        out_bytes(&out, start, fmt - start);
        if (!*fmt)
            break;
        start = fmt++;
        struct spec spec = read_spec(&fmt, &args);
        if (*fmt && put_conversion(&out, &spec, *fmt, &args))
            fmt++;
        else /* shown as it stands, so that the mistake is seen */
            out_bytes(&out, start, fmt - start);
    }
    va_end(args.ap);
    if (size)
        buf[out.length < size ? out.length : size - 1] = '\0';
    return out.length > INT_MAX ? -1 : (int)out.length;
}

int format_to(char *buf, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int length = format_to_v(buf, size, fmt, ap);
    va_end(ap);
    return length;
}
