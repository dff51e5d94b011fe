/*
 * mmap_file.c: maps of files: who may map what, and what is seen through them.
 */
#include "tests/guest/guest.h"

static void refused(void)
{
    char name[64];
    int rw = named_file(name, sizeof name);
    int ro = open(name, O_RDONLY), wo = open(name, O_WRONLY), dir = open("/", O_RDONLY);
    int null = open("/dev/null", O_RDWR), path = open(name, O_PATH);

    unlink(name);
    fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, -1, 0), EBADF);
    fails(mmap(NULL, page, PROT_READ, MAP_SHARED, 12345, 0), EBADF);
    fails(mmap(NULL, page, RW, MAP_SHARED, ro, 0), EACCES);
    fails(mmap(NULL, page, PROT_READ, MAP_SHARED, wo, 0), EACCES);
    fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, wo, 0), EACCES);
    fails(mmap(NULL, page, PROT_WRITE, MAP_PRIVATE, wo, 0), EACCES);
    fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, dir, 0), ENODEV);
    if (null >= 0)
        fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, null, 0), ENODEV);
    if (path >= 0)
        fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, path, 0), EBADF);
    int ends[2];
    if (pipe(ends) == 0) {
        fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, ends[0], 0), ENODEV);
        close(ends[0]);
        close(ends[1]);
    }
    int terminal = open("/dev/tty", O_RDWR);
    if (terminal >= 0) {
        fails(mmap(NULL, page, PROT_READ, MAP_SHARED, terminal, 0), ENODEV);
        close(terminal);
    }
    fails(mmap(NULL, 0, PROT_READ, MAP_PRIVATE, rw, 0), EINVAL);
    fails(mmap(NULL, page, PROT_READ, 0, rw, 0), EINVAL);
    fails(mmap(NULL, page, PROT_READ, MAP_PRIVATE, rw, 1), EINVAL);
    fails(mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE, rw, (1ul << 63) - page), EOVERFLOW);
    fails(mmap(NULL, page, PROT_READ, MAP_SHARED, rw, -page), EOVERFLOW);
    fails(mmap(NULL, page, PROT_READ, MAP_SHARED_VALIDATE | 0x800000, rw, 0), EOPNOTSUPP);
    char *p = mmap(NULL, page, PROT_READ, MAP_SHARED | 0x800000, rw, 0);
    ok(p != MAP_FAILED, "SHARED ignores an unknown flag");
    unmap(p, 1);
    p = mmap(NULL, page, RW, MAP_PRIVATE, ro, 0);
    ok(p != MAP_FAILED, "PRIVATE and writable on a read-only descriptor");
    unmap(p, 1);
    for (int fd = rw; fd <= path; fd++)
        close(fd);
}

static void shared(void)
{
    int fd = filled_file(3, 'a');
    char *p = area(8), *q = area(8), c = 0;

    map_at(p, 3, RW, MAP_SHARED, fd, 0);
    map_at(q, 2, PROT_READ, MAP_SHARED, fd, page);
    ok(p[0] == 'a' && p[page] == 'b' && p[3 * page - 1] == 'c', "the map shows the file");
    p[page + 5] = 'X';
    is(q[5], 'X', "a store is seen in another map");
    is(pread(fd, &c, 1, page + 5), 1, "read works");
    is(c, 'X', "a store is seen by read");
    is(pwrite(fd, "Y", 1, 2 * page), 1, "write works");
    ok(p[2 * page] == 'Y' && q[page] == 'Y', "a write is seen in the maps");
    map_at(q, 1, RW, MAP_PRIVATE, fd, page);
    is(q[5], 'X', "a private map shows the file");
    p[page + 6] = 'Z';
    is(q[6], 'Z', "a private page not yet written sees later stores");
    q[7] = 'P';
    p[page + 8] = 'Q';
    ok(q[7] == 'P' && q[8] == 'b' && p[page + 7] == 'b', "after the first write both are apart");
    close(fd);
    ok(p[0] == 'a' && q[7] == 'P', "maps outlive close");
    unmap(p, 3);
    unmap(q, 2);
}

