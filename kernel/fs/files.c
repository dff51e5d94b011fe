/*
 * files.c: the descriptor table. Data: one struct files for each process (later shared by threads), from kmalloc.
 * Lock: files->lock around every look and change. A file that leaves the table is put after the lock is dropped, since
 * its release may sleep. Called by sys for every call with a descriptor, and by proc at exec and exit.
 */
#include "kernel/fs/files.h"

#include "kernel/core/panic.h"
#include "kernel/mm/slab.h"

static bool bit_get(const u64 *map, u32 n)
{
    return map[n / 64] >> (n % 64) & 1;
}

static void bit_set(u64 *map, u32 n, bool on)
{
    u64 bit = 1ul << (n % 64);
    map[n / 64] = on ? map[n / 64] | bit : map[n / 64] & ~bit;
}

struct files *files_create(void)
{
    struct files *files = kzalloc(sizeof(*files));
    if (!files)
        return NULL;
    files->refs = 1;
    files->limit = FILES_MAX;
    spin_init(&files->lock, RANK_PROC);
    return files;
}

struct files *files_copy(struct files *files)
{
    struct files *copy = files_create();
    if (!copy)
        return NULL;
    spin_lock(&files->lock);
    copy->limit = files->limit;
    for (u32 fd = 0; fd < FILES_MAX; fd++) {
        if (!files->file[fd]) /* free, or reserved by a call that is still at it */
            continue;
        copy->file[fd] = file_get(files->file[fd]);
        bit_set(copy->used, fd, true);
        bit_set(copy->cloexec, fd, bit_get(files->cloexec, fd));
    }
    spin_unlock(&files->lock);
    return copy;
}

void files_put(struct files *files)
{
    if (__atomic_fetch_sub(&files->refs, 1, __ATOMIC_ACQ_REL) != 1)
        return;
    for (u32 fd = 0; fd < FILES_MAX; fd++)
        if (files->file[fd])
            file_put(files->file[fd]);
    kfree(files);
}

int files_reserve(struct files *files, u32 min, bool cloexec)
{
    int ret = -EMFILE;
    spin_lock(&files->lock);
    if (min && min >= files->limit)
        ret = -EINVAL;
    for (u32 fd = min; fd < files->limit; fd++) {
        if (!bit_get(files->used, fd)) {
            bit_set(files->used, fd, true);
            bit_set(files->cloexec, fd, cloexec);
            ret = fd;
            break;
        }
    }
    spin_unlock(&files->lock);
    return ret;
}

void files_install(struct files *files, int fd, struct file *file)
{
    spin_lock(&files->lock);
    CHECK(bit_get(files->used, fd) && !files->file[fd], "descriptor %d", fd);
    files->file[fd] = file;
    spin_unlock(&files->lock);
}

void files_unreserve(struct files *files, int fd)
{
    spin_lock(&files->lock);
    bit_set(files->used, fd, false);
    spin_unlock(&files->lock);
}

/* => lock held. Descriptors come from user programs: any int. */
static struct file *files_look(struct files *files, int fd)
{
    return fd >= 0 && fd < FILES_MAX ? files->file[fd] : NULL;
}

struct file *files_get(struct files *files, int fd)
{
    spin_lock(&files->lock);
    struct file *file = files_look(files, fd);
    if (file)
        file_get(file);
    spin_unlock(&files->lock);
    return file;
}

int files_close(struct files *files, int fd)
{
    spin_lock(&files->lock);
    struct file *file = files_look(files, fd);
    if (file) {
        files->file[fd] = NULL;
        bit_set(files->used, fd, false);
    }
    spin_unlock(&files->lock);
    if (!file)
        return -EBADF;
    file_put(file);
    return 0;
}

int files_dup_to(struct files *files, int old, int new, bool cloexec)
{
    struct file *victim = NULL;
    int ret = -EBADF;
    spin_lock(&files->lock);
    struct file *file = files_look(files, old);
    if (new < 0 || (u32) new >= files->limit || !file)
        goto out;
    victim = files->file[new];
    ret = -EBUSY;
    if (!victim && bit_get(files->used, new))
        goto out;
    files->file[new] = file_get(file);
    bit_set(files->used, new, true);
    bit_set(files->cloexec, new, cloexec);
    ret = new;
out:
    spin_unlock(&files->lock);
    if (victim)
        file_put(victim);
    return ret;
}

int files_get_cloexec(struct files *files, int fd)
{
    spin_lock(&files->lock);
    int ret = files_look(files, fd) ? bit_get(files->cloexec, fd) : -EBADF;
    spin_unlock(&files->lock);
    return ret;
}

int files_set_cloexec(struct files *files, int fd, bool on)
{
    int ret = -EBADF;
    spin_lock(&files->lock);
    if (files_look(files, fd)) {
        bit_set(files->cloexec, fd, on);
        ret = 0;
    }
    spin_unlock(&files->lock);
    return ret;
}

void files_close_on_exec(struct files *files)
{
    for (int fd = 0; fd < FILES_MAX; fd++)
        if (files_get_cloexec(files, fd) > 0)
            files_close(files, fd);
}
