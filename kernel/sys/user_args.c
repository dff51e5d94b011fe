/*
 * user_args.c: fetching paths and start directories from user arguments. No data, no locks.
 */
#include "kernel/mm/slab.h"
#include "kernel/sys/sys.h"

long user_path(vaddr_t addr, char **out)
{
    char *path = kmalloc(ABI_PATH_MAX);
    if (!path)
        return -ENOMEM;
    long n = copy_string_from_user(path, addr, ABI_PATH_MAX);
    if (n < 0) {
        kfree(path);
        return n;
    }
    *out = path;
    return 0;
}

static long start_get(int dirfd, const char *path, struct entry **out)
{
    if (*path == '/' || dirfd == AT_FDCWD) {
        *out = entry_get(*path == '/' ? fs_root : proc_current()->cwd);
        return 0;
    }
    struct file *file = files_get(current_files(), dirfd);
    if (!file)
        return -EBADF;
    bool usable =
        S_ISDIR(file_inode(file)->mode) || !*path; /* with AT_EMPTY_PATH it may be anything */
    if (usable)
        *out = entry_get(file->entry);
    file_put(file);
    return usable ? 0 : -ENOTDIR;
}

long user_at_get(struct user_at *at, int dirfd, vaddr_t path)
{
    long ret = user_path(path, &at->path);
    if (ret < 0)
        return ret;
    ret = start_get(dirfd, at->path, &at->start);
    if (ret < 0)
        kfree(at->path);
    return ret;
}

void user_at_put(struct user_at *at)
{
    entry_put(at->start);
    kfree(at->path);
}
