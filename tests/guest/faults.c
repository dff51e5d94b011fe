/*
 * faults.c: which signal, code and address each bad access gets, caught in the program itself.
 */
#include "tests/guest/catch.h"

#include <sys/resource.h>

static void unmapped(void)
{
    char *p = anon_at(area(4), 4, RW);

    p[page] = 1;
    unmap(p + page, 1);
    ok(segv_maperr(catch_read(p + page), p + page), "read after munmap: SEGV_MAPERR");
    ok(segv_maperr(catch_write(p + 2 * page - 1), p + 2 * page - 1), "write to its last byte");
    ok(segv_maperr(catch_execute(p + page + 8), p + page + 8), "and execution");
    unmap(p, 4);
    ok(segv_maperr(catch_write(p), p), "after all is unmapped");
    ok(segv_maperr(catch_read(NULL), NULL), "address 0");
    ok(segv_maperr(catch_write((char *)8), (char *)8), "address 8");
    ok(segv_maperr(catch_read((char *)USER_END - 1), (char *)USER_END - 1),
       "the last byte below 2^47");
}

static void rights(void)
{
    char *p = anon_at(area(3), 3, RW);

    p[0] = (char)0xc3; /* ret */
    ok(segv_accerr(catch_execute(p), p), "execution without the right: SEGV_ACCERR");
    is(mprotect(p, page, PROT_READ | PROT_EXEC), 0, "PROT_EXEC");
    is(catch_execute(p).signal, 0, "runs");
    ok(segv_accerr(catch_write(p + 9), p + 9), "a write without the right");
    is(mprotect(p, page, PROT_NONE), 0, "PROT_NONE");
    ok(segv_accerr(catch_read(p + 1), p + 1), "a read without any");
    ok(segv_accerr(catch_execute(p), p), "execution without any");
    is(mprotect(p, page, RW), 0, "rights again");
    is(catch_write(p).signal, 0, "a write works");
    is(p[0], 1, "and is seen");
    unmap(p, 3);
}

static void not_user_space(void)
{
    static char *const bad[] = {KERNEL_ADDRESS, (char *)0xffffffff80100000, (char *)-4096};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct caught r = catch_read(bad[i]), w = catch_write(bad[i]);
        ok(r.signal == SIGSEGV && w.signal == SIGSEGV, "the kernel's %p: SIGSEGV", bad[i]);
        ok(r.address == bad[i] && w.address == bad[i], "with its address");
    }
    ok(faulted(catch_read(NON_CANONICAL), SIGSEGV, SI_KERNEL, NULL),
       "a non-canonical address: SI_KERNEL, address 0");
    ok(faulted(catch_write((char *)0x1234567812345678), SIGSEGV, SI_KERNEL, NULL), "and a write");
}

/* ---- Files ------------------------------------------------------------------------------------ */

static void past_the_end(void)
{
    int fd = filled_file(3, 'a');
    char *p = map_at(area(5), 5, RW, MAP_SHARED, fd, 0);
    char *q = map_at(area(5), 5, RW, MAP_PRIVATE, fd, 0);

    is(ftruncate(fd, 3 * page + 10), 0, "a file of 3 pages and 10 bytes");
    is(catch_read(p + 3 * page + 10).signal, 0, "behind its end in the last page: no fault");
    is(p[3 * page + 10], 0, "and it reads 0");
    ok(bus_adrerr(catch_read(p + 4 * page), p + 4 * page), "the page behind: SIGBUS, BUS_ADRERR");
    ok(bus_adrerr(catch_write(p + 4 * page + 123), p + 4 * page + 123), "with the exact address");
    ok(bus_adrerr(catch_read(q + 4 * page + 5), q + 4 * page + 5), "a private map, too");
    ok(bus_adrerr(catch_write(q + 4 * page + 5), q + 4 * page + 5), "and a write");
    is(ftruncate(fd, 5 * page), 0, "the file grows");
    is(catch_read(p + 4 * page).signal, 0, "readable at once");
    is(catch_write(q + 4 * page).signal, 0, "a private copy is made");
    is(ftruncate(fd, page), 0, "it shrinks");
    for (u64 i = 1; i < 5; i++) {
        char *a = p + i * page + i, *b = q + i * page + i;
        ok(bus_adrerr(catch_read(a), a) && bus_adrerr(catch_write(a), a), "page %lu: SIGBUS", i);
        ok(bus_adrerr(catch_read(b), b) && bus_adrerr(catch_write(b), b), "private copies, too");
    }
    is(catch_read(p + page - 1).signal, 0, "what is left is there");
    unmap(p, 5);
    unmap(q, 5);
    close(fd);
}

