/*
 * mapfuzz.c: a long random sequence of memory calls in one window of addresses. Prints each call's
 * answer, each byte read and the window's lines of /proc/self/maps. With the same seed the output
 * is the same on Linux and in Fathom.
 *
 *   mapfuzz [SEED [STEPS]]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WINDOW = 64, FILE_PAGES = 32 };
#define BASE 0x13ffe0000ul

static uint64_t state;
static int fd, fd_ro, fd_byte;

static unsigned pick(unsigned n)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (state >> 33) % n;
}

static char *at(unsigned page)
{
    return (char *)BASE + page * 4096ul;
}

/* Rights and offsets of what is mapped in the window. */
static void show_maps(void)
{
    static char text[1 << 17];
    int maps = open("/proc/self/maps", O_RDONLY), n, len = 0;
    while ((n = read(maps, text + len, sizeof(text) - 1 - len)) > 0)
        len += n;
    close(maps);
    text[len] = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned long start, end, off;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s %lx", &start, &end, rights, &off) == 4 &&
            start >= BASE - 4096 && end <= BASE + (WINDOW + 64) * 4096ul)
            printf("   %lx-%lx %s %lx\n", start, end, rights, off);
    }
}

/* By system calls, which answer EFAULT where an access would be a signal. */
static void touch(unsigned page, unsigned write)
{
    char *p = at(page) + pick(4096), byte = pick(100);
    long r;
    errno = 0;
    if (write) {
        pwrite(fd_byte, &byte, 1, 0);
        r = pread(fd_byte, p, 1, 0);
    } else {
        r = pwrite(fd_byte, p, 1, 0);
    }
    int error = errno;
    if (r == 1)
        pread(fd_byte, &byte, 1, 0);
    printf("touch %u %u: %ld %d byte %d\n", page, write, r, error, byte);
}

/* Not several VMAs to another place at once: Linux moves them since 6.17, and did not before. So
 * FIXED is for one page, or for a new length. */
static void do_mremap(unsigned s, unsigned n)
{
    unsigned to = pick(WINDOW - 16), new = 1 + pick(12), flags = 0;
    switch (pick(4)) {
    case 0:
        flags = MREMAP_MAYMOVE | MREMAP_FIXED | (pick(2) ? MREMAP_DONTUNMAP : 0);
        n = new = 1;
        break;
    case 1:
        flags = MREMAP_MAYMOVE | MREMAP_FIXED;
        n = pick(8) ? n : 0;
        new = new == n ? n + 1 : new;
        break;
    }
    if (s + new > WINDOW)
        return;
    long r = (long)mremap(at(s), n * 4096ul, new * 4096ul, flags, at(to));
    printf("mremap %u %u %u %x %u: %lx %d\n", s, n, new, flags, to, r, errno);
}

static void do_madvise(unsigned s, unsigned n)
{
    static const int advices[] = {MADV_NORMAL,
                                  MADV_RANDOM,
                                  MADV_SEQUENTIAL,
                                  MADV_DONTFORK,
                                  MADV_DOFORK,
                                  MADV_WIPEONFORK,
                                  MADV_KEEPONFORK,
                                  MADV_WILLNEED,
                                  MADV_DONTNEED,
                                  MADV_DONTNEED,
                                  MADV_FREE,
                                  MADV_REMOVE,
                                  22,
                                  23};
    int advice = advices[pick(14)];
    long r = madvise(at(s), n * 4096ul, advice);
    printf("madvise %u %u %d: %ld %d\n", s, n, advice, r, errno);
}

static void do_lock(unsigned s, unsigned n)
{
    unsigned what = pick(4);
    long r = what == 0   ? mlock(at(s), n * 4096ul)
             : what == 1 ? syscall(SYS_mlock2, at(s), n * 4096ul, 1)
                         : munlock(at(s), n * 4096ul);
    printf("lock %u %u %u: %ld %d\n", what, s, n, r, errno);
}

static void do_mincore(unsigned s, unsigned n)
{
    unsigned char vec[WINDOW + 1] = {0};
    long r = mincore(at(s), n * 4096ul, vec);
    int error = errno;
    for (unsigned i = 0; i < n; i++)
        vec[i] = '0' + (vec[i] & 1);
    printf("mincore %u %u: %ld %d %s\n", s, n, r, error, r ? "" : (char *)vec);
}

