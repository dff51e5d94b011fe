/*
 * answers.c: small answers that programs seldom ask for, each as Linux gives it: odd bits and sizes of arguments, files that
 * are written or run, and the names in /proc, which nobody changes.
 */
#include "tests/guest/guest.h"

#include "tests/guest/child.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#ifndef FIOASYNC
#define FIOASYNC 0x5452
#endif

enum { SET_GS = 0x1001, SET_FS = 0x1002 };

static char place[64], place2[80];

/* The number of a call is the low half of RAX. */
static void numbers(void)
{
    is(syscall(SYS_getpid | 1ul << 32), getpid(), "getpid with a bit above the number");
    is(syscall(SYS_getpid | ~0ul << 32), getpid(), "with all of them");
    fails(syscall(-1l), ENOSYS);
    fails(syscall(0x40000000 | SYS_getpid), ENOSYS);
    fails(syscall(1ul << 32, -1, NULL, 0), EBADF);
}

static void memory(void)
{
    char *p = anon_at(area(1), 1, RW);

    fails(syscall(SYS_mprotect, p, page, 1ul << 32), EINVAL);
    fails(syscall(SYS_mprotect, p, page, 1ul << 32 | RW), EINVAL);
    is(syscall(SYS_mprotect, p, 0ul, 1ul << 32), 0, "no bytes, any right");
    ok(writable(p), "nothing was changed");
    unmap(p, 1);
    fails(syscall(SYS_arch_prctl, SET_GS, USER_END - page), EPERM);
    fails(syscall(SYS_arch_prctl, SET_FS, USER_END - page), EPERM);
    is(syscall(SYS_arch_prctl, SET_GS, USER_END - page - 1), 0, "the last address of all");
    is(syscall(SYS_arch_prctl, SET_GS, 0ul), 0, "and none");
    fails(syscall(SYS_getrandom, -1l, 0ul, 0), EFAULT);
    is(syscall(SYS_getrandom, 1l, 0ul, 0), 0, "no random bytes to page 0");
}

static void waiting(void)
{
    struct timespec none = {0, 0}, bad = {0, -1}, now, tai;
    unsigned long set = 0;

    fails(syscall(SYS_ppoll, NULL, 0, &none, &set, 7ul), EINVAL);
    is(syscall(SYS_ppoll, NULL, 0, &none, NULL, 7ul), 0, "no mask of any size");
    is(syscall(SYS_ppoll, NULL, 0, &none, &set, 8ul), 0, "a mask of eight bytes");
    fails(syscall(SYS_ppoll, NULL, 0, 1ul, &set, 7ul), EFAULT);
    fails(syscall(SYS_ppoll, NULL, 0, &none, 1ul, 8ul), EFAULT);
    fails(syscall(SYS_ppoll, NULL, 0, &bad, &set, 8ul), EINVAL);
    is(clock_gettime(CLOCK_REALTIME, &now), 0, "the time of the day");
    ok(clock_gettime(CLOCK_TAI, &tai) == 0 && tai.tv_sec >= now.tv_sec, "and that of the atoms");
    fails(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC_RAW, 0, &none, NULL), EOPNOTSUPP);
    fails(syscall(SYS_clock_nanosleep, CLOCK_REALTIME_COARSE, 0, &none, NULL), EOPNOTSUPP);
    fails(syscall(SYS_clock_nanosleep, 12, 0, &none, NULL), EINVAL);
    is(syscall(SYS_clock_nanosleep, CLOCK_TAI, 0, &none, NULL), 0, "sleep by it");
}

static void stack(void)
{
    static char bytes[65536];
    stack_t new = {bytes, SS_ONSTACK, sizeof bytes}, old, now;

    is(sigaltstack(&new, &old), 0, "SS_ONSTACK may be given");
    ok(sigaltstack(NULL, &now) == 0 && now.ss_flags == 0, "and is not kept");
    is(sigaltstack(&old, NULL), 0, "set back");
}

/* ---- descriptors ---- */

static void places(void)
{
    char buf[16];
    int dir = open(temp_directory(), O_PATH | O_DIRECTORY | O_RDWR);
    int link = symlink("target", place) ? -1 : open(place, O_PATH | O_NOFOLLOW);

    is(fcntl(dir, F_GETFL), O_PATH | O_DIRECTORY, "F_GETFL of a place");
    is(fcntl(link, F_GETFL), O_PATH | O_NOFOLLOW, "and of a link");
    fails(fcntl(link, F_SETFL, 0), EBADF);
    fails(ioctl(link, FIOCLEX), EBADF);
    is(readlinkat(link, "", buf, sizeof buf), 6, "the link that a descriptor is");
    fails(readlinkat(dir, "", buf, sizeof buf), ENOENT);
    fails(readlink("", buf, sizeof buf), ENOENT);
    close(dir);
    close(link);
    unlink(place);
}

