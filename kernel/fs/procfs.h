/*
 * procfs.h: files whose text is made when it is read.
 *
 * A room registers an entry: a path below /proc, a function that shows the text, and perhaps one that takes what is
 * written. The text is made whole when a reader stands at offset 0 and then served in pieces of any size, so it is
 * consistent in itself. It grows in pages, without limit but memory.
 */
#ifndef KERNEL_FS_PROCFS_H
#define KERNEL_FS_PROCFS_H

#include "kernel/mm/mapping.h"

struct entry;

/* A growing text (or any bytes). */
struct seq {
    struct mapping bytes;
    int error; /* sticky: -ENOMEM, and what follows is dropped */
    u32 refs;
};

struct seq *seq_create(void); /* one reference; NULL without memory */
void seq_put(struct seq *seq);
void seq_write(struct seq *seq, const void *bytes, size_t n);
void seq_printf(struct seq *seq, const char *fmt, ...)
    PRINTF_LIKE(2, 3); /* at most 511 bytes a call */
/* Copy up to n bytes at pos out; returns how many. */
size_t seq_read(struct seq *seq, void *dst, size_t n, u64 pos);

struct proc_entry {
    const char *path; /* below /proc: "self/maps"; directories are made as needed */
    void *arg;
    int (*show)(struct seq *seq, void *arg); /* 0 or a negative errno; may sleep */
    /* text ends in NUL where the written bytes do. 0: all was taken. NULL: opening it for writing is EACCES. */
    int (*write)(const char *text, size_t length, void *arg);
    /* A link that leads to an entry rather than to a path; under the tree lock; NULL: nowhere. */
    struct entry *(*link)(void);
};

enum { PROC_WRITE_MAX = 1023 }; /* longer writes are EINVAL */

/* entry stays for ever. 0, -ENOMEM, -EEXIST. => may sleep */
int procfs_register(const struct proc_entry *entry);
/* /proc/sys/ROOM/NAME for every knob there is now. */
void procfs_register_knobs(void);

/* Shared by /proc/vmcount and /proc/self/vmcount: one "name value" line each; is it a request to reset ("0")? */
struct vmcount;
void proc_show_counts(struct seq *seq, const struct vmcount *counts);
int proc_reset_request(const char *text, size_t length); /* 0 or -EINVAL */

#endif