static void do_msync(unsigned s, unsigned n)
{
    unsigned flags = pick(8);
    long r = msync(at(s), n * 4096ul, flags);
    printf("msync %u %u %u: %ld %d\n", s, n, flags, r, errno);
}

/* What came to Linux after mmap and munmap. */
static void step_more(unsigned s, unsigned n)
{
    switch (pick(8)) {
    case 0 ... 2:
        do_mremap(s, n);
        break;
    case 3: {
        unsigned off = pick(2) ? s % 30 : pick(FILE_PAGES);
        long r = syscall(SYS_remap_file_pages, at(s), n * 4096ul, 0, (unsigned long)off, 0);
        printf("remap_file_pages %u %u %u: %ld %d\n", s, n, off, r, errno);
        break;
    }
    case 4:
        do_madvise(s, n);
        break;
    case 5:
        do_lock(s, n);
        break;
    case 6:
        do_mincore(s, n);
        break;
    default:
        do_msync(s, n);
    }
}

static void step(void)
{
    static const int prots[] = {
        PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
        PROT_WRITE};
    unsigned s = pick(WINDOW), n = 1 + pick(pick(3) ? 6 : 30), prot = prots[pick(6)];
    if (s + n > WINDOW)
        n = WINDOW - s;
    errno = 0;
    long r;
    switch (pick(16)) {
    case 0 ... 1: {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS |
                    (pick(6)   ? MAP_FIXED
                     : pick(2) ? MAP_FIXED_NOREPLACE
                               : 0) |
                    (pick(8) ? 0 : MAP_NORESERVE) | (pick(12) ? 0 : MAP_GROWSDOWN) |
                    (pick(12) ? 0 : MAP_POPULATE);
        r = (long)mmap(at(s), n * 4096ul, prot, flags, -1, 0);
        if (r != -1 && r != (long)at(s)) { /* elsewhere; where, is another matter */
            munmap((void *)r, n * 4096ul);
            r = 1;
        }
        printf("mmap %u %u %x %x: %lx %d\n", s, n, prot, flags, r, errno);
        break;
    }
    case 2 ... 3: {
        unsigned off = pick(2) ? s % 30 : pick(FILE_PAGES);
        int flags = MAP_FIXED | (pick(2) ? MAP_SHARED : MAP_PRIVATE), which = pick(4);
        r = (long)mmap(at(s), n * 4096ul, prot, flags, which ? fd : fd_ro, off * 4096ul);
        printf("mmap file %u %u %x %x %u %d: %lx %d\n", s, n, prot, flags, off, !which, r, errno);
        break;
    }
    case 4:
        r = munmap(at(s), n * 4096ul);
        printf("munmap %u %u: %ld %d\n", s, n, r, errno);
        break;
    case 5 ... 6: {
        int grows = pick(10) ? 0 : PROT_GROWSDOWN;
        r = mprotect(at(s), n * 4096ul, prot | grows);
        printf("mprotect %u %u %x: %ld %d\n", s, n, prot | grows, r, errno);
        break;
    }
    case 7:
        printf("maybe ftruncate\n");
        if (pick(10) == 0) {
            unsigned size = pick(FILE_PAGES + 1) * 4096 + (pick(2) ? pick(4096) : 0);
            r = ftruncate(fd, size);
            printf("ftruncate %u: %ld %d\n", size, r, errno);
        }
        break;
    case 8 ... 11:
        step_more(s, n);
        break;
    default:
        touch(s, pick(2));
    }
}

int main(int argc, char **argv)
{
    unsigned steps = argc > 2 ? atoi(argv[2]) : 2000;
    state = argc > 1 ? atoi(argv[1]) : 1;
    setvbuf(stdout, malloc(1 << 16), _IOFBF, 1 << 16);
    const char *dir = access("/dev/shm", W_OK) == 0 ? "/dev/shm/mapfuzz" : "/mapfuzz";
    fd = open(dir, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fd_ro = open(dir, O_RDONLY);
    if (fd < 0 || fd_ro < 0)
        return 2;
    unlink(dir);
    fd_byte = open(dir, O_RDWR | O_CREAT | O_EXCL, 0600);
    unlink(dir);
    for (unsigned i = 0; i < FILE_PAGES; i++) {
        char c = 'a' + i;
        pwrite(fd, &c, 1, i * 4096);
    }
    ftruncate(fd, FILE_PAGES * 4096);
    for (unsigned i = 0; i < steps; i++) {
        printf("%u ", i);
        step();
        show_maps();
    }
    fflush(stdout);
    return 0;
}
