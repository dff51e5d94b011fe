/*
 * sys_signal.c: dispositions, masks, sending and waiting. Checks as Linux makes them, in its order; what a signal then does is
 * proc/signal_act.c's.
 */
#include "kernel/core/restart.h"
#include "kernel/core/time.h"
#include "kernel/proc/altstack.h"
#include "kernel/sys/sys.h"
#include "kernel/x86/trap.h"

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
        signal_set_action(signal, &new);
    return arg[2] ? put_user(arg[2], &old, sizeof(old)) : 0;
}

long sys_rt_sigprocmask(const u64 *arg)
{
    u64 old = proc_current()->blocked, set;
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
        signal_block(set);
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

/* The program's stack pointer. */
static vaddr_t user_sp(void)
{
    return trap_user_frame(thread_current()->stack_top)->rsp;
}

long sys_sigaltstack(const u64 *arg)
{
    struct proc *proc = proc_current();
    struct abi_sigaltstack new, old = altstack_tell(&proc->altstack, user_sp());
    if (arg[0] && get_user(&new, arg[0], sizeof(new)))
        return -EFAULT;
    long ret = arg[0] ? altstack_set(&proc->altstack, &new, user_sp()) : 0;
    return ret == 0 && arg[1] ? put_user(arg[1], &old, sizeof(old)) : ret;
}

long sys_rt_sigreturn(const u64 *arg)
{
    (void)arg;
    return signal_return();
}

/* ---- sending ---- */

static struct abi_siginfo info_from_self(u32 signal, s32 code)
{
    return (struct abi_siginfo){
        .signo = (s32)signal, .code = code, .sender.pid = (s32)proc_current()->pid};
}

/* Signal 0 only asks whether the process is there. Takes proc's reference over; NULL: -ESRCH. */
static long send_to(struct proc *proc, const struct abi_siginfo *info)
{
    if (!proc)
        return -ESRCH;
    long ret = (u32)info->signo > ABI_SIGNALS ? -EINVAL : 0;
    if (ret == 0 && info->signo)
        ret = signal_queue(proc, info);
    proc_put(proc);
    return ret;
}

/* To all of a group; or (group 0) to everybody but PID 1 and the caller. */
static long send_to_many(u32 group, const struct abi_siginfo *info)
{
    struct proc *self = proc_current(), *next;
    long ret = -ESRCH;
    for (u32 pid = 0; (next = proc_next(pid));) {
        pid = next->pid;
        if (group ? next->pgid != group : pid == PID_INIT || next == self) {
            proc_put(next);
            continue;
        }
        long one = send_to(next, info);
        ret = ret == 0 ? 0 : one;
    }
    return ret;
}

long sys_kill(const u64 *arg)
{
    s32 pid = (s32)arg[0];
    struct abi_siginfo info = info_from_self(arg[1], SI_USER);
    if (pid > 0)
        return send_to(proc_find(pid), &info);
    if (pid == -1)
        return send_to_many(0, &info);
    if (pid == -0x7fffffff - 1)
        return -ESRCH;
    return send_to_many(pid ? (u32)-pid : proc_current()->pgid, &info);
}

long sys_tkill(const u64 *arg)
{
    struct abi_siginfo info = info_from_self(arg[1], SI_TKILL);
    return (s32)arg[0] <= 0 ? -EINVAL : send_to(proc_find(arg[0]), &info);
}

/* A process's one thread has its number. */
static long send_to_thread(u32 tgid, u32 tid, const struct abi_siginfo *info)
{
    if ((s32)tgid <= 0 || (s32)tid <= 0)
        return -EINVAL;
    return tgid == tid ? send_to(proc_find(tid), info) : -ESRCH;
}

long sys_tgkill(const u64 *arg)
{
    struct abi_siginfo info = info_from_self(arg[2], SI_TKILL);
    return send_to_thread(arg[0], arg[1], &info);
}

/* A siginfo of the caller's making: only to itself may it look like the kernel's or kill's. */
static long user_info(struct abi_siginfo *info, vaddr_t from, u32 signal, u32 to)
{
    if (get_user(info, from, sizeof(*info)))
        return -EFAULT;
    info->signo = (s32)signal;
    if ((info->code >= 0 || info->code == SI_TKILL) && to != proc_current()->pid)
        return -EPERM;
    return 0;
}

long sys_rt_sigqueueinfo(const u64 *arg)
{
    struct abi_siginfo info;
    long ret = user_info(&info, arg[2], arg[1], arg[0]);
    if (ret < 0)
        return ret;
    return send_to((s32)arg[0] > 0 ? proc_find(arg[0]) : NULL, &info);
}

long sys_rt_tgsigqueueinfo(const u64 *arg)
{
    struct abi_siginfo info;
    if (get_user(&info, arg[3], sizeof(info)))
        return -EFAULT;
    if ((s32)arg[0] <= 0 || (s32)arg[1] <= 0)
        return -EINVAL;
    long ret = user_info(&info, arg[3], arg[2], arg[1]);
    return ret < 0 ? ret : send_to_thread(arg[0], arg[1], &info);
}

/* ---- waiting ---- */

long sys_pause(const u64 *arg)
{
    (void)arg;
    while (sched_sleep_until(~0ul))
        ;
    return -RESTART_NOHAND;
}

long sys_rt_sigsuspend(const u64 *arg)
{
    struct proc *proc = proc_current();
    u64 set;
    if (arg[1] != MASK_SIZE)
        return -EINVAL;
    if (get_user(&set, arg[0], sizeof(set)))
        return -EFAULT;
    proc->signals.saved_mask = proc->blocked;
    proc->signals.mask_saved = true;
    signal_block(set);
    return sys_pause(arg);
}

/* Take a signal of set off, waiting for it until deadline. */
static long wait_for_signal(u64 set, u64 deadline, struct abi_siginfo *info)
{
    struct proc *proc = proc_current();
    u32 signal = signal_take(set, info);
    if (signal || !deadline)
        return signal ? (long)signal : -EAGAIN;
    proc->signals.waiting_for = set;
    bool in_time = sched_sleep_until(deadline);
    proc->signals.waiting_for = 0;
    signal = signal_take(set, info);
    if (signal)
        return signal;
    return in_time ? -EAGAIN : -EINTR;
}

long sys_rt_sigtimedwait(const u64 *arg)
{
    struct abi_siginfo info;
    u64 set, ns, deadline = ~0ul;
    if (arg[3] != MASK_SIZE)
        return -EINVAL;
    if (get_user(&set, arg[0], sizeof(set)))
        return -EFAULT;
    long ret = arg[2] ? user_timespec(arg[2], &ns) : 0;
    if (ret < 0)
        return ret;
    if (arg[2])
        deadline = ns ? add_saturating(time_ns(), ns) : 0;
    ret = wait_for_signal(set & ~SIGNALS_UNBLOCKABLE, deadline, &info);
    if (ret > 0 && arg[1] &&
        (put_user(arg[1], &info, sizeof(info)) ||
         clear_user(arg[1] + sizeof(info), ABI_SIGINFO_SIZE - sizeof(info))))
        return -EFAULT;
    return ret;
}

/* ---- going on after a signal ---- */

long restart_by(long (*call)(const u64 *arg), const u64 *arg)
{
    struct signal_restart *restart = &proc_current()->signals.restart;
    restart->call = call;
    if (arg != restart->arg)
        memcpy(restart->arg, arg, sizeof(restart->arg));
    return -RESTART_BLOCK;
}

long sys_restart_syscall(const u64 *arg)
{
    struct signal_restart *restart = &proc_current()->signals.restart;
    (void)arg;
    return restart->call ? restart->call(restart->arg) : -EINTR;
}
