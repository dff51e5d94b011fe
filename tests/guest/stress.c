/*
 * stress.c: signals at every moment: an alarm that rings as often as it can, and a child that sends without a pause, while pipes
 * carry bytes, children come and go, and pages are touched for the first time or copied. Nothing may be lost, doubled, or end
 * early without saying so.
 */
#include "tests/guest/guest.h"

#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

static volatile long rung, got;
static pid_t sender;

static void on_alarm(int signal)
{
    (void)signal;
    rung++;
}

static void on_user(int signal)
{
    (void)signal;
    got++;
}

/* flags: SA_RESTART or none. */
static void rain_begins(int flags)
{
    struct sigaction alarm = {.sa_handler = on_alarm, .sa_flags = flags};
    struct sigaction user = {.sa_handler = on_user, .sa_flags = flags};
    struct itimerval often = {{0, 1000}, {0, 1000}};

    rung = got = 0;
    sigaction(SIGALRM, &alarm, NULL);
    sigaction(SIGUSR1, &user, NULL);
    sender = fork();
    if (sender == 0) {
        struct itimerval off = {{0, 0}, {0, 0}};
        setitimer(ITIMER_REAL, &off, NULL);
        for (pid_t parent = getppid(); kill(parent, SIGUSR1) == 0;)
            usleep(200);
        _exit(0);
    }
    setitimer(ITIMER_REAL, &often, NULL);
}

static void rain_ends(void)
{
    struct itimerval off = {{0, 0}, {0, 0}};

    setitimer(ITIMER_REAL, &off, NULL);
    kill(sender, SIGKILL);
    while (waitpid(sender, NULL, 0) < 0 && errno == EINTR)
        ;
    ok(rung > 0 && got > 0, "signals did come");
    signal(SIGALRM, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
}

/* All of it, going on after EINTR and short counts. */
static bool put_all(int fd, const unsigned char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno != EINTR)
            return false;
        bytes += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

enum { STREAM = 4 << 20, CHUNK = 10000 };

static unsigned char byte_at(size_t at)
{
    return (unsigned char)(at * 2654435761u >> 13);
}

static void write_stream(int fd)
{
    static unsigned char chunk[CHUNK];

    for (size_t at = 0; at < STREAM;) {
        size_t n = STREAM - at < CHUNK ? STREAM - at : CHUNK;
        for (size_t i = 0; i < n; i++)
            chunk[i] = byte_at(at + i);
        if (!put_all(fd, chunk, n))
            _exit(1);
        at += n;
    }
    _exit(0);
}

static void pipes(const char *how)
{
    static unsigned char chunk[7777];
    int end[2], status = -1;
    size_t at = 0, wrong = 0;
    ssize_t n;

    if (pipe(end) < 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        close(end[0]);
        write_stream(end[1]);
    }
    close(end[1]);
    while ((n = read(end[0], chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno != EINTR)
            break;
        for (ssize_t i = 0; i < n; i++)
            wrong += chunk[i] != byte_at(at++);
    }
    close(end[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    is(at, STREAM, "%s: every byte came through the pipe", how);
    is(wrong, 0, "%s: and in order", how);
    is(status, 0, "%s: the writer ends well", how);
}

static void children(const char *how)
{
    int bad = 0;

    for (int i = 0; i < 300; i++) {
        int status = -1;
        pid_t ended, child = fork();
        if (child == 0)
            _exit(i & 127);
        while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
            ;
        bad += child < 0 || ended != child || status != (i & 127) << 8;
    }
    is(bad, 0, "%s: 300 children, each waited for once with its status", how);
}

static void faults(const char *how)
{
    enum { PAGES = 256 };
    int bad = 0;

    for (int turn = 0; turn < 20; turn++) {
        long *p = mmap(NULL, PAGES * page, RW, ANON, -1, 0);
        size_t step = page / sizeof(long);
        for (size_t i = 0; i < PAGES; i++)
            p[i * step] = (long)(i + turn);
        pid_t child = fork();
        if (child == 0) { /* copies on write, signals coming for the parent only */
            for (size_t i = 0; i < PAGES; i++)
                if (p[i * step]++ != (long)i + turn)
                    _exit(1);
            _exit(0);
        }
        for (size_t i = 0; i < PAGES; i++)
            p[i * step] += 7;
        int status = -1;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        bad += status != 0;
        for (size_t i = 0; i < PAGES; i++)
            bad += p[i * step] != (long)i + turn + 7;
        munmap(p, PAGES * page);
    }
    is(bad, 0, "%s: pages touched and copied are right", how);
}

static void waits(const char *how)
{
    int end[2], bad = 0;

    if (pipe(end) < 0)
        return;
    for (int i = 0; i < 100; i++) {
        struct pollfd p = {end[0], POLLIN, 0};
        fd_set set;
        struct timeval soon = {0, 2000};
        int n = poll(&p, 1, 2);
        bad += n != 0 && !(n < 0 && errno == EINTR);
        FD_ZERO(&set);
        FD_SET(end[0], &set);
        n = select(end[0] + 1, &set, NULL, NULL, &soon);
        bad += n != 0 && !(n < 0 && errno == EINTR);
    }
    close(end[0]);
    close(end[1]);
    is(bad, 0, "%s: poll and select end by time or EINTR", how);
}

static void under(int flags, const char *how)
{
    rain_begins(flags);
    pipes(how);
    children(how);
    faults(how);
    waits(how);
    rain_ends();
}

void suite_stress(void)
{
    under(0, "EINTR");
    under(SA_RESTART, "SA_RESTART");
}
