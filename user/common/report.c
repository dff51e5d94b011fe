/*
 * report.c: options, stopwatch, knobs and output of the mails' programs; see report.h.
 */
#include "user/common/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { KNOBS_MAX = 4, KNOB_SIZE = 32, NAMES_MAX = 1000, BUFFERS = 8, BUFFER_SIZE = 32 };

static const char *help_text;

static struct held {
    const char *name;
    char value[KNOB_SIZE];
} held[KNOBS_MAX];

void report_begin(const char *program, const char *usage_text)
{
    vm_program = program;
    help_text = usage_text;
}

void report_help(void)
{
    fputs(help_text, stdout);
    report_end();
    exit(0);
}

void report_usage(const char *what, const char *value)
{
    fprintf(stderr, "%s: %s%s%s\n%s", vm_program, what, value ? ": " : "", value ? value : "",
            help_text);
    exit(STATUS_USAGE);
}

u64 report_number(const char *what, const char *text)
{
    char *end;

    errno = 0;
    u64 n = strtoull(text, &end, 0);
    if (errno || end == text || *end || text[0] < '0' || text[0] > '9')
        report_usage(what, text);
    return n;
}

static void set_back(void)
{
    for (int i = 0; i < KNOBS_MAX && held[i].name; i++)
        if (!vm_knob_set(held[i].name, held[i].value))
            fprintf(stderr, "%s: %s could not be set back to %s: %s\n", vm_program, held[i].name,
                    held[i].value, strerror(errno));
}

bool report_knob_hold(const char *name)
{
    int i = 0;

    while (held[i].name)
        if (++i == KNOBS_MAX)
            vm_die(0, "too many knobs are held");
    if (!vm_knob_get(name, held[i].value, sizeof held[i].value))
        return false;
    held[i].name = name;
    if (i == 0)
        atexit(set_back);
    return true;
}

int report_temp_file(char *name, size_t size)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        snprintf(name, size, "/tmp/%s-%d-%d", vm_program, (int)getpid(), i);
        int fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            vm_die(errno, "cannot create %s; is /tmp writable?", name);
    }
    vm_die(EEXIST, "cannot find a new name in /tmp");
}

void stopwatch_start(struct stopwatch *watch)
{
    vm_counters_read(&watch->before);
    watch->started = vm_now();
}

void stopwatch_stop(struct stopwatch *watch)
{
    struct vm_counters after;

    watch->ns += vm_now() - watch->started;
    if (vm_counters_read(&after))
        vm_counters_add(&watch->counts, &watch->before, &after);
}

void stopwatch_add(struct stopwatch *sum, const struct stopwatch *watch)
{
    static const struct vm_counters none;

    sum->ns += watch->ns;
    vm_counters_add(&sum->counts, &none, &watch->counts);
}

const char *report_ratio(u64 n, u64 count)
{
    static char buffers[BUFFERS][BUFFER_SIZE];
    static unsigned turn;
    char *buf = buffers[turn++ % BUFFERS];

    if (!count)
        return "-";
    snprintf(buf, BUFFER_SIZE, "%s.%lu", vm_commas(n / count), n % count * 10 / count);
    return buf;
}

const char *report_layout(bool fathom)
{
    static struct utsname name;

    if (fathom)
        return sysconf(_SC_PAGESIZE) == 4096 ? "x86_64" : "ia64";
    return uname(&name) ? "unknown" : name.sysname;
}

void report_json_begin(bool fathom)
{
    printf("{\"program\": \"%s\", \"layout\": \"%s\", \"page_size\": %ld,\n", vm_program,
           report_layout(fathom), sysconf(_SC_PAGESIZE));
}

void report_end(void)
{
    if (fflush(stdout) || ferror(stdout))
        vm_die(errno, "cannot write the result");
}
