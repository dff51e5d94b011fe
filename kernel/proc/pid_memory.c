/*
 * pid_memory.c: what /proc/PID tells of the address space VMA by VMA: maps, smaps, smaps_rollup, vmcount; and the two
 * texts that lie in the process's own memory, cmdline and environ. Each takes a reference to the mm and asks mm for
 * a piece at a time, so the process may map and unmap between two pieces; each line is right when it is made.
 */
#include "kernel/fs/proc_maps.h"
#include "kernel/mm/slab.h"
#include "kernel/proc/pid_files.h"

enum { TEXT_SIZE = 8192 }; /* for lines of maps: a name has up to 4095 bytes */

int pid_maps_show(struct seq *seq, struct proc *proc)
{
    struct mm *mm = proc_mm_get(proc);
    vaddr_t at = 0;
    int n;
    if (!mm)
        return 0;
    char *text = kmalloc(TEXT_SIZE);
    while (text && (n = proc_maps_lines(mm, &at, text, TEXT_SIZE)) > 0) {
        seq_write(seq, text, n);
        sched_yield_point();
    }
    mm_put(mm);
    kfree(text);
    return text ? n : -ENOMEM;
}

/* ---- smaps ---- */

static void put_kib(struct seq *seq, const char *name, u64 bytes)
{
    size_t pad = strlen(name) < 15 ? 15 - strlen(name) : 0;
    seq_printf(seq, "%s:%*s%8lu kB\n", name, (int)pad, "", bytes / 1024);
}

/* The lines that smaps and smaps_rollup share; rollup: with Pss of each kind. */
static void put_usage(struct seq *seq, const struct mm_usage *u, bool rollup)
{
    put_kib(seq, "Rss", u->rss);
    put_kib(seq, "Pss", u->pss >> PSS_SHIFT);
    put_kib(seq, "Pss_Dirty", u->pss_dirty >> PSS_SHIFT);
    if (rollup) {
        put_kib(seq, "Pss_Anon", u->pss_anon >> PSS_SHIFT);
        put_kib(seq, "Pss_File", 0); /* all files lie in tmpfs */
        put_kib(seq, "Pss_Shmem", u->pss_file >> PSS_SHIFT);
    }
    put_kib(seq, "Shared_Clean", u->shared_clean);
    put_kib(seq, "Shared_Dirty", u->shared_dirty);
    put_kib(seq, "Private_Clean", u->private_clean);
    put_kib(seq, "Private_Dirty", u->private_dirty);
    put_kib(seq, "Referenced", u->referenced);
    put_kib(seq, "Anonymous", u->anonymous);
    static const char *const none[] = {"LazyFree",      "AnonHugePages",  "ShmemPmdMapped",
                                       "FilePmdMapped", "Shared_Hugetlb", "Private_Hugetlb",
                                       "Swap",          "SwapPss"};
    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        put_kib(seq, none[i], 0);
    put_kib(seq, "Locked", u->locked >> PSS_SHIFT);
}

static void put_flags(struct seq *seq, u32 flags)
{
    static const struct {
        u32 flag;
        char name[3];
    } names[] = {{VM_READ, "rd"},      {VM_WRITE, "wr"},       {VM_EXEC, "ex"},
                 {VM_SHARED, "sh"},    {VM_MAYREAD, "mr"},     {VM_MAYWRITE, "mw"},
                 {VM_MAYEXEC, "me"},   {VM_MAYSHARE, "ms"},    {VM_GROWSDOWN, "gd"},
                 {VM_LOCKED, "lo"},    {VM_SEQ_READ, "sr"},    {VM_RAND_READ, "rr"},
                 {VM_DONTCOPY, "dc"},  {VM_LOCKONFAULT, "lf"}, {VM_ACCOUNT, "ac"},
                 {VM_NORESERVE, "nr"}, {VM_WIPEONFORK, "wf"},  {VM_DONTDUMP, "dd"}};
    seq_printf(seq, "VmFlags: ");
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (flags & names[i].flag)
            seq_printf(seq, "%s ", names[i].name);
    seq_printf(seq, "\n");
}