static void controls(void)
{
    int n = -7, fd = filled_file(1, 1), dir = open("/", O_RDONLY);

    lseek(fd, 4000, SEEK_SET);
    ok(ioctl(fd, FIONREAD, &n) == 0 && n == (int)page - 4000, "FIONREAD: to the end of a file");
    lseek(fd, 5000, SEEK_SET);
    ok(ioctl(fd, FIONREAD, &n) == 0 && n == (int)page - 5000, "and back to it");
    fails(ioctl(fd, FIONREAD, 1), EFAULT);
    fails(ioctl(dir, FIONREAD, &n), ENOTTY);
    ok(ioctl(fd, FIOCLEX) == 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC, "FIOCLEX");
    ok(ioctl(fd, FIONCLEX) == 0 && fcntl(fd, F_GETFD) == 0, "FIONCLEX");
    n = 1;
    ok(ioctl(fd, FIONBIO, &n) == 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK), "FIONBIO");
    n = 0;
    ok(ioctl(fd, FIONBIO, &n) == 0 && !(fcntl(fd, F_GETFL) & O_NONBLOCK), "and off");
    fails(ioctl(fd, FIONBIO, 1), EFAULT);
    fails(ioctl(fd, 0x5402, 1), ENOTTY);
    fails(ioctl(999, FIOCLEX), EBADF);
    close(dir);
    close(fd);
    fd = open("/dev/null", O_RDWR);
    fails(ioctl(fd, FIONREAD, &n), ENOTTY);
    is(lseek(fd, 5, SEEK_SET), 0, "nothing has no positions");
    is(lseek(fd, -5, SEEK_END), 0, "at all");
    close(fd);
}

/* ---- prctl ---- */

static int tells_inherited(void)
{
    int death = -1;

    return prctl(PR_GET_PDEATHSIG, &death) || death || prctl(PR_GET_DUMPABLE) ||
           prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

static int grandchild_waits(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    common[0] = getpid();
    while (!sleep(1000))
        ;
    return 0;
}

static int child_leaves(void)
{
    child_start(grandchild_waits);
    while (!common[0])
        usleep(1000);
    return 0;
}

static int sets_privileges(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0) ||
           child_status(child_start(tells_inherited));
}

static void properties(void)
{
    char name[16], old[16];
    int death = -1;

    ok(prctl(PR_GET_PDEATHSIG, &death) == 0 && death == 0, "no signal when the parent dies");
    fails(prctl(PR_SET_PDEATHSIG, 65), EINVAL);
    fails(prctl(PR_SET_PDEATHSIG, 1ul << 32), EINVAL);
    fails(prctl(PR_GET_PDEATHSIG, 1), EFAULT);
    is(prctl(PR_SET_PDEATHSIG, 64), 0, "any signal may be it");
    ok(prctl(PR_GET_PDEATHSIG, &death) == 0 && death == 64, "and is told");
    is(prctl(PR_GET_DUMPABLE), 1, "dumpable");
    fails(prctl(PR_SET_DUMPABLE, 2), EINVAL);
    is(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0, "privileges may come");
    fails(prctl(PR_GET_NO_NEW_PRIVS, 1, 0, 0, 0), EINVAL);
    fails(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0), EINVAL);
    fails(prctl(PR_SET_NO_NEW_PRIVS, 1, 1, 0, 0), EINVAL);
    is(child_status(child_start(sets_privileges)), 0,
       "two are inherited, the parent's death is not");
    prctl(PR_SET_PDEATHSIG, 0);
    ok(!prctl(PR_GET_NAME, old) && !prctl(PR_SET_NAME, "a123456789012345678") &&
           !prctl(PR_GET_NAME, name) && !strcmp(name, "a12345678901234"),
       "a name of 15 bytes");
    prctl(PR_SET_NAME, old);
    fails(prctl(PR_SET_NAME, 1), EFAULT);
    fails(prctl(9999), EINVAL);
    common[0] = 0;
    is(child_status(child_start(child_leaves)), 0, "a parent that ends");
    pid_t orphan = (pid_t)common[0]; /* where we are process 1 it is our child */
    for (int i = 0; i < 5000 && kill(orphan, 0) == 0 && waitpid(orphan, NULL, WNOHANG) <= 0; i++)
        usleep(1000);
    fails(kill(orphan, 0), ESRCH);
}

/* ---- files that are written or run ---- */

static int runs_place(void)
{
    char *argv[] = {place, NULL};

    execve(place, argv, argv + 1);
    return errno == ETXTBSY ? 1 : 2;
}

