/*
 * bugs.c: mistakes that kernels really made in mapping memory, each as the smallest program that
 * shows it. Where other suites have the case already, it is not here again.
 */
#include "tests/guest/catch.h"

#define GIB (1ul << 30)

/* Linux 2.5.41: the lower part of a split file map was cut off after its start had been overwritten,
 * so the upper part's offset did not move. Oracle would not start. */
static void split_keeps_the_offset(void)
{
    for (int cut = 0; cut < 3; cut++) {
        int fd = filled_file(4, 'a');
        char *p = map_at(area(4), 4, RW, MAP_PRIVATE, fd, 0);
        bool good = mprotect(p, (cut + 1) * page, PROT_READ) == 0;
        for (int i = 0; i < 4; i++)
            good &= p[i * page] == 'a' + i;
        good &= munmap(p + cut * page, page) == 0;
        for (int i = 0; i < 4; i++)
            good &= i == cut || p[i * page] == 'a' + i;
        ok(good, "a split at page %d: every page shows its own", cut);
        unmap(p, 4);
        close(fd);
    }
}

/* Linux 6.3: a map put directly below another of the same file made that one grow downwards, but its
 * offset stayed. rpm crashed. */
static void growing_downwards(void)
{
    int fd = filled_file(4, 'a');
    char *p = map_at(area(4), 2, PROT_READ, MAP_SHARED, fd, page), *q = area(1);
    struct map_line line[2];

    map_at(q, 1, PROT_READ, MAP_SHARED, fd, 0);
    is(mremap(q, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, p - page), p - page,
       "a page moved to below its successor");
    is(maps_in(p - page, 3, line, 2), 1, "one VMA");
    is(line[0].offset, 0, "from offset 0");
    ok(p[-(long)page] == 'a' && p[0] == 'b' && p[page] == 'c', "every page shows its own");
    unmap(p - page, 3);
    close(fd);
}

/* Linux 2.6.6: a boundary between two maps that moved by 2 GiB or more overflowed an int. */
static void a_boundary_moves_far(void)
{
    int fd = temp_file();
    char *p = area(6 * GIB / page);
    struct map_line line[3];

    if (ftruncate(fd, 6 * GIB) || pwrite(fd, "1", 1, GIB) != 1 || pwrite(fd, "5", 1, 5 * GIB) != 1)
        vm_die(errno, "cannot make a file of 6 GiB");
    map_at(p, 4 * GIB / page, PROT_READ, MAP_SHARED, fd, 0);
    map_at(p + 4 * GIB, 2 * GIB / page, RW, MAP_SHARED, fd, 4 * GIB);
    is(mprotect(p + GIB, 3 * GIB, RW), 0, "the boundary moves down by 3 GiB");
    is(maps_in(p, 6 * GIB / page, line, 3), 2, "two VMAs");
    ok(line[0].end == (u64)p + GIB && line[1].offset == GIB, "which meet at 1 GiB");
    ok(p[GIB] == '1' && p[5 * GIB] == '5' && catch_write(p + GIB).signal == 0, "with their pages");
    is(mprotect(p + GIB, 4 * GIB, PROT_READ), 0, "and up by 4 GiB");
    is(maps_in(p, 6 * GIB / page, line, 3), 2, "two VMAs");
    ok(line[0].end == (u64)p + 5 * GIB && line[1].offset == 5 * GIB, "which meet at 5 GiB");
    ok(p[5 * GIB] == '5' && catch_write(p + 5 * GIB).signal == 0, "with their pages");
    is(munmap(p, 6 * GIB), 0, "unmapped");
    close(fd);
}

/* Fiwix: a map put over part of another freed the end of the wrong one. Here it is the heap, in a
 * child. */
static bool over_the_heap(void *argument)
{
    char *heap = (char *)(((u64)sbrk(0) + page - 1) & -page);
    bool good = brk(heap + 16 * page) == 0;
    (void)argument;

    for (int i = 0; i < 16; i++)
        heap[i * page] = 1 + i;
    anon_at(heap + 4 * page, 2, RW)[0] = 77;                            /* inside */
    map_at(heap + 14 * page, 4, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* over the end */
    for (int i = 0; i < 14; i++)
        good &= heap[i * page] == (i == 4 ? 77 : i == 5 ? 0 : 1 + i);
    good &= heap[14 * page] == 0 && heap[17 * page] == 0;
    good &= brk(heap + 8 * page) == 0 && sbrk(0) == heap + 8 * page && !readable(heap + 8 * page);
    good &= heap[7 * page] == 8 && heap[4 * page] == 77;
    return good;
}

/* phoenix-rtos, rumprun: one munmap was thought to meet one map, or a whole one. */
static void over_three(void)
{
    char *p = area(8);

    for (int i = 0; i < 8; i++)
        if (i != 2 && i != 5)
            map_at(p + i * page, 1, i % 2 ? RW : PROT_READ, ANON, -1, 0);
    is(munmap(p + page, 6 * page), 0, "munmap over four maps and two holes");
    ok(readable(p) && vmas(p + page, 6) == 0 && writable(p + 7 * page),
       "exactly its range is gone");
    unmap(p, 8);
}

/* Linux 2.6.8: after fork the child's map was still the parent's tree while it was copied. */
static bool maps_its_own(void *argument)
{
    char *p = argument;

    for (int i = 0; i < 50; i++) {
        unmap(p, 1);
        anon_at(p, 1, RW)[0] = i;
    }
    return p[0] == 49 && vmas(p, 1) == 1;
}

static void many_at_once(void)
{
    char *p = anon_at(area(1), 1, RW);
    pid_t children[8];
    bool good = true;

    p[0] = 123;
    for (int i = 0; i < 8; i++)
        if ((children[i] = fork()) == 0)
            _exit(!maps_its_own(p));
    good &= maps_its_own(p);
    for (int i = 0, status; i < 8; i++)
        good &= waitpid(children[i], &status, 0) == children[i] && status == 0;
    ok(good && p[0] == 49, "nine processes map and unmap the same address, each for itself");
    unmap(p, 1);
}

/* Linux 2.4.24: a new length of 0 at a new place made a VMA without a length; the next munmap there
 * found it. */
static void no_length(void)
{
    char *p = anon_at(area(2), 2, RW), *q = area(2);

    fails(mremap(p, 2 * page, 0, MREMAP_MAYMOVE | MREMAP_FIXED, q), EINVAL);
    ok(vmas(q - page, 3) == 0 && vmas(p, 2) == 1, "nothing is there, and nothing is gone");
    is(munmap(q - page, 3 * page), 0, "the place can be unmapped");
    unmap(p, 2);
}

void suite_bugs(void)
{
    split_keeps_the_offset();
    growing_downwards();
    a_boundary_moves_far();
    ok(in_child(over_the_heap, NULL), "maps over the middle and the end of the heap");
    over_three();
    many_at_once();
    no_length();
}
