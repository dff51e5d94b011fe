/*
 * efault.c: system calls with pointers that are bad, the kernel's, non-canonical, read-only, or
 * run off a page's end at every byte around it. Two pages are mapped, the second is taken away:
 *
 *      | mapped, "...abcdef" | hole |
 *                 ^ p = edge - k, for each k
 */
#include "tests/guest/guest.h"

#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>

static char *const bad[] = {
    (char *)0,     (char *)8,      (char *)0x7ffffffff000,     (char *)0x7fffffffffff,
    NON_CANONICAL, KERNEL_ADDRESS, (char *)0xffffffff80100000, (char *)-4096,
    (char *)-8,    (char *)-1};
enum { BAD = sizeof bad / sizeof *bad };

static char *edge;      /* behind it is a hole */
static char *read_only; /* a page that cannot be written */
static int file;

/* Calls that fill in a structure. Each returns what the call does. */
static long call_fstat(char *p)
{
    return fstat(file, (struct stat *)p);
}

static long call_stat(char *p)
{
    return stat("/", (struct stat *)p);
}

static long call_uname(char *p)
{
    return uname((struct utsname *)p);
}

/* glibc reads the clock without a system call where it can, and would die; so the kernel itself
 * is asked. */
static long call_clock(char *p)
{
    return syscall(SYS_clock_gettime, CLOCK_REALTIME, p);
}

static long call_rlimit(char *p)
{
    return getrlimit(RLIMIT_STACK, (struct rlimit *)p);
}

static const struct {
    const char *name;
    long (*call)(char *);
    u64 size;
} fills[] = {
    {"fstat", call_fstat, sizeof(struct stat)},
    {"stat", call_stat, sizeof(struct stat)},
    {"uname", call_uname, sizeof(struct utsname)},
    {"clock_gettime", call_clock, sizeof(struct timespec)},
    {"getrlimit", call_rlimit, sizeof(struct rlimit)},
};

static bool is_efault(long result)
{
    return result == -1 && errno == EFAULT;
}

static void filled(void)
{
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        long (*call)(char *) = fills[i].call;
        bool good = true;
        for (int b = call == call_rlimit; b < BAD; b++) /* prlimit64 takes NULL for "don't tell" */
            good &= is_efault(call(bad[b]));
        good &= is_efault(call(read_only));
        ok(good, "%s to bad addresses: EFAULT", fills[i].name);
        good = true;
        for (u64 k = 0; k < fills[i].size; k++)
            good &= is_efault(call(edge - k));
        ok(good, "%s over the edge, at each byte: EFAULT", fills[i].name);
        is(call(edge - fills[i].size), 0, "%s just before it", fills[i].name);
    }
}

/* A path that begins at p. */
static long path_open(char *p)
{
    return open(p, O_RDONLY);
}

static long path_unlink(char *p)
{
    return unlink(p);
}

static long path_access(char *p)
{
    return access(p, F_OK);
}

static long path_stat(char *p)
{
    struct stat status;
    return stat(p, &status);
}

static void paths(void)
{
    static long (*const calls[])(char *) = {path_open, path_unlink, path_access, path_stat};
    static const char *const names[] = {"open", "unlink", "access", "stat"};

    for (int i = 0; i < 4; i++) {
        bool good = true;
        for (int b = 0; b < BAD; b++)
            good &= is_efault(calls[i](bad[b]));
        ok(good, "%s of bad addresses: EFAULT", names[i]);
        good = true;
        for (int k = 0; k < 64; k++) {
            memset(edge - k, 'x', k);
            good &= is_efault(calls[i](edge - k));
        }
        ok(good, "%s of a path without an end before the edge: EFAULT", names[i]);
        good = true;
        for (int k = 2; k < 64; k++) {
            memset(edge - k, 'x', k);
            edge[-1] = 0;
            good &= calls[i](edge - k) == -1 && errno == ENOENT;
        }
        ok(good, "%s of one that ends there: ENOENT", names[i]);
    }
}

static void rewind_file(void)
{
    if (lseek(file, 0, SEEK_SET) || ftruncate(file, 0))
        vm_die(errno, "cannot rewind");
}

static void writes(void)
{
    enum { N = 40 };
    bool good = true, same = true;
    char back[N];

    for (int b = 0; b < BAD; b++) {
        good &= is_efault(write(file, bad[b], 10));
        good &= is_efault(pwrite(file, bad[b], 10, 0));
        good &= write(file, bad[b], 0) == 0 || errno == EFAULT;
    }
    ok(good, "write from bad addresses: EFAULT");
    is(lseek(file, 0, SEEK_END), 0, "and the file stays empty");
    for (int k = 0; k <= N; k++) {
        rewind_file();
        for (int i = 0; i < k; i++)
            edge[i - k] = 'a' + i;
        errno = 0;
        long n = write(file, edge - k, N);
        same &= k ? n == k : is_efault(n);
        same &= lseek(file, 0, SEEK_CUR) == k && lseek(file, 0, SEEK_END) == k;
        same &= pread(file, back, N, 0) == k && !memcmp(back, edge - k, k);
    }
    ok(same, "write over the edge, at each byte: the short count, and just that is written");
}