static void tail(void)
{
    int fd = filled_file(3, 'a');
    char *p = area(8), c = 1;

    is(ftruncate(fd, 3 * page + 10), 0, "a file of 3 pages and 10 bytes");
    map_at(p, 5, RW, MAP_SHARED, fd, 0);
    bool zero = true;
    for (u64 i = 10; i < page; i++)
        zero &= p[3 * page + i] == 0;
    ok(zero, "the rest of its last page reads as zero");
    p[3 * page + 20] = 'T';
    is(pread(fd, &c, 1, 3 * page + 20), 0, "a store there is not in the file");
    ok(!readable(p + 4 * page), "the page behind cannot be read");
    ok(!writable(p + 4 * page), "nor written");
    is(ftruncate(fd, 3 * page + 100), 0, "the file grows");
    is(pread(fd, &c, 1, 3 * page + 20), 1, "the byte is inside now");
    if (fathom)
        is(c, 0, "and zero: the store never reached the file");
    else
        tap_skip("Linux's tmpfs shows the store when the file grows, its disk file systems do not");
    is(ftruncate(fd, 5 * page), 0, "the file grows over the next page");
    ok(readable(p + 4 * page) && p[4 * page] == 0, "which is readable at once");
    p[4 * page] = 'N';
    is(ftruncate(fd, page), 0, "the file shrinks");
    ok(readable(p) && !readable(p + page) && !readable(p + 4 * page), "the pages are gone at once");
    is(ftruncate(fd, 5 * page), 0, "the file grows again");
    ok(p[page] == 0 && p[4 * page] == 0, "and what was cut off is zero");
    close(fd);
    unmap(p, 5);
}

static void private_shrinks(void)
{
    int fd = filled_file(2, 'a');
    char *p = area(2);

    map_at(p, 2, RW, MAP_PRIVATE, fd, 0);
    p[page] = 'P';
    is(ftruncate(fd, page), 0, "a file shrinks under a private copy");
    ok(!readable(p + page), "the copy is gone too");
    is(ftruncate(fd, 2 * page), 0, "and grows again");
    is(p[page], 0, "and the page is the file's");
    close(fd);
    unmap(p, 2);
}

static void pieces(void)
{
    int fd = filled_file(4, 'a');
    char *p = area(4);
    struct map_line line[4];

    map_at(p, 3, PROT_READ, MAP_SHARED, fd, 0);
    unmap(p + page, 1);
    is(maps_in(p, 3, line, 4), 2, "the middle unmapped: 2 VMAs");
    ok(line[0].offset == 0 && line[1].offset == 2 * page, "with offsets 0 and 2 pages");
    ok(p[0] == 'a' && p[2 * page] == 'c', "each shows its part");
    map_at(p + page, 1, PROT_READ, MAP_SHARED, fd, page);
    is(vmas(p, 3), 1, "the same offset again: 1 VMA");
    map_at(p + page, 1, PROT_READ, MAP_SHARED, fd, 3 * page);
    is(vmas(p, 3), 3, "another offset: 3 VMAs");
    ok(p[0] == 'a' && p[page] == 'd' && p[2 * page] == 'c', "each shows its part");
    map_at(p, 3, PROT_READ, MAP_SHARED, fd, 0);
    is(vmas(p, 3), 1, "all replaced: 1 VMA");
    for (int low = 1; low <= 3; low++) {
        map_at(p, 4, PROT_READ, MAP_SHARED, fd, 0);
        unmap(p, low);
        bool good = true;
        for (int i = low; i < 4; i++)
            good &= p[i * page] == 'a' + i && p[(i + 1) * page - 1] == 'a' + i;
        ok(good, "%d pages unmapped at the front: the rest shows the same", low);
        map_at(p, 4, RW, MAP_PRIVATE, fd, 0);
        is(mprotect(p, low * page, PROT_READ), 0, "rights of the front changed");
        good = true;
        for (int i = 0; i < 4; i++)
            good &= p[i * page] == 'a' + i;
        ok(good, "nothing moves");
    }
    unmap(p, 4);
    close(fd);
}