static void busy(void)
{
    const char *self = "/proc/self/exe";

    fails(open(self, O_WRONLY), ETXTBSY);
    fails(open(self, O_RDWR), ETXTBSY);
    fails(open(self, O_RDONLY | O_TRUNC), ETXTBSY);
    fails(truncate(self, 0), ETXTBSY);
    int fd = open(self, O_RDONLY);
    ok(fd >= 0 && close(fd) == 0, "a running program can be read");
    exec_write_good(place);
    is(child_status(child_start(runs_place)), 42, "a program runs");
    fd = open(place, O_RDWR);
    ok(fd >= 0, "and can be written then");
    is(child_status(child_start(runs_place)), 1, "which keeps it from running");
    char *p = map_at(area(1), 1, RW, MAP_SHARED, fd, 0);
    close(fd);
    is(child_status(child_start(runs_place)), 1, "as a map does that outlives the descriptor");
    unmap(p, 1);
    is(child_status(child_start(runs_place)), 42, "afterwards it runs");
    fd = open(place, O_WRONLY | O_TRUNC);
    ok(fd >= 0 && write(fd, "#!/nowhere\n", 11) == 11, "a script is written");
    is(child_status(child_start(runs_place)), 1, "and so is not run");
    close(fd);
    is(child_status(child_start(runs_place)), 2, "or has no interpreter");
    is(truncate(place, 0), 0, "what failed to run is free");
    unlink(place);
}

/* ---- the names in /proc ---- */

static void removals(void)
{
    fails(unlink("/proc/1"), EPERM);
    fails(unlink("/proc/version"), EPERM);
    fails(unlink("/proc/self/fd/0"), EPERM);
    fails(unlink("/proc/sys/vm/max_map_count"), EACCES);
    fails(unlink("/proc"), EISDIR);
    fails(rmdir("/proc/1"), EPERM);
    fails(rmdir("/proc/sys"), EPERM);
    fails(rmdir("/proc/sys/vm"), EACCES);
    fails(rmdir("/proc/version"), ENOTDIR);
    fails(rmdir("/proc"), EBUSY);
    fails(rmdir("/proc/."), EINVAL);
}

static void moves(void)
{
    close(open(place, O_CREAT | O_WRONLY, 0644));
    mkdir(place2, 0755);
    fails(rename("/proc/version", place2), EXDEV);
    fails(rename("/proc/version", "/proc/uptime"), EPERM);
    fails(rename("/proc/1", "/proc/x"), ENOENT);
    fails(rename("/proc/nothing", "/tmp/x"), EXDEV);
    fails(rename(place, "/proc/x"), EXDEV);
    fails(rename(place, "/proc/version"), EXDEV);
    fails(rename("/proc", "/proc/x"), EXDEV);
    fails(rename("/proc", "/nowhere"), EBUSY);
    fails(link(place, "/proc/x"), ENOENT);
    fails(link(place, "/proc/version"), EEXIST);
    fails(link("/proc/version", "/proc/x"), ENOENT);
    fails(link("/proc/self/exe", place2), EEXIST);
    fails(link("/proc", "/nowhere"), EXDEV);
    fails(open("/proc/x", O_CREAT | O_RDWR, 0644), ENOENT);
    fails(open("/proc/x/", O_CREAT | O_RDWR, 0644), EISDIR);
    fails(open("/proc/version", O_CREAT | O_EXCL, 0644), EEXIST);
    fails(open("/proc/sys/x", O_CREAT | O_RDWR, 0644), ENOENT);
    fails(mkdir("/proc/sys/x", 0755), ENOENT);
    fails(symlink("a", "/proc/version"), EEXIST);
    fails(open("/proc", O_TMPFILE | O_RDWR, 0600), EOPNOTSUPP);
    unlink(place);
    rmdir(place2);
}

static void refuses(const char *path, int flags, int error)
{
    int fd = open(path, flags);

    ok(fd >= 0, "%s is opened to write", path);
    errno = 0;
    ok(write(fd, "x", 1) == -1 && errno == error, "and says %s", strerror(error));
    close(fd);
}

static void texts(void)
{
    refuses("/proc/self/maps", O_WRONLY, EINVAL);
    refuses("/proc/self/status", O_RDWR, EINVAL);
    refuses("/proc/self/cmdline", O_WRONLY | O_TRUNC, EINVAL);
    refuses("/proc/version", O_RDWR, EIO);
    refuses("/proc/meminfo", O_WRONLY | O_TRUNC, EIO);
}

void suite_answers(void)
{
    snprintf(place, sizeof place, "%s/guest-answers-%d", temp_directory(), (int)getpid());
    snprintf(place2, sizeof place2, "%s.2", place);
    common_make();
    numbers();
    memory();
    waiting();
    stack();
    places();
    controls();
    properties();
    busy();
    removals();
    moves();
    texts();
}