static void reads(void)
{
    enum { N = 40 };
    bool good = true, same = true;

    rewind_file();
    if (write(file, "0123456789abcdefghijklmnopqrstuvwxyzABCD", N) != N)
        vm_die(errno, "cannot write");
    for (int b = 0; b < BAD; b++) {
        good &= is_efault(pread(file, bad[b], 10, 0));
        lseek(file, 0, SEEK_SET);
        good &= is_efault(read(file, bad[b], 10));
        good &= lseek(file, 0, SEEK_CUR) == 0;
    }
    good &= is_efault(pread(file, read_only, 10, 0));
    ok(good, "read to bad or read-only addresses: EFAULT, and the place stays");
    for (int k = 0; k <= N; k++) {
        memset(edge - N, 0, N);
        lseek(file, 0, SEEK_SET);
        long n = read(file, edge - k, N);
        same &= k ? n == k : is_efault(n);
        same &= lseek(file, 0, SEEK_CUR) == k;
        same &= !memcmp(edge - k, "0123456789abcdefghijklmnopqrstuvwxyzABCD", k);
    }
    ok(same, "read over the edge, at each byte: the short count, and the place moves by it");
    is(pread(file, bad[1], 10, N), 0, "read at the end of the file looks at no address");
}

/* Two pages of data before the hole, so that a copy crosses a good boundary first. */
static void long_copies(void)
{
    char *p = edge - 2 * page;
    bool good = true;

    for (u64 k = 1; k <= 2 * page; k += 509) {
        memset(edge - k, 'L', k);
        rewind_file();
        good &= write(file, edge - k, 3 * page) == (long)k;
        memset(p, 0, 2 * page);
        lseek(file, 0, SEEK_SET);
        if (ftruncate(file, 3 * page))
            vm_die(errno, "ftruncate");
        good &= read(file, edge - k, 3 * page) == (long)k;
        good &= edge[-(long)k] == 'L' && edge[-1] == 'L';
    }
    ok(good, "copies over one good boundary to the edge: the short count");
}

static void vectors(void)
{
    struct iovec *v = (struct iovec *)edge - 2;
    char c[8];
    bool good = true;

    rewind_file();
    for (int b = 0; b < BAD; b++) {
        good &= is_efault(writev(file, (struct iovec *)bad[b], 2));
        good &= is_efault(readv(file, (struct iovec *)bad[b], 2));
    }
    ok(good, "vectors at bad addresses: EFAULT");
    good = true;
    for (u64 k = 0; k < 2 * sizeof *v; k++)
        good &= is_efault(writev(file, (struct iovec *)(edge - k), 2));
    ok(good, "a vector over the edge, at each byte: EFAULT");
    v[0] = (struct iovec){"abc", 3};
    v[1] = (struct iovec){(char *)8, 3};
    is(writev(file, v, 2), 3, "writev whose second part is bad: the first is written");
    v[0] = (struct iovec){(char *)8, 3};
    v[1] = (struct iovec){"abc", 3};
    fails(writev(file, v, 2), EFAULT);
    lseek(file, 0, SEEK_SET);
    v[0] = (struct iovec){c, 2};
    v[1] = (struct iovec){(char *)8, 3};
    is(readv(file, v, 2), 2, "readv whose second part is bad: the first is read");
}

static void past_the_file(void)
{
    int fd = filled_file(1, 'f');
    char *p = map_at(area(2), 2, RW, MAP_SHARED, fd, 0);
    char *end = p + page;

    rewind_file();
    is(write(file, end - 10, 20), 10, "write from a map, over its file's last page: short");
    fails(write(file, end, 20), EFAULT);
    lseek(file, 0, SEEK_SET);
    is(read(file, end - 5, 10), 5, "read to a map, over its file's last page: short");
    fails(fstat(file, (struct stat *)(end - 1)), EFAULT);
    unmap(p, 2);
    close(fd);
}

/* The same calls must bring pages in where they are mapped but not yet there. */
static void not_yet_there(void)
{
    char *p = anon_at(area(4), 4, RW);

    rewind_file();
    is(write(file, p + 10, 2 * page), 2 * page, "write from memory never touched");
    lseek(file, 0, SEEK_SET);
    is(read(file, p + 2 * page + 10, page), page, "read to memory never touched");
    is(fstat(file, (struct stat *)(p + 3 * page + page / 2)), 0, "fstat to it");
    unmap(p, 4);
}

static void random_bytes(void)
{
    bool good = true;

    for (int b = 0; b < BAD; b++)
        good &= is_efault(getrandom(bad[b], 16, 0));
    ok(good, "getrandom to bad addresses: EFAULT");
    is(getrandom(edge - 16, 16, 0), 16, "getrandom just before the edge");
    fails(getrandom(edge - 16, 16, 0x100), EINVAL);
}

void suite_efault(void)
{
    char *p = anon_at(area(3), 3, RW);

    edge = p + 2 * page;
    unmap(edge, 1);
    read_only = anon_at(area(1), 1, PROT_READ);
    file = temp_file();
    filled();
    paths();
    writes();
    reads();
    long_copies();
    vectors();
    past_the_file();
    not_yet_there();
    random_bytes();
}
