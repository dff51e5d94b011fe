/*
 * wait.c: how children end and what their parents learn of it: statuses, zombies, orphans, groups, wait4 and waitid.
 */
#include "tests/guest/guest.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/guest/child.h"

static int exit_0(void)
{
    return 0;
}

static int exit_77(void)
{
    return 77;
}

static int exit_259(void)
{
    return 259;
}

static int by_sigterm(void)
{
    kill(getpid(), SIGTERM);
    return 1;
}

static int by_sigkill(void)
{
    kill(getpid(), SIGKILL);
    return 1;
}

static int by_fault(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    *(volatile int *)8 = 1;
    return 1;
}

/* Runs until common[0] is 1. */
static int until_told(void)
{
    common[1] = 1;
    return await(&common[0], 1) ? 5 : 6;
}

static void statuses(void)
{
    int status = child_run(exit_0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "exit 0");
    status = child_run(exit_77);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 77, "exit 77");
    status = child_run(exit_259);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 3, "exit 259 is 3");
    status = child_run(by_sigterm);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "SIGTERM");
    status = child_run(by_sigkill);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "SIGKILL");
    status = child_run(by_fault);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV && !WCOREDUMP(status), "SIGSEGV");
}

static void no_hang(void)
{
    int status = 123;

    common_make();
    pid_t pid = child_start(until_told);
    is(waitpid(pid, &status, WNOHANG), 0, "WNOHANG: it runs");
    is(status, 123, "the status is not touched");
    is(waitpid(-1, &status, WNOHANG), 0, "any: none has ended");
    fails(waitpid(pid + 1000, &status, WNOHANG), ECHILD);
    common[0] = 1;
    is(waitpid(pid, &status, 0), pid, "then it ends");
    is(WEXITSTATUS(status), 5, "as it should");
    fails(waitpid(pid, &status, 0), ECHILD);
    fails(waitpid(-1, &status, 0), ECHILD);
}

static void zombies(void)
{
    siginfo_t info;

    pid_t pid = child_start(exit_77);
    memset(&info, 0xff, sizeof info);
    is(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0, "waitid, WNOWAIT");
    is(info.si_signo, SIGCHLD, "si_signo");
    is(info.si_errno, 0, "si_errno");
    is(info.si_code, CLD_EXITED, "si_code");
    is(info.si_pid, pid, "si_pid");
    is(info.si_uid, 0, "si_uid");
    is(info.si_status, 77, "si_status");
    is(getpgid(pid), getpgrp(), "a zombie has its number still");
    is(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG), 0, "again, of any");
    is(info.si_pid, pid, "the same");
    is(waitid(P_PGID, getpgrp(), &info, WEXITED), 0, "by group, and for good");
    is(info.si_pid, pid, "the same");
    fails(getpgid(pid), ESRCH);
    fails(waitid(P_PID, pid, &info, WEXITED), ECHILD);
    pid = child_start(by_sigkill);
    is(waitid(P_PID, pid, &info, WEXITED), 0, "of one that was killed");
    ok(info.si_code == CLD_KILLED && info.si_status == SIGKILL, "CLD_KILLED, the signal");
}

static void arguments(void)
{
    siginfo_t info;
    int status;

    common_make();
    fails(waitpid(-1, &status, 0x40), EINVAL);
    fails(waitpid(-0x7fffffff - 1, &status, 0), ESRCH);
    fails(waitid(P_ALL, 0, &info, 0), EINVAL);
    fails(waitid(P_ALL, 0, &info, WNOHANG), EINVAL);
    fails(waitid(P_ALL, 0, &info, WEXITED | 0x80), EINVAL);
    fails(waitid(P_PID, 0, &info, WEXITED), EINVAL);
    fails(waitid(17, 1, &info, WEXITED), EINVAL);
    fails(waitid(P_ALL, 0, &info, WEXITED), ECHILD);
    pid_t pid = child_start(until_told);
    memset(&info, 0xff, sizeof info);
    is(waitid(P_PID, pid, &info, WEXITED | WNOHANG), 0, "WNOHANG: no news is no error");
    ok(info.si_pid == 0 && info.si_signo == 0, "and all zero");
    is(waitpid(pid, &status, WNOHANG | WUNTRACED | WCONTINUED), 0, "stopped children count, too");
    common[0] = 1;
    fails(syscall(SYS_wait4, pid, KERNEL_ADDRESS, 0, NULL), EFAULT);
    fails(waitpid(pid, &status, 0), ECHILD);
    is(child_wait(child_start(exit_0)), 0, "and nothing is broken");
}

