/*
 * sys_family.c: calls about a process's family: fork, vfork, clone, exit, waiting, process groups, sessions.
 */
#include "kernel/core/printk.h"
#include "kernel/sys/sys.h"
#include "lib/abi/time.h"
#include "lib/abi/wait.h"

long sys_getppid(const u64 *arg)
{
    (void)arg;
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct proc *parent = proc_current()->parent;
    long pid = parent ? parent->pid : 0;
    spin_unlock_irq(&proc_table_lock, flags);
    return pid;
}

/* ---- groups and sessions ---- */

static long group_and_session(u32 pid, bool session)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    struct proc *proc = pid ? proc_find_locked(pid) : proc_current();
    long ret = -ESRCH;
    if (proc)
        ret = session ? proc->sid : proc->pgid;
    spin_unlock_irq(&proc_table_lock, flags);
    return ret;
}

long sys_getpgrp(const u64 *arg)
{
    (void)arg;
    return group_and_session(0, false);
}

long sys_getpgid(const u64 *arg)
{
    return group_and_session(arg[0], false);
}

long sys_getsid(const u64 *arg)
{
    return group_and_session(arg[0], true);
}

long sys_setpgid(const u64 *arg)
{
    return proc_set_group(proc_current(), arg[0], arg[1]);
}

long sys_setsid(const u64 *arg)
{
    (void)arg;
    return proc_set_session(proc_current());
}

/* ---- beginning ---- */

long sys_fork(const u64 *arg)
{
    (void)arg;
    return proc_fork(&(struct fork_request){.exit_signal = SIGCHLD});
}

long sys_vfork(const u64 *arg)
{
    (void)arg;
    return proc_fork(
        &(struct fork_request){.flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD});
}

/* What makes sense for processes; the last line changes nothing here, as on any Linux without a debugger. */
#define CLONE_KNOWN                                                                                \
    (CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_SETTLS | CLONE_PARENT_SETTID |                   \
     CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_SYSVSEM | CLONE_DETACHED | CLONE_UNTRACED | \
     CLONE_PTRACE)

/* Threads, namespaces, and what else is not here: told once, as programs seldom tell. */
static long clone_refuse(u64 flags)
{
    static bool told;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        printk("%s: clone with flags %#lx: %s\n", proc_current()->name, (unsigned long)flags,
               flags & CLONE_THREAD ? "there are no threads, only processes" : "not implemented");
    return -EINVAL;
}

long sys_clone(const u64 *arg)
{
    u64 flags = (u32)arg[0] & ~(u64)CLONE_SIGNAL_MASK;
    struct fork_request request = {
        .flags = flags,
        .exit_signal = arg[0] & CLONE_SIGNAL_MASK,
        .stack = arg[1],
        .parent_tid = arg[2],
        .child_tid = arg[3],
        .tls = arg[4],
    };
    if (((flags & CLONE_SIGHAND) && !(flags & CLONE_VM)) ||
        ((flags & CLONE_THREAD) && !(flags & CLONE_SIGHAND)))
        return -EINVAL;
    if (flags & ~CLONE_KNOWN)
        return clone_refuse(flags);
    if ((flags & CLONE_SETTLS) && request.tls >= USER_LIMIT)
        return -EPERM;
    if (request.exit_signal > ABI_SIGNALS)
        request.exit_signal = 0;
    return proc_fork(&request);
}

/* ---- the end ---- */

long sys_exit(const u64 *arg)
{
    proc_exit(arg[0]);
}

long sys_exit_group(const u64 *arg)
{
    proc_exit(arg[0]);
}

static long put_usage(vaddr_t to, const struct proc_usage *usage)
{
    struct abi_rusage out;
    usage_to_user(usage, &out);
    return put_user(to, &out, sizeof(out));
}

/* wait4's pid: below -1 a group, -1 any, 0 the caller's group, above a process. */
static struct wait_request wait4_request(s32 pid, u32 options)
{
    struct wait_request request = {.which = WAIT_PID, .id = pid, .options = options | WEXITED};
    if (pid == -1) {
        request.which = WAIT_ANY;
    } else if (pid <= 0) {
        request.which = WAIT_GROUP;
        request.id = pid ? (u32)-pid : (u32)group_and_session(0, false);
    }
    return request;
}

long sys_wait4(const u64 *arg)
{
    s32 pid = arg[0];
    u32 options = arg[2];
    struct wait_result result;
    if (options & ~(WNOHANG | WUNTRACED | WCONTINUED | WNOTHREAD | WCLONE | WALL))
        return -EINVAL;
    if (pid == -0x7fffffff - 1)
        return -ESRCH;
    struct wait_request request = wait4_request(pid, options);
    long ret = proc_wait(&request, &result);
    if (ret < 0 || !result.pid)
        return ret;
    if (arg[1] && put_user(arg[1], &result.status, sizeof(u32)))
        return -EFAULT;
    if (arg[3] && put_usage(arg[3], &result.usage))
        return -EFAULT;
    return result.pid;
}

/* 0 or a negative errno. */
static long waitid_request(u32 which, s32 id, u32 options, struct wait_request *request)
{
    const u32 known =
        WNOHANG | WNOWAIT | WEXITED | WSTOPPED | WCONTINUED | WNOTHREAD | WCLONE | WALL;
    *request = (struct wait_request){.which = WAIT_ANY, .id = id, .options = options};
    if (options & ~known || !(options & (WEXITED | WSTOPPED | WCONTINUED)))
        return -EINVAL;
    switch (which) {
    case WAITID_ALL:
        return 0;
    case WAITID_PID:
        request->which = WAIT_PID;
        return id <= 0 ? -EINVAL : 0;
    case WAITID_PGID:
        request->which = WAIT_GROUP;
        if (id == 0)
            request->id = group_and_session(0, false);
        return id < 0 ? -EINVAL : 0;
    case WAITID_PIDFD: /* no descriptor is one */
        return id < 0 ? -EINVAL : -EBADF;
    }
    return -EINVAL;
}

static struct abi_wait_info wait_info(const struct wait_result *result)
{
    u32 status = result->status, low = wait_signal_of(status);
    struct abi_wait_info info = {.signo = SIGCHLD, .code = CLD_KILLED, .pid = result->pid};
    info.status = low;
    if (status == WAIT_CONTINUED) {
        info.code = CLD_CONTINUED;
        info.status = SIGCONT;
    } else if (low == 0 || low == 0x7f) {
        info.code = low ? CLD_STOPPED : CLD_EXITED;
        info.status = status >> 8;
    }
    return info;
}

/* As Linux: the siginfo is written in any case once the arguments are right, all zero when there is no news. */
long sys_waitid(const u64 *arg)
{
    struct wait_request request;
    struct wait_result result = {0};
    struct abi_wait_info info = {0};
    long ret = waitid_request(arg[0], arg[1], arg[3], &request);
    if (ret == 0)
        ret = proc_wait(&request, &result);
    if (ret == 0 && result.pid) {
        info = wait_info(&result);
        if (arg[4] && put_usage(arg[4], &result.usage))
            return -EFAULT;
    }
    if (arg[2] && put_user(arg[2], &info, sizeof(info)))
        return -EFAULT;
    return ret;
}
