/*
 * mlock.c: mlock, mlock2, munlock, mlockall and MAP_LOCKED, counted in VmLck; and msync.
 */
#include "tests/guest/catch.h"

#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif
#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

static long mlock2_call(void *p, u64 length, unsigned flags)
{
    return syscall(SYS_mlock2, p, length, flags);
}

/* Pages locked, by VmLck. */
static long locked(void)
{
    static char text[8192];
    char *at =
        vm_read_file("/proc/self/status", text, sizeof text) < 0 ? NULL : strstr(text, "VmLck:");

    if (!at)
        vm_die(0, "/proc/self/status has no VmLck");
    return atol(at + 6) * 1024 / page;
}

static bool resident(char *p)
{
    unsigned char vector = 0;

    return mincore(p, page, &vector) == 0 && (vector & 1);
}

static void counting(void)
{
    char *p = anon_at(area(8), 8, RW);

    is(locked(), 0, "nothing is locked");
    is(mlock(p + page + 5, page), 0, "a page's length from within one");
    is(locked(), 2, "two pages, by rounding to both sides");
    ok(!resident(p) && resident(p + page) && resident(p + 2 * page), "and they are there");
    is(vmas(p, 8), 3, "three VMAs");
    is(mlock(p, 3 * page), 0, "over them and one more");
    is(locked(), 3, "each page is counted once");
    is(munlock(p + page, 1), 0, "one of them unlocked");
    is(locked(), 2, "two");
    unmap(p + 2 * page, 1);
    is(locked(), 1, "unmapping unlocks");
    is(munlock(p, 2 * page), 0, "unlocked over both");
    is(locked(), 0, "none");
    is(vmas(p, 8), 2, "and its VMAs are merged again");
    is(mlock(p, 0), 0, "length 0");
    fails(mlock(p, 4 * page), ENOMEM);
    fails(munlock(p, 4 * page), ENOMEM);
    fails(mlock(p + 20 * page, page), ENOMEM);
    long before = locked();
    fails(munlock(NULL, 1ul << 47), ENOMEM);
    is(locked(), before, "all of user space is a range like others: it stops at its first hole");
    fails(mlock(NULL, 1ul << 47), ENOMEM);
    is(locked(), before, "and nothing is locked");
    fails(mlock(p, -page), EINVAL);
    munlock(p, 2 * page);
    munlock(p + 3 * page, 5 * page);
    is(locked(), 0, "none");
    unmap(p, 8);
    p = anon_at(area(1), 1, PROT_NONE);
    fails(mlock(p, page), ENOMEM);
    munlock(p, page);
    unmap(p, 1);
}

static void on_fault(void)
{
    char *p = anon_at(area(4), 4, RW);

    fails(mlock2_call(p, page, 2), EINVAL);
    is(mlock2_call(p, 2 * page, MLOCK_ONFAULT), 0, "mlock2 ONFAULT");
    is(locked(), 2, "counts");
    ok(!resident(p) && !resident(p + page), "but brings nothing in");
    p[page] = 1;
    ok(!resident(p) && resident(p + page), "until it is touched");
    is(mlock2_call(p, 2 * page, 0), 0, "mlock2 without it");
    ok(resident(p), "brings all in");
    is(munlock(p, 2 * page), 0, "unlocked");
    unmap(p, 4);
}

static void at_map(void)
{
    char *p = mmap(NULL, 3 * page, RW, ANON | MAP_LOCKED, -1, 0);

    ok(p != MAP_FAILED && resident(p) && resident(p + 2 * page), "MAP_LOCKED: there at once");
    is(locked(), 3, "and counted");
    unmap(p, 3);
    is(locked(), 0, "unmapped: none");
    p = mmap(NULL, 3 * page, RW, ANON | MAP_POPULATE, -1, 0);
    ok(p != MAP_FAILED && resident(p) && resident(p + 2 * page), "MAP_POPULATE: there at once");
    is(locked(), 0, "and not locked");
    unmap(p, 3);
}

static bool nothing_is_locked(void *p)
{
    (void)p;
    return locked() == 0;
}

static void all(void)
{
    fails(mlockall(0), EINVAL);
    fails(mlockall(8), EINVAL);
    fails(mlockall(MCL_ONFAULT), EINVAL);
    is(mlockall(MCL_FUTURE), 0, "mlockall FUTURE");
    is(locked(), 0, "locks nothing now");
    char *p = mmap(NULL, 2 * page, RW, ANON, -1, 0);
    ok(p != MAP_FAILED && resident(p) && locked() == 2, "but what is mapped later");
    ok(in_child(nothing_is_locked, NULL), "a child has nothing locked");
    is(munlockall(), 0, "munlockall");
    is(locked(), 0, "unlocks all");
    char *q = mmap(NULL, 2 * page, RW, ANON, -1, 0);
    ok(q != MAP_FAILED && !resident(q) && locked() == 0, "and the future, too");
    is(mlockall(MCL_CURRENT | MCL_ONFAULT), 0, "mlockall CURRENT, ONFAULT");
    ok(locked() > 4 && !resident(q), "counts all there is, and brings nothing in");
    is(munlockall(), 0, "munlockall");
    is(locked(), 0, "none");
    unmap(p, 2);
    unmap(q, 2);
}

