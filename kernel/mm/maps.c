/*
 * maps.c: /proc/PID/maps, letter for letter as Linux writes it:
 *
 *      7ffff7dd1000-7ffff7df7000 r--p 00026000 fe:00 332835                     /usr/lib/libc.so.6
 *      start        end          rights offset device inode                     name: column 73
 *
 * Numbers are at least eight digits wide. p is private, s shared. A line without a name ends in
 * one space.
 */
#include "kernel/mm/slab.h"
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/format.h"
#include "lib/string.h"

enum { NAME_COLUMN = 73, PATH_SIZE = 4096 };

struct file_names {
    u32 major, minor;
    u64 inode;
    char *path; /* PATH_SIZE */
};

static const char *name_of(struct mm *mm, const struct vma *vma, const struct file_names *names)
{
    if (vma->file)
        return names->path;
    if (vma->start < mm->brk && vma->end > mm->brk_start)
        return "[heap]";
    if (vma->start <= mm->stack_start && vma->end >= mm->stack_start)
        return "[stack]";
    return "";
}

/* Append name, a line feed in it written as \012. */
static size_t put_name(char *buf, size_t size, size_t at, const char *name)
{
    for (; *name && at + 5 < size; name++) {
        if (*name == '\n')
            at += format_to(buf + at, size - at, "\\012");
        else
            buf[at++] = *name;
    }
    return at;
}

static int put_line(struct mm *mm, const struct vma *vma, const struct file_names *names, char *buf,
                    size_t size)
{
    const char *name = name_of(mm, vma, names);
    u32 f = vma->flags;
    size_t at =
        format_to(buf, size, "%08lx-%08lx %c%c%c%c %08lx %02x:%02x %lu ", vma->start, vma->end,
                  f & VM_READ ? 'r' : '-', f & VM_WRITE ? 'w' : '-', f & VM_EXEC ? 'x' : '-',
                  f & VM_MAYSHARE ? 's' : 'p', vma->file ? vma->pgoff << PAGE_SHIFT : 0,
                  names->major, names->minor, names->inode);

    if (at >= size - 1) /* cut short, but a line */
        at = size - 2;
    else if (*name) {
        while (at < NAME_COLUMN && at + 2 < size)
            buf[at++] = ' ';
        at = put_name(buf, size, at, name);
    }
    buf[at++] = '\n';
    buf[at] = 0;
    return at;
}

/* => size at least 2; -ENOMEM when there is no room for a path. */
int mm_maps_line(struct mm *mm, vaddr_t *addr, char *buf, size_t size)
{
    struct file_names names = {.path = kzalloc(PATH_SIZE)};
    int length = 0;

    if (!names.path)
        return -ENOMEM;
    rwsem_read_lock(&mm->lock);
    struct vma *vma = vma_find(&mm->vmas, *addr);
    if (vma) {
        if (vma->file)
            vma->file->ops->describe(vma->file, names.path, PATH_SIZE, &names.major, &names.minor,
                                     &names.inode);
        length = put_line(mm, vma, &names, buf, size);
        *addr = vma->end;
    }
    rwsem_read_unlock(&mm->lock);
    kfree(names.path);
    return length;
}
