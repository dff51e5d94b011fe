/*
 * files.h: the table from descriptor to open file of one process.
 *
 * Making a descriptor is two steps, so that a call which makes something else too can fail first: files_reserve takes a
 * number, files_install fills it or files_unreserve gives it back. lock is a spin lock (RANK_PROC); files are put
 * after it was dropped.
 */
#ifndef KERNEL_FS_FILES_H
#define KERNEL_FS_FILES_H

#include "kernel/fs/file.h"

enum { FILES_MAX = 1024, FILES_WORDS = FILES_MAX / 64 };

struct files {
    u32 refs;  /* atomic */
    u32 limit; /* RLIMIT_NOFILE */
    struct spinlock lock;
    u64 used[FILES_WORDS]; /* a bit for each number taken, filled or not */
    u64 cloexec[FILES_WORDS];
    struct file *file[FILES_MAX];
};

struct files *files_create(void); /* NULL without memory */
/* A table of its own with the same files, the limit and the close-on-exec marks, for fork. NULL without memory. */
struct files *files_copy(struct files *files);
static inline struct files *files_share(struct files *files) /* another reference */
{
    __atomic_fetch_add(&files->refs, 1, __ATOMIC_RELAXED);
    return files;
}
void files_put(struct files *files); /* the last one closes all; may sleep */

/* The lowest free number from min on. -EMFILE; -EINVAL when min is at the limit or above. */
int files_reserve(struct files *files, u32 min, bool cloexec);
void files_install(struct files *files, int fd,
                   struct file *file); /* takes over the caller's reference */
void files_unreserve(struct files *files, int fd);

struct file *files_get(struct files *files, int fd); /* with a reference; NULL: bad descriptor */
int files_close(struct files *files, int fd);        /* 0 or -EBADF; may sleep */
/* dup2 onto new, closing what was there. new, -EBADF, -EBUSY (reserved by another call). */
int files_dup_to(struct files *files, int old, int new, bool cloexec);
int files_get_cloexec(struct files *files, int fd); /* 0, 1 or -EBADF */
int files_set_cloexec(struct files *files, int fd, bool on);
void files_close_on_exec(struct files *files);

#endif
