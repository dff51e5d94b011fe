/*
 * sys_path.c: calls on paths: stat and access, directories, links, names. Each fetches its path (user_at_get), lets fs do the work,
 * and gives back. No data, no locks of its own.
 */
#include "kernel/core/time.h"
#include "kernel/fs/procfs.h"
#include "kernel/mm/slab.h"
#include "kernel/sys/sys.h"

static long put_stat(const struct inode *inode, vaddr_t to)
{
    struct abi_stat st;
    inode_stat(inode, &st);
    return put_user(to, &st, sizeof(st));
}

long user_entry_at(int dirfd, vaddr_t path, u32 flags, struct entry **out)
{
    struct user_at at;
    long ret = user_at_get(&at, dirfd, path);
    if (ret < 0)
        return ret;
    if (!*at.path && (flags & AT_EMPTY_PATH))
        *out = entry_get(at.start);
    else if (!S_ISDIR(at.start->inode->mode))
        ret = *at.path ? -ENOTDIR : -ENOENT;
    else
        ret = path_find(at.start, at.path, flags & AT_SYMLINK_NOFOLLOW ? 0 : PATH_FOLLOW, out);
    user_at_put(&at);
    return ret;
}

static long stat_at(int dirfd, vaddr_t path, vaddr_t to, u32 flags)
{
    struct entry *entry;
    if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
        return -EINVAL;
    long ret = user_entry_at(dirfd, path, flags, &entry);
    if (ret < 0)
        return ret;
    ret = put_stat(entry->inode, to);
    entry_put(entry);
    return ret;
}

long sys_stat(const u64 *arg)
{
    return stat_at(AT_FDCWD, arg[0], arg[1], 0);
}

long sys_lstat(const u64 *arg)
{
    return stat_at(AT_FDCWD, arg[0], arg[1], AT_SYMLINK_NOFOLLOW);
}

long sys_newfstatat(const u64 *arg)
{
    return stat_at(arg[0], arg[1], arg[2], arg[3]);
}

long sys_fstat(const u64 *arg)
{
    struct file *file = files_get(current_files(), arg[0]);
    if (!file)
        return -EBADF;
    long ret = put_stat(file_inode(file), arg[1]);
    file_put(file);
    return ret;
}

long sys_statx(const u64 *arg) /* the C libraries fall back to newfstatat */
{
    (void)arg;
    return -ENOSYS;
}

static long put_statfs(const struct inode *inode, vaddr_t to)
{
    struct abi_statfs s = {
        .f_type = inode->proc ? PROC_MAGIC : TMPFS_MAGIC,
        .f_bsize = PAGE_SIZE,
        .f_frsize = PAGE_SIZE,
        .f_namelen = ABI_NAME_MAX,
        .f_flags = STATFS_VALID | STATFS_RELATIME,
    };
    if (!inode->proc) { /* a page for each inode, as Linux's default */
        s.f_blocks = s.f_files = page_total_count();
        s.f_bfree = s.f_bavail = s.f_ffree = page_free_count();
    }
    return put_user(to, &s, sizeof(s));
}

long sys_statfs(const u64 *arg)
{
    struct entry *entry;
    long ret = user_entry_at(AT_FDCWD, arg[0], 0, &entry);
    if (ret < 0)
        return ret;
    ret = put_statfs(entry->inode, arg[1]);
    entry_put(entry);
    return ret;
}

long sys_fstatfs(const u64 *arg)
{
    struct file *file = files_get(current_files(), arg[0]);
    if (!file)
        return -EBADF;
    long ret = put_statfs(file_inode(file), arg[1]);
    file_put(file);
    return ret;
}

