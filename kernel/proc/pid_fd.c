/*
 * pid_fd.c: /proc/PID/fd: a link for each open descriptor. It leads to the file itself, not to its path, so opening it opens
 * the same file even if it has no name any more; readlink shows the path, " (deleted)" where it is, or a name like
 * pipe:[7]. No data; the descriptors belong to struct files.
 */
#include "kernel/proc/pid_files.h"

static struct entry *fd_link(void *arg);

static const struct proc_entry link = {.link = fd_link};

/* The open file, with a reference. NULL: there is none, or no process. */
static struct file *file_get_of(const struct proc_subject *about, u32 fd)
{
    struct proc *proc = pid_subject(about);
    if (!proc)
        return NULL;
    struct files *files = proc_files_get(proc);
    proc_put(proc);
    if (!files)
        return NULL;
    struct file *file = files_get(files, (int)fd);
    files_put(files);
    return file;
}

static struct entry *fd_link(void *arg)
{
    const struct proc_subject *about = arg;
    struct file *file = file_get_of(about, about->item);
    if (!file)
        return NULL;
    struct entry *entry = entry_get(file->entry);
    file_put(file);
    return entry;
}

static u32 fd_mode(const struct file *file)
{
    return S_IFLNK | 0100 | (file->mm.access & MM_FILE_READ ? 0400 : 0) |
           (file->mm.access & MM_FILE_WRITE ? 0200 : 0);
}

struct entry *fd_lookup(struct entry *dir, const char *name, size_t length)
{
    u32 fd;
    char text[12];
    struct proc_subject about = dir->inode->about;
    struct file *file = pid_number(name, length, FILES_MAX, &fd) ? file_get_of(&about, fd) : NULL;
    if (!file)
        return NULL;
    about.item = fd;
    struct inode *inode = proc_inode(&link, about, pid_ino(about.id, PID_INO_FD + fd));
    struct entry *entry = NULL;
    if (inode) {
        inode->mode = fd_mode(file);
        format_to(text, sizeof(text), "%u", fd);
        entry = tree_transient(dir, text, inode);
        inode_put(inode);
    }
    file_put(file);
    return entry;
}

bool fd_next(struct entry *dir, u64 pos, struct dir_item *item)
{
    struct proc *proc = pid_subject(&dir->inode->about);
    struct files *files = proc ? proc_files_get(proc) : NULL;
    struct file *file = NULL;
    u64 fd = pos - PROC_DYNAMIC;
    for (; files && fd < FILES_MAX; fd++)
        if ((file = files_get(files, (int)fd)) != NULL)
            break;
    if (file) {
        format_to(item->name, sizeof(item->name), "%lu", fd);
        item->ino = pid_ino(dir->inode->about.id, PID_INO_FD + fd);
        item->type = S_IFLNK >> 12;
        item->next = PROC_DYNAMIC + fd + 1;
        file_put(file);
    }
    if (files)
        files_put(files);
    if (proc)
        proc_put(proc);
    return file;
}
