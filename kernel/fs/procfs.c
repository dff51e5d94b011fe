/*
 * procfs.c: the registry behind /proc. Each registered entry becomes an inode in the ordinary tree, with its own file
 * operations; an open file keeps the text it was shown last in priv.
 *
 *      read at 0:  make a new text, exchange it under text_lock, serve from it
 *      read at n:  serve from the text there is (make one if there is none)
 *
 * Locks: text_lock (spin) guards priv of all these files; readers hold a reference to the text, so nothing is held while
 * the text is made or copied out.
 */
#include "kernel/fs/procfs.h"

#include "kernel/core/knob.h"
#include "kernel/core/printk.h"
#include "kernel/fs/fs.h"
#include "kernel/mm/slab.h"
#include "lib/format.h"

static struct spinlock text_lock;

static struct seq *text_current(struct file *file)
{
    spin_lock(&text_lock);
    struct seq *seq = file->priv;
    if (seq)
        __atomic_fetch_add(&seq->refs, 1, __ATOMIC_RELAXED);
    spin_unlock(&text_lock);
    return seq;
}

/* Make the text anew and leave it in the file. A reference for the caller in *out. */
static int text_make(struct file *file, struct seq **out)
{
    const struct proc_entry *proc = file_inode(file)->proc;
    struct seq *seq = seq_create();
    if (!seq)
        return -ENOMEM;
    int ret = proc->show(seq, proc_arg(file_inode(file)));
    if (ret == 0)
        ret = seq->error;
    if (ret < 0) {
        seq_put(seq);
        return ret;
    }
    seq->refs = 2;
    spin_lock(&text_lock);
    struct seq *old = file->priv;
    file->priv = seq;
    spin_unlock(&text_lock);
    seq_put(old);
    *out = seq;
    return 0;
}

static long proc_read(struct file *file, struct io *io, u64 *pos)
{
    const struct proc_entry *proc = file_inode(file)->proc;
    struct seq *seq = *pos ? text_current(file) : NULL;
    if (!proc->show)
        return -EINVAL;
    if (!seq) {
        int ret = text_make(file, &seq);
        if (ret < 0)
            return ret;
    }
    long done = mapping_read(&seq->bytes, io, pos);
    seq_put(seq);
    return done;
}

static long proc_write(struct file *file, struct io *io, u64 *pos)
{
    const struct proc_entry *proc = file_inode(file)->proc;
    size_t n = io->left;
    if (!proc->write) /* root may open it so: Linux's answers */
        return file_inode(file)->about.id ? -EINVAL : -EIO;
    if (n > PROC_WRITE_MAX)
        return -EINVAL;
    char *text = kmalloc(PROC_WRITE_MAX + 1);
    if (!text)
        return -ENOMEM;
    long ret = -EFAULT;
    if (io_get(io, text, n) == n) {
        text[n] = '\0';
        ret = memchr(text, '\0', n) ? -EINVAL : proc->write(text, n, proc_arg(file_inode(file)));
    }
    kfree(text);
    if (ret < 0)
        return ret;
    *pos += n;
    return n;
}

static int proc_open(struct file *file)
{
    const struct proc_entry *proc = file_inode(file)->proc;
    bool wants_write = file->mm.access & MM_FILE_WRITE;
    return wants_write && proc->strict && !proc->write ? -EACCES : 0;
}

static void proc_release(struct file *file)
{
    seq_put(file->priv);
}

const struct file_ops proc_file_ops = {
    .open = proc_open, .release = proc_release, .read = proc_read, .write = proc_write};

/* ---- the registry ---- */

static const struct proc_entry plain_directory;

void *proc_arg(struct inode *inode)
{
    return inode->about.id ? &inode->about : inode->proc->arg;
}

static bool is_directory(const struct proc_entry *proc)
{
    return proc == &plain_directory || proc->lookup;
}

static u32 proc_mode(const struct proc_entry *proc)
{
    if (is_directory(proc))
        return S_IFDIR | (proc->mode ? proc->mode : 0555);
    if (proc->link || proc->target)
        return S_IFLNK | (proc->mode ? proc->mode : 0777);
    return S_IFREG | (proc->mode ? proc->mode : (proc->show ? 0444 : 0) | (proc->write ? 0200 : 0));
}

