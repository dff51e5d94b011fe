/*
 * signal.c: sending, blocking, pending, handlers and their masks and stacks; with signal_fault.c, signal_frame.c and
 * signal_sleep.c it is the suite `signal`.
 */
#include "tests/guest/signals.h"

#include <sys/sysinfo.h>
#include <time.h>

struct seen seen;
sigjmp_buf escape;

void handle(int signal, handler_t *handler, int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    if (sigaction(signal, &action, NULL)) {
        perror("sigaction");
        exit(3);
    }
}

void unhandle(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
}

void note(int signal, siginfo_t *info, void *context)
{
    seen.count++;
    seen.signal = signal;
    seen.info = *info;
    seen.context = *(ucontext_t *)context;
    seen.stack = __builtin_frame_address(0);
}

void note_and_escape(int signal, siginfo_t *info, void *context)
{
    note(signal, info, context);
    siglongjmp(escape, 1);
}

int status_of(void (*action)(void))
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        action();
        _exit(111);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

u64 now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ul + t.tv_nsec;
}

static sigset_t set_of(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    if (signal)
        sigaddset(&set, signal);
    return set;
}

static bool is_blocked(int signal)
{
    sigset_t set;
    sigprocmask(SIG_BLOCK, NULL, &set);
    return sigismember(&set, signal) == 1;
}

static bool is_pending(int signal)
{
    sigset_t set;
    sigpending(&set);
    return sigismember(&set, signal) == 1;
}

static void check_sending(void)
{
    handle(SIGUSR1, note, 0);
    seen.count = 0;
    is(kill(getpid(), SIGUSR1), 0, "kill");
    is(seen.count, 1, "the handler ran before kill returned");
    is(seen.signal, SIGUSR1, "with the signal");
    is(seen.info.si_signo, SIGUSR1, "si_signo");
    is(seen.info.si_code, SI_USER, "si_code of kill");
    is(seen.info.si_pid, getpid(), "si_pid");
    is(seen.info.si_uid, getuid(), "si_uid");
    is(raise(SIGUSR1), 0, "raise");
    is(seen.info.si_code, SI_TKILL, "si_code of tgkill");
    union sigval value = {.sival_int = 4711};
    is(sigqueue(getpid(), SIGUSR1, value), 0, "sigqueue");
    is(seen.info.si_code, SI_QUEUE, "si_code of sigqueue");
    is(seen.info.si_value.sival_int, 4711, "and its value");
    is(seen.count, 3, "three signals");
    is(kill(getpid(), 0), 0, "signal 0 sends nothing");
    fails(kill(getpid(), 65), EINVAL);
    fails(kill(getpid(), -1), EINVAL);
    fails(kill(4000000, SIGUSR1), ESRCH);
    fails(kill(4000000, 99), ESRCH);
    fails(kill(-4000000, SIGUSR1), ESRCH);
    fails(syscall(SYS_tkill, 0, SIGUSR1), EINVAL);
    fails(syscall(SYS_tgkill, -1, getpid(), SIGUSR1), EINVAL);
    fails(syscall(SYS_tgkill, getpid(), 4000000, SIGUSR1), ESRCH);
    is(seen.count, 3, "none of these sent anything");
    signal(SIGUSR1, SIG_IGN);
    is(raise(SIGUSR1), 0, "an ignored signal");
    unhandle(SIGURG);
    is(raise(SIGURG), 0, "one that is ignored by default");
    unhandle(SIGUSR1);
}

static void check_blocking(void)
{
    sigset_t one = set_of(SIGUSR1), old;
    handle(SIGUSR1, note, 0);
    seen.count = 0;
    is(sigprocmask(SIG_BLOCK, &one, NULL), 0, "block");
    raise(SIGUSR1);
    raise(SIGUSR1);
    ok(is_pending(SIGUSR1) && !is_pending(SIGUSR2), "pending");
    is(seen.count, 0, "and not delivered");
    is(sigprocmask(SIG_UNBLOCK, &one, &old), 0, "unblock");
    is(seen.count, 1, "a standard signal came once");
    ok(sigismember(&old, SIGUSR1) == 1 && !is_blocked(SIGUSR1), "the old mask is told");
    ok(!is_pending(SIGUSR1), "nothing is pending");
    sigprocmask(SIG_BLOCK, &one, NULL);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_IGN);
    ok(!is_pending(SIGUSR1), "to ignore it drops a pending signal");
    raise(SIGUSR1);
    ok(is_pending(SIGUSR1), "a blocked signal is kept even when ignored");
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    ok(!is_pending(SIGUSR1), "unblocked, it is dropped");
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    ok(is_blocked(SIGTERM) && !is_blocked(SIGKILL) && !is_blocked(SIGSTOP),
       "KILL and STOP cannot be blocked");
    sigprocmask(SIG_SETMASK, &old, NULL);
    unhandle(SIGUSR1);
}

static int order[8], values[8];

static void note_order(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (seen.count < 8) {
        order[seen.count] = signal;
        values[seen.count] = info->si_value.sival_int;
    }
    seen.count++;
}

