/*
 * pid_status.c: what /proc/PID tells of the process as a whole: status for people, stat and statm for programs (fields in
 * proc(5)'s order), limits, comm. Each begins with a copy of what others may change, taken under the table's lock.
 */
#include "kernel/fs/fs.h"
#include "kernel/fs/proc_maps.h"
#include "kernel/proc/pid_files.h"
#include "lib/abi/time.h"

enum { USER_HZ = 100, FD_WORD = 64 };

struct snapshot {
    char name[16];
    char state; /* of "RSDTZ" */
    u32 ppid, pgid, sid, exit_signal, wait_status, queued;
    s32 nice;
    u64 pending, blocked, ignored, caught;
    struct proc_usage usage, waited;
    struct abi_rlimit rlimit[ABI_RLIMITS];
    struct mm *mm; /* a reference; NULL: it ended */
    struct mm_sizes sizes;
};

static void take_signals(struct snapshot *s, const struct proc *proc)
{
    s->queued = READ_ONCE(proc->signals.queued);
    s->pending = READ_ONCE(proc->pending);
    s->blocked = READ_ONCE(proc->blocked);
    for (u32 i = 1; i <= ABI_SIGNALS; i++) {
        u64 handler = READ_ONCE(proc->action[i].handler);
        s->ignored |= handler == SIG_IGN ? signal_bit(i) : 0;
        s->caught |= handler > SIG_IGN ? signal_bit(i) : 0;
    }
}

static char state_letter(const struct proc *proc)
{
    if (proc->state == PROC_ZOMBIE)
        return 'Z';
    if (READ_ONCE(proc->signals.stopped))
        return 'T';
    if (!proc->thread || proc->thread->state != THREAD_WAITING)
        return 'R';
    return proc->thread->sleep == SLEEP_INTERRUPTIBLE ? 'S' : 'D';
}

static void snapshot_take(struct snapshot *s, struct proc *proc)
{
    *s = (struct snapshot){.exit_signal = proc->exit_signal};
    u64 flags = spin_lock_irq(&proc_table_lock);
    memcpy(s->name, proc->name, sizeof(s->name));
    s->state = state_letter(proc);
    s->ppid = proc->parent ? proc->parent->pid : 0;
    s->pgid = proc->pgid;
    s->nice = proc->nice;
    s->sid = proc->sid;
    s->wait_status = proc->wait_status;
    s->waited = proc->waited;
    memcpy(s->rlimit, proc->rlimit, sizeof(s->rlimit));
    take_signals(s, proc);
    spin_unlock_irq(&proc_table_lock, flags);
    proc_usage_now(proc, &s->usage);
    s->mm = proc_mm_get(proc);
    if (s->mm)
        proc_mm_sizes(s->mm, &s->sizes);
}

static void snapshot_drop(struct snapshot *s)
{
    if (s->mm)
        mm_put(s->mm);
}

static u64 rss_pages(const struct mm_sizes *sizes)
{
    return sizes->rss_anon + sizes->rss_shared;
}

/* ---- status ---- */

static void put_kib(struct seq *seq, const char *name, u64 pages)
{
    seq_printf(seq, "%s:\t%8lu kB\n", name, (pages * (PAGE_SIZE / 1024)));
}

static void put_memory(struct seq *seq, const struct mm_sizes *m)
{
    put_kib(seq, "VmPeak", max_u64(m->peak, m->total));
    put_kib(seq, "VmSize", m->total);
    put_kib(seq, "VmLck", m->locked);
    put_kib(seq, "VmPin", 0);
    put_kib(seq, "VmHWM", max_u64(m->rss_peak, rss_pages(m)));
    put_kib(seq, "VmRSS", rss_pages(m));
    put_kib(seq, "RssAnon", m->rss_anon);
    put_kib(seq, "RssFile", 0);
    put_kib(seq, "RssShmem", m->rss_shared);
    put_kib(seq, "VmData", m->data);
    put_kib(seq, "VmStk", m->stack);
    put_kib(seq, "VmExe", m->exec);
    put_kib(seq, "VmLib", 0); /* programs are static */
    put_kib(seq, "VmPTE", m->tables);
    put_kib(seq, "VmSwap", 0);
    seq_printf(seq, "HugetlbPages:\t       0 kB\nCoreDumping:\t0\nTHP_enabled:\t0\n");
}