static struct inode *inode_for(const struct proc_entry *proc)
{
    struct inode *inode = inode_create(proc_mode(proc));
    if (!inode)
        return NULL;
    inode->proc = proc;
    if (S_ISREG(inode->mode))
        inode->file_ops = &proc_file_ops;
    if (proc->target)
        inode->target = (char *)proc->target;
    return inode;
}

struct inode *proc_inode(const struct proc_entry *proc, struct proc_subject about, u64 ino)
{
    struct inode *inode = inode_for(proc);
    if (!inode)
        return NULL;
    inode->about = about;
    inode->ino = ino;
    inode->nlink = S_ISDIR(inode->mode) ? 2 : 1;
    return inode;
}

/* Enter what proc describes at path. 0, -EEXIST, -ENOMEM. */
static int make_at(const char *path, const struct proc_entry *proc)
{
    struct inode *inode = inode_for(proc);
    struct path_result r;
    if (!inode)
        return -ENOMEM;
    tree_lock();
    int ret = path_walk(fs_root, path, PATH_PARENT, &r);
    if (ret == 0)
        ret = r.entry ? -EEXIST : tree_link(r.dir, r.name, r.length, inode, NULL);
    tree_unlock();
    inode_put(inode);
    return ret;
}

/* Make the directories above the last name of path. 0 or -ENOMEM. */
static int make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int ret = make_at(path, &plain_directory);
        *slash = '/';
        if (ret < 0 && ret != -EEXIST)
            return ret;
    }
    return 0;
}

int procfs_register(const struct proc_entry *proc)
{
    char path[128];
    if (!*proc->path) { /* /proc itself: what is in it beside the registered */
        tree_lock();
        tree_child(fs_root, "proc", 4)->inode->proc = proc;
        tree_unlock();
        return 0;
    }
    format_to(path, sizeof(path), "/proc/%s", proc->path);
    int ret = make_parents(path);
    return ret < 0 ? ret : make_at(path, proc);
}

void procfs_register_all(const struct proc_entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int ret = procfs_register(&entries[i]);
        if (ret < 0)
            printk("procfs: %s: error %d\n", entries[i].path, -ret);
    }
}

/* ---- knobs as /proc/sys ---- */

static int knob_file_show(struct seq *seq, void *arg)
{
    char text[128];
    knob_show(arg, text, sizeof(text));
    seq_printf(seq, "%s\n", text);
    return 0;
}

static int knob_file_write(const char *text, size_t length, void *arg)
{
    return length ? knob_set(arg, text) : 0;
}

static int register_knob(struct knob *knob)
{
    struct proc_entry *proc = kzalloc(sizeof(*proc) + strlen(knob->name) + 5);
    if (!proc)
        return -ENOMEM;
    char *path = (char *)(proc + 1);
    memcpy(path, "sys/", 4);
    for (size_t i = 0; knob->name[i]; i++)
        path[4 + i] = knob->name[i] == '.' ? '/' : knob->name[i];
    proc->path = path;
    proc->arg = knob;
    proc->show = knob_file_show;
    proc->write = knob->boot_only ? NULL : knob_file_write;
    proc->strict = true;
    int ret = procfs_register(proc);
    if (ret < 0)
        kfree(proc);
    return ret;
}

void procfs_register_knobs(void)
{
    for (struct knob *knob = knob_next(NULL); knob; knob = knob_next(knob)) {
        int ret = register_knob(knob);
        if (ret < 0)
            printk("procfs: no /proc/sys file for %s: error %d\n", knob->name, -ret);
    }
}

void procfs_init(void)
{
    spin_init(&text_lock, RANK_PROC);
    fs_unlink(fs_root, "/proc", true); /* one from the initramfs is not ours */
    int ret = make_at("/proc", &plain_directory);
    if (ret < 0)
        printk("procfs: no /proc: error %d\n", -ret);
}
