/*
 * proc_system.c: the files of /proc that tell of memory and files as a whole: vmcount, meminfo, vmstat, slabinfo,
 * filesystems. CPU and processes are in kernel/proc/machine_files.c. No data, no locks of its own.
 */
#include "kernel/core/vmcount.h"
#include "kernel/fs/fs.h"
#include "kernel/fs/procfs.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/space.h"

int proc_reset_request(const char *text, size_t length)
{
    if (length && text[length - 1] == '\n')
        length--;
    return length == 1 && text[0] == '0' ? 0 : -EINVAL;
}

void proc_show_counts(struct seq *seq, const struct vmcount *counts)
{
    for (int i = 0; i < VMCOUNT_MAX; i++)
        seq_printf(seq, "%s %lu\n", vmcount_names[i], counts->n[i]);
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

static void put_kib(struct seq *seq, const char *name, u64 pages)
{
    size_t pad = strlen(name) < 15 ? 15 - strlen(name) : 0;
    seq_printf(seq, "%s:%*s%8lu kB\n", name, (int)pad, "", pages * (PAGE_SIZE / 1024));
}

/* Files have no other place than memory, and there is no swap: what is free is what is available, and every page of a file
 * counts as Linux counts tmpfs's: Cached, Shmem, and anonymous to the reclaim that there is not. */
static int meminfo_show(struct seq *seq, void *arg)
{
    (void)arg;
    u64 cache = page_kind_count(PAGE_CACHE), anon = page_kind_count(PAGE_ANON);
    u64 slab = page_kind_count(PAGE_SLAB), free = page_free_count();
    const struct {
        const char *name;
        u64 pages;
    } lines[] = {
        {"MemTotal", page_total_count()},
        {"MemFree", free},
        {"MemAvailable", free},
        {"Buffers", 0},
        {"Cached", cache},
        {"SwapCached", 0},
        {"Active", 0},
        {"Inactive", anon + cache},
        {"Active(anon)", 0},
        {"Inactive(anon)", anon + cache},
        {"Active(file)", 0},
        {"Inactive(file)", 0},
        {"Unevictable", 0},
        {"Mlocked", 0},
        {"SwapTotal", 0},
        {"SwapFree", 0},
        {"Dirty", 0},
        {"Writeback", 0},
        {"AnonPages", anon},
        {"Mapped", page_mapped_count()},
        {"Shmem", cache},
        {"KReclaimable", 0},
        {"Slab", slab},
        {"SReclaimable", 0},
        {"SUnreclaim", slab},
        {"PageTables", page_kind_count(PAGE_TABLE)},
        {"NFS_Unstable", 0},
        {"Bounce", 0},
        {"WritebackTmp", 0},
        {"CommitLimit", commit_limit()},
        {"Committed_AS", commit_total()},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        put_kib(seq, lines[i].name, lines[i].pages);
    return 0;
}

/* Linux's names for the kernel's own counts, and no name for what it does not count. */
static int vmstat_show(struct seq *seq, void *arg)
{
    (void)arg;
    u64 cache = page_kind_count(PAGE_CACHE), anon = page_kind_count(PAGE_ANON);
    struct vmcount counts;
    vmcount_read(&counts);
    const struct {
        const char *name;
        u64 value;
    } lines[] = {
        {"nr_free_pages", page_free_count()},
        {"nr_inactive_anon", anon + cache},
        {"nr_active_anon", 0},
        {"nr_inactive_file", 0},
        {"nr_active_file", 0},
        {"nr_anon_pages", anon},
        {"nr_mapped", page_mapped_count()},
        {"nr_file_pages", cache},
        {"nr_dirty", 0},
        {"nr_writeback", 0},
        {"nr_slab_reclaimable", 0},
        {"nr_slab_unreclaimable", page_kind_count(PAGE_SLAB)},
        {"nr_page_table_pages", page_kind_count(PAGE_TABLE)},
        {"nr_shmem", cache},
        {"pgfault", counts.n[VMC_faults]},
        {"pgmajfault", 0},
        {"pswpin", 0},
        {"pswpout", 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        seq_printf(seq, "%s %lu\n", lines[i].name, lines[i].value);
    return 0;
}

static int filesystems_show(struct seq *seq, void *arg)
{
    (void)arg;
    seq_printf(seq, "nodev\ttmpfs\nnodev\tproc\n");
    return 0;
}

static int slabinfo_show(struct seq *seq, void *arg)
{
    (void)arg;
    seq_printf(seq,
               "slabinfo - version: 2.1\n"
               "# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>"
               " : tunables <limit> <batchcount> <sharedfactor>"
               " : slabdata <active_slabs> <num_slabs> <sharedavail>\n");
    for (struct slab_cache *c = slab_next(NULL); c; c = slab_next(c)) {
        u64 slabs = c->pages >> c->order;
        seq_printf(seq,
                   "%-17s %6lu %6lu %6u %4u %4u : tunables %4u %4u %4u : slabdata %6lu %6lu %6u\n",
                   c->kind.name, c->objects, slabs * c->kind.per_block, c->kind.size,
                   c->kind.per_block, 1u << c->order, 0u, 0u, 0u, slabs, slabs, 0u);
    }
    return 0;
}

static const struct proc_entry system_entries[] = {
    {.path = "vmcount", .show = vmcount_show, .write = vmcount_write},
    {.path = "meminfo", .show = meminfo_show},
    {.path = "vmstat", .show = vmstat_show},
    {.path = "slabinfo", .show = slabinfo_show, .mode = 0400},
    {.path = "filesystems", .show = filesystems_show},
};

void proc_system_init(void)
{
    procfs_register_all(system_entries, ARRAY_SIZE(system_entries));
}
