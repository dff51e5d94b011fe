/*
 * pid_dir.c: /proc/PID: which processes there are, and which files each has.
 *
 *      /proc --pid_lookup--> /proc/7 --file_lookup--> /proc/7/maps: inode { proc: what to do, about: { 7, born, which } }
 *
 * Nothing of this is kept: an entry is made when it is looked up and goes with the tree lock, unless it was opened. It names
 * its process by number and time of birth and looks it up at each use, so a file that stays open beyond the
 * end of the process gives ESRCH, whoever has the number now. No data of its own.
 */
#include "kernel/proc/pid_files.h"

static int file_show(struct seq *seq, void *arg);
static int file_write(const char *text, size_t length, void *arg);
static struct entry *exe_link(void *arg);
static struct entry *cwd_link(void *arg);
static struct entry *root_link(void *arg);
static int mounts_show(struct seq *seq, struct proc *proc);

#define SHOWN(name_, show_, mode_)                                                                 \
    {                                                                                              \
        .name = name_, .show = show_, .entry = {.show = file_show, .mode = mode_ }                 \
    }
#define WRITTEN(name_, show_, write_)                                                              \
    {                                                                                              \
        .name = name_, .show = show_, .write = write_, .entry = {                                  \
            .show = file_show,                                                                     \
            .write = file_write                                                                    \
        }                                                                                          \
    }
#define LINK(name_, link_)                                                                         \
    {                                                                                              \
        .name = name_, .entry = {.link = link_ }                                                   \
    }

static const struct pid_file files[] = {
    {.name = "fd", .entry = {.lookup = fd_lookup, .next = fd_next, .mode = 0500}},
    SHOWN("environ", pid_environ_show, 0400),
    SHOWN("status", pid_status_show, 0),
    SHOWN("limits", pid_limits_show, 0),
    WRITTEN("comm", pid_comm_show, pid_comm_write),
    SHOWN("cmdline", pid_cmdline_show, 0),
    SHOWN("stat", pid_stat_show, 0),
    SHOWN("statm", pid_statm_show, 0),
    SHOWN("maps", pid_maps_show, 0),
    LINK("cwd", cwd_link),
    LINK("root", root_link),
    LINK("exe", exe_link),
    SHOWN("mounts", mounts_show, 0),
    SHOWN("smaps", pid_smaps_show, 0),
    SHOWN("smaps_rollup", pid_smaps_rollup_show, 0),
    WRITTEN("vmcount", pid_vmcount_show, pid_vmcount_write),
};

static struct entry *file_lookup(struct entry *dir, const char *name, size_t length);
static bool file_next(struct entry *dir, u64 pos, struct dir_item *item);

static const struct proc_entry directory = {.lookup = file_lookup, .next = file_next};

struct proc *pid_subject(const struct proc_subject *about)
{
    struct proc *proc = proc_find(about->id);
    if (proc && proc->start_ns != about->born) {
        proc_put(proc);
        return NULL;
    }
    return proc;
}

bool pid_number(const char *name, size_t length, u32 limit, u32 *out)
{
    u64 n = 0;
    if (length == 0 || length > 9 || (length > 1 && name[0] == '0'))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (name[i] < '0' || name[i] > '9')
            return false;
        n = n * 10 + (u64)(name[i] - '0');
    }
    *out = n;
    return n < limit;
}

/* ---- /proc ---- */

static struct entry *proc_root(void)
{
    return tree_child(fs_root, "proc", 4);
}

/* An entry over a new inode. NULL without memory. */
static struct entry *make(struct entry *dir, const char *name, const struct proc_entry *what,
                          struct proc_subject about, u64 ino)
{
    struct inode *inode = proc_inode(what, about, ino);
    if (!inode)
        return NULL;
    struct entry *entry = tree_transient(dir, name, inode);
    inode_put(inode);
    return entry;
}

