/*
 * proc.c: the files of /proc/self: their formats, letter by letter, as programs parse them, and that their values are
 * those of this process. Checked on Linux as well, so what is asked is what both have.
 */
#include "tests/guest/guest.h"

#include <ctype.h>
#include <signal.h>
#include <sys/stat.h>

static char text[1 << 20];

static const char *slurp(const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/%s", name);
    if (vm_read_file(path, text, sizeof text) < 0)
        vm_die(errno, "cannot read %s", path);
    return text;
}

/* What stands behind "name:" and white space in t; NULL: no such line. */
static const char *field(const char *t, const char *name)
{
    size_t n = strlen(name);

    for (const char *line = t; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, name, n) && line[n] == ':')
            return line + n + 1 + strspn(line + n + 1, " \t");
    return NULL;
}

static u64 number(const char *t, const char *name)
{
    const char *value = field(t, name);

    return value ? strtoull(value, NULL, 10) : ~0ul;
}

/* Are all the names there, in this order? */
static bool in_order(const char *t, const char *const *names)
{
    const char *at = t;

    for (; *names; names++) {
        const char *next = field(at, *names);
        if (!next) {
            tap_note("%s is missing, or before the others", *names);
            return false;
        }
        at = next;
    }
    return true;
}

static void status_format(void)
{
    static const char *const names[] = {
        "Name",   "Umask",  "State",   "Tgid",    "Ngid",     "Pid",    "PPid",   "TracerPid",
        "Uid",    "Gid",    "FDSize",  "Groups",  "VmPeak",   "VmSize", "VmLck",  "VmPin",
        "VmHWM",  "VmRSS",  "RssAnon", "RssFile", "RssShmem", "VmData", "VmStk",  "VmExe",
        "VmLib",  "VmPTE",  "VmSwap",  "Threads", "SigQ",     "SigPnd", "ShdPnd", "SigBlk",
        "SigIgn", "SigCgt", "CapInh",  "CapPrm",  "CapEff",   "CapBnd", "CapAmb", NULL};
    const char *t = slurp("status");
    bool columns = true;

    ok(in_order(t, names), "status has its lines, in order");
    for (const char *line = strstr(t, "\nVmPeak"); line && !strncmp(line, "\nVm", 3);
         line = strchr(line + 1, '\n')) {
        const char *end = strchr(line + 1, '\n'), *tab = strchr(line + 1, '\t');
        columns &= tab && end && end - tab == 1 + 8 + 3 && !strncmp(end - 3, " kB", 3);
    }
    ok(columns, "sizes have eight columns and kB");
    ok(!strncmp(field(t, "State"), "R (running)\n", 12), "who reads this runs");
    is(number(t, "Pid"), getpid(), "Pid");
    is(number(t, "Tgid"), getpid(), "Tgid");
    is(number(t, "PPid"), getppid(), "PPid");
    is(number(t, "Threads"), 1, "one thread");
    is(number(t, "FDSize") % 64, 0, "FDSize is made of words");
    is(number(t, "VmRSS"), number(t, "RssAnon") + number(t, "RssFile") + number(t, "RssShmem"),
       "VmRSS is the sum of its kinds");
    ok(number(t, "VmHWM") >= number(t, "VmRSS"), "VmHWM is not below VmRSS");
    ok(number(t, "VmPeak") >= number(t, "VmSize"), "VmPeak is not below VmSize");
    is(strlen("0000000000000000\n"), strcspn(field(t, "SigBlk"), "\n") + 1, "sets have 16 digits");
}

static void status_values(void)
{
    enum { N = 512, SLACK = 128 }; /* Linux counts pages a CPU at a time */
    u64 kib = page / 1024;
    char *p = area(N);
    sigset_t set, old;

    u64 size = number(slurp("status"), "VmSize"), data = number(text, "VmData");
    u64 anon = number(text, "RssAnon");
    anon_at(p, N, RW);
    is(number(slurp("status"), "VmSize"), size + N * kib, "a map counts in VmSize");
    is(number(text, "VmData"), data + N * kib, "and in VmData");
    for (int i = 0; i < N; i++)
        p[i * page] = 1;
    u64 now = number(slurp("status"), "RssAnon");
    ok(now >= anon + (N - SLACK) * kib && now <= anon + (N + SLACK) * kib,
       "pages that are touched in RssAnon");
    u64 rss = number(text, "VmRSS");
    unmap(p, N);
    is(number(slurp("status"), "VmSize"), size, "munmap takes it back");
    ok(number(text, "VmRSS") <= rss - (N - SLACK) * kib, "and its pages");
    ok(number(text, "VmPeak") >= size + N * kib, "VmPeak remembers the size");
    ok(number(text, "VmHWM") >= rss - SLACK * kib, "VmHWM the pages");

    signal(SIGUSR1, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, &old);
    slurp("status");
    ok(strtoull(field(text, "SigIgn"), NULL, 16) & 1ul << (SIGUSR1 - 1), "SigIgn");
    ok(strtoull(field(text, "SigBlk"), NULL, 16) & 1ul << (SIGUSR2 - 1), "SigBlk");
    sigprocmask(SIG_SETMASK, &old, NULL);
    signal(SIGUSR1, SIG_DFL);
}

