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
struct inode;
struct dir_item;
struct proc_subject;

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
    const char
        *path; /* below /proc: "sys/vm/zap"; directories are made as needed. "": /proc itself */
    void *arg;
    int (*show)(struct seq *seq, void *arg); /* 0 or a negative errno; may sleep */
    /* text ends in NUL where the written bytes do. 0: all was taken. NULL: writing is EIO, or EINVAL if it is about a process. */
    int (*write)(const char *text, size_t length, void *arg);
    /* A link that leads to an entry rather than to a path: the entry, with a reference; NULL: nowhere. text: what readlink
     * shows, if not the entry's path. => tree lock held. */
    struct entry *(*link)(void *arg);
    void (*text)(void *arg, char *buf, size_t size);
    const char *target; /* an ordinary link */
    /* A directory whose names are made on demand, beside those registered in it. lookup: the entry, with a reference, or
     * NULL. next: the first item at pos (PROC_DYNAMIC or more) or after. => tree lock held. */
    struct entry *(*lookup)(struct entry *dir, const char *name, size_t length);
    bool (*next)(struct entry *dir, u64 pos, struct dir_item *item);
    u32 mode; /* 0: what the operations say */
    bool
        strict; /* without write, opening it for writing is EACCES already, for root too: /proc/sys */
};
#define PROC_DYNAMIC (1ul << 32)

/* What the operations get as arg: the file's subject, where it has one (struct proc_subject), else the entry's arg. */
void *proc_arg(struct inode *inode);

/* The inode of a file that is made on demand. NULL without memory. */
struct inode *proc_inode(const struct proc_entry *proc, struct proc_subject about, u64 ino);

enum { PROC_WRITE_MAX = 1023 }; /* longer writes are EINVAL */

/* entry stays for ever. 0, -ENOMEM, -EEXIST. => may sleep */
int procfs_register(const struct proc_entry *entry);
void procfs_register_all(const struct proc_entry *entries, size_t n); /* logs errors */
/* /proc/sys/ROOM/NAME for every knob there is now. */
void procfs_register_knobs(void);

/* Shared by /proc/vmcount and /proc/self/vmcount: one "name value" line each; is it a request to reset ("0")? */
struct vmcount;
void proc_show_counts(struct seq *seq, const struct vmcount *counts);
int proc_reset_request(const char *text, size_t length); /* 0 or -EINVAL */

#endif
