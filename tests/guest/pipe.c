/*
 * pipe.c: pipes: bytes in order between processes, waiting at both ends, ends that close, memory that is not there.
 */
#include "tests/guest/guest.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void basics(void)
{
    char buf[64];
    int end[2], ready;
    struct stat status;

    is(pipe(end), 0, "pipe");
    is(write(end[1], "hello", 5), 5, "what goes in");
    is(ioctl(end[0], FIONREAD, &ready), 0, "FIONREAD");
    is(ready, 5, "is there");
    is(read(end[0], buf, 2), 2, "comes out");
    is(read(end[0], buf + 2, 60), 3, "in order");
    ok(!memcmp(buf, "hello", 5), "the same");
    fails(read(end[1], buf, 1), EBADF);
    fails(write(end[0], buf, 1), EBADF);
    fails(lseek(end[0], 0, SEEK_CUR), ESPIPE);
    fails(pread(end[0], buf, 1, 0), ESPIPE);
    fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, end[0], 0), ENODEV);
    fails(ftruncate(end[1], 0), EINVAL);
    ok(fstat(end[0], &status) == 0 && S_ISFIFO(status.st_mode), "fstat says what it is");
    is(close(end[1]), 0, "the writer closes");
    is(read(end[0], buf, 1), 0, "the end is read");
    close(end[0]);
    fails(pipe2(end, 1), EINVAL);
    fails(pipe((int *)KERNEL_ADDRESS), EFAULT);
    is(pipe2(end, O_CLOEXEC | O_NONBLOCK), 0, "pipe2");
    is(fcntl(end[1], F_GETFD), FD_CLOEXEC, "with its flags");
    fails(read(end[0], buf, 1), EAGAIN);
    close(end[0]);
    close(end[1]);
}

static void memory(void)
{
    int end[2];
    char buf[16] = "", *p = anon_at(area(2), 2, RW);

    pipe(end);
    unmap(p + page, 1);
    is(write(end[1], "0123456789", 10), 10, "ten bytes");
    fails(read(end[0], p + page, 10), EFAULT);
    fails(read(end[0], p + page - 4, 10), EFAULT);
    is(read(end[0], buf, 10), 10, "they stay, whole");
    ok(!memcmp(buf, "0123456789", 10), "to be read");
    fails(write(end[1], p + page, 10), EFAULT);
    fails(write(end[1], p + page - 4, 10), EFAULT);
    is(write(end[1], "end", 3), 3, "nothing of that was written");
    is(read(end[0], buf, 10), 3, "but what came after");
    unmap(p, 1);
    close(end[0]);
    close(end[1]);
}

static void full(void)
{
    static char buf[1 << 17];
    int end[2];
    struct pollfd p[2];

    pipe2(end, O_NONBLOCK);
    p[0] = (struct pollfd){.fd = end[0], .events = POLLIN};
    p[1] = (struct pollfd){.fd = end[1], .events = POLLOUT};
    ok(poll(p, 2, 0) == 1 && p[1].revents == POLLOUT, "empty: it can be written");
    is(write(end[1], buf, sizeof buf), 65536, "it holds 64 KiB");
    fails(write(end[1], buf, 1), EAGAIN);
    ok(poll(p, 2, 0) == 1 && p[0].revents == POLLIN, "full: it can be read");
    is(read(end[0], buf, PIPE_BUF), PIPE_BUF, "a page less");
    is(write(end[1], buf, PIPE_BUF), PIPE_BUF, "is room for a page");
    is(read(end[0], buf, sizeof buf), 65536, "all at once");
    close(end[1]);
    ok(poll(p, 1, 0) == 1 && (p[0].revents & POLLHUP), "closed: POLLHUP");
    close(end[0]);
}

static volatile sig_atomic_t signals;

static void count(int signal)
{
    (void)signal;
    signals++;
}

static void broken(void)
{
    int end[2];
    struct pollfd p;
    struct sigaction action = {.sa_handler = count}, old;

    sigaction(SIGPIPE, &action, &old);
    signals = 0;
    pipe(end);
    close(end[0]);
    fails(write(end[1], "x", 1), EPIPE);
    is(signals, 1, "and SIGPIPE");
    p = (struct pollfd){.fd = end[1], .events = POLLOUT};
    ok(poll(&p, 1, 0) == 1 && (p.revents & POLLERR), "POLLERR");
    close(end[1]);
    sigaction(SIGPIPE, &old, NULL);
}

/* A megabyte from a child through a pipe of 64 KiB. */
static void stream(void)
{
    enum { TOTAL = 1 << 20 };
    static unsigned char buf[30000];
    int end[2], pid, status;
    u64 sum = 0, total = 0, want = 0;

    pipe(end);
    for (int i = 0; i < TOTAL; i++)
        want += (unsigned char)(i * 31);
    if ((pid = fork()) == 0) {
        close(end[0]);
        for (int at = 0; at < TOTAL;) {
            int n = 1 + at % 20011 < TOTAL - at ? 1 + at % 20011 : TOTAL - at;
            for (int i = 0; i < n; i++)
                buf[i] = (at + i) * 31;
            if (write(end[1], buf, n) != n)
                _exit(1);
            at += n;
        }
        _exit(0);
    }
    close(end[1]);
    for (ssize_t n; (n = read(end[0], buf, sizeof buf)) > 0; total += n)
        for (ssize_t i = 0; i < n; i++)
            sum += buf[i];
    is(total, TOTAL, "a megabyte comes through");
    is(sum, want, "the right one");
    ok(waitpid(pid, &status, 0) == pid && status == 0, "the child has written it all");
    close(end[0]);
}

/* Two children write records of a page; none is cut in two. */
static void atomic(void)
{
    enum { RECORDS = 100 };
    char record[PIPE_BUF];
    int end[2], whole = 0, n = 0;

    pipe(end);
    for (int child = 0; child < 2; child++)
        if (fork() == 0) {
            memset(record, 'a' + child, sizeof record);
            for (int i = 0; i < RECORDS; i++)
                if (write(end[1], record, sizeof record) != sizeof record)
                    _exit(1);
            _exit(0);
        }
    close(end[1]);
    for (;; n++) {
        size_t got = 0;
        for (ssize_t part;
             got < sizeof record && (part = read(end[0], record + got, sizeof record - got)) > 0;)
            got += part;
        if (got < sizeof record)
            break;
        bool same = true;
        for (size_t i = 1; i < sizeof record; i++)
            same &= record[i] == record[0];
        whole += same;
    }
    is(n, 2 * RECORDS, "all records arrive");
    is(whole, n, "each whole");
    while (wait(NULL) > 0)
        ;
    close(end[0]);
}

/* A signal ends the waiting of a reader, and of a writer. */
static void interrupted(void)
{
    static char buf[1 << 17];
    int end[2];
    struct sigaction action = {.sa_handler = count}, old;

    sigaction(SIGALRM, &action, &old);
    pipe(end);
    alarm(1);
    fails(read(end[0], buf, 1), EINTR);
    alarm(1);
    is(write(end[1], buf, sizeof buf), 65536, "a writer comes back with what it could write");
    alarm(1);
    fails(write(end[1], buf, 1), EINTR);
    close(end[0]);
    close(end[1]);
    sigaction(SIGALRM, &old, NULL);
}

void suite_pipe(void)
{
    basics();
    memory();
    full();
    broken();
    stream();
    atomic();
    interrupted();
}
