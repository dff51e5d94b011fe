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

/* Calls upwards that devices need; proc fills them in. NULL before that. */
struct fs_hooks {
    void (*terminal_signal)(u32 group, u32 signal); /* Ctrl-C; interrupts off, no lock held */
    bool (*signal_pending)(void);                   /* has the current thread to leave its wait? */
};
extern struct fs_hooks fs_hooks;

static inline bool fs_interrupted(void)
{
    return fs_hooks.signal_pending && fs_hooks.signal_pending();
}

#endif
