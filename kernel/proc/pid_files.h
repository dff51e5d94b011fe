/*
 * pid_files.h: inside kernel/proc: the files of /proc/PID. pid_dir.c finds them and the process, the others show.
 *
 * A show gets a process that lives, or is a zombie, with a reference for as long as it runs. What the process has is taken by
 * proc_mm_get and its like; where that is NULL because the process ended, the text is empty, as in Linux.
 */
#ifndef KERNEL_PROC_PID_FILES_H
#define KERNEL_PROC_PID_FILES_H

#include "kernel/fs/fs.h"
#include "kernel/fs/procfs.h"
#include "kernel/proc/proc.h"
#include "lib/format.h"

struct pid_file {
    const char *name;
    int (*show)(struct seq *seq, struct proc *proc);
    int (*write)(const char *text, size_t length, struct proc *proc);
    struct proc_entry entry;
};

/* ---- pid_dir.c ---- */

/* The directory of proc, with a reference; NULL without memory. => tree lock held. */
struct entry *pid_directory(struct proc *proc);
struct entry *pid_lookup(struct entry *dir, const char *name, size_t length);
bool pid_next(struct entry *dir, u64 pos, struct dir_item *item);

/* The process that a file is about, with a reference. NULL: it is gone. */
struct proc *pid_subject(const struct proc_subject *about);

/* ---- pid_fd.c ---- */

struct entry *fd_lookup(struct entry *dir, const char *name, size_t length);
bool fd_next(struct entry *dir, u64 pos, struct dir_item *item);

/* A number in decimal without leading zeros, below limit. */
bool pid_number(const char *name, size_t length, u32 limit, u32 *out);
/* Inode numbers: the same for the same file of the same process. */
enum { PID_INO_FD = 0x1000 };
static inline u64 pid_ino(u32 pid, u32 item)
{
    return 1ul << 48 | (u64)pid << 16 | item;
}

/* ---- the texts ---- */

int pid_status_show(struct seq *seq, struct proc *proc);
int pid_stat_show(struct seq *seq, struct proc *proc);
int pid_statm_show(struct seq *seq, struct proc *proc);
int pid_limits_show(struct seq *seq, struct proc *proc);
int pid_comm_show(struct seq *seq, struct proc *proc);
int pid_comm_write(const char *text, size_t length, struct proc *proc);
int pid_maps_show(struct seq *seq, struct proc *proc);
int pid_smaps_show(struct seq *seq, struct proc *proc);
int pid_smaps_rollup_show(struct seq *seq, struct proc *proc);
int pid_vmcount_show(struct seq *seq, struct proc *proc);
int pid_vmcount_write(const char *text, size_t length, struct proc *proc);
int pid_cmdline_show(struct seq *seq, struct proc *proc);
int pid_environ_show(struct seq *seq, struct proc *proc);

#endif
