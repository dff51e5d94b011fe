/*
 * knob.h: settings with a name, such as vm.zap, readable and settable in two places.
 *
 * A room registers its knobs at start-up. The kernel command line sets them (NAME=VALUE; a bad
 * value is reported with the list of good ones, and ignored), and procfs shows each as
 * /proc/sys/ROOM/NAME ("vm.zap" is /proc/sys/vm/zap), where a bad value is EINVAL and a boot-only
 * knob is read-only. A knob is a number in a range, or one of a list of words whose index is the
 * value. Registration happens on one CPU before the first process; values are single words, read
 * with READ_ONCE and no lock.
 */
#ifndef KERNEL_CORE_KNOB_H
#define KERNEL_CORE_KNOB_H

#include "lib/list.h"

struct knob {
    const char *name;         /* "vm.zap" */
    const char *help;         /* one line: meaning and unit */
    const char *const *words; /* NULL-ended list of choices, or NULL: a number */
    u64 value;
    u64 min, max; /* numbers: smallest and largest allowed */
    bool boot_only;
    void (*changed)(struct knob *knob); /* called after a new value was set; may be NULL */
    struct list_head link;              /* in the registry */
};

void knob_register(struct knob *knob);
struct knob *knob_find(const char *name);
/* Text of the value without newline; returns its length as format_to does. */
int knob_show(const struct knob *knob, char *buf, size_t size);
/* 0, or -EINVAL and nothing changed. Trailing white space is ignored. */
int knob_set(struct knob *knob, const char *text);
/* Walk the registry: first with NULL, NULL after the last. */
struct knob *knob_next(struct knob *knob);

static inline u64 knob_value(const struct knob *knob)
{
    return READ_ONCE(knob->value);
}

#endif