struct entry *pid_directory(struct proc *proc)
{
    char name[12];
    struct proc_subject about = {.id = proc->pid, .born = proc->start_ns};
    format_to(name, sizeof(name), "%u", proc->pid);
    return make(proc_root(), name, &directory, about, pid_ino(proc->pid, 0));
}

struct entry *pid_lookup(struct entry *dir, const char *name, size_t length)
{
    u32 pid;
    (void)dir;
    struct proc *proc = pid_number(name, length, PID_MAX, &pid) ? proc_find(pid) : NULL;
    if (!proc)
        return NULL;
    struct entry *entry = pid_directory(proc);
    proc_put(proc);
    return entry;
}

bool pid_next(struct entry *dir, u64 pos, struct dir_item *item)
{
    (void)dir;
    u64 from = pos - PROC_DYNAMIC;
    struct proc *proc = from < PID_MAX ? proc_next(from ? from - 1 : 0) : NULL;
    if (!proc)
        return false;
    format_to(item->name, sizeof(item->name), "%u", proc->pid);
    item->ino = pid_ino(proc->pid, 0);
    item->type = S_IFDIR >> 12;
    item->next = PROC_DYNAMIC + proc->pid + 1;
    proc_put(proc);
    return true;
}

/* ---- /proc/PID ---- */

static struct entry *file_lookup(struct entry *dir, const char *name, size_t length)
{
    struct proc_subject about = dir->inode->about;
    struct proc *proc = pid_subject(&about);
    if (!proc)
        return NULL;
    proc_put(proc);
    for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
        if (strncmp(files[i].name, name, length) != 0 || files[i].name[length])
            continue;
        about.item = i;
        return make(dir, files[i].name, &files[i].entry, about, pid_ino(about.id, i + 1));
    }
    return NULL;
}

static u8 file_type(const struct proc_entry *entry)
{
    return (entry->lookup ? S_IFDIR : entry->link ? S_IFLNK : S_IFREG) >> 12;
}

static bool file_next(struct entry *dir, u64 pos, struct dir_item *item)
{
    u64 i = pos - PROC_DYNAMIC;
    struct proc *proc = i < ARRAY_SIZE(files) ? pid_subject(&dir->inode->about) : NULL;
    if (!proc)
        return false;
    proc_put(proc);
    string_copy(item->name, files[i].name, sizeof(item->name));
    item->ino = pid_ino(dir->inode->about.id, i + 1);
    item->type = file_type(&files[i].entry);
    item->next = pos + 1;
    return true;
}

static int file_show(struct seq *seq, void *arg)
{
    const struct proc_subject *about = arg;
    struct proc *proc = pid_subject(about);
    if (!proc)
        return -ESRCH;
    int ret = files[about->item].show(seq, proc);
    proc_put(proc);
    return ret;
}

static int file_write(const char *text, size_t length, void *arg)
{
    const struct proc_subject *about = arg;
    struct proc *proc = pid_subject(about);
    if (!proc)
        return -ESRCH;
    int ret = files[about->item].write(text, length, proc);
    proc_put(proc);
    return ret;
}

/* ---- links ---- */

static struct entry *link_to(void *arg, struct entry *(*get)(struct proc *proc))
{
    struct proc *proc = pid_subject(arg);
    if (!proc)
        return NULL;
    struct entry *entry = get(proc);
    proc_put(proc);
    return entry;
}

static struct entry *root_get(struct proc *proc)
{
    return proc->state == PROC_ALIVE ? entry_get(fs_root) : NULL;
}

static struct entry *exe_link(void *arg)
{
    return link_to(arg, proc_exe_get);
}

static struct entry *cwd_link(void *arg)
{
    return link_to(arg, proc_cwd_get);
}

static struct entry *root_link(void *arg)
{
    return link_to(arg, root_get);
}

/* There is one tree; only /proc is made of something else than memory. */
static int mounts_show(struct seq *seq, struct proc *proc)
{
    (void)proc;
    seq_printf(seq, "tmpfs / tmpfs rw,relatime 0 0\nproc /proc proc rw,relatime 0 0\n");
    return 0;
}
