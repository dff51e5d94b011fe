/*
 * help.c: areas, files, probes and maps for the guest suites; see guest.h.
 */
#include "tests/guest/guest.h"

/* Far from where programs, heaps, libraries and stacks live, in every layout that has 2^47 bytes
 * of user space. */
#define AREAS 0x100000000000ul

char *area(u64 pages)
{
    static u64 next = AREAS;
    u64 start = next + pages * page + (64 << 20);

    start = (start + (2 << 20) - 1) & ~((2ul << 20) - 1);
    next = start + pages * page;
    return (char *)start;
}

char *map_at(char *p, u64 pages, int prot, int flags, int fd, u64 offset)
{
    char *q = mmap(p, pages * page, prot, flags | MAP_FIXED, fd, offset);

    if (q != p)
        vm_die(errno, "mmap of %lu pages at %p gave %p", pages, p, q);
    return q;
}

char *anon_at(char *p, u64 pages, int prot)
{
    return map_at(p, pages, prot, ANON, -1, 0);
}

void unmap(char *p, u64 pages)
{
    if (munmap(p, pages * page))
        vm_die(errno, "munmap of %lu pages at %p", pages, p);
}

const char *temp_directory(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

int named_file(char *name, size_t size)
{
    static int turn;

    snprintf(name, size, "%s/guest-%d-%d", temp_directory(), (int)getpid(), turn++);
    int fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    if (fd < 0)
        vm_die(errno, "cannot create %s", name);
    return fd;
}

int temp_file(void)
{
    char name[64];
    int fd = named_file(name, sizeof name);

    if (unlink(name))
        vm_die(errno, "cannot unlink %s", name);
    return fd;
}

int filled_file(u64 pages, int first)
{
    static char buf[65536];
    int fd = temp_file();

    for (u64 i = 0; i < pages; i++) {
        memset(buf, first + i, page);
        if (write(fd, buf, page) != (ssize_t)page)
            vm_die(errno, "cannot fill a file");
    }
    return fd;
}

static int probe_file(void)
{
    static int fd;

    if (!fd) {
        fd = temp_file();
        if (write(fd, "", 1) != 1)
            vm_die(errno, "cannot write the probe");
    }
    if (lseek(fd, 0, SEEK_SET))
        vm_die(errno, "cannot rewind the probe");
    return fd;
}

bool readable(const char *p)
{
    ssize_t n = write(probe_file(), p, 1);

    if (n != 1 && errno != EFAULT)
        vm_die(errno, "probing %p gave %ld", p, n);
    return n == 1;
}

bool writable(char *p)
{
    if (!readable(p)) {
        int fd = probe_file();
        if (write(fd, "", 1) != 1)
            vm_die(errno, "cannot write the probe");
    }
    ssize_t n = read(probe_file(), p, 1);
    if (n != 1 && errno != EFAULT)
        vm_die(errno, "probing %p gave %ld", p, n);
    return n == 1;
}

/* One line: start-end prot offset device inode name */
static bool parse_line(const char *text, struct map_line *line)
{
    int name = 0;
    size_t n = 0;

    if (sscanf(text, "%lx-%lx %4s %lx %*s %lu%n", &line->start, &line->end, line->prot,
               &line->offset, &line->inode, &name) < 5)
        return false;
    while (text[name] == ' ')
        name++;
    while (text[name + n] && text[name + n] != '\n' && n < sizeof line->name - 1)
        n++;
    memcpy(line->name, text + name, n);
    line->name[n] = 0;
    return true;
}

int maps_in(const char *start, u64 pages, struct map_line *lines, int max)
{
    static char text[1 << 18];
    struct map_line line;
    int count = 0;

    if (vm_read_file("/proc/self/maps", text, sizeof text) < 0)
        vm_die(errno, "cannot read /proc/self/maps");
    for (char *at = text; at && *at; at = strchr(at, '\n'), at += !!at) {
        if (!parse_line(at, &line))
            vm_die(0, "a line of /proc/self/maps cannot be read: %.80s", at);
        if (line.end <= (u64)start || line.start >= (u64)start + pages * page)
            continue;
        if (count < max)
            lines[count] = line;
        count++;
    }
    return count;
}

int vmas(const char *start, u64 pages)
{
    return vm_vmas((u64)start, (u64)start + pages * page);
}

/* xorshift64*, Vigna 2016 */
u64 random_next(u64 *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dul;
}
