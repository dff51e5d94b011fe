/*
 * spawn.c: vfork, clone, posix_spawn and exec in children; thousands of them; too little memory for one, or for all.
 */
#include "tests/guest/guest.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#include "tests/guest/child.h"

extern char **environ;

/* ---- vfork, clone, posix_spawn ---- */

static void vforks(void)
{
    static volatile int value;

    value = 1;
    pid_t pid = vfork();
    if (pid == 0) {
        value = 2;
        _exit(7);
    }
    is(value, 2, "vfork: memory is shared, and the parent waits");
    is(child_status(pid), 7, "its status");
    pid = vfork();
    if (pid == 0) {
        execl("/proc/self/exe", "guest", "exit-77", NULL);
        _exit(1);
    }
    is(child_status(pid), 77, "vfork and exec");
    pid = vfork();
    if (pid == 0) {
        execl("/nowhere", "nowhere", NULL);
        value = errno;
        _exit(1);
    }
    ok(value == ENOENT && child_status(pid) == 1, "vfork and an exec that fails");
}

static char stack[65536] __attribute__((aligned(16)));
static volatile int cloned_tid, parent_tid;

static int cloned(void *arg)
{
    *(volatile int *)arg = cloned_tid == getpid() ? 5 : 6;
    return 3;
}

static void clones(void)
{
    static volatile int value;
    pid_t pid = clone(cloned, stack + sizeof stack,
                      CLONE_VM | CLONE_VFORK | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | SIGCHLD,
                      (void *)&value, &parent_tid, NULL, &cloned_tid);
    is(value, 5, "CLONE_VM, CLONE_VFORK, a stack of its own, CLONE_CHILD_SETTID");
    is(parent_tid, pid, "CLONE_PARENT_SETTID");
    is(child_status(pid), 3, "its status");
    value = 0;
    cloned_tid = 1;
    pid = clone(cloned, stack + sizeof stack,
                CLONE_VM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, (void *)&value,
                NULL, NULL, &cloned_tid);
    while (value == 0)
        sched_yield();
    for (int tid; (tid = cloned_tid) != 0;)
        syscall(SYS_futex, &cloned_tid, FUTEX_WAIT, tid, NULL, NULL, 0);
    ok(value == 5 && cloned_tid == 0, "CLONE_VM alone; CLONE_CHILD_CLEARTID wakes who waits");
    is(child_status(pid), 3, "its status");
    value = 0;
    pid = syscall(SYS_clone, CLONE_CHILD_SETTID | SIGCHLD, NULL, NULL, &cloned_tid, 0);
    if (pid == 0)
        _exit(cloned_tid == getpid() ? 4 : 5);
    is(child_status(pid), 4, "CLONE_CHILD_SETTID writes to the child's memory");
    is(cloned_tid, 0, "not to the parent's");
    int fd = temp_file();
    pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, 0);
    if (pid == 0)
        _exit(close(fd) ? 1 : 0);
    is(child_status(pid), 0, "CLONE_FILES");
    fails(close(fd), EBADF);
    fails(syscall(SYS_clone, CLONE_SIGHAND | SIGCHLD, NULL, NULL, NULL, 0), EINVAL);
    fails(syscall(SYS_clone, CLONE_THREAD | CLONE_VM | SIGCHLD, NULL, NULL, NULL, 0), EINVAL);
    fails(syscall(SYS_clone, CLONE_SETTLS | SIGCHLD, NULL, NULL, NULL, KERNEL_ADDRESS), EPERM);
}

static void spawns(void)
{
    char *argv[] = {"guest", "exit-77", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    char name[64], text[64] = "";

    is(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ), 0, "posix_spawn");
    is(child_status(pid), 77, "its status");
    is(posix_spawn(&pid, "/nowhere", NULL, NULL, argv, environ), ENOENT, "of nothing: ENOENT");
    fails(waitpid(-1, NULL, WNOHANG), ECHILD);
    int fd = named_file(name, sizeof name);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, 1);
    posix_spawn_file_actions_addclose(&actions, fd);
    argv[1] = "--list";
    is(posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ), 0,
       "with its output in a file");
    is(child_status(pid), 0, "its status");
    posix_spawn_file_actions_destroy(&actions);
    pread(fd, text, sizeof text - 1, 0);
    ok(!strncmp(text, "mmap\nmmap-file\n", 15), "which has it");
    close(fd);
    unlink(name);
}

/* As popen: a program whose output comes by a pipe; then one that writes to a pipe without a reader. */
static void pipes(void)
{
    char text[4096], *argv[] = {"guest", "--list", NULL};
    int ends[2], length = 0, n, status;

    ok(pipe(ends) == 0, "pipe");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execv("/proc/self/exe", argv);
        _exit(1);
    }
    close(ends[1]);
    while ((n = read(ends[0], text + length, sizeof text - 1 - length)) > 0)
        length += n;
    text[length] = 0;
    is(child_status(pid), 0, "a program that writes to it");
    ok(!strncmp(text, "mmap\nmmap-file\n", 15) && strstr(text, "\nspawn\n"), "is read to its end");
    close(ends[0]);
    ok(pipe(ends) == 0, "pipe");
    close(ends[0]);
    pid = fork();
    if (pid == 0)
        _exit(write(ends[1], "x", 1) == 1);
    close(ends[1]);
    waitpid(pid, &status, 0);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE, "nobody reads: SIGPIPE");
}

