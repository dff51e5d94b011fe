/*
 * forks.c: what a child has of its parent: memory of each kind, files, limits, registers; and several at once.
 */
#include "tests/guest/guest.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/guest/child.h"

/* ---- memory ---- */

static char *private, *shared, *private_file, *shared_file, *none;

static int change_all(void)
{
    bool same = private[0] == 'a' && private[page] == 0 && shared[0] == 'b' &&
                private_file[0] == 'c' && private_file[page] == 'X' && shared_file[0] == 'c';

    private[0] = private[page] = 'A';
    shared[0] = 'B';
    private_file[0] = private_file[page] = 'C';
    shared_file[page] = 'D';
    mprotect(none, page, PROT_READ);
    return same && none[0] == 'n' && private[0] == 'A' && private_file[page] == 'C' ? 0 : 1;
}

static void memory(void)
{
    int fd = filled_file(2, 'c');
    char byte[2];

    private = mmap(NULL, 2 * page, RW, ANON, -1, 0);
    shared = mmap(NULL, page, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    private_file = mmap(NULL, 2 * page, RW, MAP_PRIVATE, fd, 0);
    shared_file = mmap(NULL, 2 * page, RW, MAP_SHARED, fd, 0);
    none = mmap(NULL, page, RW, ANON, -1, 0);
    private[0] = 'a';
    shared[0] = 'b';
    private_file[page] = 'X';
    none[0] = 'n';
    mprotect(none, page, PROT_NONE);
    is(child_run(change_all), 0, "the child finds all as it was, and changes it");
    ok(private[0] == 'a' && private[page] == 0, "private memory: the parent keeps its own");
    is(shared[0], 'B', "shared memory: the parent sees it");
    ok(private_file[0] == 'c' && private_file[page] == 'X', "a private file: its own");
    is(shared_file[page], 'D', "a shared file: seen");
    pread(fd, byte, 1, 0);
    pread(fd, byte + 1, 1, page);
    ok(byte[0] == 'c' && byte[1] == 'D', "and in the file");
    ok(!readable(none), "no access is still no access");
    private[0] = 'z';
    is(private[0], 'z', "written after the child's end");
    munmap(private, 2 * page);
    munmap(private_file, 2 * page);
    munmap(shared_file, 2 * page);
    munmap(none, page);
    close(fd);
}

/* The parent writes first, the child looks after. */
static int look_later(void)
{
    common[1] = 1;
    await(&common[0], 1);
    return private[0] == 'o' && private[8 * page] == 'o' ? 0 : 1;
}

static void parent_writes(void)
{
    common_make();
    private = mmap(NULL, 16 * page, RW, ANON, -1, 0);
    memset(private, 'o', 16 * page);
    pid_t pid = child_start(look_later);
    await(&common[1], 1);
    memset(private, 'n', 16 * page);
    common[0] = 1;
    is(child_status(pid), 0, "what the parent writes the child doesn't see");
    munmap(private, 16 * page);
}

/* Each generation writes its own page and looks at its ancestors'. */
static int generation(int level)
{
    enum { LEVELS = 200 };
    if (level == LEVELS)
        return 0;
    private[level * page] = (char)(level + 1);
    pid_t pid = fork();
    if (pid < 0)
        return 2;
    if (pid == 0) {
        bool good = true;
        for (int i = 0; i <= level; i++)
            good &= private[i * page] == (char)(i + 1);
        _exit(good ? generation(level + 1) : 1);
    }
    private[level * page] = 0; /* the child has its own */
    return child_status(pid);
}

static void generations(void)
{
    private = mmap(NULL, 200 * page, RW, ANON, -1, 0);
    is(generation(0), 0, "two hundred generations, each with its ancestors' pages");
    munmap(private, 200 * page);
}

/* As Linux 6.18: what a child inherited joins only its own parts. */
static int count_vmas(void)
{
    char *p = private, *q = private + 8 * page;
    mprotect(p + page, page, RW);
    if (vmas(p, 3) != 3)
        return 1;
    anon_at(q + 2 * page, 1, RW);
    return vmas(q, 3) == 2 ? 0 : 2;
}

static void layout(void)
{
    private = area(16);
    anon_at(private, 3, RW);
    anon_at(private + 8 * page, 2, RW);
    memset(private, 1, 3 * page);
    private[8 * page] = 1;
    mprotect(private + page, page, PROT_READ);
    is(child_run(count_vmas), 0, "VMAs in the child");
    mprotect(private + page, page, RW);
    is(vmas(private, 3), 1, "and in the parent");
    unmap(private, 16);
}

/* ---- what else is inherited ---- */

static int file_fd;

static int use_files(void)
{
    char byte;

    if (read(file_fd, &byte, 1) != 1 || byte != 'f')
        return 1;
    if (umask(077) != 031 || chdir("/") || close(file_fd))
        return 2;
    struct rlimit limit = {20, 20};
    if (setrlimit(RLIMIT_NOFILE, &limit))
        return 3;
    int last = -1, fd;
    while ((fd = dup(0)) >= 0)
        last = fd;
    return errno == EMFILE && last == 19 ? 0 : 4;
}

static void belongings(void)
{
    char cwd[256], now[256];
    struct rlimit limit, old;
    mode_t mask = umask(031);

    file_fd = filled_file(1, 'f');
    lseek(file_fd, 0, SEEK_SET);
    chdir("/tmp");
    getcwd(cwd, sizeof cwd);
    getrlimit(RLIMIT_NOFILE, &old);
    is(child_run(use_files), 0, "files, umask, limits");
    is(lseek(file_fd, 0, SEEK_CUR), 1, "the file's position is one and the same");
    ok(getcwd(now, sizeof now) && !strcmp(cwd, now), "the directory is the parent's own");
    is(umask(mask), 031, "and so is the umask");
    getrlimit(RLIMIT_NOFILE, &limit);
    ok(limit.rlim_cur == old.rlim_cur && limit.rlim_max == old.rlim_max, "and the limits");
    close(file_fd);
}

/* So much that the clock strikes while they write. */
enum { RECORD_PAGES = 32, RECORDS = 60, WRITERS = 3 };

static char writer_file[64];
static int writer_flags;

/* Write records of one's own byte. */
static int write_records(void)
{
    size_t size = RECORD_PAGES * page + 7;
    char own = (char)('0' + common[0]);

    if (writer_flags)
        file_fd = open(writer_file, O_RDWR | writer_flags);
    common[1] = 1;
    char *p = mmap(NULL, size, RW, ANON, -1, 0);
    memset(p, own, size);
    for (int i = 0; i < RECORDS; i++)
        if (write(file_fd, p, size) != (ssize_t)size)
            return 1;
    return 0;
}

/* Several write to one file: by one open file at its position, or each at the end. */
static void writers(int flags, const char *how)
{
    size_t size = RECORD_PAGES * page + 7;
    char *record = malloc(size);
    pid_t pids[WRITERS];
    int bad = 0, torn = 0, count[WRITERS] = {0};

    common_make();
    int fd = named_file(writer_file, sizeof writer_file);
    file_fd = open(writer_file, O_RDWR);
    writer_flags = flags;
    for (int i = 0; i < WRITERS; i++) {
        common[0] = i;
        common[1] = 0;
        pids[i] = child_start(write_records);
        await(&common[1], 1);
    }
    for (int i = 0; i < WRITERS; i++)
        bad += child_status(pids[i]);
    is(bad, 0, "%d writers, %s", WRITERS, how);
    is(lseek(fd, 0, SEEK_END), WRITERS * RECORDS * (long)size, "nothing is written over");
    for (int i = 0; i < WRITERS * RECORDS; i++) {
        pread(fd, record, size, i * (long)size);
        bool whole = !memcmp(record, record + 1, size - 1);
        torn += !whole;
        if (whole && record[0] >= '0' && record[0] < '0' + WRITERS)
            count[record[0] - '0']++;
    }
    is(torn, 0, "no record is torn");
    ok(count[0] == RECORDS && count[1] == RECORDS && count[2] == RECORDS, "all are there");
    close(file_fd);
    close(fd);
    unlink(writer_file);
    free(record);
}

static __thread int of_thread = 1;

static int compute(void)
{
    double sum = 0, step = 1.0 / (getpid() % 7 + 1);
    int n = 0;

    of_thread = getpid();
    for (clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end; n++)
        for (int i = 0; i < 1000; i++)
            sum += step;
    double want = step * n * 1000;
    return of_thread == getpid() && sum > want * 0.999 && sum < want * 1.001 ? 0 : 1;
}

static void registers(void)
{
    pid_t pids[4];
    int bad = 0;
    double before = 1.0 / 3;

    for (int i = 0; i < 4; i++)
        pids[i] = child_start(compute);
    for (int i = 0; i < 4; i++)
        bad += child_status(pids[i]);
    is(bad, 0, "four children count side by side, each with its own registers");
    ok(of_thread == 1 && before * 3 == 1.0, "and the parent has its own");
}

static int spin(void)
{
    long which = common[1]++;
    common[2] += 1;
    while (!common[0])
        common[8 + which]++;
    return 0;
}

static int spin_0(void)
{
    common[1] = 0;
    return spin();
}

static int spin_1(void)
{
    common[1] = 1;
    return spin();
}

static void busy(void)
{
    struct timespec wait = {0, 300000000};

    common_make();
    pid_t a = child_start(spin_0);
    while (!common[8])
        sched_yield();
    pid_t b = child_start(spin_1);
    nanosleep(&wait, NULL);
    long first = common[8], second = common[9];
    common[0] = 1;
    child_wait(a);
    child_wait(b);
    ok(first > 0 && second > 0 && first < 50 * second && second < 50 * first,
       "two busy children both get on: %ld and %ld turns", first, second);
}

void suite_forks(void)
{
    memory();
    parent_writes();
    generations();
    layout();
    belongings();
    writers(0, "one open file");
    writers(O_APPEND, "each at the end");
    registers();
    busy();
}
