/*
 * file.h: open files.
 *
 * A struct file begins with the struct mm_file that mm knows; its count of references (descriptors, calls in progress,
 * VMAs) is there. Status flags are a single word without a lock. A parent and its children share open files, so a transfer
 * at the file's own position holds pos_lock: what two of them write goes one after the other. It is the outermost of all
 * locks, as the caller's memory is touched under it. Streams have no position and take no lock.
 */
#ifndef KERNEL_FS_FILE_H
#define KERNEL_FS_FILE_H

#include "kernel/fs/io.h"
#include "kernel/fs/path.h"

struct file;

/* NULL operations: read and write EINVAL (EISDIR for directories), ioctl ENOTTY, poll always ready. */
struct file_ops {
    int (*open)(struct file *file); /* may refuse; may set priv */
    void (*release)(struct file *file);
    /* Move up to io->left bytes at *pos and move *pos on. Bytes moved, or a negative errno when none were.
     * => no lock held. */
    long (*read)(struct file *file, struct io *io, u64 *pos);
    long (*write)(struct file *file, struct io *io, u64 *pos);
    /* arg: a kernel copy of the argument, of the size that sys/sys_file.c knows for cmd. */
    int (*ioctl)(struct file *file, u32 cmd, void *arg);
    u32 (*poll)(struct file *file); /* POLL bits that are ready now */
    bool stream;                    /* no position: lseek and pread give ESPIPE */
    bool unplaced;                  /* no position either, but lseek always answers 0 */
    bool mappable;                  /* mmap of it is of inode->mapping */
};

struct file {
    struct mm_file mm; /* first */
    const struct file_ops *ops;
    struct entry *entry; /* a reference */
    u32 flags;           /* O_ status flags and access mode */
    bool refused;        /* ops->open said no, so no ops->release */
    u64 pos;             /* pos_lock */
    struct mutex pos_lock;
    void *priv; /* the operations' own */
};

extern const struct file_ops tmpfs_file_ops, dir_file_ops, proc_file_ops;

static inline struct inode *file_inode(const struct file *file)
{
    return file->entry->inode;
}

/* => no lock held. */
static inline void file_pos_lock(struct file *file)
{
    if (!file->ops->stream)
        mutex_lock(&file->pos_lock);
}

static inline void file_pos_unlock(struct file *file)
{
    if (!file->ops->stream)
        mutex_unlock(&file->pos_lock);
}

static inline struct file *file_get(struct file *file)
{
    mm_file_get(&file->mm);
    return file;
}

static inline void file_put(struct file *file)
{
    mm_file_put(&file->mm);
}

struct open_request {
    struct entry *start;
    const char *path;
    u32 flags; /* O_ */
    u32 mode;  /* with the umask already applied */
};

/* Open as open(2) does. 0 and *out with one reference, or a negative errno; a file that O_CREAT made stays.
 * => may sleep; no lock held. */
int file_open(const struct open_request *request, struct file **out);

/* A regular file that is in no directory: its name is shown as a deleted one's; NULL: its inode's number. 0 and *out with one
 * reference, or -ENOMEM. */
int file_create_nameless(const char *name, u32 mode, u32 flags, struct file **out);

/* Open what entry names, past all checks. 0 and *out with one reference, or what its open says, -ENOMEM. */
int file_open_entry(struct entry *entry, u32 flags, struct file **out);

/* Whole-file helpers for the kernel's own reads. Returns bytes read, less than n at the end of the file. */
long file_read_at(struct file *file, void *buf, size_t n, u64 pos);

/* Give a regular file the size. 0, -EINVAL, -EISDIR, -ETXTBSY. => no lock held; may sleep. */
int inode_truncate(struct inode *inode, u64 size);

/* Read from a page index as files and procfs's texts do; holes read as zero. */
long mapping_read(struct mapping *m, struct io *io, u64 *pos);

void inode_stat(const struct inode *inode, struct abi_stat *st);

struct dir_item {
    char name[ABI_NAME_MAX + 1];
    u64 ino;
    u64 next; /* position after it */
    u8 type;
};
/* The first item of an open directory at or after position pos. False after the last. => may sleep. */
bool dir_next(struct file *dir, u64 pos, struct dir_item *item);

#endif
