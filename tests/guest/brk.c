/*
 * brk.c: the break, by the plain system call: up, down, refused, zero again.
 */
#include "tests/guest/guest.h"

#include <sys/syscall.h>

static char *do_brk(char *p)
{
    return (char *)syscall(SYS_brk, p);
}

static char *round_up(char *p)
{
    return (char *)(((u64)p + page - 1) / page * page);
}

void suite_brk(void)
{
    char *start = do_brk(NULL), *top;

    ok(start != NULL, "brk(0) tells the break");
    is(do_brk(NULL), start, "and changes nothing");
    is(do_brk(start), start, "asking for the current break does nothing");
    is(do_brk(start + 100 * page), start + 100 * page, "100 pages up");
    top = start + 100 * page;
    is(do_brk(NULL), top, "brk(0) tells the new break");
    ok(round_up(start)[0] == 0 && top[-1] == 0, "the memory is zero");
    memset(round_up(start), 1, top - round_up(start));
    is(do_brk(start + 50 * page), start + 50 * page, "50 pages down");
    ok(!readable(round_up(start + 50 * page)), "what was given back is gone");
    is(start[50 * page - 1], 1, "what was not, stays");
    is(do_brk(top), top, "up again");
    is(top[-1], 0, "memory taken again is zero");
    is(round_up(start + 50 * page)[0], 0, "from its first page");
    is(do_brk(start + 1), start + 1, "to an odd address");
    is(do_brk(start + 2), start + 2, "and one byte more");
    is(do_brk(start), start, "back to the start");
    is(do_brk((char *)page), start, "below the heap's start: unchanged");
    is(do_brk((char *)-1), start, "brk(-1): unchanged");
    is(do_brk(KERNEL_ADDRESS), start, "a kernel address: unchanged");
    is(do_brk((char *)(USER_END - page)), start, "the end of user space: unchanged");
    is(do_brk((char *)USER_END), start, "user space itself: unchanged");
    is(do_brk((char *)-page), start, "the last page of all: unchanged");

    char *wall = round_up(start) + 16 * page;
    is(mmap(wall, page, PROT_NONE, ANON | MAP_FIXED_NOREPLACE, -1, 0), wall,
       "a map above the heap");
    is(do_brk(wall + page), start, "the break into it: unchanged");
    is(do_brk(wall + 1), start, "one byte into it: unchanged");
    is(do_brk(wall), start, "up to it: unchanged, a page has to stay free");
    is(do_brk(wall - page), wall - page, "up to a page below it");
    is(do_brk(start), start, "and back");
    unmap(wall, 1);
    is(do_brk(wall + page), wall + page, "the map gone, it grows");
    wall[0] = 1;
    is(do_brk(start), start, "and back");

    anon_at(round_up(start), 1, RW);
    round_up(start)[0] = 9;
    is(do_brk(round_up(start) + 2 * page), start, "a map at the heap's start: unchanged");
    is(round_up(start)[0], 9, "and not touched");
    unmap(round_up(start), 1);
    bool good = true;
    for (int i = 0; i < 300; i++) {
        good &= do_brk(start + 8 * page) == start + 8 * page;
        good &= start[8 * page - 1] == 0;
        start[8 * page - 1] = 1;
        good &= do_brk(start) == start;
    }
    ok(good, "300 times up and down");
}
