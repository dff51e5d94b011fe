/*
 * sys_mm.c: the memory calls. What concerns descriptors is checked here; everything about addresses is mm's to judge.
 */
#include "kernel/sys/sys.h"
#include "lib/abi/mman.h"

static long map_file(struct mmap_request *q, u64 fd)
{
    struct file *file = file_of(fd);
    if (!file)
        return -EBADF;
    long ret = -EINVAL;
    q->file = &file->mm;
    if (!(q->flags & MAP_HUGETLB))
        ret = mm_mmap(proc_current()->mm, q);
    file_put(file);
    return ret;
}

long sys_mmap(const u64 *arg)
{
    struct mmap_request q = {
        .addr = arg[0], .length = arg[1], .prot = arg[2], .flags = arg[3], .offset = arg[5]};
    if (q.offset & ~PAGE_MASK)
        return -EINVAL;
    if (!(q.flags & MAP_ANONYMOUS))
        return map_file(&q, arg[4]);
    if (q.flags & MAP_HUGETLB)
        return q.length ? -ENOMEM : -EINVAL; /* there are no huge pages to have */
    return mm_mmap(proc_current()->mm, &q);
}

long sys_munmap(const u64 *arg)
{
    return mm_munmap(proc_current()->mm, arg[0], arg[1]);
}

long sys_mprotect(const u64 *arg)
{
    return mm_mprotect(proc_current()->mm, arg[0], arg[1], arg[2]);
}

long sys_brk(const u64 *arg)
{
    return mm_brk(proc_current()->mm, arg[0]);
}
