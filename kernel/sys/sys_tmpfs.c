/*
 * sys_tmpfs.c: memfd_create and utimensat: files without a name, and times as the caller wants them. No data, no locks.
 */
#include "kernel/core/time.h"
#include "kernel/mm/slab.h"
#include "kernel/sys/sys.h"
#include "lib/abi/time.h"
#include "lib/format.h"

/* "memfd:" and the name that the program gave. 0, -EFAULT, -EINVAL (too long). */
static long memfd_name(char name[ABI_NAME_MAX + 1], vaddr_t from)
{
    static const char prefix[] = "memfd:";
    memcpy(name, prefix, sizeof(prefix));
    long n = copy_string_from_user(name + sizeof(prefix) - 1, from, MFD_NAME_MAX + 1);
    return n == -ENAMETOOLONG ? -EINVAL : n < 0 ? n : 0;
}

long sys_memfd_create(const u64 *arg)
{
    char name[ABI_NAME_MAX + 1];
    struct file *file;
    if (arg[1] & 0xffffffff & ~(u64)(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        return -EINVAL;
    long ret = memfd_name(name, arg[0]);
    if (ret < 0)
        return ret;
    int fd = files_reserve(current_files(), 0, arg[1] & MFD_CLOEXEC);
    if (fd < 0)
        return fd;
    ret = file_create_nameless(name, 0777, O_RDWR, &file);
    if (ret < 0) {
        files_unreserve(current_files(), fd);
        return ret;
    }
    files_install(current_files(), fd, file);
    return fd;
}

static bool time_is_good(const struct abi_timespec *t)
{
    bool special = t->nsec == UTIME_NOW || t->nsec == UTIME_OMIT;
    return special || (t->nsec >= 0 && t->nsec < (s64)NSEC_PER_SEC);
}

static void set_time(u64 *time, const struct abi_timespec *to, u64 now)
{
    if (to->nsec == UTIME_NOW)
        WRITE_ONCE(*time, now);
    else if (to->nsec != UTIME_OMIT)
        WRITE_ONCE(*time, (u64)to->sec * NSEC_PER_SEC + (u64)to->nsec);
}

static long set_times(struct inode *inode, const struct abi_timespec times[2])
{
    u64 now = time_wall_ns();
    if (inode->proc)
        return -EPERM;
    set_time(&inode->atime, &times[0], now);
    set_time(&inode->mtime, &times[1], now);
    inode->ctime = now;
    return 0;
}

/* The entry that the call is about: with no path it is the descriptor's. */
static long times_target(const u64 *arg, struct entry **out)
{
    u32 flags = arg[3];
    if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
        return -EINVAL;
    if (arg[1] || (int)arg[0] == AT_FDCWD)
        return user_entry_at(arg[0], arg[1], flags, out);
    struct file *file = flags ? NULL : file_of(arg[0]);
    if (!file)
        return flags ? -EINVAL : -EBADF;
    *out = entry_get(file->entry);
    file_put(file);
    return 0;
}

long sys_utimensat(const u64 *arg)
{
    struct abi_timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    struct entry *entry;
    if (arg[2] && get_user(times, arg[2], sizeof(times)))
        return -EFAULT;
    if (!time_is_good(&times[0]) || !time_is_good(&times[1]))
        return -EINVAL;
    if (times[0].nsec == UTIME_OMIT && times[1].nsec == UTIME_OMIT)
        return 0;
    long ret = times_target(arg, &entry);
    if (ret < 0)
        return ret;
    ret = set_times(entry->inode, times);
    entry_put(entry);
    return ret;
}
