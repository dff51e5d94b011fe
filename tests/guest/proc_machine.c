/*
 * proc_machine.c: the files of /proc about the machine, the list of processes in it, and reading: every file, at every place,
 * by buffers of every small size; and writing what makes no sense.
 */
#include "tests/guest/guest.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char text[1 << 20];

static const char *slurp(const char *path)
{
    if (vm_read_file(path, text, sizeof text) < 0)
        vm_die(errno, "cannot read %s", path);
    return text;
}

static u64 kib(const char *name)
{
    char line[64];

    slurp("/proc/meminfo");
    snprintf(line, sizeof line, "\n%s:", name);
    const char *at = strstr(text, line);
    return at ? strtoull(at + strlen(line), NULL, 10) : ~0ul;
}

static void meminfo(void)
{
    static const char *const names[] = {
        "MemTotal:     ",   "\nMemFree:      ", "\nMemAvailable: ", "\nBuffers:      ",
        "\nCached:       ", "\nSwapCached:   ", "\nActive:       ", "\nInactive:     ",
        "\nUnevictable:  ", "\nMlocked:      ", "\nSwapTotal:    ", "\nSwapFree:     ",
        "\nDirty:        ", "\nWriteback:    ", "\nAnonPages:    ", "\nMapped:       ",
        "\nShmem:        ", "\nSlab:         ", "\nSReclaimable: ", "\nSUnreclaim:   ",
        "\nPageTables:   ", "\nCommitLimit:  ", "\nCommitted_AS: "};
    const char *at = slurp("/proc/meminfo");
    bool columns = true, order = true;

    for (size_t i = 0; at && i < sizeof names / sizeof *names; i++) {
        order &= (at = strstr(at, names[i])) != NULL;
        if (!at)
            tap_note("%s", names[i] + 1);
    }
    ok(order, "meminfo has its lines, in order");
    for (const char *line = text; (at = strchr(line, '\n')); line = at + 1)
        if (strncmp(line, "Vmalloc", 7) && strncmp(line, "HugePages", 9) &&
            strncmp(line, "DirectMap", 9))
            columns &= at - line >= 16 + 8 + 3 && !strncmp(at - 3, " kB", 3);
    ok(columns, "in columns, of kB");
    u64 total = strtoull(text + 9, NULL, 10);
    ok(kib("MemFree") <= total && kib("MemAvailable") <= total, "no more is free than there is");
}

