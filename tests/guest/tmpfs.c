/*
 * tmpfs.c: files: names, flags, places, sizes, sparse ones, and life after unlink.
 */
#include "tests/guest/guest.h"

#include <limits.h>
#include <sys/stat.h>

static void names(void)
{
    char name[64], missing[80], below[96], longest[400];
    int fd = named_file(name, sizeof name), other;

    is(write(fd, "abc", 3), 3, "a new file takes 3 bytes");
    fails(open(name, O_CREAT | O_EXCL | O_RDWR, 0600), EEXIST);
    other = open(name, O_CREAT | O_RDWR, 0600);
    ok(other >= 0, "O_CREAT without O_EXCL opens it");
    is(lseek(other, 0, SEEK_END), 3, "with its contents");
    close(other);
    other = open(name, O_RDWR | O_TRUNC);
    is(lseek(other, 0, SEEK_END), 0, "O_TRUNC empties it");
    close(other);
    snprintf(missing, sizeof missing, "%s-missing", name);
    snprintf(below, sizeof below, "%s/below", name);
    fails(open(missing, O_RDONLY), ENOENT);
    fails(unlink(missing), ENOENT);
    fails(open(below, O_RDONLY), ENOTDIR);
    fails(open(below, O_CREAT | O_RDWR, 0600), ENOTDIR);
    fails(open("", O_RDONLY), ENOENT);
    fails(open("/no/such/directory", O_CREAT | O_RDWR, 0600), ENOENT);
    fails(open(temp_directory(), O_RDWR), EISDIR);
    fails(unlink("/"), EISDIR);
    memset(longest, 'x', sizeof longest - 1);
    memcpy(longest, "/tmp/", 5);
    longest[sizeof longest - 1] = 0;
    fails(open(longest, O_RDONLY), ENAMETOOLONG);
    is(unlink(name), 0, "unlink");
    fails(unlink(name), ENOENT);
    fails(open(name, O_RDONLY), ENOENT);
    other = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    ok(other >= 0, "the name can be used again");
    is(write(other, "new", 3), 3, "by another file");
    unlink(name);
    close(other);
    close(fd);
}

static void after_unlink(void)
{
    int fd = temp_file();
    char buf[8] = {0};
    struct stat status;
    char *p = area(1);

    is(write(fd, "data", 4), 4, "an unlinked file takes data");
    is(pread(fd, buf, 8, 0), 4, "and gives it back");
    ok(!memcmp(buf, "data", 4), "the same");
    is(fstat(fd, &status), 0, "fstat");
    ok(S_ISREG(status.st_mode) && (status.st_mode & 0777) == 0600, "a file with mode 0600");
    is(status.st_nlink, 0, "no link");
    is(status.st_size, 4, "4 bytes long");
    map_at(p, 1, RW, MAP_SHARED, fd, 0);
    close(fd);
    ok(!memcmp(p, "data", 4), "a map keeps it when it is closed");
    unmap(p, 1);
}

static void places(void)
{
    int fd = temp_file();
    char c;

    is(write(fd, "0123456789", 10), 10, "ten bytes");
    is(lseek(fd, 0, SEEK_CUR), 10, "the place behind them");
    is(lseek(fd, 3, SEEK_SET), 3, "SEEK_SET");
    is(lseek(fd, 2, SEEK_CUR), 5, "SEEK_CUR");
    ok(read(fd, &c, 1) == 1 && c == '5', "read there");
    is(lseek(fd, -2, SEEK_END), 8, "SEEK_END");
    is(lseek(fd, 100, SEEK_END), 110, "beyond the end");
    is(read(fd, &c, 1), 0, "reads nothing there");
    fails(lseek(fd, -1, SEEK_SET), EINVAL);
    fails(lseek(fd, -11, SEEK_END), EINVAL);
    fails(lseek(fd, LONG_MIN, SEEK_CUR), EINVAL);
    fails(lseek(fd, 0, 77), EINVAL);
    fails(lseek(999, 0, SEEK_SET), EBADF);
    is(lseek(fd, 0, SEEK_CUR), 110, "a refused lseek leaves the place");
    is(lseek(fd, LONG_MAX, SEEK_SET), LONG_MAX, "the greatest place");
    is(read(fd, &c, 0), 0, "reads nothing there");
    fails(read(fd, &c, 1), EINVAL);
    fails(write(fd, "x", 1), EINVAL);
    fails(lseek(fd, 1, SEEK_CUR), EINVAL);
    fails(pread(fd, &c, 1, -1), EINVAL);
    fails(pwrite(fd, &c, 1, -1), EINVAL);
    close(fd);
    fails(lseek(fd, 0, SEEK_SET), EBADF);
}

