/*
 * edges.c: read, write, readv and writev, of files and of pipes, with a buffer whose good part ends
 * at each byte around an edge:
 *
 *      | good page | hole, a page without the right, or a page past the end of its file |
 *               ^ the buffer begins k bytes before the edge
 *
 * The call moves the k bytes and says so; with k = 0 it is EFAULT. A file's data is moved byte by
 * byte up to the edge, as Linux does with its own copying.
 */
#include "tests/guest/guest.h"

#include <sys/uio.h>

enum { LENGTH = 48, AROUND = 40 };

static char *edge;        /* the first byte that is bad */
static const char *kind;  /* of badness */
static int file, ends[2]; /* a file, and a pipe */

static const char pattern[LENGTH + 1] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL";

static void file_holds(const char *data, u64 length)
{
    if (ftruncate(file, 0) || pwrite(file, data, length, 0) != (long)length ||
        lseek(file, 0, SEEK_SET))
        vm_die(errno, "cannot fill the file");
}

static bool short_or_efault(long n, long k)
{
    return k ? n == k : n == -1 && errno == EFAULT;
}

static void reads(void)
{
    bool good = true;

    for (long k = 0; k <= AROUND; k++) {
        file_holds(pattern, LENGTH);
        memset(edge - AROUND - 1, 0, AROUND + 1);
        long n = read(file, edge - k, LENGTH);
        good &= short_or_efault(n, k) && !memcmp(edge - k, pattern, k);
        good &= lseek(file, 0, SEEK_CUR) == k && edge[-k - 1] == 0;
        n = pread(file, edge - k, LENGTH, 4);
        good &= short_or_efault(n, k) && !memcmp(edge - k, pattern + 4, k);
    }
    ok(good, "%s: read and pread", kind);
}

static void vector_reads(void)
{
    bool good = true;
    char other[8];

    for (long k = 0; k <= AROUND; k++) {
        file_holds(pattern, LENGTH);
        struct iovec v[3] = {{other, 5}, {edge - k, AROUND + 1}, {other, 1}};
        long n = readv(file, v, 3);
        good &= n == 5 + k && !memcmp(other, pattern, 5) && !memcmp(edge - k, pattern + 5, k);
        good &= lseek(file, 0, SEEK_CUR) == 5 + k;
        lseek(file, 0, SEEK_SET);
        n = readv(file, v + 1, 2);
        good &= short_or_efault(n, k) && lseek(file, 0, SEEK_CUR) == k;
    }
    ok(good, "%s: readv, in its first part and in its second", kind);
}

static void fill_before_edge(void)
{
    for (long i = 0; i < AROUND; i++)
        edge[i - AROUND] = pattern[i];
}

static bool file_is(const char *first, long n, const char *second, long m)
{
    char back[2 * LENGTH];

    return lseek(file, 0, SEEK_END) == n + m && pread(file, back, n + m, 0) == n + m &&
           !memcmp(back, first, n) && !memcmp(back + n, second, m);
}

static void writes(void)
{
    bool good = true;

    fill_before_edge();
    for (long k = 0; k <= AROUND; k++) {
        file_holds("", 0);
        long n = write(file, edge - k, LENGTH);
        good &= short_or_efault(n, k) && lseek(file, 0, SEEK_CUR) == k;
        good &= file_is(edge - k, k, "", 0);
        file_holds("zz", 2);
        n = pwrite(file, edge - k, LENGTH, 2);
        good &= short_or_efault(n, k) && file_is("zz", 2, edge - k, k);
    }
    ok(good, "%s: write and pwrite", kind);
}

static void vector_writes(void)
{
    bool good = true;

    fill_before_edge();
    for (long k = 0; k <= AROUND; k++) {
        struct iovec v[3] = {{"zzzzz", 5}, {edge - k, AROUND + 1}, {"x", 1}};
        file_holds("", 0);
        good &= writev(file, v, 3) == 5 + k && file_is("zzzzz", 5, edge - k, k);
        file_holds("", 0);
        good &= short_or_efault(writev(file, v + 1, 2), k) && file_is(edge - k, k, "", 0);
    }
    ok(good, "%s: writev, in its first part and in its second", kind);
}

/* ---- Pipes ------------------------------------------------------------------------------------ */

static long drain(char *back)
{
    char end = '!';

    if (write(ends[1], &end, 1) != 1)
        vm_die(errno, "cannot write to a pipe");
    return read(ends[0], back, 4 * LENGTH) - 1;
}

/* A pipe moves a piece whole or not at all. What is then in it is not promised. */
static void pipes(void)
{
    char back[4 * LENGTH];
    bool good = true;

    if (pipe(ends))
        vm_die(errno, "cannot make a pipe");

    for (long k = 0; k <= AROUND; k++) {
        if (write(ends[1], pattern, LENGTH) != LENGTH)
            vm_die(errno, "cannot write to a pipe");
        memset(edge - AROUND - 1, 0, AROUND + 1);
        long n = read(ends[0], edge - k, LENGTH);
        good &= n == -1 && errno == EFAULT;
        good &= edge[-k - 1] == 0;
        drain(back);
    }
    ok(good, "%s: read of a pipe: EFAULT", kind);
    good = true;
    fill_before_edge();
    for (long k = 0; k <= AROUND; k++) {
        long n = write(ends[1], edge - k, LENGTH);
        good &= n == -1 && errno == EFAULT;
        good &= drain(back) == 0;
    }
    ok(good, "%s: write to a pipe: EFAULT, and nothing is in it", kind);
    close(ends[0]);
    close(ends[1]);
}

static void all_calls(const char *name, char *bad)
{
    kind = name;
    edge = bad;
    reads();
    vector_reads();
    writes();
    vector_writes();
    pipes();
}

/* The good part is long: the call crosses a good page's boundary before it comes to the edge. */
static void long_calls(const char *name, char *bad)
{
    bool good = true;
    u64 offsets[] = {page - 1, page, page + 1, 2 * page - 1, 2 * page};
    static char big[3 * 65536];

    memset(big, 'B', sizeof big);
    for (int i = 0; i < 5; i++) {
        u64 k = offsets[i];
        file_holds(big, 3 * page);
        memset(bad - k, 0, k);
        good &= read(file, bad - k, 3 * page) == (long)k;
        good &= bad[-(long)k] == 'B' && bad[-1] == 'B';
        file_holds("", 0);
        good &= write(file, bad - k, 3 * page) == (long)k;
        good &= lseek(file, 0, SEEK_END) == (long)k;
    }
    ok(good, "%s: longer than a page", name);
}

void suite_edges(void)
{
    char *p = anon_at(area(3), 3, RW);
    int source = filled_file(2, 'f');

    file = temp_file();
    unmap(p + 2 * page, 1);
    all_calls("a hole", p + 2 * page);
    long_calls("a hole", p + 2 * page);
    anon_at(p + 2 * page, 1, PROT_NONE);
    all_calls("PROT_NONE", p + 2 * page);
    long_calls("PROT_NONE", p + 2 * page);
    unmap(p, 3);
    map_at(p, 3, RW, MAP_SHARED, source, 0);
    all_calls("past the end of a file", p + 2 * page);
    long_calls("past the end of a file", p + 2 * page);
    map_at(p, 3, RW, MAP_PRIVATE, source, 0);
    all_calls("past the end of a private one", p + 2 * page);
    long_calls("past the end of a private one", p + 2 * page);
    unmap(p, 3);
}