static void stat_fields(void)
{
    u64 f[52] = {0}, statm[7];
    char state = 0, comm[32] = "";
    int n = 0, length = 0;
    const char *t = slurp("stat"), *at = strrchr(t, ')');

    ok(sscanf(t, "%d (%16[^)]) %c", &n, comm, &state) == 3 && n == getpid(),
       "stat begins pid (comm) state");
    is(state, 'R', "running");
    for (n = 4;
         at && sscanf(at + (n == 4 ? 3 : 0), " %ld%n", (long *)&f[n - 1], &length) == 1 && n <= 52;
         n++)
        at += length + (n == 4 ? 3 : 0);
    is(n - 1, 52, "52 fields");
    is(f[3], getppid(), "4: ppid");
    is(f[4], getpgrp(), "5: pgrp");
    is(f[5], getsid(0), "6: session");
    is(f[19], 1, "20: threads");
    is(f[37], SIGCHLD, "38: exit signal");
    ok(f[25] <= (u64)stat_fields && (u64)stat_fields < f[26], "26, 27: code");
    ok((u64)&n < f[27] + page && (u64)&n > f[27] - (1 << 20), "28: the stack's start");
    ok(f[46] <= (u64)sbrk(0), "47: the heap's start");
    ok(f[47] < f[48] && f[48] <= f[49] && f[49] < f[50], "48 to 51: arguments, environment");
    u64 vsize = f[22];
    is(vsize, number(slurp("status"), "VmSize") * 1024, "23: vsize is VmSize");
    slurp("statm");
    n = sscanf(text, "%lu %lu %lu %lu %lu %lu %lu", &statm[0], &statm[1], &statm[2], &statm[3],
               &statm[4], &statm[5], &statm[6]);
    is(n, 7, "statm: 7 fields");
    is(statm[0] * page, vsize, "1: size");
    ok(statm[1] <= statm[0] && statm[2] <= statm[1], "2, 3: resident, shared");
    is(statm[4] + statm[6], 0, "5, 7: nothing");
}

/* The part of smaps about the VMA at p, cut off behind it. NULL: none. */
static char *smaps_of(const char *p)
{
    char start[24];

    slurp("smaps");
    snprintf(start, sizeof start, "%08lx-", (u64)p);
    char *at = text;
    while (at && strncmp(at, start, strlen(start)))
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    char *end = at ? strstr(at, "VmFlags:") : NULL;
    if (end)
        end[strcspn(end, "\n") + 1] = 0;
    return at;
}

static void smaps_format(void)
{
    static const char *const names[] = {"Size",
                                        "KernelPageSize",
                                        "MMUPageSize",
                                        "Rss",
                                        "Pss",
                                        "Shared_Clean",
                                        "Shared_Dirty",
                                        "Private_Clean",
                                        "Private_Dirty",
                                        "Referenced",
                                        "Anonymous",
                                        "AnonHugePages",
                                        "Swap",
                                        "SwapPss",
                                        "Locked",
                                        "VmFlags",
                                        NULL};
    static char maps[1 << 16];
    u64 sum = 0;
    int lines = 0, same = 0, blocks = 0;
    char *p = anon_at(area(4), 4, RW), *block = smaps_of(p);

    ok(block && in_order(block, names), "smaps has its lines, in order");
    ok(block && strstr(block, "\nSize:                 16 kB\n"), "in their columns");
    ok(block && strstr(block, "VmFlags: rd wr mr mw me ac "), "with flags");
    unmap(p, 4);
    memcpy(maps, slurp("maps"), sizeof maps);
    slurp("smaps");
    for (char *line = strtok(maps, "\n"); line; line = strtok(NULL, "\n"), lines++)
        same += strstr(text, line) != NULL;
    for (const char *at = text; (at = strstr(at, "\nRss:")); at++, blocks++)
        sum += strtoull(at + 5, NULL, 10);
    is(same, lines, "every line of maps is in smaps");
    is(blocks, lines, "once");
    u64 rss = number(slurp("status"), "VmRSS");
    ok(sum + 128 >= rss && sum <= rss + 128, "its Rss add up to about VmRSS: %lu, %lu kB", sum,
       rss);
    if (access("/proc/self/smaps_rollup", R_OK) == 0) {
        ok(strstr(slurp("smaps_rollup"), "[rollup]\nRss: "), "smaps_rollup");
        rss = number(text, "Rss");
        ok(sum + 128 >= rss && sum <= rss + 128, "adds them up");
    }
}

