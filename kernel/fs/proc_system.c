/*
 * proc_system.c: the files of /proc that tell of the whole machine: vmcount, meminfo, slabinfo, uptime, version. What tells
 * of a process is in kernel/proc/proc_files.c. No data, no locks of its own.
 */
#include "kernel/core/printk.h"
#include "kernel/core/time.h"
#include "kernel/fs/fs.h"
#include "kernel/fs/procfs.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmcount.h"
#include "lib/abi/time.h"

int proc_reset_request(const char *text, size_t length)
{
    if (length && text[length - 1] == '\n')
        length--;
    return length == 1 && text[0] == '0' ? 0 : -EINVAL;
}

void proc_show_counts(struct seq *seq, const struct vmcount *counts)
{
    for (int i = 0; i < VMCOUNT_MAX; i++)
        seq_printf(seq, "%s %llu\n", vmcount_names[i], (unsigned long long)counts->n[i]);
}

static int vmcount_show(struct seq *seq, void *arg)
{
    (void)arg;
    struct vmcount counts;
    vmcount_read(&counts);
    proc_show_counts(seq, &counts);
    return 0;
}

static int vmcount_write(const char *text, size_t length, void *arg)
{
    (void)arg;
    int ret = proc_reset_request(text, length);
    if (ret == 0)
        vmcount_reset();
    return ret;
}

static int meminfo_show(struct seq *seq, void *arg)
{
    (void)arg;
    u64 kib = PAGE_SIZE / 1024;
    seq_printf(seq, "MemTotal:       %8llu kB\n", (unsigned long long)(page_total_count() * kib));
    seq_printf(seq, "MemFree:        %8llu kB\n", (unsigned long long)(page_free_count() * kib));
    seq_printf(seq, "MemAvailable:   %8llu kB\n", (unsigned long long)(page_free_count() * kib));
    return 0;
}

static int slabinfo_show(struct seq *seq, void *arg)
{
    (void)arg;
    seq_printf(seq, "# name size objects pages\n");
    for (struct slab_cache *c = slab_next(NULL); c; c = slab_next(c))
        seq_printf(seq, "%s %u %llu %llu\n", c->name, c->size, (unsigned long long)c->objects,
                   (unsigned long long)c->pages);
    return 0;
}

static int uptime_show(struct seq *seq, void *arg)
{
    (void)arg;
    u64 hundredths = time_ns() / (NSEC_PER_SEC / 100);
    seq_printf(seq, "%llu.%02llu 0.00\n", (unsigned long long)hundredths / 100,
               (unsigned long long)hundredths % 100);
    return 0;
}

static const struct proc_entry system_entries[] = {
    {.path = "vmcount", .show = vmcount_show, .write = vmcount_write},
    {.path = "meminfo", .show = meminfo_show},
    {.path = "slabinfo", .show = slabinfo_show},
    {.path = "uptime", .show = uptime_show},
};

void proc_system_init(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(system_entries); i++) {
        int ret = procfs_register(&system_entries[i]);
        if (ret < 0)
            printk("procfs: %s: error %d\n", system_entries[i].path, -ret);
    }
}
