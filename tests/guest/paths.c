/*
 * paths.c: directories, links and names: mkdir, rmdir, rename, link, symlink, chdir, getdents64.
 */
#include "tests/guest/guest.h"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>

static char top[64];

/* A path below the suite's directory. One of four buffers. */
static char *in(const char *name)
{
    static char buffers[4][400];
    static unsigned turn;
    char *buf = buffers[turn++ % 4];

    snprintf(buf, sizeof buffers[0], "%s/%s", top, name);
    return buf;
}

static bool make(const char *name, const char *text)
{
    int fd = open(in(name), O_CREAT | O_EXCL | O_WRONLY, 0644);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    return close(fd) == 0 && good;
}

static bool holds(const char *name, const char *text)
{
    char buf[64];

    return vm_read_file(in(name), buf, sizeof buf) >= 0 && !strcmp(buf, text);
}

static void directories(void)
{
    struct stat status;

    is(mkdir(in("d"), 0755), 0, "mkdir");
    fails(mkdir(in("d"), 0755), EEXIST);
    fails(mkdir(in("x/y"), 0755), ENOENT);
    fails(mkdir("", 0755), ENOENT);
    fails(mkdir("/", 0755), EEXIST);
    ok(stat(in("d"), &status) == 0 && S_ISDIR(status.st_mode), "a directory");
    is(status.st_nlink, 2, "with two links");
    is(mkdir(in("d/e"), 0700), 0, "one inside");
    ok(stat(in("d"), &status) == 0 && status.st_nlink == 3, "which is a third");
    fails(rmdir(in("d")), ENOTEMPTY);
    fails(rmdir(in("d/e/.")), EINVAL);
    fails(rmdir(in("d/e/..")), ENOTEMPTY);
    fails(unlink(in("d/e")), EISDIR);
    ok(make("d/f", "f"), "a file inside");
    fails(rmdir(in("d/f")), ENOTDIR);
    fails(mkdir(in("d/f/g"), 0755), ENOTDIR);
    fails(open(in("d/f/"), O_RDONLY), ENOTDIR);
    is(open(in("d/../d/./e//../f"), O_RDONLY) >= 0, 1, "a path with . and .. and //");
    close(3);
    is(unlink(in("d/f")), 0, "the file removed");
    is(rmdir(in("d/e")), 0, "and the directory inside");
    is(rmdir(in("d")), 0, "and the outer one");
    fails(rmdir(in("d")), ENOENT);
}

static void renames(void)
{
    ok(make("a", "A") && make("b", "B"), "two files");
    is(rename(in("a"), in("c")), 0, "rename");
    ok(holds("c", "A"), "the same file under its new name");
    fails(rename(in("a"), in("c")), ENOENT);
    is(rename(in("c"), in("b")), 0, "over another file");
    ok(holds("b", "A"), "which is gone");
    is(rename(in("b"), in("b")), 0, "to itself: nothing");
    is(mkdir(in("d"), 0755), 0, "a directory");
    fails(rename(in("b"), in("d")), EISDIR);
    fails(rename(in("d"), in("b")), ENOTDIR);
    fails(rename(in("d"), in("d/e")), EINVAL);
    is(rename(in("b"), in("d/b")), 0, "into a directory");
    is(mkdir(in("g"), 0755), 0, "another directory");
    fails(rename(in("g"), in("d")), ENOTEMPTY);
    is(rename(in("d"), in("g")), 0, "over an empty directory");
    ok(holds("g/b", "A") && !unlink(in("g/b")), "with all in it");
    is(rmdir(in("g")), 0, "cleaned up");
}

/* A directory that moves takes along all that is in it, and whoever is in it. */
static void moves(void)
{
    struct stat st;
    char buf[128], want[128];

    ok(!mkdir(in("a"), 0755) && !mkdir(in("a/b"), 0755) && !mkdir(in("c"), 0755), "directories");
    ok(make("a/b/f", "F"), "and a file");
    int fd = open(in("a/b/f"), O_RDWR), dir = open(in("a/b"), O_RDONLY | O_DIRECTORY);
    is(chdir(in("a/b")), 0, "we are in one");
    is(rename(in("a/b"), in("c/d")), 0, "it moves to another");
    strcpy(want, in("c/d"));
    ok(getcwd(buf, sizeof buf) && !strcmp(buf, want), "and we with it");
    ok(holds("c/d/f", "F"), "the file is there");
    fails(open(in("a/b/f"), O_RDONLY), ENOENT);
    is(access("../../c", F_OK), 0, ".. leads to the new parent");
    ok(!stat(in("a"), &st) && st.st_nlink == 2 && !stat(in("c"), &st) && st.st_nlink == 3,
       "link counts of both parents");
    is(mkdirat(dir, "e", 0755), 0, "an open directory is still one");
    is(access(in("c/d/e"), F_OK), 0, "in its new place");
    fails(rename(in("c"), in("c/d/e/c")), EINVAL);
    fails(rename(in("c/d/e"), in("c")), ENOTEMPTY);
    fails(rename(in("c/d/"), in("c/d/e")), EINVAL);
    is(rename(in("c/d/f"), in("f")), 0, "a file that is open moves");
    ok(write(fd, "G", 1) == 1 && holds("f", "G"), "and is the same file");
    is(rename(in("c/d/"), in("a/x/")), 0, "slashes are fine for a directory");
    ok(!chdir("/") && !unlink(in("f")) && !rmdir(in("a/x/e")) && !rmdir(in("a/x")) &&
           !rmdir(in("a")) && !rmdir(in("c")),
       "cleaned up");
    fails(mkdirat(dir, "e", 0755), ENOENT);
    close(fd);
    close(dir);
}