static void smaps_values(void)
{
    u64 kib = page / 1024;
    char *p = anon_at(area(16), 16, RW);
    int fd = filled_file(4, 'a');
    char *q = map_at(area(4), 4, RW, MAP_SHARED, fd, 0);

    for (int i = 0; i < 8; i++)
        p[i * page] = 1;
    char *block = smaps_of(p);
    is(number(block, "Size"), 16 * kib, "sixteen pages are mapped");
    is(number(block, "Rss"), 8 * kib, "eight are there");
    is(number(block, "Pss"), 8 * kib, "all ours");
    is(number(block, "Private_Dirty"), 8 * kib, "private and dirty");
    is(number(block, "Anonymous"), 8 * kib, "anonymous");
    is(number(block, "Shared_Clean") + number(block, "Shared_Dirty"), 0, "not shared");
    ok(*(volatile char *)q == 'a', "a file's page is read");
    block = smaps_of(q);
    is(number(block, "Anonymous"), 0, "a shared file has nothing anonymous");
    ok(number(block, "Rss") >= kib, "the page is there");
    char *r = map_at(area(4), 4, RW, MAP_SHARED, fd, 0);
    for (int i = 0; i < 4; i++)
        r[i * page] = q[i * page] = 1;
    block = smaps_of(q);
    is(number(block, "Rss"), 4 * kib, "all four after a write to each");
    is(number(block, "Pss"), 2 * kib, "mapped twice, each half");
    is(number(block, "Shared_Dirty"), 4 * kib, "shared and dirty");
    ok(strstr(block, " sh ") && strstr(block, " ms "), "flags sh and ms");
    unmap(p, 16);
    unmap(q, 4);
    unmap(r, 4);
    close(fd);
}

/* The cost is that of what is there. */
static void smaps_of_much(void)
{
    u64 pages = (16ul << 40) / page;
    char *p = mmap(NULL, pages * page, RW, ANON | MAP_NORESERVE, -1, 0), counts[4096];

    if (!ok(p != MAP_FAILED, "16 TiB are mapped"))
        return;
    p[8ul << 40] = 1;
    u64 before = 0, after = 0;
    if (fathom && vm_read_file("/proc/self/vmcount", counts, sizeof counts) > 0)
        before = strtoull(strstr(counts, "query_reads ") + 12, NULL, 10);
    char *block = smaps_of(p);
    is(number(block, "Size"), pages * (page / 1024), "smaps shows its size");
    is(number(block, "Rss"), page / 1024, "and the one page");
    if (fathom && vm_read_file("/proc/self/vmcount", counts, sizeof counts) > 0) {
        after = strtoull(strstr(counts, "query_reads ") + 12, NULL, 10);
        ok(after - before < 10000, "by %lu reads", after - before);
    } else {
        tap_skip("reads are counted in Fathom only");
    }
    is(munmap(p, pages * page), 0, "unmapped");
}

static void texts(void)
{
    char path[64], target[512], want[512];
    ssize_t n;

    n = vm_read_file("/proc/self/cmdline", text, sizeof text);
    ok(n > 11 && !strcmp(text + strlen(text) + 1, "proc"), "cmdline: words with a NUL each");
    ok(text[n - 1] == 0, "the last too");
    n = vm_read_file("/proc/self/environ", text, sizeof text);
    ok(n > 0 && memmem(text, n, "PATH=", 5), "environ has PATH");
    slurp("comm");
    ok(strlen(text) > 1 && text[strlen(text) - 1] == '\n', "comm: %.15s", text);
    n = readlink("/proc/self", target, sizeof target);
    target[n > 0 ? n : 0] = 0;
    is(atoi(target), getpid(), "/proc/self leads to the number");
    n = readlink("/proc/self/cwd", target, sizeof target);
    ok(n > 0 && getcwd(want, sizeof want) && (size_t)n == strlen(want) && !memcmp(target, want, n),
       "cwd");
    is(readlink("/proc/self/root", target, sizeof target), 1, "root");
    n = readlink("/proc/self/exe", target, sizeof target);
    ok(n > 0 && target[0] == '/', "exe is a path");
    snprintf(path, sizeof path, "/proc/%d/exe", (int)getpid());
    int fd = open(path, O_RDONLY);
    ok(fd >= 0 && read(fd, target, 4) == 4 && !memcmp(target, "\177ELF", 4),
       "and opens as the program");
    close(fd);
    slurp("limits");
    ok(!strncmp(text,
                "Limit                     Soft Limit           Hard Limit           Units     \n",
                79),
       "limits: the head");
    ok(strstr(text, "\nMax stack size            8388608              "), "limits: the stack");
    ok(strstr(text, "\nMax nice priority         "), "limits: without a unit");
    slurp("mounts");
    ok(strstr(text, " /proc proc rw"), "mounts has /proc");
}