/* The counts move with what is done. */
static void meminfo_values(void)
{
    enum { N = 4096 };
    u64 k = page / 1024, slack = fathom ? 32 * k : N / 2 * k, want = N * k;

    if (!fathom) {
        tap_skip("others change a machine's counts");
        return;
    }
    /* The program's own code is a file's mapped pages, as it is run: all of it from now on. */
    is(mlockall(MCL_CURRENT), 0, "all of this program is in memory");
    u64 anon = kib("AnonPages"), free = kib("MemFree"), committed = kib("Committed_AS");
    char *p = anon_at(area(N), N, RW);
    is(kib("Committed_AS") - committed, want, "what is mapped is promised");
    memset(p, 1, N * page);
    u64 more = kib("AnonPages") - anon, less = free - kib("MemFree");
    ok(more >= want && more <= want + slack, "what is touched is anonymous: %lu kB", more);
    ok(less >= want && less <= want + 2 * slack, "and not free: %lu kB", less);
    u64 tables = kib("PageTables");
    unmap(p, N);
    ok(tables - kib("PageTables") >= N / 512 * k, "page tables go with it");
    u64 shmem = kib("Shmem"), mapped = kib("Mapped");
    p = map_at(area(N), N, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(p, 1, N * page);
    is(kib("Shmem") - shmem, want, "shared memory is Shmem");
    is(kib("Mapped") - mapped, want, "and mapped");
    char *q = mremap(p, 0, N * page, MREMAP_MAYMOVE);
    if (q != MAP_FAILED) {
        memset(q, 2, N * page);
        is(kib("Mapped") - mapped, want, "mapped twice it counts once");
        unmap(q, N);
    }
    unmap(p, N);
    is(kib("Shmem"), shmem, "until it is unmapped");
    is(kib("Mapped"), mapped, "from everywhere");
    int fd = filled_file(64, 'a');
    is(kib("Cached") >= shmem + 64 * k, 1, "a file's pages are cached");
    is(kib("Mapped"), mapped, "and not mapped");
    close(fd);
    is(kib("Cached"), shmem, "until it goes");
    munlockall();
    is(kib("AnonPages") <= anon + slack, 1, "nothing anonymous is left");
}

static void formats(void)
{
    double a, b, c;
    u64 n[10];
    int x, y, z, end = 0;

    is(sscanf(slurp("/proc/uptime"), "%lf %lf%n", &a, &b, &end), 2, "uptime: two numbers");
    ok(text[end] == '\n' && !text[end + 1] && a > 0, "on a line");
    is(sscanf(slurp("/proc/loadavg"), "%lf %lf %lf %d/%d %d%n", &a, &b, &c, &x, &y, &z, &end), 6,
       "loadavg: three averages, threads, the last number given");
    ok(text[end] == '\n' && x >= 1 && y >= x && z >= getpid(), "with sense: %d/%d %d", x, y, z);
    slurp("/proc/stat");
    int fields = sscanf(text, "cpu  %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu", &n[0], &n[1], &n[2],
                        &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9]);
    is(fields, 10, "stat: the CPU's time, ten ways");
    static const char *const lines[] = {"\ncpu0 ",         "\nintr ",      "\nctxt ",
                                        "\nbtime ",        "\nprocesses ", "\nprocs_running ",
                                        "\nprocs_blocked "};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ok(strstr(text, lines[i]), "stat:%.15s", lines[i] + 1);
    slurp("/proc/vmstat");
    ok(!strncmp(text, "nr_free_pages ", 14) && strstr(text, "\nnr_anon_pages ") &&
           strstr(text, "\nnr_mapped ") && strstr(text, "\npgfault "),
       "vmstat: names and values");
    slurp("/proc/cpuinfo");
    ok(!strncmp(text, "processor\t: 0\n", 14) && strstr(text, "\nmodel name\t: ") &&
           strstr(text, "\nflags\t\t: ") && strstr(text, " lm ") && strstr(text, "\ncpu MHz\t\t: "),
       "cpuinfo");
    ok(!strncmp(slurp("/proc/version"), "Linux version ", 14), "version");
    slurp("/proc/filesystems");
    ok(strstr(text, "nodev\ttmpfs\n") && strstr(text, "nodev\tproc\n"), "filesystems");
    ok(strstr(slurp("/proc/mounts"), " / "), "mounts");
    ok(!strncmp(slurp("/proc/slabinfo"), "slabinfo - version: 2.1\n# name", 30), "slabinfo");
    ok(strstr(slurp("/proc/interrupts"), "CPU0") && strstr(text, ":"), "interrupts");
}

/* ---- the list ---- */

static bool listed(int pid)
{
    DIR *dir = opendir("/proc");
    char name[16];
    bool found = false;

    snprintf(name, sizeof name, "%d", pid);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (!strcmp(e->d_name, name))
            found = e->d_type == DT_DIR;
    if (dir)
        closedir(dir);
    return found;
}

static void list(void)
{
    char path[64], line[512];
    int go[2], pid;

    ok(listed(getpid()), "/proc lists us");
    if (!ok(pipe(go) == 0, "a pipe"))
        return;
    pid = fork();
    if (pid == 0) {
        close(go[1]);
        _exit(read(go[0], line, 1) == 0 ? 7 : 1);
    }
    ok(listed(pid), "and a child");
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    int status = open(path, O_RDONLY);
    ok(read(status, line, sizeof line) > 0 && strstr(line, "\nState:\t"),
       "whose status can be read");
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    ok(vm_read_file(path, line, sizeof line) > 0, "it has our arguments");
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, go[0]);
    ssize_t n = readlink(path, line, sizeof line - 1);
    line[n > 0 ? n : 0] = 0;
    ok(!strncmp(line, "pipe:[", 6), "a pipe's name: %s", line);
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    int maps = open(path, O_RDONLY);
    close(go[1]);
    while (waitid(P_PID, pid, NULL, WEXITED | WNOWAIT) && errno == EINTR)
        ;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    ok(vm_read_file(path, line, sizeof line) > 0 && strstr(line, ") Z "), "a zombie says so");
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    is(vm_read_file(path, line, sizeof line), 0, "it has no arguments");
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    fails(readlink(path, line, sizeof line), ENOENT);
    waitpid(pid, NULL, 0);
    ok(!listed(pid), "after wait it is gone");
    snprintf(path, sizeof path, "/proc/%d", pid);
    fails(open(path, O_RDONLY), ENOENT);
    lseek(status, 0, SEEK_SET);
    fails(read(status, line, sizeof line), ESRCH);
    n = read(maps, line, sizeof line);
    ok(n == 0 || (n < 0 && errno == ESRCH), "maps that was open is empty or gone");
    close(status);
    close(maps);
    close(go[0]);
}

