/*
 * sys_signal.c: dispositions, masks and sending. Checks as Linux makes them; what a signal then does is proc/signal.c's.
 */
#include "kernel/sys/sys.h"

enum { MASK_SIZE = 8 };

long sys_rt_sigaction(const u64 *arg)
{
    struct proc *proc = proc_current();
    struct abi_sigaction new, old;
    u64 signal = (u32)arg[0];
    if (arg[3] != MASK_SIZE)
        return -EINVAL;
    if (arg[1] && get_user(&new, arg[1], sizeof(new)))
        return -EFAULT;
    if (signal < 1 || signal > ABI_SIGNALS || (arg[1] && (signal == SIGKILL || signal == SIGSTOP)))
        return -EINVAL;
    old = proc->action[signal];
    if (arg[1])
        proc->action[signal] = new;
    return arg[2] ? put_user(arg[2], &old, sizeof(old)) : 0;
}

long sys_rt_sigprocmask(const u64 *arg)
{
    struct proc *proc = proc_current();
    u64 old = proc->blocked, set, keep = signal_bit(SIGKILL) | signal_bit(SIGSTOP);
    if (arg[3] != MASK_SIZE)
        return -EINVAL;
    if (arg[1]) {
        if (get_user(&set, arg[1], sizeof(set)))
            return -EFAULT;
        switch ((u32)arg[0]) {
        case SIG_BLOCK:
            set = old | set;
            break;
        case SIG_UNBLOCK:
            set = old & ~set;
            break;
        case SIG_SETMASK:
            break;
        default:
            return -EINVAL;
        }
        proc->blocked = set & ~keep;
    }
    return arg[2] ? put_user(arg[2], &old, sizeof(old)) : 0;
}

long sys_rt_sigpending(const u64 *arg)
{
    u64 set = READ_ONCE(proc_current()->pending) & proc_current()->blocked;
    if (arg[1] > MASK_SIZE)
        return -EINVAL;
    return put_user(arg[0], &set, arg[1]);
}

long sys_sigaltstack(const u64 *arg)
{
    struct proc *proc = proc_current();
    struct abi_sigaltstack new, old = proc->altstack;
    if (arg[0]) {
        if (get_user(&new, arg[0], sizeof(new)))
            return -EFAULT;
        u32 mode = new.ss_flags & ~SS_AUTODISARM;
        if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0)
            return -EINVAL;
        if (mode == SS_DISABLE)
            new.ss_sp = new.ss_size = 0;
        else if (new.ss_size < ABI_MINSIGSTKSZ)
            return -ENOMEM;
        proc->altstack = new;
    }
    return arg[1] ? put_user(arg[1], &old, sizeof(old)) : 0;
}

/* signal 0 only asks whether the process is there. */
static long send(bool found, u32 signal)
{
    if (signal > ABI_SIGNALS)
        return -EINVAL;
    if (!found)
        return -ESRCH;
    if (signal)
        signal_send(proc_current(), signal);
    return 0;
}

long sys_kill(const u64 *arg)
{
    int pid = arg[0], self = proc_current()->pid;
    return send(pid == self || pid == 0 || pid == -self || pid == -1, arg[1]);
}

long sys_tkill(const u64 *arg)
{
    int tid = arg[0];
    return tid <= 0 ? -EINVAL : send(tid == (int)proc_current()->pid, arg[1]);
}

long sys_tgkill(const u64 *arg)
{
    int tgid = arg[0], tid = arg[1], self = proc_current()->pid;
    return tgid <= 0 || tid <= 0 ? -EINVAL : send(tgid == self && tid == self, arg[2]);
}

long sys_pause(const u64 *arg)
{
    (void)arg;
    while (!fs_interrupted())
        sched_yield();
    return -EINTR;
}