/* Rename ourselves, and others not. */
static void comm(void)
{
    char old[32], buf[32] = "";
    int fd = open("/proc/self/comm", O_RDWR);
    ssize_t n = read(fd, old, sizeof old);

    is(write(fd, "a name that is too long", 23), 23, "comm takes a name");
    ok(pread(fd, buf, 31, 0) == 16 && !strcmp(buf, "a name that is \n"), "cut to 15 bytes");
    ok(strstr(slurp("status"), "Name:\ta name that is \n"), "status has it");
    is(write(fd, old, n - 1), n - 1, "and back");
    close(fd);
}

static void descriptors(void)
{
    char name[64], path[64], target[256] = "", buf[8];
    struct stat status;
    int fd = named_file(name, sizeof name);

    is(write(fd, "data", 4), 4, "a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, target, sizeof target - 1);
    ok(n == (ssize_t)strlen(name) && !memcmp(target, name, n), "fd: a link to its path");
    is(lstat(path, &status), 0, "lstat");
    is(status.st_mode, S_IFLNK | 0700, "for reading and writing");
    unlink(name);
    n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    ok(!strncmp(target, name, strlen(name)) && !strcmp(target + strlen(name), " (deleted)"),
       "deleted");
    int again = open(path, O_RDONLY);
    ok(again >= 0 && read(again, buf, 8) == 4, "it opens all the same, at its start");
    is(stat(path, &status), 0, "stat follows");
    is(status.st_size, 4, "to the file");
    close(again);
    close(fd);
    fails(readlink(path, target, sizeof target), ENOENT);
    fails(open(path, O_RDONLY), ENOENT);
    fails(open("/proc/self/fd/01", O_RDONLY), ENOENT);
    fails(open("/proc/self/fd/99999999999999999999", O_RDONLY), ENOENT);
}

static void refusals(void)
{
    struct stat status;

    fails(open("/proc/self/nothing", O_RDONLY), ENOENT);
    fails(open("/proc/self/nothing", O_CREAT | O_RDWR, 0600), ENOENT);
    fails(open("/proc/nothing", O_CREAT | O_RDWR, 0600), ENOENT);
    fails(mkdir("/proc/nothing", 0700), ENOENT);
    fails(mkdir("/proc/self/nothing", 0700), ENOENT);
    fails(symlink("a", "/proc/self/nothing"), ENOENT);
    fails(unlink("/proc/self/nothing"), ENOENT);
    fails(unlink("/proc/self/maps"), EPERM);
    fails(unlink("/proc/self"), EPERM);
    fails(rmdir("/proc/self/fd"), EPERM);
    fails(rename("/proc/self/maps", "/proc/self/nothing"), ENOENT);
    fails(link("/proc/self/maps", "/tmp/nothing"), EXDEV);
    fails(chmod("/proc/self/maps", 0777), EPERM);
    fails(mkdir("/proc/self", 0700), EEXIST);
    fails(open("/proc/99999999/maps", O_RDONLY), ENOENT);
    fails(open("/proc/0/maps", O_RDONLY), ENOENT);
    fails(open("/proc/self/maps/x", O_RDONLY), ENOTDIR);
    int fd = open("/proc/self/maps", O_RDONLY);
    fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0), ENODEV);
    fails(lseek(fd, 0, SEEK_END), EINVAL);
    fails(lseek(fd, -1, SEEK_SET), EINVAL);
    is(fstat(fd, &status), 0, "fstat");
    is(status.st_mode, S_IFREG | 0444, "maps: a file to read");
    is(status.st_size, 0, "without a size");
    close(fd);
    is(stat("/proc/self", &status), 0, "stat");
    is(status.st_mode, S_IFDIR | 0555, "a process is a directory");
}

void suite_proc(void)
{
    status_format();
    status_values();
    stat_fields();
    smaps_format();
    smaps_values();
    smaps_of_much();
    texts();
    comm();
    descriptors();
    refusals();
}
