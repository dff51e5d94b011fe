/*
 * stack.c: the stack grows where it is touched, down to its limit, and never comes near another map:
 *
 *      | map |<---- at least vm.stack_guard_gap pages ---->| grown | [stack] |
 *
 * Touching is done by the kernel (see guest.h), which grows the stack as the program's own touch does.
 */
#include "tests/guest/guest.h"

#include <sys/resource.h>

enum { GAP = 256 };

static struct map_line stack_line(void)
{
    static struct map_line lines[128];
    int n = maps_in(NULL, USER_END / page, lines, 128);

    for (int i = 0; i < n && i < 128; i++)
        if (!strcmp(lines[i].name, "[stack]"))
            return lines[i];
    vm_die(0, "there is no [stack]");
}

static char *below(u64 pages)
{
    return (char *)stack_line().start - pages * page;
}

static void grows(void)
{
    u64 start = stack_line().start;
    char *p = below(50);

    ok(writable(p), "50 pages below the stack can be touched");
    is(stack_line().start, p, "it has grown down to there");
    ok(p[0] == 0 && ((char *)start)[-1] == 0, "what is new is zero");
    is(stack_line().end - stack_line().start > 50 * page, 1, "and one map with the old");
}

static void keeps_away(void)
{
    char *map = below(GAP + 150), *p = below(GAP / 2);
    u64 start = stack_line().start;

    is(mmap(map, page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0), map, "a map 406 pages below");
    ok(!writable(p - 100 * page), "227 pages below: too near to the map");
    is(stack_line().start, start, "the stack has not grown");
    ok(!writable(map + (GAP + 0) * page), "255 pages above the map's end: too near");
    ok(writable(map + (GAP + 1) * page), "256 pages above it: it grows");
    is(stack_line().start, map + (GAP + 1) * page, "down to there");
    ok(!writable(map + GAP * page), "and no page further");
    is(mprotect(map, page, PROT_NONE), 0, "a map that nobody can reach");
    ok(writable(map + GAP * page), "is no danger: it grows");
    is(munmap(map, page), 0, "the map unmapped");
    ok(writable(map + page), "it grows further");
}

static void limit(void)
{
    struct rlimit limit;
    u64 end = stack_line().end;

    is(getrlimit(RLIMIT_STACK, &limit), 0, "RLIMIT_STACK");
    if (limit.rlim_cur > 64 << 20) {
        tap_skip("RLIMIT_STACK is too high");
        return;
    }
    ok(!writable((char *)end - limit.rlim_cur - page), "a page beyond the limit cannot be touched");
    ok(writable((char *)end - limit.rlim_cur), "the last one within it can");
    is(end - stack_line().start, limit.rlim_cur, "the stack is as long as its limit");
}

void suite_stack(void)
{
    grows();
    keeps_away();
    limit();
}