static void sizes(void)
{
    char name[64];
    int fd = named_file(name, sizeof name), ro = open(name, O_RDONLY);
    struct stat status;
    char buf[16];

    unlink(name);
    fails(ftruncate(fd, -1), EINVAL);
    fails(ftruncate(ro, 1), EINVAL);
    fails(ftruncate(999, 1), EBADF);
    is(ftruncate(fd, LONG_MAX), 0, "a file of 2^63 - 1 bytes");
    is(fstat(fd, &status), 0, "fstat");
    is(status.st_size, LONG_MAX, "is as long as that");
    is(pread(fd, buf, 16, LONG_MAX - 16), 16, "its last bytes can be read");
    ok(buf[0] == 0 && buf[15] == 0, "and are zero");
    fails(pread(fd, buf, 16, LONG_MAX - 5), EINVAL);
    is(pwrite(fd, "end", 3, LONG_MAX - 3), 3, "its last bytes can be written");
    ok(pread(fd, buf, 3, LONG_MAX - 3) == 3 && !memcmp(buf, "end", 3), "and read back");
    fails(pwrite(fd, "xyz", 3, LONG_MAX - 2), EINVAL);
    is(pwrite(fd, "m", 1, 1ul << 40), 1, "one byte in the middle");
    is(pread(fd, buf, 3, (1ul << 40) - 1), 3, "read around it");
    ok(!memcmp(buf, "\0m", 3), "zeros around it");
    is(ftruncate(fd, 1ul << 40), 0, "cut just before it");
    is(ftruncate(fd, (1ul << 40) + 10), 0, "and made longer");
    ok(pread(fd, buf, 1, 1ul << 40) == 1 && !buf[0], "it is gone");
    is(ftruncate(fd, 0), 0, "emptied");
    is(pread(fd, buf, 16, 0), 0, "nothing is left");
    close(fd);
    close(ro);
}

/* Writes at odd places and lengths against a plain copy of the file. */
static void contents(void)
{
    enum { SIZE = 40000 };
    static char copy[SIZE], buf[SIZE];
    u64 state = 42;
    int fd = temp_file();
    long size = 0;
    bool good = true;

    for (int i = 0; i < 300; i++) {
        long at = random_next(&state) % SIZE, n = random_next(&state) % (SIZE - at) % 9000;
        if (i % 20 == 19) {
            good &= ftruncate(fd, at) == 0;
            if (at < size)
                memset(copy + at, 0, size - at);
            size = at;
            continue;
        }
        for (long j = 0; j < n; j++)
            buf[j] = random_next(&state);
        good &= pwrite(fd, buf, n, at) == n;
        memcpy(copy + at, buf, n);
        if (n && at + n > size)
            size = at + n;
        memset(buf, 0x55, SIZE);
        good &= pread(fd, buf, SIZE, 0) == size && !memcmp(buf, copy, size);
    }
    ok(good, "300 writes and cuts at odd places read back");
    close(fd);
}

static void flags(void)
{
    char name[64], c;
    int fd = named_file(name, sizeof name);
    int ro = open(name, O_RDONLY), wo = open(name, O_WRONLY), ap = open(name, O_RDWR | O_APPEND);

    fails(write(ro, "x", 1), EBADF);
    fails(read(wo, &c, 1), EBADF);
    is(write(fd, "abc", 3), 3, "three bytes");
    is(write(ap, "def", 3), 3, "O_APPEND writes");
    is(lseek(ap, 0, SEEK_CUR), 6, "at the end");
    is(lseek(ap, 0, SEEK_SET), 0, "from anywhere");
    is(write(ap, "g", 1), 1, "again");
    ok(pread(fd, &c, 1, 6) == 1 && c == 'g', "at the end");
    is(lseek(fd, 0, SEEK_CUR), 3, "each open has its place");
    is(write(fd, "", 0), 0, "no bytes: 0");
    is(read(fd, &c, 0), 0, "no bytes read: 0");
    unlink(name);
    for (int i = fd; i <= ap; i++)
        close(i);
    int dir = open("/", O_RDONLY | O_DIRECTORY);
    ok(dir >= 0, "O_DIRECTORY opens a directory");
    fails(read(dir, &c, 1), EISDIR);
    close(dir);
    fd = named_file(name, sizeof name);
    fails(open(name, O_RDONLY | O_DIRECTORY), ENOTDIR);
    unlink(name);
    close(fd);
}

void suite_tmpfs(void)
{
    names();
    after_unlink();
    places();
    sizes();
    contents();
    flags();
}
