/*
 * fs.h: what the layers above ask of the file system beside open files: start-up, names, device files, hooks.
 */
#ifndef KERNEL_FS_FS_H
#define KERNEL_FS_FS_H

#include "kernel/fs/file.h"

/* The tree, the initramfs, /proc, /dev. Ends the machine with a message when the initramfs is damaged. */
void fs_init(void);
void file_init(void); /* part of it */
void procfs_init(void);
void proc_system_init(void);

/* Names. All return 0 or a negative errno, with nothing changed then. => no lock held; may sleep. */
int fs_mkdir(struct entry *start, const char *path, u32 mode);
int fs_symlink(struct entry *start, const char *path, const char *target);
int fs_unlink(struct entry *start, const char *path, bool directory);
int fs_link(struct entry *from, struct entry *start, const char *path);
int fs_rename(struct entry *from_start, const char *from, struct entry *to_start, const char *to);
/* Any kind of file by its mode; rdev not 0: a device served by ops (NULL: opening it is ENXIO). */
int fs_make(struct entry *start, const char *path, u32 mode, u64 rdev, const struct file_ops *ops);

/* What a terminal asks about the running process. */
struct fs_caller {
    u32 pid, pgid, sid;
    u64 deaf;      /* bit n-1: signal n is blocked or ignored */
    bool orphaned; /* nobody outside its group could let that go on */
};

/* Calls between devices and processes, which do not know each other. proc fills in the first four, dev the others; NULL before. */
struct fs_hooks {
    void (*terminal_signal)(u32 group, u32 signal); /* no interrupt, locks before RANK_PROC */
    bool (*signal_pending)(void);                   /* has the current thread to leave its wait? */
    void (*caller)(struct fs_caller *out);          /* => locks before RANK_PROC */
    u32 (*group_session)(u32 group);   /* 0: there is no such group. => locks before RANK_PROC */
    void (*session_ends)(u32 session); /* its leader ends. => no lock held */
    u32 keys;                /* atomic: bit n: signal n, asked for by a key, has yet to be sent */
    void (*send_keys)(void); /* => no lock held */
    u32 (*terminal_group)(u32 session); /* the foreground group, 0: no terminal. => any lock */
};
extern struct fs_hooks fs_hooks;

static inline bool fs_interrupted(void)
{
    return fs_hooks.signal_pending && fs_hooks.signal_pending();
}

#endif
