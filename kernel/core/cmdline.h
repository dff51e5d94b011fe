/*
 * cmdline.h: the kernel command line.
 *
 *      NAME=VALUE NAME=VALUE ... -- ARG ARG ...
 *
 * Words are separated by white space; double quotes group ("a b"), and a backslash takes the next
 * byte as it is, inside quotes and outside. What follows "--" goes to the first program. NAME is a
 * knob (knob.h) or an option that a room asks for by name. What nobody knows is reported once in
 * the log, never fatal.
 */
#ifndef KERNEL_CORE_CMDLINE_H
#define KERNEL_CORE_CMDLINE_H

#include "lib/types.h"

void cmdline_parse(char *text); /* in place; before any other call here */
/* The value given for an option, "" for a bare NAME, NULL when it is not there. The last one
 * counts. Marks it as known. */
const char *cmdline_option(const char *name);
void cmdline_apply_knobs(void);    /* once all knobs are registered */
void cmdline_report_unknown(void); /* once all rooms have asked */
/* The words after "--"; *count of them. */
char *const *cmdline_init_args(u32 *count);

#endif