static u32 fd_size(struct proc *proc)
{
    struct files *files = proc_files_get(proc);
    u32 size = 0;
    for (u32 word = 0; files && word < FILES_WORDS; word++)
        if (READ_ONCE(files->used[word]))
            size = (word + 1) * FD_WORD;
    if (files)
        files_put(files);
    return files ? max_u64(size, 256)
                 : 0; /* Linux's table grows by words, from 256 on in one step */
}

static const char *state_name(char letter)
{
    switch (letter) {
    case 'Z':
        return "zombie";
    case 'T':
        return "stopped";
    case 'S':
        return "sleeping";
    case 'D':
        return "disk sleep"; /* Linux's word for any that no signal ends */
    default:
        return "running";
    }
}

static void put_identity(struct seq *seq, struct proc *proc, const struct snapshot *s)
{
    seq_printf(seq, "Name:\t%s\nUmask:\t%04o\nState:\t%c (%s)\nTgid:\t%u\nNgid:\t0\nPid:\t%u\n",
               s->name, READ_ONCE(proc->umask), s->state, state_name(s->state), proc->pid,
               proc->pid);
    seq_printf(seq, "PPid:\t%u\nTracerPid:\t0\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n", s->ppid);
    seq_printf(seq, "FDSize:\t%u\nGroups:\t \nNStgid:\t%u\nNSpid:\t%u\nNSpgid:\t%u\nNSsid:\t%u\n",
               fd_size(proc), proc->pid, proc->pid, s->pgid, s->sid);
}

static void put_signals(struct seq *seq, const struct snapshot *s)
{
    seq_printf(seq, "Threads:\t1\nSigQ:\t%u/%u\nSigPnd:\t%016lx\nShdPnd:\t%016lx\n", s->queued,
               PID_MAX, 0ul, s->pending);
    seq_printf(seq, "SigBlk:\t%016lx\nSigIgn:\t%016lx\nSigCgt:\t%016lx\n", s->blocked, s->ignored,
               s->caught);
}

int pid_status_show(struct seq *seq, struct proc *proc)
{
    struct snapshot s;
    snapshot_take(&s, proc);
    put_identity(seq, proc, &s);
    if (s.mm)
        put_memory(seq, &s.sizes);
    put_signals(seq, &s);
    static const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};
    for (size_t i = 0; i < ARRAY_SIZE(sets); i++) /* root may all, and there is nobody else */
        seq_printf(seq, "%s:\t%016lx\n", sets[i], i == 0 || i == 4 ? 0ul : 0x1fffffffffful);
    seq_printf(seq,
               "NoNewPrivs:\t%d\nSeccomp:\t0\nCpus_allowed:\t1\nCpus_allowed_list:\t0\n"
               "Mems_allowed:\t1\nMems_allowed_list:\t0\n",
               READ_ONCE(proc->no_new_privs));
    snapshot_drop(&s);
    return 0;
}

/* ---- stat, statm ---- */

static u64 clock_ticks(u64 ns)
{
    return ns / (NSEC_PER_SEC / USER_HZ);
}

static void put_stat_times(struct seq *seq, struct proc *proc, const struct snapshot *s)
{
    seq_printf(seq, " %lu %lu 0 0 %lu %lu %lu %lu %d %d 1 0 %lu", s->usage.faults, s->waited.faults,
               clock_ticks(s->usage.user_ns), clock_ticks(s->usage.system_ns),
               clock_ticks(s->waited.user_ns), clock_ticks(s->waited.system_ns), 20 + s->nice,
               s->nice, clock_ticks(proc->start_ns));
}

static void put_stat_memory(struct seq *seq, const struct snapshot *s)
{
    const struct mm *mm = s->mm;
    u64 limit = s->rlimit[RLIMIT_RSS].cur;
    seq_printf(seq, " %lu %lu %lu %lu %lu %lu 0 0", mm ? (s->sizes.total * PAGE_SIZE) : 0ul,
               rss_pages(&s->sizes), limit, mm ? mm->code_start : 0ul, mm ? mm->code_end : 0ul,
               mm ? mm->stack_start : 0ul);
}