/* ---- The limit, as somebody who is not root --------------------------------------------------- */

static bool with_a_limit(void *argument)
{
    struct rlimit limit = {4 * page, 4 * page};
    char *p = argument;
    bool good = setrlimit(RLIMIT_MEMLOCK, &limit) == 0;

    if (setresuid(1000, 1000, 1000))
        return false;
    good &= mlock(p, 4 * page) == 0 && locked() == 4;
    good &= mlock(p, 5 * page) == -1 && errno == ENOMEM && locked() == 4;
    good &= mlock(p + 4 * page, page) == -1 && errno == ENOMEM;
    good &= mmap(NULL, page, RW, ANON | MAP_LOCKED, -1, 0) == MAP_FAILED && errno == EAGAIN;
    good &= munlock(p, page) == 0 && mlock(p + 4 * page, page) == 0 && locked() == 4;
    return good;
}

static bool without_a_right(void *argument)
{
    struct rlimit limit = {0, 0};

    return setrlimit(RLIMIT_MEMLOCK, &limit) == 0 && setresuid(1000, 1000, 1000) == 0 &&
           mlock(argument, page) == -1 && errno == EPERM && mlockall(MCL_CURRENT) == -1 &&
           errno == EPERM;
}

static bool is_not_root_safe(void *argument)
{
    (void)argument;
    return setresuid(1000, 1000, 1000) == 0;
}

static void limited(void)
{
    char *p = anon_at(area(6), 6, RW);

    if (!in_child(is_not_root_safe, NULL))
        tap_skip("RLIMIT_MEMLOCK does not bind root, and there is nobody else here");
    else {
        ok(in_child(with_a_limit, p), "RLIMIT_MEMLOCK of four pages: ENOMEM, and EAGAIN by mmap");
        ok(in_child(without_a_right, p), "and of 0: EPERM");
    }
    unmap(p, 6);
}

/* ---- msync ------------------------------------------------------------------------------------ */

static void sync_refused(void)
{
    char *p = anon_at(area(4), 4, RW);

    fails(msync(p + 1, page, MS_SYNC), EINVAL);
    fails(msync(p, page, MS_SYNC | MS_ASYNC), EINVAL);
    fails(msync(p, page, 8), EINVAL);
    fails(msync(p, -page, MS_SYNC), ENOMEM);
    is(msync(p, 0, MS_SYNC), 0, "msync of length 0");
    is(msync(p, 4 * page, MS_SYNC), 0, "SYNC");
    is(msync(p, 4 * page, MS_ASYNC), 0, "ASYNC");
    is(msync(p, 4 * page, MS_INVALIDATE), 0, "INVALIDATE");
    is(msync(p, 4 * page, 0), 0, "no flag at all");
    is(mlock(p + page, page), 0, "a page locked");
    fails(msync(p, 4 * page, MS_SYNC | MS_INVALIDATE), EBUSY);
    fails(msync(p, 4 * page, MS_INVALIDATE), EBUSY);
    is(msync(p, 4 * page, MS_SYNC), 0, "without INVALIDATE it does not matter");
    is(munlock(p + page, page), 0, "unlocked");
    unmap(p + page, 1);
    fails(msync(p, 4 * page, MS_SYNC), ENOMEM);
    fails(msync(p + page, page, MS_ASYNC), ENOMEM);
    unmap(p, 4);
}

/* Linux's tmpfs keeps no track of stores, its file systems on disk do. */
static bool tracks_stores(int fd)
{
    struct statfs status;

    return fathom || (fstatfs(fd, &status) == 0 && status.f_type != TMPFS_MAGIC);
}

static bool is_new(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && status.st_mtim.tv_sec > 1000 && status.st_ctim.tv_sec > 1000;
}

static void times(void)
{
    char name[] = "/tmp/guest-XXXXXX";
    struct timespec old[2] = {{1000, 0}, {1000, 0}};
    int fd = mkstemp(name);

    if (fd < 0 || unlink(name) || ftruncate(fd, page))
        vm_die(errno, "cannot make a file in /tmp");
    if (!tracks_stores(fd)) {
        tap_skip("Linux's tmpfs keeps no track of shared stores, and /tmp is one");
        return;
    }
    char *p = map_at(area(1), 1, RW, MAP_SHARED, fd, 0);
    is(futimens(fd, old), 0, "a file with old times");
    p[0] = 'b';
    is(msync(p, page, MS_SYNC), 0, "a store, and SYNC");
    ok(is_new(fd), "mtime and ctime have moved on");
    is(futimens(fd, old), 0, "old times again");
    p[1] = 'b';
    unmap(p, 1);
    ok(is_new(fd), "a store and munmap do it, too");
    close(fd);
}

void suite_mlock(void)
{
    counting();
    on_fault();
    at_map();
    all();
    limited();
    sync_refused();
    times();
}
