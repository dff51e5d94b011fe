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

/* Bytes of a line without its name, of a name's byte that has to be escaped. */
enum { NAME_COLUMN = 73, PATH_SIZE = 4096, LINE_REST = 128, ESCAPED = 4 };

struct file_names {
    u32 major, minor;
    u64 inode;
    char *path; /* PATH_SIZE */
};

static bool vma_is_stack(const struct mm *mm, const struct vma *vma)
{
    return vma->start <= mm->stack_start && vma->end >= mm->stack_start;
}

static const char *name_of(struct mm *mm, const struct vma *vma, const struct file_names *names)
{
    if (vma->file)
        return names->path;
    if (vma->start < mm->brk && vma->end > mm->brk_start)
        return "[heap]";
    if (vma_is_stack(mm, vma))
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

/* vma's line at buf; 0: it does not fit, and is not the first. -ENOMEM: no room for a path. */
static int show_vma(struct mm *mm, const struct vma *vma, char *buf, size_t size, bool first)
{
    struct file_names names = {0};
    size_t length = 0;

    if (vma->file) {
        names.path = kmalloc(PATH_SIZE);
        if (!names.path)
            return -ENOMEM;
        length = vma->file->ops->describe(vma->file, names.path, PATH_SIZE, &names.major,
                                          &names.minor, &names.inode);
    }
    bool fits = first || LINE_REST + ESCAPED * length <= size;
    int n = fits ? put_line(mm, vma, &names, buf, size) : 0;
    kfree(names.path);
    return n;
}

/* => size at least 2. */
static int show_lines(struct mm *mm, vaddr_t *addr, char *buf, size_t size, u32 lines)
{
    int length = 0;

    rwsem_read_lock(&mm->lock);
    struct vma *vma = vma_find_quiet(&mm->vmas, *addr);
    for (; vma && lines > 0; lines--, vma = vma_next(&mm->vmas, vma)) {
        int n = show_vma(mm, vma, buf + length, size - length, length == 0);
        if (n <= 0) {
            length = n < 0 && !length ? n : length;
            break;
        }
        length += n;
        *addr = vma->end;
    }
    rwsem_read_unlock(&mm->lock);
    return length;
}

int mm_maps_lines(struct mm *mm, vaddr_t *addr, char *buf, size_t size)
{
    return show_lines(mm, addr, buf, size, ~0u);
}

int mm_maps_line(struct mm *mm, vaddr_t *addr, char *buf, size_t size)
{
    return show_lines(mm, addr, buf, size, 1);
}

int mm_smaps_line(struct mm *mm, vaddr_t *addr, char *buf, size_t size, struct mm_vma_info *info,
                  struct mm_usage *usage)
{
    int n = 0;

    rwsem_read_lock(&mm->lock);
    struct vma *vma = vma_find_quiet(&mm->vmas, *addr);
    if (vma && (n = show_vma(mm, vma, buf, size, true)) > 0) {
        *info = (struct mm_vma_info){vma->start, vma->end, vma->flags, vma->file != NULL,
                                     vma_is_stack(mm, vma)};
        usage_add(mm, vma, usage);
        *addr = vma->end;
    }
    rwsem_read_unlock(&mm->lock);
    return n;
}
