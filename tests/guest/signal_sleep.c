/*
 * signal_sleep.c: calls that wait, and what a signal makes of them: EINTR, or the call made again; alarms; children's SIGCHLD.
 */
#include "tests/guest/signals.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/time.h>
#include <time.h>

enum { MS = 1000000 };

/* SIGALRM after ms, and then every ms. */
static void ring(long ms)
{
    struct itimerval timer = {{0, ms * 1000}, {0, ms * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void ring_no_more(void)
{
    struct itimerval off = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &off, NULL);
}

static void note_third_escapes(int signal, siginfo_t *info, void *context)
{
    note(signal, info, context);
    if (seen.count == 3)
        siglongjmp(escape, 1);
}

/* A call that would wait for ever. flags: of the handler that rings. Without SA_RESTART the call must return -1; with it, again
 * says whether it is made again, and only the third signal's handler leaves it. */
static void check_call(long (*call)(void), const char *what, bool again)
{
    seen.count = 0;
    handle(SIGALRM, note, 0);
    ring(40);
    errno = 0;
    long ret = call();
    int error = errno;
    ring_no_more();
    ok(ret == -1 && error == EINTR && seen.count >= 1, "%s: EINTR", what);

    volatile bool returned = false;
    seen.count = 0;
    handle(SIGALRM, note_third_escapes, SA_RESTART);
    ring(40);
    if (sigsetjmp(escape, 1) == 0) {
        call();
        returned = true;
    }
    ring_no_more();
    ok(again ? seen.count == 3 : seen.count >= 1, "%s: signals with SA_RESTART", what);
    is(returned, !again, "%s: is %s with SA_RESTART", what, again ? "made again" : "EINTR too");
    unhandle(SIGALRM);
}

static int silent; /* a descriptor from which nothing ever comes */

static long call_read(void)
{
    char c;
    return read(silent, &c, 1);
}

static long call_nanosleep(void)
{
    struct timespec t = {100, 0};
    return nanosleep(&t, NULL);
}

static long call_sleep_until(void)
{
    struct timespec t = {1000000000, 0};
    int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    errno = error;
    return error ? -1 : 0;
}

static long call_poll(void)
{
    return poll(NULL, 0, -1);
}

static long call_wait(void)
{
    return waitpid(-1, NULL, 0);
}

static long call_futex(void)
{
    static int word;
    return syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static long call_sigsuspend(void)
{
    sigset_t none;
    sigemptyset(&none);
    return sigsuspend(&none);
}

static long call_sigwait(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    return sigtimedwait(&set, NULL, NULL);
}

static long call_pause(void)
{
    return pause();
}

static void check_calls(void)
{
    int ends[2] = {-1, -1};
    silent = pipe(ends) == 0 ? ends[0] : open("/dev/console", O_RDONLY);
    check_call(call_pause, "pause", false);
    check_call(call_read, "read", true);
    check_call(call_nanosleep, "nanosleep", false);
    check_call(call_sleep_until, "clock_nanosleep", false);
    check_call(call_poll, "poll", false);
    check_call(call_futex, "futex", true);
    check_call(call_sigsuspend, "sigsuspend", false);
    check_call(call_sigwait, "sigtimedwait", false);
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    check_call(call_wait, "wait", true);
    int status = 0;
    is(kill(child, SIGKILL), 0, "SIGKILL to a process that sleeps");
    is(waitpid(child, &status, 0), child, "ends it");
    is(status, SIGKILL, "by that signal");
    close(silent);
    close(ends[1]);
}

static void check_rest(void)
{
    struct timespec want = {100, 0}, rest = {-1, -1}, less = {0, 30 * MS};
    handle(SIGALRM, note, 0);
    ring(50);
    is(nanosleep(&want, &rest), -1, "nanosleep, woken");
    ring_no_more();
    long ms = rest.tv_sec * 1000 + rest.tv_nsec / MS;
    ok(ms > 50000 && ms <= 99960, "%ld ms of 100,000 are left", ms);
    u64 start = now_ns();
    is(nanosleep(&less, NULL), 0, "nanosleep to its end");
    u64 took = now_ns() - start;
    ok(took >= 30 * MS && took < 20000ul * MS, "takes its time");
    unhandle(SIGALRM);
}

static void check_suspend(void)
{
    sigset_t usr1, none, now;
    sigemptyset(&none);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    handle(SIGUSR1, note, 0);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    seen.count = 0;
    raise(SIGUSR1);
    fails(sigsuspend(&none), EINTR);
    is(seen.count, 1, "sigsuspend lets a pending signal come");
    ok(sigismember(&seen.context.uc_sigmask, SIGUSR1) == 1, "the context has the mask before it");
    sigprocmask(SIG_BLOCK, NULL, &now);
    ok(sigismember(&now, SIGUSR1) == 1, "and that mask is back");

    siginfo_t info;
    struct timespec soon = {0, 30 * MS}, never = {0, 0};
    fails(sigtimedwait(&usr1, &info, &never), EAGAIN);
    u64 start = now_ns();
    fails(sigtimedwait(&usr1, &info, &soon), EAGAIN);
    ok(now_ns() - start >= 30 * MS, "sigtimedwait takes its time");
    sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 5});
    is(sigtimedwait(&usr1, &info, &never), SIGUSR1, "sigtimedwait takes a pending signal");
    ok(info.si_code == SI_QUEUE && info.si_value.sival_int == 5, "with its siginfo");
    is(seen.count, 1, "and no handler runs");
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarms, NULL);
    ring(40);
    is(sigwaitinfo(&alarms, &info), SIGALRM, "sigwaitinfo waits for one to come");
    is(info.si_code, SI_KERNEL, "an alarm is the kernel's");
    ring_no_more();
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    sigprocmask(SIG_UNBLOCK, &usr1, NULL);
    unhandle(SIGUSR1);
}

