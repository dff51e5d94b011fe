/*
 * limits.c: vm.max_map_count, and that it is asked in two ways, as Linux does:
 *
 *      a new map is refused when the count is above the limit, so limit + 1 can be had;
 *      a split is refused when the count has reached it;
 *      mremap that moves is refused from three below it, since it may need that many, and with
 *      MREMAP_FIXED, which may split its target in two places, from five below.
 *
 * Each refusal is ENOMEM and leaves all as it was. In Fathom the limit is set low, so that searches
 * along the list stay quick; on Linux the one that is set is used.
 */
#include "tests/guest/guest.h"

enum { LOW_LIMIT = 300, TOO_HIGH = 100000 };

static long limit;
static char *base; /* maps of three pages with a hole of one behind each */
static long own;

static char *nth(long n)
{
    return base + 4 * n * page;
}

static bool add(void)
{
    char *p = mmap(nth(own), 3 * page, RW, ANON | MAP_FIXED | MAP_NORESERVE, -1, 0);

    own += p != MAP_FAILED;
    return p != MAP_FAILED;
}

static long counted_vmas(void)
{
    return vm_vmas(0, USER_END - page);
}

static void full(void)
{
    long others = counted_vmas();

    while (own < TOO_HIGH && add())
        ;
    is(errno, ENOMEM, "the map that is one too many: ENOMEM");
    is(own + others, limit + 1, "limit + 1 can be had");
    fails(mmap(nth(0) + 3 * page, page, RW, ANON | MAP_FIXED, -1, 0), ENOMEM);
    ok(!readable(nth(0) + 3 * page), "even one that would merge is refused, and nothing is mapped");
    fails(mmap(NULL, page, RW, ANON, -1, 0), ENOMEM);
    is((long)sbrk(16 * page), -1, "the break is refused too");
    fails(munmap(nth(1) + page, page), ENOMEM);
    fails(mprotect(nth(1) + page, page, PROT_READ), ENOMEM);
    ok(writable(nth(1) + page), "a split is refused and changes nothing");
}

static void at_the_limit(void)
{
    own--;
    is(munmap(nth(own), 3 * page), 0, "one whole map unmapped");
    ok(add(), "its place can be mapped again");
    own--;
    is(munmap(nth(own), 3 * page), 0, "unmapped again: the count is the limit");
    fails(munmap(nth(1) + page, page), ENOMEM);
    fails(mprotect(nth(1) + page, page, PROT_READ), ENOMEM);
    ok(writable(nth(1) + page), "a split is refused at the limit");
    is(munmap(nth(1), page), 0, "the head of a map can be unmapped");
    is(munmap(nth(1) + 2 * page, page), 0, "and its tail");
    ok(!readable(nth(1)) && readable(nth(1) + page) && !readable(nth(1) + 2 * page),
       "exactly they are gone");
    is(mprotect(nth(2), 3 * page, PROT_READ), 0, "the rights of a whole map can change");
    is(mprotect(nth(2), 3 * page, RW), 0, "and back");
    own--;
    is(munmap(nth(own), 3 * page), 0, "one less than the limit");
    is(mprotect(nth(3) + 2 * page, page, PROT_READ), 0, "one split can be had");
    fails(mprotect(nth(4) + 2 * page, page, PROT_READ), ENOMEM);
}

/* Unmap whole maps until the count is so many below the limit. */
static void come_down(long below)
{
    while (own > 10 && counted_vmas() > limit - below) {
        own--;
        unmap(nth(own), 3);
    }
    is(counted_vmas(), limit - below, "%ld below the limit", below);
}

/* Map n cannot grow by two pages where it is. */
static char *grow(long n)
{
    return mremap(nth(n), 3 * page, 5 * page, MREMAP_MAYMOVE);
}

static char *move_away(long n)
{
    return mremap(nth(n), 3 * page, 3 * page, MREMAP_MAYMOVE | MREMAP_FIXED, nth(own + 1));
}

static void moves(void)
{
    come_down(3);
    fails(grow(5), ENOMEM);
    ok(writable(nth(5)) && writable(nth(5) + 2 * page) && !readable(nth(5) + 3 * page),
       "mremap that moves is refused and changes nothing");
    is(mremap(nth(5), 3 * page, 2 * page, 0), nth(5), "shrinking works");
    is(mremap(nth(5), 2 * page, 3 * page, 0), nth(5), "and growing in place");
    come_down(4);
    char *p = grow(5);
    ok(p != MAP_FAILED && p != nth(5) && writable(p + 4 * page), "it moves");
    is(mremap(p, 5 * page, 3 * page, 0), p, "shrunk again");
    come_down(5);
    fails(move_away(6), ENOMEM);
    ok(writable(nth(6)) && vmas(nth(own + 1), 3) == 0, "FIXED is refused and changes nothing");
    come_down(6);
    is(move_away(6), nth(own + 1), "it moves");
    ok(!readable(nth(6)) && writable(nth(own + 1)), "really");
    unmap(nth(own + 1), 3);
    unmap(p, 3);
}

void suite_limits(void)
{
    char saved[32], text[32];

    if (!vm_knob_get("vm.max_map_count", saved, sizeof saved) || atol(saved) > TOO_HIGH) {
        tap_skip("vm.max_map_count is not there, or too high to be reached");
        return;
    }
    limit = atol(saved);
    if (fathom) {
        limit = LOW_LIMIT;
        snprintf(text, sizeof text, "%ld", limit);
        ok(vm_knob_set("vm.max_map_count", text), "vm.max_map_count can be set");
    }
    base = area(4 * (limit + 2));
    full();
    at_the_limit();
    moves();
    is(munmap(base, 4 * (limit + 2) * page), 0, "all of it unmaps at once");
    is(vmas(base, 4 * (limit + 2)), 0, "nothing is left");
    if (fathom)
        ok(vm_knob_set("vm.max_map_count", saved), "vm.max_map_count is set back");
}
