/*
 * sys_machine.c: calls about the machine and its scheduling: uname, sysinfo, random numbers, affinity, reboot.
 */
#include "kernel/core/printk.h"
#include "kernel/core/time.h"
#include "kernel/core/upcall.h"
#include "kernel/sched/load.h"
#include "kernel/sys/sys.h"
#include "lib/abi/time.h"

long sys_uname(const u64 *arg)
{
    static const struct abi_utsname name = {
        .sysname = "Linux", /* the system-call interface; programs test it */
        .nodename = "fathom",
        .release = "6.1.0-fathom",
        .version = "#1 Fathom " LAYOUT_NAME,
        .machine = "x86_64",
        .domainname = "(none)",
    };
    return put_user(arg[0], &name, sizeof(name));
}

long sys_sysinfo(const u64 *arg)
{
    struct load load;
    load_read(&load);
    struct abi_sysinfo info = {
        .uptime = time_ns() / NSEC_PER_SEC,
        .totalram = page_total_count() * PAGE_SIZE,
        .freeram = page_free_count() * PAGE_SIZE,
        .sharedram = page_kind_count(PAGE_CACHE) * PAGE_SIZE,
        .procs = proc_count(),
        .mem_unit = 1,
    };
    for (int i = 0; i < LOAD_AVERAGES; i++)
        info.loads[i] = load.average[i] << (16 - LOAD_SHIFT); /* 1.0 is 2^16 here */
    return put_user(arg[0], &info, sizeof(info));
}

long sys_getrandom(const u64 *arg)
{
    u64 done = 0, size = min_u64(arg[1], 0x1ffffff);
    if (arg[2] & 0xffffffff & ~7ul || (arg[2] & 6) == 6)
        return -EINVAL;
    if (!user_range_ok(arg[0], size))
        return -EFAULT;
    while (done < size) {
        u8 buf[256];
        size_t n = min_u64(sizeof(buf), size - done);
        random_fill(buf, n);
        size_t bad = copy_to_user(arg[0] + done, buf, n);
        done += n - bad;
        if (bad)
            return io_result(done, -EFAULT);
    }
    return done;
}

long sys_reboot(const u64 *arg)
{
    u32 magic2 = arg[1];
    bool magic_ok = magic2 == REBOOT_MAGIC2 || magic2 == 0x05121996 || magic2 == 0x16041998 ||
                    magic2 == 0x20112000;
    if ((u32)arg[0] != REBOOT_MAGIC1 || !magic_ok)
        return -EINVAL;
    switch ((u32)arg[2]) {
    case REBOOT_RESTART:
    case REBOOT_HALT:
    case REBOOT_POWER_OFF:
        printk("%s: powers the machine off\n", proc_current()->name);
        upcall_machine_end("poweroff");
    case REBOOT_CAD_ON:
    case REBOOT_CAD_OFF:
        return 0;
    }
    return -EINVAL;
}

long sys_sched_yield(const u64 *arg)
{
    (void)arg;
    sched_yield();
    return 0;
}

static bool is_self(u64 pid)
{
    return (int)pid == 0 || (int)pid == (int)proc_current()->pid;
}

long sys_sched_getaffinity(const u64 *arg)
{
    u64 mask = 1;
    u64 size = (u32)arg[1];
    if (size < sizeof(mask) || size % sizeof(mask))
        return -EINVAL;
    if (!is_self(arg[0]))
        return -ESRCH;
    return put_user(arg[2], &mask, sizeof(mask)) ? -EFAULT : (long)sizeof(mask);
}

long sys_sched_setaffinity(const u64 *arg)
{
    u64 mask = 0;
    if (get_user(&mask, arg[2], min_u64((u32)arg[1], sizeof(mask))))
        return -EFAULT;
    if (!is_self(arg[0]))
        return -ESRCH;
    return mask & 1 ? 0 : -EINVAL;
}

long sys_getcpu(const u64 *arg)
{
    u32 zero = 0;
    for (int i = 0; i < 2; i++)
        if (arg[i] && put_user(arg[i], &zero, sizeof(zero)))
            return -EFAULT;
    return 0;
}
