/*
 * process.c: what a program learns of itself and of the machine, and small calls of C libraries' start.
 */
#include "tests/guest/guest.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

static void identity(void)
{
    struct utsname name;
    int status;

    ok(getpid() > 0, "getpid");
    is(syscall(SYS_gettid), getpid(), "the first thread has the process's number");
    ok(getppid() >= 0, "getppid");
    is(getuid(), 0, "root");
    is(geteuid(), 0, "really");
    is(uname(&name), 0, "uname");
    ok(!strcmp(name.machine, "x86_64"), "machine is x86_64");
    ok(atoi(name.release) >= 6, "release %s is at least 6", name.release);
    fails(waitpid(-1, &status, 0), ECHILD);
    fails(waitpid(1 << 22, &status, WNOHANG), ECHILD);
    fails(waitpid(-1, &status, 0x40), EINVAL);
}

static void vector(void)
{
    is(getauxval(AT_PAGESZ), page, "AT_PAGESZ");
    ok(getauxval(AT_RANDOM) && readable((char *)getauxval(AT_RANDOM) + 15), "AT_RANDOM: 16 bytes");
    ok(strstr((char *)getauxval(AT_EXECFN), "guest") != NULL, "AT_EXECFN");
    is(getauxval(AT_SECURE), 0, "AT_SECURE");
    is(getauxval(AT_CLKTCK), 100, "AT_CLKTCK");
    ok(!strcmp((char *)getauxval(AT_PLATFORM), "x86_64"), "AT_PLATFORM");
}

static void limits(void)
{
    struct rlimit limit, low;

    is(getrlimit(RLIMIT_STACK, &limit), 0, "getrlimit");
    ok(limit.rlim_cur >= 1 << 20 && limit.rlim_cur <= limit.rlim_max, "a stack of 1 MiB or more");
    fails(getrlimit(99, &limit), EINVAL);
    is(getrlimit(RLIMIT_CORE, &limit), 0, "of core files");
    low = limit;
    low.rlim_cur = 0;
    is(setrlimit(RLIMIT_CORE, &low), 0, "setrlimit lowers");
    ok(!getrlimit(RLIMIT_CORE, &low) && low.rlim_cur == 0, "and it is lower");
    low.rlim_cur = 2;
    low.rlim_max = 1;
    fails(setrlimit(RLIMIT_CORE, &low), EINVAL);
    is(setrlimit(RLIMIT_CORE, &limit), 0, "set back");
}

static void threads(void)
{
    static int word = 5;
    cpu_set_t cpus;

    is(sched_yield(), 0, "sched_yield");
    ok(sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 0, "at least one CPU");
    fails(sched_getaffinity(0, 1, &cpus), EINVAL);
    fails(syscall(SYS_futex, &word, FUTEX_WAIT, 6, NULL, NULL, 0), EAGAIN);
    is(syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0), 0, "nobody to wake");
    fails(syscall(SYS_futex, (char *)&word + 1, FUTEX_WAKE, 1, NULL, NULL, 0), EINVAL);
    fails(syscall(SYS_futex, KERNEL_ADDRESS, FUTEX_WAIT, 0, NULL, NULL, 0), EFAULT);
    fails(syscall(SYS_futex, &word, 77, 0, NULL, NULL, 0), ENOSYS);
}

static void segment(void)
{
    static __thread int local = 77;
    unsigned long base = 0, now = 0;

    is(local, 77, "a thread's own variable");
    is(syscall(SYS_arch_prctl, 0x1003, &base), 0, "ARCH_GET_FS");
    __asm__ volatile("mov %%fs:0, %0" : "=r"(now));
    is(base, now, "is where FS points");
    fails(syscall(SYS_arch_prctl, 0x1002, USER_END), EPERM);
    fails(syscall(SYS_arch_prctl, 0x1002, KERNEL_ADDRESS), EPERM);
    fails(syscall(SYS_arch_prctl, 0x1003, KERNEL_ADDRESS), EFAULT);
    fails(syscall(SYS_arch_prctl, 0x7777, 0), EINVAL);
    is(local, 77, "FS is as it was");
}

/* Floating point and all registers outlive system calls, faults and the clock's ticks. */
static void registers(void)
{
    double sum = 0;
    bool good = true;

    for (int i = 1; i < 200000; i++) {
        sum += 1.0 / i;
        if (i % 1000 == 0)
            good &= getppid() >= 0;
    }
    ok(good && sum > 12.78 && sum < 12.79, "floating point over many system calls and ticks");
    unsigned long rbx = 0x1111, r12 = 0x2222, r13 = 0x3333, r14 = 0x4444, r15 = 0x5555, rax;
    __asm__ volatile("syscall"
                     : "=a"(rax), "+b"(rbx)
                     : "a"(SYS_getppid), "r"(r12), "r"(r13), "r"(r14), "r"(r15)
                     : "rcx", "r11", "memory");
    ok(rbx == 0x1111, "a system call keeps registers");
    unsigned long rdi = 0xaaaa, rsi = 0xbbbb, rdx = 0xcccc;
    __asm__ volatile("mov $0xdddd, %%r8; mov $0xeeee, %%r9; mov $0xffff, %%r10; syscall;"
                     "sub $0xdddd, %%r8; sub $0xeeee, %%r9; sub $0xffff, %%r10;"
                     "or %%r8, %%r9; or %%r9, %%r10; mov %%r10, %0"
                     : "=a"(rax), "+D"(rdi), "+S"(rsi), "+d"(rdx)
                     : "a"(SYS_getppid)
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    ok(rax == 0 && rdi == 0xaaaa && rsi == 0xbbbb && rdx == 0xcccc, "and its arguments'");
}

void suite_process(void)
{
    identity();
    vector();
    limits();
    threads();
    segment();
    registers();
}