static void downwards(void)
{
    int fd = filled_file(4, 'a');
    char *p = area(4);
    struct map_line line[2];

    for (int i = 3; i >= 0; i--)
        map_at(p + i * page, 1, PROT_READ, MAP_SHARED, fd, i * page);
    is(maps_in(p, 4, line, 2), 1, "page by page downwards: 1 VMA");
    is(line[0].offset, 0, "which begins at offset 0");
    ok(p[0] == 'a' && p[page] == 'b' && p[2 * page] == 'c' && p[3 * page] == 'd',
       "all pages right");
    for (int i = 0; i < 4; i++)
        map_at(p + i * page, 1, PROT_READ, MAP_SHARED, fd, (3 - i) * page);
    is(vmas(p, 4), 4, "in reverse: 4 VMAs");
    ok(p[0] == 'd' && p[page] == 'c' && p[2 * page] == 'b' && p[3 * page] == 'a',
       "all pages right");
    unmap(p, 4);
    map_at(p, 1, PROT_READ, MAP_SHARED, fd, 0);
    map_at(p + 2 * page, 1, PROT_READ, MAP_SHARED, fd, 2 * page);
    map_at(p + page, 1, PROT_READ, MAP_SHARED, fd, page);
    is(vmas(p, 4), 1, "the middle last: 1 VMA");
    unmap(p, 4);
    close(fd);
}

static void swapped(void)
{
    int a = filled_file(1, 'a'), b = filled_file(1, 'b');
    char *p = area(2);
    bool good = true;

    for (int i = 0; i < 100; i++) {
        map_at(p, 1, PROT_READ, MAP_SHARED, i % 2 ? a : b, 0);
        map_at(p + page, 1, PROT_READ, MAP_SHARED, i % 2 ? b : a, 0);
        good &= p[0] == (i % 2 ? 'a' : 'b') && p[page] == (i % 2 ? 'b' : 'a');
    }
    ok(good, "two files at swapped addresses, 100 times: no stale translation");
    unmap(p, 2);
    close(a);
    close(b);
}

static void sparse(void)
{
    int fd = temp_file();
    u64 mail = 17592182882304, size = (1ul << 38) - 3 * page; /* by blocks, all would take long */
    char *p = area(1), c = 0;

    is(ftruncate(fd, mail), 0, "a file of the mail's length");
    is(mmap(p, size, RW, MAP_SHARED | MAP_FIXED, fd, mail - size), p, "its last 256 GiB mapped");
    p[0] = 1;
    p[size / 2 / page * page] = 2;
    p[size - 1] = 3;
    ok(pread(fd, &c, 1, mail - 1) == 1 && c == 3, "its last byte is in the file");
    is(munmap(p, size), 0, "unmapped");
    map_at(p, 1, RW, MAP_SHARED, fd, mail - size + size / 2 / page * page);
    is(p[0], 2, "its middle page is still in the file");
    unmap(p, 1);
    is(mmap(p, mail, RW, MAP_SHARED | MAP_FIXED, fd, 0), p, "mapped whole");
    is(mmap(p, page, RW, MAP_SHARED | MAP_FIXED, fd, mail - page), p,
       "and its first page replaced");
    is(p[page - 1], 3, "by the last");
    vm_knob_set("vm.zap", "work");
    is(munmap(p, mail), 0, "unmapped whole");
    close(fd);
}

void suite_mmap_file(void)
{
    refused();
    shared();
    tail();
    private_shrinks();
    pieces();
    downwards();
    swapped();
    sparse();
}
