/*
 * junk.c: system calls 0 to 600 with junk for arguments. The kernel has to live, and this
 * program's memory and files have to stay as they were. Numbers that end, block or rebuild the
 * program are left out, or get only arguments that they must refuse. On Linux, where junk may
 * reach the reader's machine, it is skipped.
 */
#include "tests/guest/guest.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>

enum { LAST = 600, ROUNDS = 8 };

/* What ends or replaces the program, sends signals, sleeps, or makes a second process. */
static bool left_out(long n)
{
    static const short numbers[] = {
        SYS_exit,
        SYS_exit_group,
        SYS_pause,
        SYS_reboot,
        SYS_rt_sigreturn,
        SYS_fork,
        SYS_vfork,
        SYS_clone,
        SYS_clone3,
        SYS_execve,
        SYS_execveat,
        SYS_kill,
        SYS_tkill,
        SYS_tgkill,
        SYS_rt_sigsuspend,
        SYS_nanosleep,
        SYS_poll,
        SYS_ppoll,
        SYS_select,
        SYS_pselect6,
        SYS_futex,
        SYS_wait4,
        SYS_waitid,
        SYS_clock_nanosleep,
        SYS_alarm,
        SYS_setitimer,
        SYS_rt_sigtimedwait,
        SYS_pidfd_send_signal,
        SYS_rt_sigprocmask,
        SYS_setrlimit,
        SYS_prlimit64,
        SYS_chroot,
        SYS_chdir,
        SYS_close_range,
        SYS_rt_sigaction,
        SYS_seccomp,
        SYS_setuid,
        SYS_setpgid,
        SYS_setsid,
        SYS_rt_sigqueueinfo,
        SYS_rt_tgsigqueueinfo,
        SYS_brk,
        SYS_mlockall,
        SYS_munlockall,
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == n)
            return true;
    return false;
}

static char *hole; /* an address at which nothing is mapped, with 1 GiB of nothing behind it */

/* No value is the number of an open descriptor, an address of this program's memory, or a page's
 * address below it, from which a long range would reach it. */
static long junk(u64 *state)
{
    long values[] = {-1,
                     0x7fffffff,
                     -0x80000000l,
                     1l << 62,
                     (long)(1ul << 63),
                     (long)KERNEL_ADDRESS,
                     (long)NON_CANONICAL,
                     (long)0xffffffff80100000,
                     (long)hole,
                     (long)hole + 1,
                     (long)(USER_END - page),
                     -4096,
                     4095,
                     1000,
                     (long)(random_next(state) | 1ul << 40)};

    return values[random_next(state) % (sizeof values / sizeof *values)];
}

static volatile int rings;

static void ring(int signal)
{
    (void)signal;
    rings++;
}

/* SIGALRM in the middle of it all. */
static void ring_often(void)
{
    struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 10000}, {0, 10000}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

void suite_junk(void)
{
    static char data[4096];
    static const char pattern[16] = "0123456789abcdef";
    u64 state = random_seed * 2 + 1;
    int unknown = 0;

    if (!fathom) {
        tap_skip("only in Fathom");
        return;
    }
    hole = area(1 << 18);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = pattern[i % 16];
    ring_often();
    for (int round = 0; round < ROUNDS || (rings < 3 && round < 1000); round++)
        for (long n = 0; n <= LAST; n++) {
            if (left_out(n))
                continue;
            long r = syscall(n, junk(&state), junk(&state), junk(&state), junk(&state),
                             junk(&state), junk(&state));
            unknown += r == -1 && errno == ENOSYS;
        }
    ok(true, "system calls 0 to %d, %d times", LAST, ROUNDS);
    ok(rings > 0, "%d signals meanwhile", rings);
    ok(unknown > 0, "those that are not there say ENOSYS");
    bool same = true;
    for (size_t i = 0; i < sizeof data; i++)
        same &= data[i] == pattern[i % 16];
    ok(same, "memory is as it was");
    for (long n = LAST + 1; n < 100000; n += 997)
        same &= syscall(n, 1, 2, 3, 4, 5, 6) == -1 && errno == ENOSYS;
    ok(same, "numbers far beyond: ENOSYS");
    same = true;
    for (int bit = 10; bit < 32; bit++) /* those above are not looked at */
        same &= syscall(1l << bit, 1, 2, 3) == -1 && errno == ENOSYS;
    same &= syscall(-1) == -1 && errno == ENOSYS;
    ok(same, "numbers with one high bit, and -1: ENOSYS");
    int fd = temp_file();
    ok(write(fd, data, sizeof data) == sizeof data && close(fd) == 0, "files still work");
}