/* ---- reading and writing ---- */

static const char *const constant[] = {"/proc/version",      "/proc/filesystems",
                                       "/proc/self/cmdline", "/proc/self/limits",
                                       "/proc/self/mounts",  "/proc/self/comm"};

/* Every place, every size up to 9: the same bytes. */
static void pieces(const char *path)
{
    static char all[1 << 16];
    char buf[9];
    bool same = true;
    int fd = open(path, O_RDONLY);
    ssize_t length = read(fd, all, sizeof all);

    for (ssize_t at = 0; at <= length + 2; at++)
        for (ssize_t n = 1; n <= 9; n += 4) {
            ssize_t got = pread(fd, buf, n, at), want = at >= length      ? 0
                                                        : length - at < n ? length - at
                                                                          : n;
            same &= got == want && !memcmp(buf, all + at, want);
        }
    is(pread(fd, buf, 9, 1ul << 40), 0, "%s: nothing far behind it", path);
    ok(length > 0 && same, "the same %ld bytes in pieces", (long)length);
    ssize_t sum = 0, n;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, buf, 3)) > 0)
        same &= !memcmp(buf, all + sum, n), sum += n;
    ok(same && sum == length, "and one after the other");
    close(fd);
}

/* Read one file in pieces of n from its start and from the middle; false: an error that makes no sense. */
static bool read_through(const char *path, size_t size)
{
    static char buf[4096];
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    ssize_t n = 0;
    bool good = true;

    if (fd < 0)
        return errno == EACCES || errno == ENOENT;
    for (int i = 0; i < 3000 && (n = read(fd, buf, size)) > 0; i++)
        good &= (size_t)n <= size;
    good &= n >= 0 || errno == EINVAL || errno == ESRCH;
    for (int at = 0; at < 40; at++)
        good &= pread(fd, buf, size, at * 37) >= -1;
    close(fd);
    return good;
}

/* Call visit for every regular file below path, at most depth directories deep. */
static int files_below(const char *path, int depth, bool (*visit)(const char *path))
{
    char name[512];
    DIR *dir = opendir(path);
    int bad = 0;

    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(name, sizeof name, "%.200s/%.255s", path, e->d_name);
        if (e->d_type == DT_DIR && depth > 0 && e->d_name[0] != '.')
            bad += files_below(name, depth - 1, visit);
        if (e->d_type == DT_REG && !visit(name)) {
            tap_note("%s: %s", name, strerror(errno));
            bad++;
        }
    }
    if (dir)
        closedir(dir);
    return bad;
}

static bool visit_read(const char *path)
{
    static const size_t sizes[] = {1, 7, 64, 1000, 4096};
    bool good = true;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        good &= read_through(path, sizes[i]);
    return good;
}

/* Nothing was taken: it makes no sense, or the file takes nothing at all. */
static bool refused(ssize_t n)
{
    return n < 0 && (errno == EINVAL || errno == EIO);
}

static bool visit_write(const char *path)
{
    static const char *const junk[] = {
        "", "\n", "junk", "-1", "0x", "99999999999999999999999", "0 0", "\377\377"};
    static char large[5000];
    const char *base = strrchr(path, '/') + 1;
    int fd = open(path, O_WRONLY);
    bool good = true;

    if (fd < 0)
        return errno == EACCES || errno == EPERM || errno == EINVAL;
    if (!strcmp(base, "comm")) { /* takes anything as a name */
        close(fd);
        return true;
    }
    memset(large, '7', sizeof large);
    for (size_t i = 1; i < sizeof junk / sizeof *junk; i++) {
        ssize_t n = pwrite(fd, junk[i], strlen(junk[i]), 0);
        good &= i == 1 || refused(n);
        if (!good)
            tap_note("%s took \"%s\": %ld", path, junk[i], (long)n);
    }
    good &= refused(pwrite(fd, large, sizeof large, 0));
    good &= refused(pwrite(fd, NULL, 4, 0)) || errno == EFAULT;
    good &= refused(pwrite(fd, "0\0", 2, 0));
    close(fd);
    return good;
}

