/*
 * vm.c: knobs, counters and maps as user programs see them; see vm.h.
 */
#include "user/common/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FILE_MAX = 64 * 1024, BUFFERS = 8, BUFFER_SIZE = 32 };

const char *vm_program = "?";

void vm_die(int error, const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fprintf(stderr, "%s: ", vm_program);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    if (error)
        fprintf(stderr, ": %s", strerror(error));
    fputc('\n', stderr);
    exit(1);
}

long vm_read_file(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY);
    size_t length = 0;
    ssize_t got = 0;

    if (fd < 0)
        return -1;
    while (length < size - 1 && (got = read(fd, buf + length, size - 1 - length)) > 0)
        length += got;
    int error = errno;
    close(fd);
    buf[length] = 0;
    if (got >= 0)
        return length;
    errno = error;
    return -1;
}

static void knob_path(const char *name, char *path, size_t size)
{
    snprintf(path, size, "/proc/sys/%s", name);
    for (char *p = path + strlen("/proc/sys/"); *p; p++)
        if (*p == '.')
            *p = '/';
}

bool vm_knob_get(const char *name, char *value, size_t size)
{
    char path[128];

    knob_path(name, path, sizeof path);
    if (vm_read_file(path, value, size) < 0)
        return false;
    value[strcspn(value, "\n")] = 0;
    return true;
}

bool vm_knob_set(const char *name, const char *value)
{
    char path[128];
    size_t length = strlen(value);

    knob_path(name, path, sizeof path);
    int fd = open(path, O_WRONLY);
    if (fd < 0)
        return false;
    ssize_t done = write(fd, value, length);
    int error = done < 0 ? errno : EIO;
    close(fd);
    errno = error;
    return done == (ssize_t)length;
}

/* The number on the line that begins with name and a space; 0 when there is no such line. */
static u64 counter(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += !!line)
        if (!strncmp(line, name, length) && line[length] == ' ')
            return strtoull(line + length + 1, NULL, 10);
    return 0;
}

bool vm_counters_read(struct vm_counters *out)
{
    static char text[FILE_MAX];

    memset(out, 0, sizeof *out);
    if (vm_read_file("/proc/self/vmcount", text, sizeof text) < 0)
        return false;
#define X(name) out->name = counter(text, #name);
    VM_COUNTERS(X)
#undef X
    return true;
}

struct vm_counters vm_counters_since(const struct vm_counters *before,
                                     const struct vm_counters *after)
{
    struct vm_counters d;

#define X(name) d.name = after->name - before->name;
    VM_COUNTERS(X)
#undef X
    return d;
}

void vm_counters_add(struct vm_counters *sum, const struct vm_counters *before,
                     const struct vm_counters *after)
{
#define X(name) sum->name += after->name - before->name;
    VM_COUNTERS(X)
#undef X
}

/* Count the whole lines of text that touch [start, end). Returns where the last, unended line
 * begins. */
static const char *count_lines(const char *text, u64 start, u64 end, u64 *count)
{
    const char *newline;

    for (; (newline = strchr(text, '\n')); text = newline + 1) {
        char *dash;
        u64 from = strtoull(text, &dash, 16);
        u64 to = *dash == '-' ? strtoull(dash + 1, NULL, 16) : from;
        *count += from < end && to > start;
    }
    return text;
}

u64 vm_vmas(u64 start, u64 end)
{
    static char text[FILE_MAX];
    int fd = open("/proc/self/maps", O_RDONLY);
    size_t length = 0;
    ssize_t got;
    u64 count = 0;

    if (fd < 0)
        vm_die(errno, "cannot open /proc/self/maps");
    while ((got = read(fd, text + length, sizeof text - 1 - length)) > 0) {
        text[length + got] = 0;
        const char *rest = count_lines(text, start, end, &count);
        length = strlen(rest);
        memmove(text, rest, length + 1);
    }
    if (got < 0 || length)
        vm_die(got < 0 ? errno : 0, "cannot read /proc/self/maps to its end");
    close(fd);
    return count;
}

struct vm_geometry vm_geometry(void)
{
    struct vm_geometry g;

    g.page = sysconf(_SC_PAGESIZE);
    g.entries = g.page / sizeof(u64);
    g.pmd = g.page * g.entries;
    g.pud = g.pmd * g.entries;
    g.pgd = g.pud * g.entries;
    g.user_end = (1ul << 47) - g.page;
    return g;
}

/* The lowest multiple of align in [low, high) that leaves room for length; 0: none. */
static u64 fit(u64 low, u64 high, u64 align, u64 length)
{
    u64 start = (low + align - 1) / align * align;

    return start && start < high && length <= high - start ? start : 0;
}

u64 vm_find_free(u64 align, u64 length, u64 limit)
{
    static char text[FILE_MAX];
    u64 hole = align; /* end of the last mapping seen */

    if (length > limit)
        return 0;
    length = (length + align - 1) / align * align;
    if (vm_read_file("/proc/self/maps", text, sizeof text) < 0)
        return 0;
    for (char *line = text; line && *line; line = strchr(line, '\n'), line += !!line) {
        char *dash;
        u64 start = strtoull(line, &dash, 16);
        u64 end = *dash == '-' ? strtoull(dash + 1, NULL, 16) : start;
        if (start >= limit)
            break;
        u64 found = fit(hole, start, align, length);
        if (found)
            return found;
        if (end > hole)
            hole = end;
    }
    return fit(hole, limit, align, length);
}

static char *next_buffer(void)
{
    static char buffers[BUFFERS][BUFFER_SIZE];
    static unsigned turn;

    return buffers[turn++ % BUFFERS];
}

const char *vm_commas(u64 n)
{
    char *p = next_buffer() + BUFFER_SIZE - 1;
    int digits = 0;

    *p = 0;
    do {
        if (digits && digits % 3 == 0)
            *--p = ',';
        *--p = '0' + n % 10;
        digits++;
    } while (n /= 10);
    return p;
}

const char *vm_time(u64 ns)
{
    static const struct {
        u64 from, unit;
        const char *name;
    } units[] = {{10000000000, 1000000000, "s"}, {10000000, 1000000, "ms"}, {10000, 1000, "us"}};
    char *buf = next_buffer();

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ns >= units[i].from) {
            snprintf(buf, BUFFER_SIZE, "%s.%lu %s", vm_commas(ns / units[i].unit),
                     ns % units[i].unit / (units[i].unit / 10), units[i].name);
            return buf;
        }
    snprintf(buf, BUFFER_SIZE, "%s ns", vm_commas(ns));
    return buf;
}

u64 vm_now(void)
{
    struct timespec t;

    if (clock_gettime(CLOCK_MONOTONIC, &t))
        vm_die(errno, "cannot read the monotonic clock");
    return t.tv_sec * 1000000000ul + t.tv_nsec;
}