static void many(void)
{
    enum { MANY = 20 };
    pid_t pids[MANY];
    int sum = 0, status;

    for (int i = 0; i < MANY; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(i + 1);
    }
    is(waitpid(pids[7], &status, 0), pids[7], "one out of many");
    is(WEXITSTATUS(status), 8, "its status");
    for (int i = 1; i < MANY; i++)
        sum += waitpid(-1, &status, 0) > 0 ? WEXITSTATUS(status) : 1000;
    is(sum, MANY * (MANY + 1) / 2 - 8, "and all the others, in any order");
    fails(waitpid(-1, &status, 0), ECHILD);
}

/* ---- families ---- */

static int grandchild(void)
{
    common[2] = getppid();
    common[1] = getpid();
    await(&common[0], 1); /* the child in between has ended */
    for (int i = 0; i < 1000 && getppid() == common[2]; i++)
        usleep(1000);
    common[3] = getppid();
    common[4] = 1;
    return 9;
}

static int between(void)
{
    child_start(grandchild);
    await(&common[2], getpid());
    return 0;
}

static void orphans(void)
{
    int status;

    common_make();
    pid_t pid = child_start(between);
    is(child_wait(pid), 0, "the child in between ends first");
    common[0] = 1;
    ok(await(&common[4], 1), "the grandchild lives on");
    is(common[2], pid, "its parent was the child");
    ok(common[3] != pid && common[3] > 0, "and is another now");
    if (getpid() == 1) {
        is(common[3], 1, "process 1");
        is(waitpid(-1, &status, 0), common[1], "which waits for it");
        is(WEXITSTATUS(status), 9, "as for its own");
    } else {
        fails(waitpid(-1, &status, 0), ECHILD);
    }
}

static int family(void)
{
    common[1] = getppid();
    return fork() == 0 ? getppid() == common[2] ? 0 : 1 : (wait(NULL), 4);
}

static void parents(void)
{
    common_make();
    pid_t pid = child_start(family);
    common[2] = pid;
    child_wait(pid);
    is(common[1], getpid(), "getppid");
}

static int leader(void)
{
    if (setpgid(0, 0) || getpgrp() != getpid())
        return 1;
    if (setsid() != -1 || errno != EPERM) /* it leads a group */
        return 2;
    return 0;
}

static int session(void)
{
    if (setsid() != getpid() || getsid(0) != getpid() || getpgrp() != getpid())
        return 1;
    if (setpgid(0, 0) != -1 || errno != EPERM)
        return 2;
    if (setsid() != -1 || errno != EPERM)
        return 3;
    return 0;
}

static void groups(void)
{
    int status;

    common_make();
    is(child_run(leader), 0, "setpgid; setsid refuses who leads a group");
    is(child_run(session), 0, "setsid; setpgid refuses who leads a session");
    pid_t a = child_start(until_told), b = child_start(until_told);
    is(setpgid(a, a), 0, "a group for a child");
    is(setpgid(b, a), 0, "another joins it");
    is(getpgid(b), a, "getpgid");
    fails(setpgid(b, 12345), EPERM);
    fails(setpgid(b, -1), EINVAL);
    fails(setpgid(30000, 30000), ESRCH);
    fails(getpgid(30000), ESRCH);
    fails(getsid(30000), ESRCH);
    is(getsid(a), getsid(0), "the same session");
    fails(waitpid(0, &status, WNOHANG), ECHILD);
    is(waitpid(-a, &status, WNOHANG), 0, "waiting for a group");
    common[0] = 1;
    pid_t first = waitpid(-a, &status, 0), second = waitpid(-a, &status, 0);
    ok((first == a && second == b) || (first == b && second == a), "gives both");
    fails(waitpid(-a, &status, 0), ECHILD);
}

/* ---- what children are worth ---- */

static int busy(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 20;
    char *p = mmap(NULL, 64 * page, RW, ANON, -1, 0);
    for (int i = 0; i < 64; i++)
        p[i * page] = 1;
    while (clock() < end)
        continue;
    return 0;
}

