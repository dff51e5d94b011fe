/*
 * mapping.h: what mm needs of files, and what files need of mm.
 *
 * A struct mapping is the page cache of one file's contents: an index from page offset to page,
 * and the VMAs that map it. tmpfs keeps a file's data nowhere else. A struct mm_file is the little
 * that mm sees of an open file; fs embeds it in its struct file and fills in the operations.
 *
 * Locks: map_lock (sleeping) guards vmas and is held by truncate; lock (spin) guards the index and
 * count. size is written under the inode's lock and map_lock, read under either or, by faults,
 * under lock.
 */
#ifndef KERNEL_MM_MAPPING_H
#define KERNEL_MM_MAPPING_H

#include "kernel/mm/page.h"
#include "kernel/sched/sleeplock.h"
#include "lib/interval.h"
#include "lib/radix.h"

struct vma;

struct mapping {
    struct radix_tree pages; /* pgoff_t -> struct page */
    struct spinlock lock;
    struct mutex map_lock;
    struct rb_root vmas; /* intervals of pages */
    u64 count;           /* pages held */
    u64 size;            /* bytes of the file; pages past it fault with SIGBUS */
    bool kernel;         /* the kernel's own text: never mapped, and no file for the statistics */
};

void mapping_init(struct mapping *m);
/* No VMA maps it any more; frees all pages. */
void mapping_destroy(struct mapping *m);

/* The page at index, with a reference taken. create: a hole becomes a zeroed page. NULL in *page:
 * a hole. 0 or -ENOMEM. => does not sleep. */
int mapping_page(struct mapping *m, pgoff_t index, bool create, struct page **page);

/* The same for a fault: a hole becomes a page, but -EFAULT past the end of the file. */
int mapping_page_for_fault(struct mapping *m, pgoff_t index, struct page **page);
static inline bool mapping_has(const struct mapping *m,
                               pgoff_t index) /* index lies below the end of the file */
{
    return index < page_align_up(READ_ONCE(m->size)) >> PAGE_SHIFT;
}

/* Enter and remove a VMA of the file; find the next one (NULL: the first), by pgoff, that maps any
 * page from first on. => map_lock held; vma's bounds and pgoff do not change while it is in. */
void mapping_add_vma(struct mapping *m, struct vma *vma);
void mapping_remove_vma(struct mapping *m, struct vma *vma);
struct vma *mapping_next_vma(struct mapping *m, struct vma *vma, pgoff_t first);
void mapping_check(struct mapping *m);

/* Set the file's size. Shrinking unmaps every page past the end from every VMA (private copies
 * included) and frees them. Shrinking and growing zero what a mapping may have stored in the tail
 * of the last page. => inode's lock held, map_lock not; may sleep; does not fail. */
void mapping_truncate(struct mapping *m, u64 size);

/* Make a hole of count pages: they read as zero again, through mappings too; private copies stay.
 * => map_lock not held; may sleep. */
void mapping_punch(struct mapping *m, pgoff_t first, u64 count);

enum { MM_FILE_READ = 1, MM_FILE_WRITE = 2 };

struct mm_file {
    const struct mm_file_ops *ops;
    struct mapping *mapping; /* NULL: cannot be mapped (ENODEV) */
    u32 access;              /* MM_FILE_ bits: how it was opened */
    u32 refs;                /* atomic */
    bool zero;               /* /dev/zero: what is mapped is anonymous memory */
};

struct mm_file_ops {
    void (*release)(struct mm_file *file); /* the last reference is gone; may sleep */
    /* For /proc/PID/maps: path (with " (deleted)" where it is), device and inode. Returns the
     * path's length. */
    int (*describe)(struct mm_file *file, char *path, size_t size, u32 *dev_major, u32 *dev_minor,
                    u64 *inode);
    /* The file was written through a mapping: set mtime and ctime. */
    void (*modified)(struct mm_file *file);
};

static inline struct mm_file *mm_file_get(struct mm_file *file)
{
    __atomic_fetch_add(&file->refs, 1, __ATOMIC_RELAXED);
    return file;
}

static inline void mm_file_put(struct mm_file *file)
{
    if (__atomic_fetch_sub(&file->refs, 1, __ATOMIC_ACQ_REL) == 1)
        file->ops->release(file);
}

/* Take and let go the map_lock of what file names; NULL: there is none. => may sleep. */
static inline void mm_file_lock(const struct mm_file *file)
{
    if (file)
        mutex_lock(&file->mapping->map_lock);
}

static inline void mm_file_unlock(const struct mm_file *file)
{
    if (file)
        mutex_unlock(&file->mapping->map_lock);
}

#endif