/* Root may read and write all, and execute what has any execute bit. */
static long access_at(int dirfd, vaddr_t path, u32 mode, u32 flags)
{
    struct entry *entry;
    if (mode & ~(R_OK | W_OK | X_OK))
        return -EINVAL;
    if (flags & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
        return -EINVAL;
    long ret = user_entry_at(dirfd, path, flags, &entry);
    if (ret < 0)
        return ret;
    u32 m = entry->inode->mode;
    if ((mode & X_OK) && !S_ISDIR(m) && !(m & 0111))
        ret = -EACCES;
    entry_put(entry);
    return ret;
}

long sys_access(const u64 *arg)
{
    return access_at(AT_FDCWD, arg[0], arg[1], 0);
}

long sys_faccessat(const u64 *arg)
{
    return access_at(arg[0], arg[1], arg[2], 0);
}

long sys_faccessat2(const u64 *arg)
{
    return access_at(arg[0], arg[1], arg[2], arg[3]);
}

long sys_getcwd(const u64 *arg)
{
    char *path = kmalloc(ABI_PATH_MAX);
    if (!path)
        return -ENOMEM;
    struct entry *cwd = proc_current()->cwd;
    tree_lock();
    bool deleted = cwd->deleted;
    size_t length = tree_path(cwd, path, ABI_PATH_MAX);
    tree_unlock();
    long ret = length + 1;
    if (deleted)
        ret = -ENOENT;
    else if (length + 1 > ABI_PATH_MAX)
        ret = -ENAMETOOLONG;
    else if (length + 1 > arg[1])
        ret = -ERANGE;
    else if (put_user(arg[0], path, length + 1))
        ret = -EFAULT;
    kfree(path);
    return ret;
}

/* Takes over entry's reference. */
static long set_cwd(struct entry *entry)
{
    struct proc *proc = proc_current();
    struct entry *drop = entry;
    long ret = -ENOTDIR;
    if (S_ISDIR(entry->inode->mode)) {
        u64 flags = spin_lock_irq(&proc_table_lock); /* others may be taking a reference */
        drop = proc->cwd;
        proc->cwd = entry;
        spin_unlock_irq(&proc_table_lock, flags);
        ret = 0;
    }
    entry_put(drop);
    return ret;
}

long sys_chdir(const u64 *arg)
{
    struct entry *entry;
    long ret = user_entry_at(AT_FDCWD, arg[0], 0, &entry);
    return ret < 0 ? ret : set_cwd(entry);
}

long sys_fchdir(const u64 *arg)
{
    struct file *file = files_get(current_files(), arg[0]);
    if (!file)
        return -EBADF;
    long ret = set_cwd(entry_get(file->entry));
    file_put(file);
    return ret;
}

static long mkdir_at(int dirfd, vaddr_t path, u32 mode)
{
    struct user_at at;
    long ret = user_at_get(&at, dirfd, path);
    if (ret < 0)
        return ret;
    ret = fs_mkdir(at.start, at.path, mode & ~proc_current()->umask);
    user_at_put(&at);
    return ret;
}

long sys_mkdir(const u64 *arg)
{
    return mkdir_at(AT_FDCWD, arg[0], arg[1]);
}

long sys_mkdirat(const u64 *arg)
{
    return mkdir_at(arg[0], arg[1], arg[2]);
}

static long unlink_at(int dirfd, vaddr_t path, bool directory)
{
    struct user_at at;
    long ret = user_at_get(&at, dirfd, path);
    if (ret < 0)
        return ret;
    ret = fs_unlink(at.start, at.path, directory);
    user_at_put(&at);
    return ret;
}

long sys_rmdir(const u64 *arg)
{
    return unlink_at(AT_FDCWD, arg[0], true);
}

long sys_unlink(const u64 *arg)
{
    return unlink_at(AT_FDCWD, arg[0], false);
}

long sys_unlinkat(const u64 *arg)
{
    if (arg[2] & 0xffffffff & ~(u64)AT_REMOVEDIR)
        return -EINVAL;
    return unlink_at(arg[0], arg[1], arg[2] & AT_REMOVEDIR);
}

/* Where a link of /proc leads, as text. => tree lock held. */
static long magic_text(struct inode *inode, char *buf)
{
    const struct proc_entry *proc = inode->proc;
    if (proc->text) {
        buf[0] = '\0';
        proc->text(proc_arg(inode), buf, ABI_PATH_MAX);
        return *buf ? (long)strlen(buf) : -ENOENT;
    }
    struct entry *to = proc->link(proc_arg(inode));
    if (!to)
        return -ENOENT;
    tree_keep(to);
    return min_u64(tree_path(to, buf, ABI_PATH_MAX), ABI_PATH_MAX - 1);
}

/* The text of a link in buf (ABI_PATH_MAX); its length, or -EINVAL when it is none, or -ENOENT. */
static long link_text(struct entry *entry, char *buf)
{
    struct inode *inode = entry->inode;
    if (!S_ISLNK(inode->mode))
        return -EINVAL;
    if (!inode->proc || !inode->proc->link)
        return min_u64(string_copy(buf, inode->target, ABI_PATH_MAX), ABI_PATH_MAX - 1);
    tree_lock();
    long n = magic_text(inode, buf);
    tree_unlock();
    return n;
}

static long readlink_at(int dirfd, vaddr_t path, vaddr_t to, int size)
{
    struct entry *entry;
    if (size <= 0)
        return -EINVAL;
    long ret = user_entry_at(dirfd, path, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, &entry);
    if (ret < 0)
        return ret;
    char *buf = kmalloc(ABI_PATH_MAX), first;
    ret = buf ? link_text(entry, buf) : -ENOMEM;
    entry_put(entry);
    if (ret == -EINVAL && get_user(&first, path, 1) == 0 && !first)
        ret = -ENOENT; /* an empty path leads to a link only from a descriptor of one */
    if (ret > size)
        ret = size;
    if (ret >= 0 && put_user(to, buf, ret))
        ret = -EFAULT;
    kfree(buf);
    return ret;
}

long sys_readlink(const u64 *arg)
{
    return readlink_at(AT_FDCWD, arg[0], arg[1], arg[2]);
}

long sys_readlinkat(const u64 *arg)
{
    return readlink_at(arg[0], arg[1], arg[2], arg[3]);
}

static long rename_at(int from_fd, vaddr_t from, int to_fd, vaddr_t to)
{
    struct user_at a, b;
    long ret = user_at_get(&a, from_fd, from);
    if (ret < 0)
        return ret;
    ret = user_at_get(&b, to_fd, to);
    if (ret == 0) {
        ret = fs_rename(a.start, a.path, b.start, b.path);
        user_at_put(&b);
    }
    user_at_put(&a);
    return ret;
}

long sys_rename(const u64 *arg)
{
    return rename_at(AT_FDCWD, arg[0], AT_FDCWD, arg[1]);
}

long sys_renameat(const u64 *arg)
{
    return rename_at(arg[0], arg[1], arg[2], arg[3]);
}

long sys_renameat2(const u64 *arg)
{
    return arg[4] ? -EINVAL : rename_at(arg[0], arg[1], arg[2], arg[3]);
}

static long link_at(int from_fd, vaddr_t from, int to_fd, vaddr_t to, u32 flags)
{
    struct entry *entry;
    struct user_at at;
    if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
        return -EINVAL;
    u32 follow = flags & AT_SYMLINK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW;
    long ret = user_entry_at(from_fd, from, follow | (flags & AT_EMPTY_PATH), &entry);
    if (ret < 0)
        return ret;
    ret = user_at_get(&at, to_fd, to);
    if (ret == 0) {
        ret = fs_link(entry, at.start, at.path);
        user_at_put(&at);
    }
    entry_put(entry);
    return ret;
}

long sys_link(const u64 *arg)
{
    return link_at(AT_FDCWD, arg[0], AT_FDCWD, arg[1], 0);
}

long sys_linkat(const u64 *arg)
{
    return link_at(arg[0], arg[1], arg[2], arg[3], arg[4]);
}

static long symlink_at(vaddr_t target, int dirfd, vaddr_t path)
{
    char *text;
    struct user_at at;
    long ret = user_path(target, &text);
    if (ret < 0)
        return ret;
    ret = user_at_get(&at, dirfd, path);
    if (ret == 0) {
        ret = fs_symlink(at.start, at.path, text);
        user_at_put(&at);
    }
    kfree(text);
    return ret;
}

long sys_symlink(const u64 *arg)
{
    return symlink_at(arg[0], AT_FDCWD, arg[1]);
}

long sys_symlinkat(const u64 *arg)
{
    return symlink_at(arg[0], arg[1], arg[2]);
}

static long set_mode(struct inode *inode, u32 mode)
{
    if (inode->proc)
        return -EPERM;
    WRITE_ONCE(inode->mode, (inode->mode & S_IFMT) | (mode & 07777));
    inode->ctime = time_wall_ns();
    return 0;
}

static long chmod_at(int dirfd, vaddr_t path, u32 mode)
{
    struct entry *entry;
    long ret = user_entry_at(dirfd, path, 0, &entry);
    if (ret < 0)
        return ret;
    ret = set_mode(entry->inode, mode);
    entry_put(entry);
    return ret;
}

long sys_chmod(const u64 *arg)
{
    return chmod_at(AT_FDCWD, arg[0], arg[1]);
}

long sys_fchmodat(const u64 *arg)
{
    return chmod_at(arg[0], arg[1], arg[2]);
}

long sys_fchmod(const u64 *arg)
{
    struct file *file = file_of(arg[0]);
    if (!file)
        return -EBADF;
    long ret = set_mode(file_inode(file), arg[1]);
    file_put(file);
    return ret;
}

long sys_umask(const u64 *arg)
{
    struct proc *proc = proc_current();
    u32 old = proc->umask;
    proc->umask = arg[0] & 0777;
    return old;
}