static void usage(void)
{
    struct rusage before, after, child;
    int status;

    getrusage(RUSAGE_CHILDREN, &before);
    pid_t pid = child_start(busy);
    is(wait4(pid, &status, 0, &child), pid, "wait4");
    long us = child.ru_utime.tv_sec * 1000000 + child.ru_utime.tv_usec +
              child.ru_stime.tv_sec * 1000000 + child.ru_stime.tv_usec;
    ok(us >= 40000 && us < 5000000, "the child's CPU time: %ld us", us);
    ok(child.ru_minflt >= 64, "its faults: %ld", child.ru_minflt);
    ok(child.ru_maxrss * 1024 >= 64 * (long)page, "its memory: %ld KiB", child.ru_maxrss);
    getrusage(RUSAGE_CHILDREN, &after);
    ok(after.ru_minflt - before.ru_minflt >= 64 && after.ru_utime.tv_sec >= before.ru_utime.tv_sec,
       "RUSAGE_CHILDREN has it, too");
    getrusage(RUSAGE_SELF, &after);
    ok(after.ru_maxrss > 0 && after.ru_minflt > 0, "RUSAGE_SELF");
    fails(getrusage(5, &after), EINVAL);
}

static void ignored(void)
{
    int status;

    signal(SIGCHLD, SIG_IGN);
    pid_t pid = child_start(exit_77);
    fails(waitpid(pid, &status, 0), ECHILD);
    fails(getpgid(pid), ESRCH);
    child_start(exit_0);
    child_start(exit_0);
    fails(waitpid(-1, &status, 0), ECHILD);
    signal(SIGCHLD, SIG_DFL);
    is(WEXITSTATUS(child_run(exit_77)), 77, "SIGCHLD is no longer ignored");
}

static void clones(void)
{
    int status;

    pid_t pid = syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
    if (pid == 0)
        _exit(11);
    ok(pid > 0, "a child without a signal for the parent");
    fails(waitpid(pid, &status, 0), ECHILD);
    is(waitpid(pid, &status, __WALL), pid, "__WALL waits for it");
    is(WEXITSTATUS(status), 11, "its status");
    pid = syscall(SYS_clone, SIGUSR2, NULL, NULL, NULL, 0);
    if (pid == 0)
        _exit(12);
    signal(SIGUSR2, SIG_IGN);
    fails(waitpid(-1, &status, 0), ECHILD);
    is(waitpid(-1, &status, __WCLONE), pid, "__WCLONE, too");
    signal(SIGUSR2, SIG_DFL);
    pid = child_start(exit_0);
    fails(waitpid(pid, &status, __WCLONE), ECHILD);
    is(waitpid(pid, &status, __WALL), pid, "__WALL waits for all");
}

static void stops(void)
{
    siginfo_t info;
    int status;

    common_make();
    pid_t pid = child_start(until_told);
    await(&common[1], 1);
    kill(pid, SIGSTOP);
    is(waitpid(pid, &status, WUNTRACED), pid, "WUNTRACED: a child that stopped");
    ok(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, "by SIGSTOP");
    is(waitpid(pid, &status, WUNTRACED | WNOHANG), 0, "is told once");
    kill(pid, SIGCONT);
    is(waitpid(pid, &status, WCONTINUED), pid, "WCONTINUED: it goes on");
    ok(WIFCONTINUED(status), "by SIGCONT");
    kill(pid, SIGSTOP);
    is(waitid(P_PID, pid, &info, WSTOPPED | WNOWAIT), 0, "waitid, WSTOPPED");
    ok(info.si_code == CLD_STOPPED && info.si_status == SIGSTOP, "CLD_STOPPED");
    is(waitpid(pid, &status, WNOHANG), 0, "who doesn't ask isn't told");
    kill(pid, SIGKILL);
    is(waitpid(pid, &status, 0), pid, "SIGKILL ends it all the same");
    is(WTERMSIG(status), SIGKILL, "its status");
}

static void handler(int signal)
{
    (void)signal;
    common[3]++;
}

static int slow_kill(void)
{
    usleep(20000);
    kill(getppid(), SIGUSR1);
    await(&common[3], 1);
    usleep(20000);
    common[0] = 1;
    return 0;
}

/* A signal ends waitpid, or it goes on waiting. */
static void interrupted(void)
{
    for (int restart = 0; restart < 2; restart++) {
        struct sigaction action = {.sa_handler = handler, .sa_flags = restart ? SA_RESTART : 0};
        int status;
        common_make();
        sigaction(SIGUSR1, &action, NULL);
        pid_t killer = child_start(slow_kill), pid = child_start(until_told);
        if (restart)
            is(waitpid(pid, &status, 0), pid, "SA_RESTART: waitpid goes on");
        else
            fails(waitpid(pid, &status, 0), EINTR);
        is(common[3], 1, "the handler ran");
        child_wait(killer);
        if (!restart)
            child_wait(pid);
    }
    signal(SIGUSR1, SIG_DFL);
}

void suite_wait(void)
{
    statuses();
    no_hang();
    zombies();
    arguments();
    many();
    orphans();
    parents();
    groups();
    usage();
    ignored();
    clones();
    stops();
    interrupted();
}
