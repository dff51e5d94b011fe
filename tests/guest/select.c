/*
 * select.c: calls that a shell and its tools need beside those that have suites of their own: select, sendfile, FIFOs, owners,
 * users, priorities, ioctls of a descriptor.
 */
#include "tests/guest/guest.h"

#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void selecting(void)
{
    int end[2];
    fd_set in, out;
    struct timeval none = {0, 0}, bad = {-1, 0};
    struct timespec soon = {0, 1000000};

    is(pipe(end), 0, "a pipe");
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(end[0], &in);
    FD_SET(end[1], &out);
    is(select(end[1] + 1, &in, &out, NULL, &none), 1, "select: one is ready");
    ok(!FD_ISSET(end[0], &in) && FD_ISSET(end[1], &out), "the end for writing");
    is(write(end[1], "x", 1), 1, "a byte");
    FD_SET(end[0], &in);
    FD_SET(end[1], &out);
    is(select(end[1] + 1, &in, &out, NULL, NULL), 2, "then both");
    is(select(0, NULL, NULL, NULL, &none), 0, "none, and no time");
    fails(select(0, NULL, NULL, NULL, &bad), EINVAL);
    fails(select(-1, NULL, NULL, NULL, &none), EINVAL);
    FD_ZERO(&in);
    FD_SET(end[0], &in);
    char byte;
    is(read(end[0], &byte, 1), 1, "the byte is taken");
    is(pselect(end[0] + 1, &in, NULL, NULL, &soon, NULL), 0, "pselect: the time is over");
    ok(!FD_ISSET(end[0], &in), "and the set is empty");
    close(end[1]);
    FD_SET(end[0], &in);
    is(select(end[0] + 1, &in, NULL, NULL, NULL), 1, "the end of a pipe can be read");
    close(end[0]);
    FD_SET(end[0], &in);
    fails(select(end[0] + 1, &in, NULL, NULL, &none), EBADF);
    fails(select(1, (fd_set *)KERNEL_ADDRESS, NULL, NULL, &none), EFAULT);
}

static void sending(void)
{
    int from = filled_file(3, 'a'), to = temp_file(), end[2];
    off_t at = (off_t)page;
    char byte[2];

    is(sendfile(to, from, &at, page + 1), page + 1, "sendfile from an offset");
    is(at, 2 * page + 1, "which moves on");
    is(lseek(from, 0, SEEK_CUR), 3 * page, "the file's own position does not");
    is(lseek(to, 0, SEEK_CUR), page + 1, "that of the target does");
    ok(pread(to, byte, 1, 0) == 1 && byte[0] == 'b' && pread(to, byte, 1, (off_t)page) == 1 &&
           byte[0] == 'c',
       "the bytes are there");
    is(lseek(from, 2 * (off_t)page, SEEK_SET), 2 * page, "from the third page");
    is(sendfile(to, from, NULL, 1 << 20), page, "to the end");
    is(sendfile(to, from, NULL, 1), 0, "and no more");
    is(pipe(end), 0, "a pipe");
    at = 0;
    is(sendfile(end[1], from, &at, 2), 2, "into a pipe");
    is(read(end[0], byte, 2), 2, "out of it");
    fails(sendfile(to, end[0], NULL, 1), EINVAL);
    fails(sendfile(to, end[1], NULL, 1), EBADF);
    fails(sendfile(-1, from, NULL, 1), EBADF);
    at = -1;
    fails(sendfile(to, from, &at, 1), EINVAL);
    fails(sendfile(to, from, (off_t *)KERNEL_ADDRESS, 1), EFAULT);
    close(end[0]);
    signal(SIGPIPE, SIG_IGN);
    at = 0;
    fails(sendfile(end[1], from, &at, 1), EPIPE);
    signal(SIGPIPE, SIG_DFL);
    close(end[1]);
    close(from);
    close(to);
}

