/*
 * knobs.c: /proc/sys/vm/NAME: values taken, values refused, and that what is set is what is read.
 */
#include "tests/guest/guest.h"

static void words(const char *name, const char *const *values)
{
    char saved[64], now[64];

    ok(vm_knob_get(name, saved, sizeof saved), "%s can be read: %s", name, saved);
    for (; *values; values++) {
        ok(vm_knob_set(name, *values), "%s takes %s", name, *values);
        vm_knob_get(name, now, sizeof now);
        ok(!strcmp(now, *values), "and is %s", now);
    }
    static const char *const bad[] = {"",  "nonsense", "bloc",       "blockk",
                                      "0", "-1",       "work block", "\xff"};
    bool good = true;
    char before[64];
    vm_knob_get(name, before, sizeof before);
    for (size_t i = 1; i < sizeof bad / sizeof *bad; i++)
        good &= !vm_knob_set(name, bad[i]) && errno == EINVAL;
    ok(good, "%s refuses nonsense: EINVAL", name);
    vm_knob_get(name, now, sizeof now);
    ok(!strcmp(now, before), "and stays %s", now);
    char line[80];
    snprintf(line, sizeof line, "%s\n", saved);
    ok(vm_knob_set(name, line), "%s takes a value with its line's end", name);
}

static void number(void)
{
    static const char *const good[] = {"1", "8", "1000", "1048576", "0"};
    static const char *const bad[] = {"1048577", "-1", "8x", "x", "18446744073709551616",
                                      "1 2",     "."};
    char now[64], saved[64];
    bool fine = true;

    vm_knob_get("vm.zap_block_pages", saved, sizeof saved);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ok(vm_knob_set("vm.zap_block_pages", good[i]), "vm.zap_block_pages takes %s", good[i]);
        vm_knob_get("vm.zap_block_pages", now, sizeof now);
        ok(!strcmp(now, good[i]), "and is %s", now);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fine &= !vm_knob_set("vm.zap_block_pages", bad[i]) && errno == EINVAL;
    ok(fine, "it refuses what is no number of pages: EINVAL");
    ok(vm_knob_set("vm.zap_block_pages", saved), "and is set back");
}

/* With each of the ways and each of the searches, memory calls do the same. */
static void all_ways(void)
{
    static const char *const zap[] = {"block", "work"}, *const find[] = {"gap", "list"};
    char was_zap[64], was_find[64];

    vm_knob_get("vm.zap", was_zap, sizeof was_zap);
    vm_knob_get("vm.find", was_find, sizeof was_find);
    for (int i = 0; i < 4; i++) {
        vm_knob_set("vm.zap", zap[i / 2]);
        vm_knob_set("vm.find", find[i % 2]);
        char *p = mmap(NULL, 9 * page, RW, ANON, -1, 0);
        p[0] = p[8 * page] = 1;
        bool good = munmap(p + page, 7 * page) == 0 && readable(p) && !readable(p + page) &&
                    !readable(p + 7 * page) && readable(p + 8 * page);
        char *q = mmap(NULL, 7 * page, RW, ANON, -1, 0);
        ok(good && q == p + page, "%s and %s: a hole is cut and found again", zap[i / 2],
           find[i % 2]);
        unmap(p, 9);
    }
    vm_knob_set("vm.zap", was_zap);
    vm_knob_set("vm.find", was_find);
}

void suite_knobs(void)
{
    static const char *const zap[] = {"block", "work", NULL}, *const find[] = {"gap", "list", NULL};
    char c;

    if (!fathom) {
        tap_skip("this kernel has no such knobs");
        return;
    }
    words("vm.zap", zap);
    words("vm.find", find);
    number();
    all_ways();
    fails(open("/proc/sys/vm/no_such_knob", O_RDWR), ENOENT);
    fails(open("/proc/sys/no_such_room/zap", O_RDWR), ENOENT);
    int fd = open("/proc/sys/vm/zap", O_RDONLY);
    fails(write(fd, "work", 4), EBADF);
    ok(pread(fd, &c, 1, 0) == 1 && pread(fd, &c, 1, 1000) == 0,
       "read at a place, and behind the end");
    close(fd);
}
