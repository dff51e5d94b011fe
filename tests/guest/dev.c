/*
 * dev.c: the devices that have no hardware, files without a name, and the times of files.
 */
#include "tests/guest/guest.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <time.h>

static void numbers(void)
{
    static const struct {
        const char *path;
        unsigned major, minor;
    } devices[] = {{"/dev/null", 1, 3},   {"/dev/zero", 1, 5},    {"/dev/full", 1, 7},
                   {"/dev/random", 1, 8}, {"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0}};
    struct stat status;

    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        bool good = stat(devices[i].path, &status) == 0 &&
                    (status.st_mode & (S_IFMT | 0666)) == (S_IFCHR | 0666);
        ok(good && status.st_rdev == makedev(devices[i].major, devices[i].minor), "%s: %u, %u",
           devices[i].path, devices[i].major, devices[i].minor);
    }
    is(stat("/dev/shm", &status), 0, "/dev/shm");
    is(status.st_mode, S_IFDIR | 01777, "is everybody's directory");
    ok(lstat("/dev/fd", &status) == 0 && S_ISLNK(status.st_mode), "/dev/fd is a link");
    ok(stat("/dev/fd/1", &status) == 0, "that leads to the descriptors");
    ok(stat("/dev/stdout", &status) == 0, "/dev/stdout");
}

static bool all(const char *p, size_t n, char c)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != c)
            return false;
    return true;
}

static void bytes(void)
{
    static char buf[10000];
    int null = open("/dev/null", O_RDWR), zero = open("/dev/zero", O_RDWR);
    int full = open("/dev/full", O_RDWR), random = open("/dev/urandom", O_RDWR);

    is(read(null, buf, 10), 0, "null is empty");
    is(write(null, buf, sizeof buf), sizeof buf, "and takes all");
    memset(buf, 1, sizeof buf);
    is(read(zero, buf, sizeof buf), sizeof buf, "zero gives all");
    ok(all(buf, sizeof buf, 0), "zeroes");
    is(write(zero, buf, 10), 10, "and takes all");
    buf[0] = 1;
    is(pread(full, buf, 10, 1000), 10, "full gives");
    is(buf[0], 0, "zeroes");
    fails(write(full, buf, 1), ENOSPC);
    fails(write(full, "", 0), ENOSPC);
    is(read(random, buf, sizeof buf), sizeof buf, "urandom gives all");
    ok(!all(buf, sizeof buf, buf[0]), "that differ");
    is(write(random, buf, 300), 300, "and takes what it is given");
    fails(write(random, KERNEL_ADDRESS, 8), EFAULT);
    fails(read(random, NULL, 8), EFAULT);
    fails(read(zero, NULL, 8), EFAULT);
    int each[] = {null, zero, full, random};
    for (int i = 0; i < 4; i++) {
        is(lseek(each[i], 50, SEEK_SET), 0, "no place but the start");
        is(lseek(each[i], 7, SEEK_END), 0, "from wherever");
        fails(lseek(each[i], 0, 99), EINVAL);
        fails(ftruncate(each[i], 0), EINVAL);
        close(each[i]);
    }
    is(getrandom(buf, 64, GRND_NONBLOCK), 64, "getrandom");
    is(getrandom(buf, 64, GRND_RANDOM), 64, "of the better sort");
    fails(getrandom(buf, 64, 8), EINVAL);
    fails(getrandom(buf, 64, GRND_RANDOM | GRND_INSECURE), EINVAL);
    fails(getrandom(NULL, 64, 0), EFAULT);
}

static void zero_maps(void)
{
    int fd = open("/dev/zero", O_RDWR);
    char *p = map_at(area(4), 4, RW, MAP_PRIVATE, fd, 0),
         *q = map_at(area(4), 4, RW, MAP_SHARED, fd, 0);
    struct map_line line = {0};

    ok(all(p, 4 * page, 0) && all(q, 4 * page, 0), "maps of /dev/zero are zero");
    p[0] = q[0] = 1;
    is(maps_in(q, 4, &line, 1), 1, "the shared one");
    ok(!strcmp(line.name, "/dev/zero (deleted)") && !strcmp(line.prot, "rw-s"),
       "is named as in Linux");
    char *r = map_at(area(1), 1, RW, MAP_SHARED, fd, 0);
    is(r[0], 0, "another is another");
    unmap(p, 4);
    unmap(q, 4);
    unmap(r, 1);
    close(fd);
    fd = open("/dev/zero", O_RDONLY);
    fails(mmap(NULL, page, RW, MAP_SHARED, fd, 0), EACCES);
    p = mmap(NULL, page, RW, MAP_PRIVATE, fd, 0);
    ok(p != MAP_FAILED && (p[0] = 1), "private may be written");
    q = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
    ok(q != MAP_FAILED && !q[0], "shared may be read");
    fails(mprotect(q, page, RW), EACCES);
    munmap(p, page);
    munmap(q, page);
    close(fd);
    fd = open("/dev/zero", O_WRONLY);
    fails(mmap(NULL, page, PROT_WRITE, MAP_PRIVATE, fd, 0), EACCES);
    close(fd);
    static const char *const none[] = {"/dev/null", "/dev/full", "/dev/urandom"};
    for (int i = 0; i < 3; i++) {
        fd = open(none[i], O_RDWR);
        fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0), ENODEV);
        close(fd);
    }
}

