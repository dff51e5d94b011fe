/*
 * report.h: what the mails' programs have in common besides vm.h: options that are refused in one
 * way, a stopwatch that stops the counters with the clock, knobs that are set back at the end, and
 * how a result begins and ends. What they print fits 80 columns; --json is docs/json.md. One
 * thread, no locks.
 */
#ifndef USER_COMMON_REPORT_H
#define USER_COMMON_REPORT_H

#include "user/common/vm.h"

enum { STATUS_USAGE = 2 };

/* The program's name and the text of --help. Call it first. */
void report_begin(const char *program, const char *usage_text);
/* Print the text of --help and exit with status 0. */
void report_help(void) __attribute__((noreturn));
/* Print "program: what: value" and the usage to stderr, and exit with STATUS_USAGE. value may be
 * NULL. */
void report_usage(const char *what, const char *value) __attribute__((noreturn));
/* A number of an option, decimal or 0x; what is none, is refused with what as the reason. */
u64 report_number(const char *what, const char *text);

/* Set a knob back, when the program exits, to the value it has now. At most four. False: there is
 * no such knob here. */
bool report_knob_hold(const char *name);

/* A new file in /tmp, which the caller unlinks; its name goes to name. Exits when it fails. */
int report_temp_file(char *name, size_t size);

/* Time and counters between start and stop; several stretches add up. Start from {0}. Counters
 * take a file descriptor to read; without one a stretch adds its time only. */
struct stopwatch {
    u64 ns;
    struct vm_counters counts;
    u64 started;
    struct vm_counters before;
};
void stopwatch_start(struct stopwatch *watch);
void stopwatch_stop(struct stopwatch *watch);
void stopwatch_add(struct stopwatch *sum, const struct stopwatch *watch);

/* n / count with one decimal; one of eight buffers, used in turn. count 0: "-". */
const char *report_ratio(u64 n, u64 count);
/* Fathom's layout, which follows from the page's size; elsewhere the system's name. */
const char *report_layout(bool fathom);
/* The first line of the JSON object, up to a comma. */
void report_json_begin(bool fathom);
/* All that was printed must have arrived: else exit with status 1. */
void report_end(void);

#endif