static void cut_in_the_page(void)
{
    int fd = filled_file(2, 'a');
    char *p = map_at(area(2), 2, RW, MAP_SHARED, fd, 0), c = 1;

    is(ftruncate(fd, page + 100), 0, "cut within a mapped page");
    ok(p[page + 99] == 'b' && p[page + 100] == 0 && p[2 * page - 1] == 0, "the rest of it is zero");
    is(ftruncate(fd, 2 * page), 0, "grown again");
    ok(p[page + 100] == 0 && pread(fd, &c, 1, page + 100) == 1 && c == 0, "and still is");
    is(ftruncate(fd, 0), 0, "cut to nothing");
    ok(bus_adrerr(catch_write(p), p), "its first byte: SIGBUS");
    unmap(p, 2);
    close(fd);
}

static void zero_length(void)
{
    int fd = temp_file();
    char *p = map_at(area(1), 1, RW, MAP_SHARED, fd, 0);

    ok(bus_adrerr(catch_read(p), p), "a map of an empty file: SIGBUS");
    is(ftruncate(fd, 1), 0, "one byte");
    is(catch_write(p + page - 1).signal, 0, "makes the page accessible");
    unmap(p, 1);
    close(fd);
}

/* ---- The stack -------------------------------------------------------------------------------- */

static char *stack_start(u64 *end)
{
    static struct map_line lines[128];
    int n = maps_in(NULL, USER_END / page, lines, 128);

    for (int i = 0; i < n && i < 128; i++)
        if (!strcmp(lines[i].name, "[stack]")) {
            *end = lines[i].end;
            return (char *)lines[i].start;
        }
    vm_die(0, "there is no [stack]");
}

/* Touched by the program itself, far below its stack pointer, as alloca does. */
static bool grows(void *argument)
{
    u64 end;
    char *start = stack_start(&end), *p = start - 40 * page;
    (void)argument;

    return catch_write(p).signal == 0 && stack_start(&end) == p && p[1] == 0 &&
           segv_maperr(catch_write((char *)end), (char *)end);
}

static bool stops_at_the_gap(void *argument)
{
    u64 end;
    char *start = stack_start(&end), *map = start - 300 * page;
    (void)argument;

    if (mmap(map, page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) != map)
        return false;
    char *below = map + 256 * page, *above = map + 257 * page;
    return segv_maperr(catch_write(below), below) && stack_start(&end) == start &&
           catch_write(above).signal == 0 && stack_start(&end) == above;
}

static bool stops_at_its_limit(void *argument)
{
    struct rlimit limit = {256 << 10, RLIM_INFINITY};
    u64 end;
    (void)argument;

    if (getrlimit(RLIMIT_STACK, &limit))
        return false;
    limit.rlim_cur = 256 << 10;
    if (setrlimit(RLIMIT_STACK, &limit))
        return false;
    stack_start(&end);
    char *last = (char *)end - limit.rlim_cur, *beyond = last - page;
    return segv_maperr(catch_write(beyond), beyond) && catch_write(last).signal == 0 &&
           stack_start(&end) == last && segv_maperr(catch_read(beyond), beyond);
}

/* mmap chooses no place within the gap below the stack, or within what the stack may become. */
static bool mmap_keeps_away(void *argument)
{
    u64 end;
    char *start = stack_start(&end);
    bool good = true;
    (void)argument;

    for (int i = 0; i < 100; i++) {
        char *p = mmap(NULL, page, RW, ANON, -1, 0);
        good &= p != MAP_FAILED && (p + 257 * page <= start || p >= (char *)end);
    }
    return good;
}

/* MAP_GROWSDOWN near the lowest address: it must not grow below it. Linux may have a second, higher
 * minimum of 64 KiB there. */
static bool grows_down_to_the_minimum(void *argument)
{
    const u64 most = 65536;
    char text[32];
    (void)argument;

    if (!vm_knob_get("vm.mmap_min_addr", text, sizeof text))
        return false;
    u64 least = strtoul(text, NULL, 10);
    char *start = (char *)(most + 3 * page), *p = start;
    if (mmap(p, page, RW, ANON | MAP_FIXED | MAP_GROWSDOWN, -1, 0) != p)
        return false;
    while ((u64)p > least && catch_write(p - page).signal == 0)
        p -= page;
    return p < start && (u64)p <= most && (u64)p >= least &&
           (!p || segv_maperr(catch_write(p - 1), p - 1));
}

static void stack(void)
{
    ok(in_child(grows, NULL), "a touch 40 pages below the stack: it grows");
    ok(in_child(stops_at_the_gap, NULL), "but not nearer than 256 pages to another map");
    ok(in_child(stops_at_its_limit, NULL), "nor beyond RLIMIT_STACK");
    ok(in_child(mmap_keeps_away, NULL), "mmap keeps away from it");
    ok(in_child(grows_down_to_the_minimum, NULL), "MAP_GROWSDOWN ends at vm.mmap_min_addr");
}

void suite_faults(void)
{
    unmapped();
    rights();
    not_user_space();
    past_the_end();
    cut_in_the_page();
    zero_length();
    stack();
}
