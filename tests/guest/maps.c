/*
 * maps.c: /proc/self/maps: letters, offsets, names, order.
 */
#include "tests/guest/guest.h"

#include <sys/stat.h>

static void letters(void)
{
    static const char *const want[] = {"---p", "r--p", "-w-p", "rw-p",
                                       "--xp", "r-xp", "-wxp", "rwxp"};
    char *p = area(1);
    struct map_line line;
    bool good = true;

    for (int prot = 0; prot < 8; prot++) {
        anon_at(p, 1, prot);
        good &= maps_in(p, 1, &line, 1) == 1 && !strcmp(line.prot, want[prot]);
        good &= line.start == (u64)p && line.end == (u64)p + page && !line.offset && !line.inode;
        good &= !line.name[0];
        unmap(p, 1);
    }
    ok(good, "the letters of all eight rights of an anonymous map; no offset, inode or name");
    map_at(p, 1, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ok(maps_in(p, 1, &line, 1) == 1 && !strcmp(line.prot, "rw-s"), "s for a shared one");
    unmap(p, 1);
}

static void files(void)
{
    char name[64], deleted[96];
    int fd = named_file(name, sizeof name);
    char *p = area(2);
    struct map_line line;
    struct stat status;

    is(ftruncate(fd, 4 * page), 0, "a file");
    is(fstat(fd, &status), 0, "fstat");
    map_at(p, 2, PROT_READ, MAP_SHARED, fd, 2 * page);
    ok(maps_in(p, 2, &line, 1) == 1 && !strcmp(line.prot, "r--s"), "letters of a file map");
    is(line.offset, 2 * page, "its offset");
    is(line.inode, status.st_ino, "its inode");
    ok(!strcmp(line.name, name), "its name: %s", line.name);
    unlink(name);
    snprintf(deleted, sizeof deleted, "%s (deleted)", name);
    maps_in(p, 2, &line, 1);
    ok(!strcmp(line.name, deleted), "its name after unlink: %s", line.name);
    close(fd);
    unmap(p, 2);
}

static void whole(void)
{
    static struct map_line lines[256];
    int n = maps_in(NULL, USER_END / page, lines, 256), heap = 0, stack = 0, self = 0;
    bool ordered = n > 3 && n <= 256, aligned = true;
    char local;
    void *brk = sbrk(page);

    n = maps_in(NULL, USER_END / page, lines, 256);
    for (int i = 0; i < n && i < 256; i++) {
        u64 here = (u64)&local;
        ordered &= lines[i].start < lines[i].end && (!i || lines[i - 1].end <= lines[i].start);
        aligned &= lines[i].start % page == 0 && lines[i].end % page == 0;
        heap += !strcmp(lines[i].name, "[heap]") && (u64)brk >= lines[i].start &&
                (u64)brk < lines[i].end;
        stack += !strcmp(lines[i].name, "[stack]") && here >= lines[i].start && here < lines[i].end;
        self += lines[i].start <= (u64)suite_maps && (u64)suite_maps < lines[i].end &&
                !strcmp(lines[i].prot, "r-xp") && strstr(lines[i].name, "guest");
    }
    ok(ordered, "lines are in order and apart");
    ok(aligned, "of whole pages");
    is(heap, 1, "[heap] holds the break");
    is(stack, 1, "[stack] holds the stack");
    is(self, 1, "code is r-xp and has the program's name");
    sbrk(-(long)page);
}

/* Many maps, so that the file is longer than any buffer that the kernel may use. */
static void many(void)
{
    enum { N = 500 };
    char *p = area(2 * N);
    static struct map_line lines[N];
    bool good = true;

    for (int i = 0; i < N; i++)
        anon_at(p + 2 * i * page, 1, i % 2 ? RW : PROT_READ);
    is(maps_in(p, 2 * N, lines, N), N, "%d maps: all lines are there", N);
    for (int i = 0; i < N; i++)
        good &= lines[i].start == (u64)p + 2 * i * page && lines[i].prot[1] == (i % 2 ? 'w' : '-');
    ok(good, "each once, in order");
    unmap(p, 2 * N);
    is(vmas(p, 2 * N), 0, "all unmapped at once");
}

/* A path of thousands of bytes, with line feeds in it: one line, whole, each line feed as \012. */
static void long_path(void)
{
    enum { DEPTH = 15, NAME = 250 };
    static char name[NAME + 1], line[3 * 4096];
    char *p = area(1), start[20];
    int lines = 0, feeds = 0;
    size_t length = 0;

    memset(name, 'n', NAME);
    name[7] = '\n';
    bool good = chdir(temp_directory()) == 0;
    for (int i = 0; i < DEPTH; i++)
        good &= mkdir(name, 0755) == 0 && chdir(name) == 0;
    int fd = open("file\n", O_CREAT | O_RDWR, 0644);
    ok(good && fd >= 0, "a path of %d names", DEPTH);
    map_at(p, 1, PROT_READ, MAP_SHARED, fd, 0);
    snprintf(start, sizeof start, "%lx-", (unsigned long)p);
    FILE *file = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, start, strlen(start)))
            continue;
        lines++;
        length = strlen(line);
        for (char *at = line; (at = strstr(at, "\\012")); at++)
            feeds++;
    }
    fclose(file);
    is(lines, 1, "one line");
    is(feeds, DEPTH + 1, "with each line feed");
    is(length, 73 + strlen(temp_directory()) + DEPTH * (NAME + 4) + strlen("/file\\012\n"),
       "and all of the path");
    unmap(p, 1);
    close(fd);
    good = unlink("file\n") == 0;
    for (int i = 0; i < DEPTH; i++)
        good &= chdir("..") == 0 && rmdir(name) == 0;
    ok(good && chdir("/") == 0, "removed");
}

void suite_maps(void)
{
    letters();
    files();
    whole();
    many();
    long_path();
}
