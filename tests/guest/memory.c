/*
 * memory.c: what a program gives back is there again: maps, tables, files, the break, refused
 * calls.
 *
 * Every round uses some megabytes; the rounds together use more than the machine has, so a round
 * that keeps its pages ends the test. Where /proc/meminfo is there (in Fathom, where nobody else
 * runs), free memory must be exactly what it was after the first round.
 */
#include "tests/guest/guest.h"

enum { ROUND_MIB = 16, ROUNDS = 12 };

static long free_kib(void)
{
    static char text[4096];
    char *line;

    if (!fathom || vm_read_file("/proc/meminfo", text, sizeof text) < 0)
        return -1;
    line = strstr(text, "MemFree:");
    return line ? atol(line + 8) : -1;
}

static void fill(char *p, u64 length)
{
    for (u64 at = 0; at < length; at += page)
        p[at] = 1;
}

static void round_anonymous(void)
{
    char *p = anon_at(area(1), (ROUND_MIB << 20) / page, RW);

    fill(p, ROUND_MIB << 20);
    unmap(p, (ROUND_MIB << 20) / page);
}

static void round_replaced(void)
{
    char *p = anon_at(area(1), (ROUND_MIB << 20) / page, RW);

    fill(p, ROUND_MIB << 20);
    anon_at(p, (ROUND_MIB << 20) / page, RW);
    unmap(p, (ROUND_MIB << 20) / page);
}

static void round_parts(void)
{
    char *p = anon_at(area(1), (ROUND_MIB << 20) / page, RW);

    fill(p, ROUND_MIB << 20);
    for (u64 i = 0; i < (ROUND_MIB << 20) / page; i += 7)
        unmap(p + i * page, 1);
    unmap(p, (ROUND_MIB << 20) / page);
}

static void round_tables(void)
{
    u64 length = 4ul << 30, step = 2 << 20;
    char *p = mmap(area(1), length, RW, ANON | MAP_NORESERVE | MAP_FIXED, -1, 0);

    for (u64 at = 0; p != MAP_FAILED && at < length; at += step)
        p[at] = 1;
    if (p == MAP_FAILED || munmap(p, length))
        vm_die(errno, "4 GiB");
}

static void round_file(void)
{
    static char buf[65536];
    int fd = temp_file();

    for (int i = 0; i < ROUND_MIB * 16; i++)
        if (write(fd, buf, sizeof buf) != sizeof buf)
            vm_die(errno, "cannot fill a file");
    close(fd);
}

static void round_file_map(void)
{
    int fd = temp_file();
    char *p = area(1);

    if (ftruncate(fd, ROUND_MIB << 20))
        vm_die(errno, "ftruncate");
    map_at(p, (ROUND_MIB << 20) / page, RW, MAP_SHARED, fd, 0);
    close(fd);
    fill(p, ROUND_MIB << 20);
    unmap(p, (ROUND_MIB << 20) / page);
}

static void round_private_file(void)
{
    int fd = temp_file();
    char *p = area(1);

    if (ftruncate(fd, ROUND_MIB << 19))
        vm_die(errno, "ftruncate");
    map_at(p, (ROUND_MIB << 19) / page, RW, MAP_PRIVATE, fd, 0);
    fill(p, ROUND_MIB << 19);
    close(fd);
    unmap(p, (ROUND_MIB << 19) / page);
}

static void round_truncate(void)
{
    int fd = temp_file();
    char *p = area(1);

    if (ftruncate(fd, ROUND_MIB << 20))
        vm_die(errno, "ftruncate");
    map_at(p, (ROUND_MIB << 20) / page, RW, MAP_SHARED, fd, 0);
    fill(p, ROUND_MIB << 20);
    if (ftruncate(fd, 0))
        vm_die(errno, "ftruncate");
    unmap(p, (ROUND_MIB << 20) / page);
    close(fd);
}

static void round_brk(void)
{
    char *p = sbrk(ROUND_MIB << 20);

    if (p == (void *)-1)
        vm_die(errno, "sbrk");
    fill(p, ROUND_MIB << 20);
    sbrk(-(long)(ROUND_MIB << 20));
}

static void round_refused(void)
{
    for (int i = 0; i < 100; i++) {
        mmap(NULL, 0, RW, ANON, -1, 0);
        mmap(NULL, USER_END, RW, ANON, -1, 0);
        mmap(NULL, page, RW, MAP_SHARED, 999, 0);
        munmap((void *)1, page);
        open("/no/such/file", O_RDONLY);
        open("/", O_RDWR);
        unlink("/no/such/file");
        execve("/no/such/file", NULL, NULL);
    }
}

void suite_memory(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
        int rounds;
    } kinds[] = {
        {"anonymous memory", round_anonymous, ROUNDS},
        {"memory replaced by FIXED", round_replaced, ROUNDS / 2},
        {"memory unmapped in parts", round_parts, ROUNDS / 4},
        {"page tables of 4 GiB", round_tables, ROUNDS},
        {"a file's pages", round_file, ROUNDS},
        {"a shared map's pages", round_file_map, ROUNDS},
        {"a private map's pages", round_private_file, ROUNDS},
        {"pages cut off by ftruncate", round_truncate, ROUNDS},
        {"the break's pages", round_brk, ROUNDS},
        {"refused calls", round_refused, 4},
    };

    free_kib(); /* the first look takes memory of its own */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kinds[i].run();
        long before = free_kib();
        for (int round = 1; round < kinds[i].rounds; round++)
            kinds[i].run();
        is(free_kib(), before, "%s comes back, %d times", kinds[i].name, kinds[i].rounds);
    }
}