/* Delivered at once: the lowest gets the first frame, and so runs last. */
static void check_queue(void)
{
    int low = SIGRTMIN, high = SIGRTMIN + 3;
    sigset_t set = set_of(low), old;
    sigaddset(&set, high);
    struct sigaction action = {.sa_sigaction = note_order, .sa_flags = SA_SIGINFO, .sa_mask = set};
    sigaction(low, &action, NULL);
    sigaction(high, &action, NULL);
    sigprocmask(SIG_BLOCK, &set, &old);
    seen.count = 0;
    for (int i = 0; i < 3; i++)
        sigqueue(getpid(), high, (union sigval){.sival_int = 10 + i});
    sigqueue(getpid(), low, (union sigval){.sival_int = 1});
    sigqueue(getpid(), low, (union sigval){.sival_int = 2});
    is(seen.count, 0, "real-time signals are blocked");
    sigprocmask(SIG_SETMASK, &old, NULL);
    is(seen.count, 5, "each of them comes");
    ok(order[0] == low && order[1] == low && order[4] == high, "the lowest first");
    ok(values[0] == 1 && values[1] == 2 && values[2] == 10 && values[4] == 12,
       "and in order of arrival");
    unhandle(low);
    unhandle(high);
}

static volatile int depth, deepest;

static void nest(int signal, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    seen.count++;
    if (++depth > deepest)
        deepest = depth;
    if (seen.count < 5)
        raise(signal);
    depth--;
}

static void check_masks(void)
{
    handle(SIGUSR1, nest, 0);
    seen.count = depth = deepest = 0;
    raise(SIGUSR1);
    ok(seen.count == 5 && deepest == 1, "a handler's own signal waits for its end");
    handle(SIGUSR1, nest, SA_NODEFER);
    seen.count = depth = deepest = 0;
    raise(SIGUSR1);
    ok(seen.count == 5 && deepest == 5, "with SA_NODEFER it nests");

    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    action.sa_mask = set_of(SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    ok(sigismember(&seen.context.uc_sigmask, SIGUSR2) == 0, "the context keeps the old mask");
    ok(!is_blocked(SIGUSR2) && !is_blocked(SIGUSR1), "which is back after the handler");

    handle(SIGUSR1, note, SA_RESETHAND);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &action);
    ok(action.sa_handler == SIG_DFL, "SA_RESETHAND resets");
    handle(SIGUSR1, note_and_escape, 0);
    if (sigsetjmp(escape, 1) == 0)
        raise(SIGUSR1);
    ok(!is_blocked(SIGUSR1), "siglongjmp out of a handler restores the mask");
    unhandle(SIGUSR1);
}

static char other_stack[65536] __attribute__((aligned(16)));
static stack_t in_handler;
static long errno_in_handler;

static void look_at_stack(int signal, siginfo_t *info, void *context)
{
    stack_t small = {.ss_sp = other_stack, .ss_size = 16384};
    note(signal, info, context);
    sigaltstack(NULL, &in_handler);
    errno_in_handler = sigaltstack(&small, NULL) ? errno : 0;
}

static bool on_other_stack(void)
{
    return seen.stack >= other_stack && seen.stack < other_stack + sizeof other_stack;
}

static void check_altstack(void)
{
    stack_t other = {.ss_sp = other_stack, .ss_size = sizeof other_stack}, old, bad = other;
    stack_t off = {.ss_flags = SS_DISABLE};
    is(sigaltstack(&other, &old), 0, "sigaltstack");
    is(old.ss_flags, SS_DISABLE, "there was none");
    handle(SIGUSR1, look_at_stack, SA_ONSTACK);
    raise(SIGUSR1);
    ok(on_other_stack(), "the handler runs there");
    is(in_handler.ss_flags, SS_ONSTACK, "and can tell");
    is(errno_in_handler, EPERM, "it cannot be changed meanwhile");
    ok(seen.context.uc_stack.ss_sp == other_stack, "uc_stack");
    handle(SIGUSR1, look_at_stack, 0);
    raise(SIGUSR1);
    ok(!on_other_stack(), "without SA_ONSTACK it does not");
    bad.ss_size = 2047;
    fails(sigaltstack(&bad, NULL), ENOMEM);
    bad = other;
    bad.ss_flags = 4;
    fails(sigaltstack(&bad, NULL), EINVAL);
    fails(syscall(SYS_sigaltstack, KERNEL_ADDRESS, NULL), EFAULT);
    fails(syscall(SYS_sigaltstack, NULL, KERNEL_ADDRESS), EFAULT);

    other.ss_flags = (int)(1u << 31); /* SS_AUTODISARM */
    is(sigaltstack(&other, NULL), 0, "with SS_AUTODISARM");
    handle(SIGUSR1, look_at_stack, SA_ONSTACK);
    raise(SIGUSR1);
    ok(on_other_stack(), "the handler runs there");
    is(in_handler.ss_flags, SS_DISABLE, "it is gone meanwhile");
    is(errno_in_handler, 0, "and another can be set");
    sigaltstack(NULL, &old);
    ok(old.ss_sp == other_stack && old.ss_size == sizeof other_stack, "it is back afterwards");
    is(sigaltstack(&off, NULL), 0, "off");
    unhandle(SIGUSR1);
}

