/*
 * initramfs.c: from cpio items to files in the tree. Runs once at boot, before any process. Later archives win: a file that
 * is there already is replaced, a directory that is there already is kept. Directories that an archive forgot are made.
 * Device nodes, FIFOs and sockets are passed over: dev makes the devices that exist.
 */
#include "kernel/fs/initramfs.h"

#include "kernel/fs/cpio.h"
#include "kernel/fs/fs.h"
#include "kernel/mm/slab.h"

static int unpack_file(const struct cpio_item *item, const char *path)
{
    struct open_request q = {.start = fs_root, .path = path, .mode = item->mode & 07777};
    q.flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
    struct file *file;
    int ret = file_open(&q, &file);
    if (ret == -ELOOP &&
        fs_unlink(fs_root, path, false) == 0) /* a later entry takes a link's place */
        ret = file_open(&q, &file);
    if (ret < 0)
        return ret;
    struct io_kernel k;
    io_kernel_init(&k, (void *)item->data, item->data_length);
    u64 pos = 0;
    while (k.io.left && ret >= 0)
        ret = file->ops->write(file, &k.io, &pos) < 0 ? -ENOMEM : 0;
    file_inode(file)->mode = S_IFREG | (item->mode & 07777);
    file_put(file);
    return ret;
}

static int unpack_link(const struct cpio_item *item, const char *path)
{
    if (item->data_length == 0 || item->data_length >= ABI_PATH_MAX ||
        memchr(item->data, '\0', item->data_length))
        return -EINVAL;
    char *target = kmalloc(item->data_length + 1);
    if (!target)
        return -ENOMEM;
    memcpy(target, item->data, item->data_length);
    target[item->data_length] = '\0';
    int ret = fs_symlink(fs_root, path, target);
    if (ret == -EEXIST && fs_unlink(fs_root, path, false) == 0)
        ret = fs_symlink(fs_root, path, target);
    kfree(target);
    return ret;
}

static int unpack_item(const struct cpio_item *item, const char *path)
{
    int ret;
    switch (item->mode & S_IFMT) {
    case S_IFREG:
        return unpack_file(item, path);
    case S_IFLNK:
        return unpack_link(item, path);
    case S_IFDIR:
        ret = fs_mkdir(fs_root, path, item->mode & 07777);
        return ret == -EEXIST ? 0 : ret;
    case S_IFCHR:
    case S_IFBLK:
    case S_IFIFO:
    case S_IFSOCK:
        return 0;
    }
    return -EINVAL;
}

/* Make the directories above path's last name; path is changed for a moment only. */
static int make_parents(char *path)
{
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        if (slash == path || !slash[1])
            continue;
        *slash = '\0';
        int ret = fs_mkdir(fs_root, path, 0755);
        *slash = '/';
        if (ret < 0 && ret != -EEXIST)
            return ret;
    }
    return 0;
}

static int unpack_one(const struct cpio_item *item, char *path)
{
    if (string_copy(path, item->name, ABI_PATH_MAX) >= ABI_PATH_MAX)
        return -ENAMETOOLONG;
    int ret = unpack_item(item, path);
    if (ret == -ENOENT && *path) {
        ret = make_parents(path);
        if (ret == 0)
            ret = unpack_item(item, path);
    }
    return ret;
}

static const char *what_went_wrong(int error)
{
    switch (error) {
    case -ENOMEM:
        return "out of memory while unpacking";
    case -EINVAL:
        return "an entry of unknown kind or a bad link";
    case -ENAMETOOLONG:
        return "a name that is too long";
    case -ENOTDIR:
    case -EISDIR:
    case -EEXIST:
        return "an entry that contradicts an earlier one";
    }
    return "an entry that cannot be made";
}

int initramfs_unpack(const void *bytes, u64 length, struct initramfs_error *error)
{
    struct cpio_reader reader;
    struct cpio_item item = {0};
    char *path = kmalloc(ABI_PATH_MAX);
    *error = (struct initramfs_error){0};
    if (!path) {
        *error = (struct initramfs_error){-ENOMEM, 0, what_went_wrong(-ENOMEM), ABI_PATH_MAX};
        return -ENOMEM;
    }
    cpio_start(&reader, bytes, length);
    int got;
    while ((got = cpio_next(&reader, &item)) > 0) {
        int ret = unpack_one(&item, path);
        if (ret < 0) {
            *error =
                (struct initramfs_error){ret, item.offset, what_went_wrong(ret), item.data_length};
            break;
        }
    }
    if (got < 0)
        *error = (struct initramfs_error){-EINVAL, reader.error_at, reader.error, 0};
    kfree(path);
    return error->error;
}