enum { CONSOLE_NUMBER = 5 << 8 | 1 }; /* major 5, minor 1 */

int pid_stat_show(struct seq *seq, struct proc *proc)
{
    struct snapshot s;
    snapshot_take(&s, proc);
    const struct mm *mm = s.mm;
    u64 low = (1ul << 31) - 1; /* the masks have 31 bits here, as in Linux */
    u32 group = fs_hooks.terminal_group(s.sid);
    seq_printf(seq, "%u (%s) %c %u %u %u %u %d %u", proc->pid, s.name, s.state, s.ppid, s.pgid,
               s.sid, group ? CONSOLE_NUMBER : 0, group ? (s32)group : -1, 0x400000);
    put_stat_times(seq, proc, &s);
    put_stat_memory(seq, &s);
    seq_printf(seq, " %lu %lu %lu %lu 0 0 0 %u 0 0 0 0 0 0", (s.pending & low), (s.blocked & low),
               (s.ignored & low), (s.caught & low), s.exit_signal ? s.exit_signal : SIGCHLD);
    seq_printf(seq, " %lu %lu %lu %lu %lu %lu %lu %u\n", mm ? mm->data_start : 0ul,
               mm ? mm->data_end : 0ul, mm ? mm->brk_start : 0ul, mm ? mm->arg_start : 0ul,
               mm ? mm->arg_end : 0ul, mm ? mm->env_start : 0ul, mm ? mm->env_end : 0ul,
               s.wait_status);
    snapshot_drop(&s);
    return 0;
}

int pid_statm_show(struct seq *seq, struct proc *proc)
{
    struct snapshot s;
    snapshot_take(&s, proc);
    const struct mm_sizes *m = &s.sizes;
    seq_printf(seq, "%lu %lu %lu %lu 0 %lu 0\n", m->total, rss_pages(m), m->rss_shared, m->exec,
               (m->data + m->stack));
    snapshot_drop(&s);
    return 0;
}

/* ---- limits ---- */

static void put_limit(struct seq *seq, u64 value)
{
    if (value == RLIM_INFINITY)
        seq_printf(seq, "%-20s ", "unlimited");
    else
        seq_printf(seq, "%-20lu ", value);
}

int pid_limits_show(struct seq *seq, struct proc *proc)
{
    static const char *const rows[ABI_RLIMITS][2] = {
        {"Max cpu time", "seconds"},     {"Max file size", "bytes"},
        {"Max data size", "bytes"},      {"Max stack size", "bytes"},
        {"Max core file size", "bytes"}, {"Max resident set", "bytes"},
        {"Max processes", "processes"},  {"Max open files", "files"},
        {"Max locked memory", "bytes"},  {"Max address space", "bytes"},
        {"Max file locks", "locks"},     {"Max pending signals", "signals"},
        {"Max msgqueue size", "bytes"},  {"Max nice priority", NULL},
        {"Max realtime priority", NULL}, {"Max realtime timeout", "us"},
    };
    struct snapshot s;
    snapshot_take(&s, proc);
    seq_printf(seq, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
    for (u32 i = 0; i < ABI_RLIMITS; i++) {
        seq_printf(seq, "%-25s ", rows[i][0]);
        put_limit(seq, s.rlimit[i].cur);
        put_limit(seq, s.rlimit[i].max);
        if (rows[i][1])
            seq_printf(seq, "%-10s", rows[i][1]);
        seq_printf(seq, "\n");
    }
    snapshot_drop(&s);
    return 0;
}

/* ---- comm ---- */

int pid_comm_show(struct seq *seq, struct proc *proc)
{
    char name[16];
    u64 flags = spin_lock_irq(&proc_table_lock);
    memcpy(name, proc->name, sizeof(name));
    spin_unlock_irq(&proc_table_lock, flags);
    seq_printf(seq, "%s\n", name);
    return 0;
}

/* A process renames itself only; what is too long is cut. */
int pid_comm_write(const char *text, size_t length, struct proc *proc)
{
    (void)length;
    if (proc != proc_current())
        return -EINVAL;
    u64 flags = spin_lock_irq(&proc_table_lock);
    string_copy(proc->name, text, sizeof(proc->name));
    spin_unlock_irq(&proc_table_lock, flags);
    return 0;
}