static void raise_term(void)
{
    raise(SIGTERM);
}

static void raise_kill(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    raise(SIGKILL);
}

static void raise_realtime(void)
{
    raise(SIGRTMIN + 1);
}

static void check_errors(void)
{
    sigset_t set = set_of(SIGUSR1);
    struct sigaction action = {.sa_handler = SIG_IGN};
    fails(syscall(SYS_rt_sigprocmask, 7, &set, NULL, 8), EINVAL);
    fails(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 4), EINVAL);
    fails(syscall(SYS_rt_sigprocmask, SIG_BLOCK, KERNEL_ADDRESS, NULL, 8), EFAULT);
    fails(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, KERNEL_ADDRESS, 8), EFAULT);
    is(syscall(SYS_rt_sigprocmask, 7, NULL, NULL, 8), 0, "without a set, how does not matter");
    fails(syscall(SYS_rt_sigaction, SIGUSR1, NULL, NULL, 9), EINVAL);
    fails(syscall(SYS_rt_sigaction, 0, NULL, NULL, 8), EINVAL);
    fails(syscall(SYS_rt_sigaction, 65, NULL, NULL, 8), EINVAL);
    fails(syscall(SYS_rt_sigaction, SIGUSR1, KERNEL_ADDRESS, NULL, 8), EFAULT);
    fails(syscall(SYS_rt_sigaction, SIGUSR1, NULL, KERNEL_ADDRESS, 8), EFAULT);
    fails(sigaction(SIGKILL, &action, NULL), EINVAL);
    fails(sigaction(SIGSTOP, &action, NULL), EINVAL);
    is(sigaction(SIGKILL, NULL, &action), 0, "to ask for SIGKILL's is allowed");
    fails(syscall(SYS_rt_sigpending, &set, 16), EINVAL);
    fails(syscall(SYS_rt_sigpending, KERNEL_ADDRESS, 8), EFAULT);
    fails(syscall(SYS_rt_sigsuspend, &set, 4), EINVAL);
    fails(syscall(SYS_rt_sigsuspend, KERNEL_ADDRESS, 8), EFAULT);
    fails(syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, 4), EINVAL);
    fails(syscall(SYS_rt_sigtimedwait, KERNEL_ADDRESS, NULL, NULL, 8), EFAULT);
    fails(syscall(SYS_rt_sigtimedwait, &set, NULL, KERNEL_ADDRESS, 8), EFAULT);
    struct timespec bad = {0, 1000000000};
    fails(syscall(SYS_rt_sigtimedwait, &set, NULL, &bad, 8), EINVAL);
    siginfo_t info = {.si_code = SI_USER};
    fails(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, KERNEL_ADDRESS), EFAULT);
    fails(syscall(SYS_rt_sigqueueinfo, 4000000, SIGUSR1, &info), EPERM);
    info.si_code = SI_QUEUE;
    fails(syscall(SYS_rt_sigqueueinfo, 4000000, SIGUSR1, &info), ESRCH);
    fails(syscall(SYS_rt_sigqueueinfo, getpid(), 65, &info), EINVAL);
}

/* A child that ends with real-time signals in its queue. */
static void end_with_queue(void)
{
    sigset_t set = set_of(SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 100; i++)
        sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i});
    _exit(5);
}

static u64 free_memory(void)
{
    struct sysinfo info;
    sysinfo(&info);
    return info.freeram;
}

/* What is Fathom's own: its limit of the queue, that PID 1 does not stop, and that no memory is lost. */
static void check_own(void)
{
    sigset_t set = set_of(SIGRTMIN), old;
    int taken = 0, sent = 0;
    struct timespec never = {0, 0};
    if (!fathom || getpid() != 1) {
        tap_skip("only in Fathom");
        return;
    }
    is(raise(SIGSTOP), 0, "PID 1 does not stop");
    is(raise(SIGTSTP), 0, "by no signal");
    sigprocmask(SIG_BLOCK, &set, &old);
    while (sent < 2000 && sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 0}) == 0)
        sent++;
    is(errno, EAGAIN, "the queue is full");
    is(sent, 1024, "with 1,024 signals");
    is(kill(getpid(), SIGRTMIN), 0, "kill finds no room there, and goes without");
    while (sigtimedwait(&set, NULL, &never) == SIGRTMIN)
        taken++;
    is(taken, sent, "all come");
    sigprocmask(SIG_SETMASK, &old, NULL);
    is(status_of(end_with_queue), 5 << 8, "a child ends with a full queue");
    u64 before = free_memory();
    for (int i = 0; i < 30; i++)
        status_of(end_with_queue);
    is(free_memory(), before, "30 more lose no memory");
}

void suite_signal(void)
{
    check_sending();
    check_blocking();
    check_queue();
    check_masks();
    check_altstack();
    check_errors();
    signals_faults();
    signals_frames();
    signals_sleeping();
    check_own();
    dies_by(raise_term, SIGTERM);
    dies_by(raise_kill, SIGKILL);
    dies_by(raise_realtime, SIGRTMIN + 1);
}