static int exec_cloexec(void)
{
    if (fcntl(0, F_DUPFD_CLOEXEC, 50) < 0)
        return 1;
    execl("/proc/self/exe", "guest", "exit-77", NULL);
    return 1;
}

static int grandparent(void)
{
    return child_status(child_start(exec_cloexec));
}

/* ---- many ---- */

static unsigned long free_bytes(void)
{
    struct sysinfo info;

    sysinfo(&info);
    return info.freeram * info.mem_unit;
}

static void one_round(void)
{
    char *p = mmap(NULL, 8 * page, RW, ANON, -1, 0);
    memset(p, 1, 8 * page);
    pid_t pid = fork();
    if (pid == 0) {
        p[0] = 2;
        _exit(p[page]);
    }
    if (child_status(pid) != 1)
        tap_note("a child went wrong");
    munmap(p, 8 * page);
}

static void leaks(void)
{
    one_round();
    unsigned long before = free_bytes();
    for (int i = 0; i < 1000; i++)
        one_round();
    unsigned long after = free_bytes();
    if (fathom)
        is(after, before, "1,000 forks leave as much memory free as there was");
    child_run(grandparent);
    before = free_bytes();
    int bad = 0;
    for (int i = 0; i < 200; i++)
        bad += child_status(child_start(exec_cloexec)) != 77;
    is(bad, 0, "200 execs in children");
    after = free_bytes();
    if (fathom)
        is(after, before, "and those, too");
    is(child_status(child_start(grandparent)), 77, "a child's child");
}

static int nothing(void)
{
    return 0;
}

/* Take all memory by MAP_POPULATE, which stops where there is no more, and fork. */
static void no_memory(void)
{
    if (!fathom) {
        tap_skip("memory is not used up on other people's machines");
        return;
    }
    unsigned long all = free_bytes() + (16 << 20);
    char *p = mmap(NULL, all, RW, ANON | MAP_NORESERVE | MAP_POPULATE, -1, 0);
    ok(p != MAP_FAILED && free_bytes() < 64 * page, "all memory is in use");
    for (int i = 0; i < 3; i++)
        fails(fork(), ENOMEM);
    munmap(p + all / 2 / page * page, all / 4 / page * page);
    is(child_run(nothing), 0, "with some given back there are children again");
    munmap(p, all);
    unsigned long before = free_bytes();
    is(child_run(nothing), 0, "and all is as it was");
    is(free_bytes(), before, "nothing is lost");
}

static int hog(void)
{
    unsigned long all = free_bytes() + (16 << 20);
    char *p = mmap(NULL, all, RW, ANON | MAP_NORESERVE, -1, 0);
    common[1] = 1;
    for (unsigned long i = 0; i < all; i += page)
        p[i] = 1;
    return 0;
}

/* Needs a little memory all the time, and writes to a file. */
static int modest(void)
{
    int fd = temp_file();
    char *p = mmap(NULL, 256 * page, RW, ANON, -1, 0);
    common[2] = 1;
    while (!common[0])
        sched_yield();
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 256; i++)
            p[i * page]++;
        if (pwrite(fd, p, page, 0) != (long)page)
            return 1;
        usleep(1000);
        madvise(p, 256 * page, MADV_DONTNEED);
    }
    return 0;
}

/* Memory runs out in faults: the process that has most of it goes, and no other. */
static void out_of_memory(void)
{
    if (!fathom) {
        tap_skip("memory is not used up on other people's machines");
        return;
    }
    common_make();
    pid_t a = child_start(modest);
    await(&common[2], 1);
    unsigned long before = 0;
    for (int round = 0; round < 4; round++) {
        pid_t b = child_start(hog);
        if (round == 2)
            common[0] = 1;
        is(child_status(b), 1000 + SIGKILL, "the largest process is killed");
        if (round == 1)
            is(free_bytes(), before, "and all its memory comes back");
        before = free_bytes(); /* after the first: the parent has copied what it writes to */
    }
    is(child_status(a), 0, "a small one never notices");
}

/* ---- numbers ---- */

static void numbers(void)
{
    enum { ROUNDS = 100 };
    pid_t last = 0;
    bool rising = true;

    for (int i = 0; i < ROUNDS; i++) {
        pid_t pid = child_start(nothing);
        rising &= pid > last || pid < 1000;
        last = pid;
        child_wait(pid);
    }
    ok(rising, "a number comes back only when all others have been used");
    is(getpid(), syscall(SYS_gettid), "one thread each");
}

void suite_spawn(void)
{
    vforks();
    clones();
    spawns();
    pipes();
    leaks();
    no_memory();
    out_of_memory();
    numbers();
}