static void every_file(void)
{
    char path[32];

    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
        pieces(constant[i]);
    snprintf(path, sizeof path, "/proc/%d", (int)getpid());
    if (!fathom) {
        tap_skip("Linux has files that wait, or that tell the machine to stop");
        return;
    }
    is(files_below("/proc", 3, visit_read), 0, "every file can be read in every way");
    is(files_below("/proc", 3, visit_write), 0, "and takes no junk");
    is(files_below(path, 1, visit_read), 0, "our own by number");
}

/* ---- while it changes ---- */

/* A child maps and unmaps until told to stop. */
static void churn(volatile int *stop)
{
    enum { PLACES = 40 };
    char *p = area(PLACES * 4);
    u64 random = 7;

    while (!*stop) {
        char *q = p + random_next(&random) % PLACES * 4 * page;
        if (random_next(&random) % 2)
            mmap(q, page * 3, random % 3 ? RW : PROT_READ, ANON | MAP_FIXED, -1, 0);
        else
            munmap(q, page * 2);
        if (random % 3)
            writable(q);
    }
    _exit(0);
}

/* Lines in order, each well made. */
static bool maps_are_good(const char *t)
{
    u64 start, end, last = 0;
    char prot[8];

    for (const char *line = t; *line; line = strchr(line, '\n') + 1) {
        if (sscanf(line, "%lx-%lx %4s", &start, &end, prot) != 3 || start < last || end <= start ||
            !strchr(line, '\n'))
            return false;
        last = end;
    }
    return true;
}

static void while_it_changes(void)
{
    static const char *const names[] = {"smaps", "status",       "stat",
                                        "statm", "smaps_rollup", "vmcount"};
    volatile int *stop = mmap(NULL, page, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char path[64];
    bool good = true, read = true;
    int pid = fork();

    if (pid == 0)
        churn(stop);
    for (int i = 0; i < 200; i++) {
        snprintf(path, sizeof path, "/proc/%d/maps", pid);
        good &= vm_read_file(path, text, sizeof text) > 0 && maps_are_good(text);
        snprintf(path, sizeof path, "/proc/%d/%s", pid, names[i % 6]);
        if (fathom || i % 6 != 5)
            read &= vm_read_file(path, text, sizeof text) > 0;
        if (i % 10 == 0)
            usleep(1000);
    }
    ok(good, "maps of a process that maps and unmaps is in order");
    ok(read, "and its other files can be read");
    snprintf(path, sizeof path, "/proc/%d/smaps", pid);
    *stop = 1;
    while (vm_read_file(path, text, sizeof text) > 0) /* it ends while it is read */
        ;
    waitpid(pid, NULL, 0);
    fails(open(path, O_RDONLY), ENOENT);
    munmap((void *)stop, page);
}

/* Half of what is shared after fork. */
static void pss_after_fork(void)
{
    enum { N = 16 };
    char *p = anon_at(area(N), N, RW), start[24];
    int go[2], pid;

    memset(p, 1, N * page);
    if (pipe(go) || (pid = fork()) < 0)
        vm_die(errno, "pipe or fork");
    if (pid == 0) {
        close(go[1]);
        _exit(read(go[0], start, 1) != 0);
    }
    close(go[0]);
    snprintf(start, sizeof start, "%08lx-", (u64)p);
    char *at = strstr(slurp("/proc/self/smaps"), start);
    ok(at && (at = strstr(at, "\nRss:")) && strtoull(at + 5, NULL, 10) == N * page / 1024,
       "Rss is all");
    ok(at && (at = strstr(at, "\nPss:")) && strtoull(at + 5, NULL, 10) == N * page / 2048,
       "Pss the half");
    ok(at && (at = strstr(at, "\nShared_Dirty:")) && strtoull(at + 14, NULL, 10) == N * page / 1024,
       "Shared_Dirty all");
    close(go[1]);
    waitpid(pid, NULL, 0);
    at = strstr(slurp("/proc/self/smaps"), start);
    ok(at && (at = strstr(at, "\nPss:")) && strtoull(at + 5, NULL, 10) == N * page / 1024,
       "all is ours when the child is gone");
    unmap(p, N);
}

void suite_proc_machine(void)
{
    meminfo();
    meminfo_values();
    formats();
    list();
    every_file();
    pss_after_fork();
    while_it_changes();
}
