/*
 * machine_files.c: the files of /proc that tell of the CPU, its time and the processes as a whole: stat, uptime, loadavg,
 * cpuinfo, interrupts, version, mounts, self. What tells of memory is in kernel/fs/proc_system.c. No data, no locks.
 */
#include "kernel/core/time.h"
#include "kernel/fs/procfs.h"
#include "kernel/proc/pid_files.h"
#include "kernel/sched/load.h"
#include "kernel/x86/clock.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/irq.h"
#include "lib/abi/time.h"

enum { USER_HZ = 100 };

static int uptime_show(struct seq *seq, void *arg)
{
    (void)arg;
    struct load load;
    load_read(&load);
    u64 up = time_ns() / (NSEC_PER_SEC / 100), idle = load.idle * 100 / TICK_HZ;
    seq_printf(seq, "%lu.%02lu %lu.%02lu\n", up / 100, up % 100, idle / 100, idle % 100);
    return 0;
}

static int loadavg_show(struct seq *seq, void *arg)
{
    (void)arg;
    struct load load;
    load_read(&load);
    for (int i = 0; i < LOAD_AVERAGES; i++) {
        u64 hundredths = (load.average[i] * 100 + (1 << (LOAD_SHIFT - 1))) >> LOAD_SHIFT;
        seq_printf(seq, "%lu.%02lu ", hundredths / 100, hundredths % 100);
    }
    seq_printf(seq, "%u/%u %u\n", load.ready, proc_count(), proc_last_pid());
    return 0;
}

static void show_cpu_times(struct seq *seq, const char *name, const struct load *load)
{
    u64 scale = USER_HZ / TICK_HZ;
    seq_printf(seq, "%s %lu 0 %lu %lu 0 0 0 0 0 0\n", name, (load->user * scale),
               (load->system * scale), (load->idle * scale));
}

static int stat_show(struct seq *seq, void *arg)
{
    (void)arg;
    struct load load;
    u64 interrupts = 0;
    load_read(&load);
    show_cpu_times(seq, "cpu ", &load);
    show_cpu_times(seq, "cpu0", &load);
    for (u32 line = 0; line < IRQ_LINES; line++)
        interrupts += irq_count(line);
    seq_printf(seq, "intr %lu", interrupts);
    for (u32 line = 0; line < IRQ_LINES; line++)
        seq_printf(seq, " %lu", irq_count(line));
    seq_printf(seq, "\nctxt %lu\nbtime %lu\nprocesses %u\nprocs_running %u\nprocs_blocked 0\n",
               load.switches, ((time_wall_ns() - time_ns()) / NSEC_PER_SEC), proc_last_pid(),
               load.ready);
    return 0;
}

static int interrupts_show(struct seq *seq, void *arg)
{
    static const char *const names[IRQ_LINES] = {[IRQ_TIMER] = "timer", [4] = "serial"};
    (void)arg;
    seq_printf(seq, "           CPU0       \n");
    for (u32 line = 0; line < IRQ_LINES; line++)
        if (names[line])
            seq_printf(seq, "%3u: %10lu    XT-PIC  %s\n", line, irq_count(line), names[line]);
    return 0;
}

static int cpuinfo_show(struct seq *seq, void *arg)
{
    (void)arg;
    struct cpu_description cpu;
    cpu_describe(&cpu);
    seq_printf(
        seq,
        "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\nmodel name\t: %s\n"
        "stepping\t: %u\ncpu MHz\t\t: %u.%03u\n",
        cpu.vendor, cpu.family, cpu.model, cpu.name, cpu.stepping, clock_khz() / 1000,
        clock_khz() % 1000);
    seq_printf(seq,
               "physical id\t: 0\nsiblings\t: 1\ncore id\t\t: 0\ncpu cores\t: 1\nfpu\t\t: yes\n"
               "fpu_exception\t: yes\ncpuid level\t: %u\nwp\t\t: yes\nflags\t\t:%s\n",
               cpu.level, cpu.flags);
    seq_printf(seq,
               "bogomips\t: %u.%02u\nclflush size\t: %u\ncache_alignment\t: %u\n"
               "address sizes\t: %u bits physical, %u bits virtual\npower management:\n\n",
               clock_khz() / 500, clock_khz() % 500 / 5, cpu.line_size, cpu.line_size,
               cpu.physical_bits, cpu.virtual_bits);
    return 0;
}

static int version_show(struct seq *seq, void *arg)
{
    (void)arg;
    seq_printf(seq, "Linux version 6.1.0-fathom (fathom) (gcc " __VERSION__ ") #1 Fathom %s\n",
               LAYOUT_NAME);
    return 0;
}

/* ---- /proc itself, and who is looking ---- */

static struct entry *self_link(void *arg)
{
    (void)arg;
    return proc_current() ? pid_directory(proc_current()) : NULL;
}

static void self_text(void *arg, char *buf, size_t size)
{
    (void)arg;
    if (proc_current())
        format_to(buf, size, "%u", proc_current()->pid);
}

static const struct proc_entry entries[] = {
    {.path = "", .lookup = pid_lookup, .next = pid_next},
    {.path = "self", .link = self_link, .text = self_text},
    {.path = "mounts", .target = "self/mounts"},
    {.path = "uptime", .show = uptime_show},
    {.path = "loadavg", .show = loadavg_show},
    {.path = "stat", .show = stat_show},
    {.path = "interrupts", .show = interrupts_show},
    {.path = "cpuinfo", .show = cpuinfo_show},
    {.path = "version", .show = version_show},
};

void proc_files_init(void)
{
    procfs_register_all(entries, ARRAY_SIZE(entries));
}
