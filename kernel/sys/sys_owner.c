/*
 * sys_owner.c: users and groups. There is one user, root, and one group, as in a Linux user namespace in which nothing else
 * is mapped: becoming somebody else, or giving a file away, is EINVAL; what stays with root is granted. No data.
 */
#include "kernel/core/time.h"
#include "kernel/fs/procfs.h"
#include "kernel/sys/sys.h"

/* An id that a call may set: root's, or -1 where that means "as it is". */
static bool id_ok(u64 id, bool may_keep)
{
    return (u32)id == 0 || (may_keep && (u32)id == ~0u);
}

static long all_ok(const u64 *id, int n, bool may_keep)
{
    for (int i = 0; i < n; i++)
        if (!id_ok(id[i], may_keep))
            return -EINVAL;
    return 0;
}

long sys_setuid(const u64 *arg)
{
    return all_ok(arg, 1, false);
}

long sys_setgid(const u64 *arg)
{
    return all_ok(arg, 1, false);
}

long sys_setreuid(const u64 *arg)
{
    return all_ok(arg, 2, true);
}

long sys_setregid(const u64 *arg)
{
    return all_ok(arg, 2, true);
}

long sys_setresuid(const u64 *arg)
{
    return all_ok(arg, 3, true);
}

long sys_setresgid(const u64 *arg)
{
    return all_ok(arg, 3, true);
}

/* These never fail; they return the id of before. */
long sys_setfsuid(const u64 *arg)
{
    (void)arg;
    return 0;
}

long sys_setfsgid(const u64 *arg)
{
    (void)arg;
    return 0;
}

static long put_three(const u64 *to)
{
    const u32 root = 0;
    for (int i = 0; i < 3; i++)
        if (put_user(to[i], &root, sizeof(root)))
            return -EFAULT;
    return 0;
}

long sys_getresuid(const u64 *arg)
{
    return put_three(arg);
}

long sys_getresgid(const u64 *arg)
{
    return put_three(arg);
}

/* No supplementary groups; a list of root's only says nothing new. */
long sys_getgroups(const u64 *arg)
{
    return (s32)arg[0] < 0 ? -EINVAL : 0;
}

long sys_setgroups(const u64 *arg)
{
    enum { GROUPS_MAX = 65536 };
    if ((u32)arg[0] > GROUPS_MAX)
        return -EINVAL;
    for (u32 i = 0; i < (u32)arg[0]; i++) {
        u32 group;
        if (get_user(&group, arg[1] + i * sizeof(group), sizeof(group)))
            return -EFAULT;
        if (group)
            return -EINVAL;
    }
    return 0;
}

/* ---- files ---- */

/* id: user and group. */
static long chown_inode(struct inode *inode, const u64 *id)
{
    if (all_ok(id, 2, true) < 0)
        return -EINVAL;
    if (inode->proc)
        return -EPERM;
    inode->ctime = time_wall_ns();
    return 0;
}

static long chown_at(int dirfd, vaddr_t path, const u64 *id, u32 flags)
{
    struct entry *entry;
    if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
        return -EINVAL;
    long ret = user_entry_at(dirfd, path, flags, &entry);
    if (ret < 0)
        return ret;
    ret = chown_inode(entry->inode, id);
    entry_put(entry);
    return ret;
}

long sys_chown(const u64 *arg)
{
    return chown_at(AT_FDCWD, arg[0], arg + 1, 0);
}

long sys_lchown(const u64 *arg)
{
    return chown_at(AT_FDCWD, arg[0], arg + 1, AT_SYMLINK_NOFOLLOW);
}

long sys_fchownat(const u64 *arg)
{
    return chown_at(arg[0], arg[1], arg + 2, arg[4]);
}

long sys_fchown(const u64 *arg)
{
    struct file *file = file_of(arg[0]);
    if (!file)
        return -EBADF;
    long ret = chown_inode(file_inode(file), arg + 1);
    file_put(file);
    return ret;
}