static void memfd(void)
{
    char name[300], path[64], target[300] = "";
    int fd = memfd_create("a name", MFD_CLOEXEC);
    struct stat status;
    struct map_line line = {0};

    ok(fd >= 0, "memfd_create");
    is(fcntl(fd, F_GETFD), FD_CLOEXEC, "closed by exec");
    is(fstat(fd, &status), 0, "fstat");
    is(status.st_mode, S_IFREG | 0777, "a file");
    is(status.st_nlink, 0, "without a link");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    readlink(path, target, sizeof target - 1);
    ok(!strcmp(target, "/memfd:a name (deleted)"), "its name: %s", target);
    is(ftruncate(fd, 2 * page), 0, "it gets a size");
    char *p = map_at(area(2), 2, RW, MAP_SHARED, fd, 0);
    p[page] = 'x';
    is(pread(fd, target, 1, page), 1, "read sees");
    is(target[0], 'x', "what a map wrote");
    maps_in(p, 2, &line, 1);
    ok(!strncmp(line.name, "/memfd:a", 8), "maps shows the name");
    unmap(p, 2);
    close(fd);
    memset(name, 'n', sizeof name);
    name[249] = 0;
    fd = memfd_create(name, 0);
    ok(fd >= 0, "a name of 249 bytes");
    close(fd);
    name[249] = 'n';
    name[250] = 0;
    fails(memfd_create(name, 0), EINVAL);
    fails(memfd_create("a", 0x8000), EINVAL);
    fails(memfd_create(NULL, 0), EFAULT);
}

/* Nanoseconds; the clock of files moves in ticks. */
static u64 mtime_of(int fd)
{
    struct stat status;

    fstat(fd, &status);
    return status.st_mtim.tv_sec * 1000000000ul + status.st_mtim.tv_nsec;
}

static u64 ctime_of(int fd)
{
    struct stat status;

    fstat(fd, &status);
    return status.st_ctim.tv_sec * 1000000000ul + status.st_ctim.tv_nsec;
}

static u64 atime_of(int fd)
{
    struct stat status;

    fstat(fd, &status);
    return status.st_atim.tv_sec * 1000000000ul + status.st_atim.tv_nsec;
}

static void wait_a_tick(void)
{
    struct timespec time = {0, 30000000};

    nanosleep(&time, NULL);
}

static void times(void)
{
    int fd = temp_file();
    char c;
    u64 m = mtime_of(fd), n, past = 1000000000ul * 1000000000ul;

    wait_a_tick();
    is(write(fd, "x", 1), 1, "write");
    ok((n = mtime_of(fd)) > m && ctime_of(fd) == n, "moves mtime and ctime");
    wait_a_tick();
    is(ftruncate(fd, 2 * page), 0, "ftruncate");
    ok((m = mtime_of(fd)) > n && ctime_of(fd) == m, "too");
    wait_a_tick();
    is(pread(fd, &c, 1, 0), 1, "read");
    ok(atime_of(fd) > m, "moves atime");
    is(mtime_of(fd), m, "and not mtime");
    wait_a_tick();
    char *p = map_at(area(2), 2, RW, MAP_SHARED, fd, 0);
    c = *(volatile char *)p;
    is(mtime_of(fd), m, "a map that reads moves nothing");
    p[page] = 1;
    is(munmap(p, 2 * page), 0, "a store and munmap");
    ok(mtime_of(fd) > m && ctime_of(fd) > m, "move mtime and ctime");
    struct timespec set[2] = {{1000000000, 5}, {0, UTIME_OMIT}};
    m = mtime_of(fd);
    is(futimens(fd, set), 0, "futimens");
    is(atime_of(fd), past + 5, "sets atime");
    is(mtime_of(fd), m, "and leaves mtime");
    set[1].tv_nsec = 1000000000;
    fails(futimens(fd, set), EINVAL);
    fails(utimensat(AT_FDCWD, "/no/such", NULL, 0), ENOENT);
    close(fd);
}

static void systems(void)
{
    struct statfs s;
    int fd = temp_file();

    is(fstatfs(fd, &s), 0, "fstatfs");
    is(s.f_type, 0x01021994, "files lie in a tmpfs");
    is(s.f_bsize, page, "of pages");
    is(s.f_namelen, 255, "with names of 255 bytes");
    ok(s.f_bfree <= s.f_blocks && s.f_blocks > 0, "some free");
    is(statfs("/proc/self/maps", &s), 0, "statfs");
    is(s.f_type, 0x9fa0, "of /proc");
    is(s.f_blocks, 0, "which has no blocks");
    is(statfs("/proc", &s), 0, "of its root");
    is(s.f_type, 0x9fa0, "the same");
    close(fd);
}

void suite_dev(void)
{
    numbers();
    bytes();
    zero_maps();
    memfd();
    times();
    systems();
}