static void fifos(void)
{
    char name[64], buf[8];
    struct stat status;

    snprintf(name, sizeof name, "%s/fifo-%d", temp_directory(), getpid());
    is(mkfifo(name, 0600), 0, "mkfifo");
    fails(mkfifo(name, 0600), EEXIST);
    ok(stat(name, &status) == 0 && S_ISFIFO(status.st_mode), "is one");
    fails(open(name, O_WRONLY | O_NONBLOCK), ENXIO);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(name, O_WRONLY); /* waits for the reader */
        _exit(write(fd, "hello", 5) != 5);
    }
    int fd = open(name, O_RDONLY), ended;
    is(read(fd, buf, sizeof buf), 5, "what the other process wrote");
    is(waitpid(child, &ended, 0), child, "which ends");
    is(ended, 0, "well");
    is(read(fd, buf, sizeof buf), 0, "the end: nobody writes");
    close(fd);
    fd = open(name, O_RDWR);
    ok(fd >= 0 && write(fd, "lost", 4) == 4, "open for both does not wait");
    close(fd);
    fd = open(name, O_RDONLY | O_NONBLOCK);
    is(read(fd, buf, sizeof buf), 0, "what nobody read is gone once all have closed");
    close(fd);
    is(unlink(name), 0, "unlink");
}

static void owners(void)
{
    char name[64];
    uid_t real, effective, saved;
    int fd = named_file(name, sizeof name);

    is(chown(name, 0, 0), 0, "chown to root");
    is(fchown(fd, (uid_t)-1, (gid_t)-1), 0, "to nobody else");
    is(lchown(name, 0, (gid_t)-1), 0, "lchown");
    is(fchownat(fd, "", 0, 0, AT_EMPTY_PATH), 0, "fchownat");
    fails(fchownat(fd, "", 0, 0, 1), EINVAL);
    fails(chown("/no/such", 0, 0), ENOENT);
    is(getresuid(&real, &effective, &saved), 0, "getresuid");
    ok(real == 0 && effective == 0 && saved == 0, "all root");
    ok(setuid(0) == 0 && setgid(0) == 0 && setreuid(-1, 0) == 0 && setresgid(0, -1, 0) == 0,
       "root may stay root");
    if (fathom) {
        fails(setuid(7), EINVAL);
        fails(chown(name, 7, 0), EINVAL);
        is(getgroups(0, NULL), 0, "no other groups");
    }
    fails(getgroups(-1, NULL), EINVAL);
    close(fd);
    unlink(name);
}

static void priorities(void)
{
    struct sched_param zero = {0}, one = {1};

    is(getpriority(PRIO_PROCESS, 0), 0, "nice is 0");
    is(setpriority(PRIO_PROCESS, 0, 100), 0, "set too high");
    is(getpriority(PRIO_PROCESS, 0), 19, "it is the most");
    is(setpriority(PRIO_PROCESS, 0, 0), 0, "and back");
    fails(getpriority(3, 0), EINVAL);
    fails(getpriority(PRIO_PROCESS, 32000), ESRCH);
    is(sched_getscheduler(0), SCHED_OTHER, "the policy");
    is(sched_setscheduler(0, SCHED_BATCH, &zero), 0, "another");
    is(sched_setscheduler(0, SCHED_OTHER, &zero), 0, "and back");
    fails(sched_setscheduler(0, SCHED_OTHER, &one), EINVAL);
    is(sched_get_priority_max(SCHED_FIFO), 99, "priorities of real-time policies");
    is(sched_get_priority_min(SCHED_OTHER), 0, "others have none");
    fails(sched_get_priority_max(77), EINVAL);
}

static void descriptors(void)
{
    int fd = temp_file(), end[2], one = 1;

    is(ioctl(fd, FIOCLEX), 0, "FIOCLEX");
    is(fcntl(fd, F_GETFD), FD_CLOEXEC, "marks it");
    is(ioctl(fd, FIONCLEX), 0, "FIONCLEX");
    is(fcntl(fd, F_GETFD), 0, "and not");
    fails(ioctl(fd, TIOCGWINSZ, KERNEL_ADDRESS), ENOTTY);
    is(pipe(end), 0, "a pipe");
    is(ioctl(end[0], FIONBIO, &one), 0, "FIONBIO");
    fails(read(end[0], &one, 1), EAGAIN);
    fails(fallocate(fd, 0, 0, 0), EINVAL);
    fails(fallocate(end[1], 0, 0, 1), ESPIPE);
    close(end[0]);
    close(end[1]);
    close(fd);
}

void suite_select(void)
{
    selecting();
    sending();
    fifos();
    owners();
    priorities();
    descriptors();
}
