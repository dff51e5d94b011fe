/*
 * files.c: descriptors: the lowest free one, the table's end, dup and fcntl, vectors.
 */
#include "tests/guest/guest.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>

static void lowest(void)
{
    int a = temp_file(), b = temp_file(), c = temp_file();

    ok(b == a + 1 && c == a + 2, "descriptors go up");
    is(close(b), 0, "close");
    fails(close(b), EBADF);
    fails(close(-1), EBADF);
    fails(close(100000), EBADF);
    is(temp_file(), b, "the lowest free one is taken");
    close(a);
    close(b);
    close(c);
}

static void table_end(void)
{
    struct rlimit limit = {64, 64}, old;
    int fd[64], n = 0;

    is(getrlimit(RLIMIT_NOFILE, &old), 0, "RLIMIT_NOFILE");
    limit.rlim_max = old.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit)) {
        tap_skip("RLIMIT_NOFILE cannot be set: %s", strerror(errno));
        limit.rlim_cur = old.rlim_cur;
    }
    int first = open("/", O_RDONLY), last = first, next;
    u64 count = 1;
    while ((next = dup(first)) >= 0 && count++ < 1 << 21) {
        last = next;
        if (n < 64)
            fd[n++] = next;
    }
    is(errno, EMFILE, "a full table: EMFILE");
    is(last, limit.rlim_cur - 1, "the last descriptor is the limit less one");
    fails(open("/", O_RDONLY), EMFILE);
    fails(fcntl(first, F_DUPFD, 0), EMFILE);
    close(fd[n / 2]);
    is(open("/", O_RDONLY), fd[n / 2], "one closed, one opened");
    for (int i = first; i <= last; i++)
        close(i);
    setrlimit(RLIMIT_NOFILE, &old);
    next = open("/", O_RDONLY);
    is(next, first, "all closed: the first is free again");
    close(next);
}

static void copies(void)
{
    int fd = temp_file(), copy = dup(fd), far;

    is(write(fd, "abc", 3), 3, "a write");
    is(lseek(copy, 0, SEEK_CUR), 3, "a copy shares the place");
    fails(dup(-1), EBADF);
    fails(dup(999), EBADF);
    far = dup2(fd, 50);
    is(far, 50, "dup2 to a number");
    is(dup2(fd, fd), fd, "dup2 to itself");
    fails(dup2(999, 51), EBADF);
    fails(dup2(fd, -1), EBADF);
    fails(dup3(fd, fd, 0), EINVAL);
    is(dup3(fd, 50, O_CLOEXEC), 50, "dup3 over an open one");
    is(fcntl(50, F_GETFD), FD_CLOEXEC, "with close-on-exec");
    is(fcntl(fd, F_GETFD), 0, "which the other does not have");
    is(fcntl(fd, F_SETFD, FD_CLOEXEC), 0, "F_SETFD");
    is(fcntl(fd, F_GETFD), FD_CLOEXEC, "F_GETFD");
    is(fcntl(fd, F_DUPFD, 40), 40, "F_DUPFD from a number up");
    is(fcntl(fd, F_DUPFD_CLOEXEC, 40), 41, "F_DUPFD_CLOEXEC takes the next");
    is(fcntl(41, F_GETFD), FD_CLOEXEC, "with close-on-exec");
    fails(fcntl(fd, F_DUPFD, -1), EINVAL);
    is(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR, "F_GETFL");
    is(fcntl(fd, F_SETFL, O_APPEND), 0, "F_SETFL");
    is(fcntl(copy, F_GETFL) & O_APPEND, O_APPEND, "flags are shared by copies");
    fails(fcntl(999, F_GETFL), EBADF);
    fails(fcntl(fd, 12345), EINVAL);
    close(fd);
    is(lseek(copy, 0, SEEK_SET), 0, "a copy outlives the first");
    close(copy);
    close(40);
    close(41);
    close(50);
}

static void vectors(void)
{
    int fd = temp_file();
    char a[4] = "abc", b[6] = "defgh", c[20] = {0}, d[20] = {0};
    struct iovec out[3] = {{a, 3}, {NULL, 0}, {b, 5}}, in[2] = {{c, 2}, {d, 20}};

    is(writev(fd, out, 3), 8, "writev writes all");
    is(lseek(fd, 0, SEEK_SET), 0, "rewound");
    is(readv(fd, in, 2), 8, "readv reads all");
    ok(!strcmp(c, "ab") && !strcmp(d, "cdefgh"), "in order");
    fails(writev(fd, out, -1), EINVAL);
    fails(writev(fd, out, 1025), EINVAL);
    is(writev(fd, out, 0), 0, "none: 0");
    out[0].iov_len = -1;
    fails(writev(fd, out, 3), EINVAL);
    fails(writev(999, in, 2), EBADF);
    close(fd);
}

void suite_files(void)
{
    lowest();
    table_end();
    copies();
    vectors();
}