/* Go through all VMAs; seq NULL: only add up. 0 or a negative errno. */
static int smaps_each(struct mm *mm, struct seq *seq, struct mm_usage *sum, vaddr_t range[2])
{
    vaddr_t at = 0;
    int n;
    char *text = kmalloc(TEXT_SIZE);
    if (!text)
        return -ENOMEM;
    for (;;) {
        struct proc_vma_info info;
        struct mm_usage usage = {0};
        n = proc_smaps_line(mm, &at, text, TEXT_SIZE, &info, seq ? &usage : sum);
        if (n <= 0)
            break;
        range[0] = range[1] ? range[0] : info.start;
        range[1] = info.end;
        if (seq) {
            seq_write(seq, text, n);
            put_kib(seq, "Size", info.end - info.start);
            put_kib(seq, "KernelPageSize", PAGE_SIZE);
            put_kib(seq, "MMUPageSize", PAGE_SIZE);
            put_usage(seq, &usage, false);
            seq_printf(seq, "THPeligible:    %d\n", 0);
            put_flags(seq, info.flags);
        }
        sched_yield_point();
    }
    kfree(text);
    return n;
}

int pid_smaps_show(struct seq *seq, struct proc *proc)
{
    struct mm *mm = proc_mm_get(proc);
    vaddr_t range[2] = {0};
    if (!mm)
        return 0;
    int ret = smaps_each(mm, seq, NULL, range);
    mm_put(mm);
    return ret;
}

int pid_smaps_rollup_show(struct seq *seq, struct proc *proc)
{
    struct mm *mm = proc_mm_get(proc);
    struct mm_usage sum = {0};
    vaddr_t range[2] = {0};
    if (!mm)
        return -ESRCH;
    int ret = smaps_each(mm, NULL, &sum, range);
    mm_put(mm);
    if (ret < 0)
        return ret;
    char line[128];
    int n = format_to(line, sizeof(line), "%08lx-%08lx ---p 00000000 00:00 0 ", range[0], range[1]);
    seq_printf(seq, "%s%*s[rollup]\n", line, n < 73 ? 73 - n : 0, "");
    put_usage(seq, &sum, true);
    return 0;
}

/* ---- counters ---- */

int pid_vmcount_show(struct seq *seq, struct proc *proc)
{
    struct mm *mm = proc_mm_get(proc);
    struct vmcount counts;
    if (!mm)
        return 0;
    for (int i = 0; i < VMCOUNT_MAX; i++)
        counts.n[i] = READ_ONCE(mm->counts.n[i]) - READ_ONCE(mm->baseline.n[i]);
    mm_put(mm);
    proc_show_counts(seq, &counts);
    return 0;
}

int pid_vmcount_write(const char *text, size_t length, struct proc *proc)
{
    int ret = proc_reset_request(text, length);
    struct mm *mm = ret == 0 ? proc_mm_get(proc) : NULL;
    if (mm) {
        mm->baseline = mm->counts;
        mm_put(mm);
    }
    return ret;
}

/* ---- texts of the process ---- */

/* Copy [start, end) of mm into seq, as far as it is mapped. */
static int put_memory(struct seq *seq, struct mm *mm, vaddr_t start, vaddr_t end)
{
    char *piece = start < end ? kmalloc(PAGE_SIZE) : NULL;
    if (!piece)
        return start < end ? -ENOMEM : 0;
    while (start < end) {
        size_t want = min_u64(end - start, PAGE_SIZE), n = mm_peek(mm, start, piece, want);
        seq_write(seq, piece, n);
        if (n < want)
            break;
        start += n;
    }
    kfree(piece);
    return 0;
}

int pid_cmdline_show(struct seq *seq, struct proc *proc)
{
    struct mm *mm = proc_mm_get(proc);
    if (!mm)
        return 0;
    int ret = put_memory(seq, mm, mm->arg_start, mm->arg_end);
    mm_put(mm);
    return ret;
}

int pid_environ_show(struct seq *seq, struct proc *proc)
{
    struct mm *mm = proc_mm_get(proc);
    if (!mm)
        return 0;
    int ret = put_memory(seq, mm, mm->env_start, mm->env_end);
    mm_put(mm);
    return ret;
}
