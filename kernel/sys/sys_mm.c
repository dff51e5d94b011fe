/*
 * sys_mm.c: the memory calls. What concerns descriptors is checked here; everything about addresses is mm's to judge.
 */
#include "kernel/mm/page.h"
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
    u32 prot = (u32)arg[2] | (arg[2] >> 32 ? 1u << 31 : 0); /* an unknown bit is one up there too */
    return mm_mprotect(proc_current()->mm, arg[0], arg[1], prot);
}

long sys_brk(const u64 *arg)
{
    return mm_brk(proc_current()->mm, arg[0]);
}

long sys_mremap(const u64 *arg)
{
    return mm_mremap(proc_current()->mm, arg[0], arg[1], arg[2],
                     arg[3] >> 32 ? ~0u : arg[3], /* an unknown flag is one up there too */
                     arg[4]);
}

long sys_remap_file_pages(const u64 *arg)
{
    return mm_remap_file_pages(proc_current()->mm, arg[0], arg[1],
                               arg[2] != 0, /* any right is refused */
                               arg[3], arg[4]);
}

long sys_madvise(const u64 *arg)
{
    return mm_madvise(proc_current()->mm, arg[0], arg[1], arg[2]);
}

/* A page of answers at a time. */
static long mincore_chunk(vaddr_t start, u64 pages, vaddr_t vec, struct page *buffer)
{
    long n = mm_mincore(proc_current()->mm, start, min_u64(pages, PAGE_SIZE), page_to_virt(buffer));
    if (n > 0 && put_user(vec, page_to_virt(buffer), n))
        return -EFAULT;
    return n;
}

long sys_mincore(const u64 *arg)
{
    vaddr_t start = arg[0], vec = arg[2];
    u64 pages = (arg[1] >> PAGE_SHIFT) + ((arg[1] & ~PAGE_MASK) != 0);
    if (start & ~PAGE_MASK)
        return -EINVAL;
    if (arg[1] > USER_END || start > USER_END - arg[1]) /* Linux's access_ok */
        return -ENOMEM;
    if (pages > USER_END || vec > USER_END - pages)
        return -EFAULT;
    struct page *buffer = page_alloc(0, PAGE_KERNEL);
    if (!buffer)
        return -EAGAIN;
    long n = 0;
    while (pages && (n = mincore_chunk(start, pages, vec, buffer)) > 0) {
        pages -= n;
        start += n << PAGE_SHIFT;
        vec += n;
    }
    page_put(buffer);
    return n < 0 ? n : 0;
}

long sys_msync(const u64 *arg)
{
    return mm_msync(proc_current()->mm, arg[0], arg[1], arg[2]);
}

long sys_mlock(const u64 *arg)
{
    return mm_mlock(proc_current()->mm, arg[0], arg[1], 0);
}

long sys_mlock2(const u64 *arg)
{
    return mm_mlock(proc_current()->mm, arg[0], arg[1], arg[2]);
}

long sys_munlock(const u64 *arg)
{
    return mm_munlock(proc_current()->mm, arg[0], arg[1]);
}

long sys_mlockall(const u64 *arg)
{
    return mm_mlockall(proc_current()->mm, arg[0]);
}

long sys_munlockall(const u64 *arg)
{
    (void)arg;
    return mm_munlockall(proc_current()->mm);
}