static void check_alarm(void)
{
    struct itimerval timer = {{0, 0}, {100, 500000}}, old = {{9, 9}, {9, 9}};
    is(alarm(0), 0, "no alarm");
    is(alarm(100), 0, "alarm");
    is(alarm(50), 100, "tells what was left, rounded");
    is(setitimer(ITIMER_REAL, &timer, &old), 0, "setitimer");
    ok(old.it_value.tv_sec == 49 && old.it_value.tv_usec > 500000 && !old.it_interval.tv_sec,
       "tells what was left");
    is(getitimer(ITIMER_REAL, &old), 0, "getitimer");
    ok(old.it_value.tv_sec == 100 && old.it_value.tv_usec < 500000, "counts down");
    is(alarm(0), 100, "off");
    is(getitimer(ITIMER_REAL, &old), 0, "getitimer");
    ok(!old.it_value.tv_sec && !old.it_value.tv_usec, "is zero then");
    timer.it_value.tv_usec = 1000000;
    fails(setitimer(ITIMER_REAL, &timer, NULL), EINVAL);
    fails(setitimer(ITIMER_REAL, (void *)KERNEL_ADDRESS, NULL), EFAULT);
    fails(getitimer(ITIMER_REAL, (void *)KERNEL_ADDRESS), EFAULT);
    fails(getitimer(17, &old), EINVAL);

    handle(SIGALRM, note, 0);
    seen.count = 0;
    ring(20);
    u64 start = now_ns();
    while (seen.count < 5 && now_ns() - start < 10000ul * MS)
        ;
    ring_no_more();
    ok(seen.count >= 5, "an interval timer rings in a loop that makes system calls");
    seen.count = 0;
    ring(20);
    for (volatile u64 i = 0; seen.count < 3 && i < 20000000000ul; i++)
        ;
    ring_no_more();
    ok(seen.count >= 3, "and in one that makes none");
    is(seen.info.si_code, SI_KERNEL, "si_code");
    unhandle(SIGALRM);
}

/* ---- children ---- */

static siginfo_t child_end(void (*action)(void), pid_t *child, int *status)
{
    siginfo_t info;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    memset(&info, 0, sizeof info);
    *child = fork();
    if (*child == 0) {
        action();
        _exit(33);
    }
    sigwaitinfo(&set, &info);
    waitpid(*child, status, 0);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return info;
}

static void nothing(void)
{
}

static void die(void)
{
    raise(SIGTERM);
}

static void check_children(void)
{
    int status;
    pid_t child;
    siginfo_t info = child_end(nothing, &child, &status);
    ok(info.si_code == CLD_EXITED && info.si_status == 33 && info.si_pid == child,
       "SIGCHLD of a child that exits");
    is(WEXITSTATUS(status), 33, "as wait has it");
    info = child_end(die, &child, &status);
    ok(info.si_code == CLD_KILLED && info.si_status == SIGTERM && info.si_pid == child,
       "SIGCHLD of a child that is killed");

    handle(SIGCHLD, note, 0);
    seen.count = 0;
    is(status_of(nothing), 111 << 8, "a child");
    is(seen.count, 1, "SIGCHLD's handler");
    handle(SIGCHLD, note, SA_NOCLDWAIT | SA_RESTART);
    child = fork();
    if (child == 0)
        _exit(0);
    fails(waitpid(child, &status, 0), ECHILD);
    signal(SIGCHLD, SIG_IGN);
    child = fork();
    if (child == 0)
        _exit(0);
    fails(waitpid(-1, &status, 0), ECHILD);
    unhandle(SIGCHLD);
}

static void sleep_a_little(void)
{
    struct timespec t = {0, 600 * MS};
    u64 start = now_ns();
    int ret = nanosleep(&t, NULL);
    _exit(ret == 0 && now_ns() - start >= 600 * MS ? 44 : 45);
}

/* Stopped and continued, a child's sleep goes on without its noticing. */
static void check_stops(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        sleep_a_little();
    is(kill(child, SIGSTOP), 0, "SIGSTOP");
    is(waitpid(child, &status, WUNTRACED), child, "wait tells that it stopped");
    ok(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, "by SIGSTOP");
    is(waitpid(child, &status, WNOHANG | WUNTRACED), 0, "once");
    is(kill(child, SIGCONT), 0, "SIGCONT");
    is(waitpid(child, &status, WCONTINUED), child, "wait tells that it goes on");
    ok(WIFCONTINUED(status), "it does");
    is(waitpid(child, &status, 0), child, "and that it ends");
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 44, "its sleep was made up for");
    child = fork();
    if (child == 0)
        for (;;)
            pause();
    kill(child, SIGSTOP);
    waitpid(child, &status, WUNTRACED);
    kill(child, SIGTERM);
    is(waitpid(child, &status, WNOHANG), 0, "a stopped process does not see SIGTERM");
    kill(child, SIGKILL);
    ok(waitpid(child, &status, 0) == child && WTERMSIG(status) == SIGKILL, "but SIGKILL");
}

void signals_sleeping(void)
{
    check_calls();
    check_rest();
    check_suspend();
    check_alarm();
    check_children();
    check_stops();
}
