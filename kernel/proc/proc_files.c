/*
 * proc_files.c: /proc/self (and /proc/1, a link to it while there is one process): maps, exe, cwd, vmcount, comm. Each shows
 * the process that reads. No data of its own.
 */
#include "kernel/core/printk.h"
#include "kernel/fs/fs.h"
#include "kernel/fs/procfs.h"
#include "kernel/mm/slab.h"
#include "kernel/proc/proc.h"

enum { MAPS_LINE_MAX = 512 };

static int maps_show(struct seq *seq, void *arg)
{
    (void)arg;
    struct mm *mm = proc_current()->mm;
    char line[MAPS_LINE_MAX];
    vaddr_t at = 0;
    int n;
    while ((n = mm_maps_line(mm, &at, line, sizeof(line))) > 0)
        seq_write(seq, line, min_u64(n, sizeof(line) - 1));
    return 0;
}

static int vmcount_show(struct seq *seq, void *arg)
{
    (void)arg;
    struct mm *mm = proc_current()->mm;
    struct vmcount counts;
    for (int i = 0; i < VMCOUNT_MAX; i++)
        counts.n[i] = READ_ONCE(mm->counts.n[i]) - mm->baseline.n[i];
    proc_show_counts(seq, &counts);
    return 0;
}

static int vmcount_write(const char *text, size_t length, void *arg)
{
    (void)arg;
    struct mm *mm = proc_current()->mm;
    int ret = proc_reset_request(text, length);
    if (ret == 0)
        mm->baseline = mm->counts;
    return ret;
}

static int comm_show(struct seq *seq, void *arg)
{
    (void)arg;
    seq_printf(seq, "%s\n", proc_current()->name);
    return 0;
}

static struct entry *exe_link(void)
{
    struct proc *proc = proc_current();
    return proc ? proc->exe : NULL;
}

static struct entry *cwd_link(void)
{
    struct proc *proc = proc_current();
    return proc ? proc->cwd : NULL;
}

static const struct proc_entry self_entries[] = {
    {.path = "self/maps", .show = maps_show},
    {.path = "self/vmcount", .show = vmcount_show, .write = vmcount_write},
    {.path = "self/comm", .show = comm_show},
    {.path = "self/exe", .link = exe_link},
    {.path = "self/cwd", .link = cwd_link},
};

void proc_files_init(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(self_entries); i++) {
        int ret = procfs_register(&self_entries[i]);
        if (ret < 0)
            printk("procfs: %s: error %d\n", self_entries[i].path, -ret);
    }
    fs_symlink(fs_root, "/proc/1", "self");
}