static void links(void)
{
    struct stat a, b;
    char buf[64] = "";

    ok(make("a", "text"), "a file");
    is(link(in("a"), in("b")), 0, "link");
    ok(!stat(in("a"), &a) && !stat(in("b"), &b) && a.st_ino == b.st_ino, "two names of one file");
    is(b.st_nlink, 2, "two links");
    fails(link(in("a"), in("b")), EEXIST);
    fails(link(in("x"), in("y")), ENOENT);
    fails(link(top, in("y")), EPERM);
    is(rename(in("a"), in("b")), 0, "renamed to its other name: nothing");
    ok(!stat(in("a"), &a) && a.st_nlink == 2, "both are still there");
    is(unlink(in("a")), 0, "one removed");
    ok(holds("b", "text"), "the other holds the file");
    is(symlink("b", in("s")), 0, "symlink");
    ok(holds("s", "text"), "leads to the file");
    is(readlink(in("s"), buf, sizeof buf), 1, "readlink");
    is(buf[0], 'b', "its text");
    is(readlink(in("s"), buf, 0), -1, "readlink into nothing");
    fails(readlink(in("b"), buf, sizeof buf), EINVAL);
    ok(!lstat(in("s"), &a) && S_ISLNK(a.st_mode) && a.st_size == 1, "lstat shows the link");
    fails(open(in("s"), O_RDONLY | O_NOFOLLOW), ELOOP);
    fails(symlink("x", in("s")), EEXIST);
    is(unlink(in("b")), 0, "the file removed");
    fails(open(in("s"), O_RDONLY), ENOENT);
    is(unlink(in("s")), 0, "and the link");
    symlink("two", in("one"));
    symlink("one", in("two"));
    fails(open(in("one"), O_RDONLY), ELOOP);
    fails(open(in("one/x"), O_RDONLY), ELOOP);
    ok(!unlink(in("one")) && !unlink(in("two")), "links in a ring removed");
}

static void here(void)
{
    char buf[128];

    is(chdir(top), 0, "chdir");
    ok(getcwd(buf, sizeof buf) && !strcmp(buf, top), "getcwd: %s", buf);
    fails(getcwd(buf, 3) ? 0 : -1, ERANGE);
    ok(make("w", "w"), "a file there");
    ok(vm_read_file("w", buf, sizeof buf) == 1, "a relative path");
    fails(chdir("w"), ENOTDIR);
    fails(chdir("nowhere"), ENOENT);
    int dir = open(top, O_RDONLY | O_DIRECTORY);
    int fd = openat(dir, "w", O_RDONLY);
    ok(fd >= 0, "openat");
    fails(openat(fd, "w", O_RDONLY), ENOTDIR);
    fails(openat(999, "w", O_RDONLY), EBADF);
    close(fd);
    is(unlinkat(dir, "w", 0), 0, "unlinkat");
    is(mkdirat(dir, "m", 0755), 0, "mkdirat");
    fails(unlinkat(dir, "m", 0), EISDIR);
    is(unlinkat(dir, "m", AT_REMOVEDIR), 0, "unlinkat of a directory");
    close(dir);
    is(chdir("/"), 0, "back to /");
}

/* A few hundred names, listed in many calls; each must come once. */
static void listing(void)
{
    enum { N = 300 };
    static bool seen[N];
    struct dirent *entry;
    int n, count = 0, dots = 0;
    char name[32];
    bool good = true;

    mkdir(in("l"), 0755);
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "l/name-%d", i);
        good &= make(name, "");
    }
    ok(good, "%d files", N);
    DIR *dir = opendir(in("l"));
    while (dir && (entry = readdir(dir))) {
        if (sscanf(entry->d_name, "name-%d", &n) == 1 && n >= 0 && n < N && !seen[n]) {
            seen[n] = true;
            count++;
        } else
            dots += !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ? 1 : 100;
    }
    closedir(dir);
    is(count, N, "each listed once");
    is(dots, 2, "and . and .., nothing else");
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "l/name-%d", i);
        good &= unlink(in(name)) == 0;
    }
    ok(good && rmdir(in("l")) == 0, "all removed");
}

static u64 now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* Names in one directory: made, found, listed and removed at a cost that grows little with how many there are. */
static void crowd(void)
{
    enum { N = 20000 };
    char name[32];
    bool good = true;
    u64 first = 0, last = 0, start = now_ns();
    int count = 0;

    mkdir(in("many"), 0755);
    is(chdir(in("many")), 0, "a directory for many");
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "%08x", i * 2654435761u);
        good &= close(creat(name, 0644)) == 0;
        if (i == 999)
            first = now_ns() - start;
        if (i == N - 1001)
            start = now_ns();
    }
    last = now_ns() - start;
    ok(good, "%d files", N);
    ok(last < 10 * first,
       "the last thousand took no ten times as long as the first: %llu of %llu us",
       (unsigned long long)last / 1000, (unsigned long long)first / 1000);
    DIR *dir = opendir(".");
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        count++;
    closedir(dir);
    is(count, N + 2, "all are listed");
    for (int i = N; i-- > 0;) {
        snprintf(name, sizeof name, "%08x", i * 2654435761u);
        good &= access(name, F_OK) == 0 && unlink(name) == 0 && access(name, F_OK) != 0;
    }
    ok(good && chdir("/") == 0 && rmdir(in("many")) == 0, "found and removed");
}

void suite_paths(void)
{
    snprintf(top, sizeof top, "%s/guest-paths-%d", temp_directory(), (int)getpid());
    umask(022);
    is(mkdir(top, 0755), 0, "a directory for this suite");
    directories();
    renames();
    moves();
    links();
    here();
    listing();
    crowd();
    is(rmdir(top), 0, "nothing is left in it");
}
