/*
 * rlimits.c: RLIMIT_AS, RLIMIT_DATA and RLIMIT_NOFILE in children that lower them; and the three
 * ways of vm.overcommit_memory.
 *
 * A limit refuses what would go beyond it, with ENOMEM and without a change; what shrinks and
 * unmaps always works. The knob is the machine's, so it is turned in Fathom only.
 */
#include "tests/guest/catch.h"

#include <fcntl.h>
#include <sys/resource.h>

static bool set_limit(int which, u64 n)
{
    struct rlimit limit;

    if (getrlimit(which, &limit))
        return false;
    limit.rlim_cur = n;
    return setrlimit(which, &limit) == 0;
}

/* Pages in the size of this program, by its map. */
static u64 total_pages(void)
{
    static struct map_line lines[256];
    int n = maps_in(NULL, USER_END / page, lines, 256);
    u64 pages = 0;

    for (int i = 0; i < n && i < 256; i++)
        pages += (lines[i].end - lines[i].start) / page;
    return pages;
}

static void *map_any(u64 pages)
{
    return mmap(NULL, pages * page, RW, ANON, -1, 0);
}

static bool refused(void *p)
{
    return p == MAP_FAILED && errno == ENOMEM;
}

/* ---- The address space ------------------------------------------------------------------------ */

static bool limited_as(void *argument)
{
    char *p = argument; /* 16 pages that can be written */
    u64 now = total_pages();
    bool good = set_limit(RLIMIT_AS, (now + 4) * page);

    good &= refused(map_any(5)) && total_pages() == now;
    good &= mmap(NULL, 5 * page, PROT_NONE, ANON | MAP_NORESERVE, -1, 0) == MAP_FAILED;
    char *q = map_any(4);
    good &= q != MAP_FAILED && refused(map_any(1));
    good &= refused(mremap(q, 4 * page, 5 * page, MREMAP_MAYMOVE));
    good &= sbrk(page) == (void *)-1 && errno == ENOMEM;
    good &= map_at(p, 16, RW, ANON, -1, 0) == p; /* what is replaced makes room */
    good &= mremap(q, 4 * page, 2 * page, 0) == q && map_any(2) != MAP_FAILED;
    good &= mprotect(p, page, PROT_READ) == 0 && munmap(p + 4 * page, page) == 0;
    good &= map_any(1) != MAP_FAILED && refused(map_any(1));
    return good && munmap(p, 16 * page) == 0 && total_pages() <= now + 4;
}

/* ---- Data ------------------------------------------------------------------------------------- */

static u64 data_pages(void)
{
    static char text[8192];
    char *at =
        vm_read_file("/proc/self/status", text, sizeof text) < 0 ? NULL : strstr(text, "VmData:");

    return at ? strtoul(at + 7, NULL, 10) * 1024 / page : 0;
}

static bool limited_data(void *argument)
{
    char *p = argument;
    u64 now = data_pages();
    bool good = now > 0 && set_limit(RLIMIT_DATA, (now + 4) * page);

    good &= refused(map_any(5)) && data_pages() == now;
    char *q = map_any(4);
    good &= q != MAP_FAILED && refused(map_any(1)) && data_pages() == now + 4;
    good &= mmap(NULL, 9 * page, PROT_READ, ANON, -1, 0) != MAP_FAILED; /* no data */
    char *shared = mmap(NULL, 9 * page, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    good &= shared != MAP_FAILED && data_pages() == now + 4;
    good &= refused(mremap(q, 4 * page, 5 * page, MREMAP_MAYMOVE));
    good &= munmap(q, page) == 0 && map_any(1) != MAP_FAILED && refused(map_any(1));
    return good && munmap(p, 16 * page) == 0 && map_any(16) != MAP_FAILED;
}

/* As Linux does, the break that is asked for is checked before all else, so one that is still
 * beyond the limit is refused even if it is less than now. */
static bool limited_break(void *argument)
{
    char *old = sbrk(0), *far = old + (64 << 20);
    (void)argument;

    if (!set_limit(RLIMIT_DATA, 1))
        return false;
    bool good = sbrk(64 << 20) == (void *)-1 && errno == ENOMEM && sbrk(0) == old;
    good &= set_limit(RLIMIT_DATA, 1ul << 30) && sbrk(64 << 20) == old && sbrk(0) == far;
    far[-1] = 1;
    good &= set_limit(RLIMIT_DATA, 32 << 20);
    brk(far - page);
    good &= sbrk(0) == far && far[-1] == 1;
    good &= brk(old) == 0 && sbrk(0) == old;
    return good;
}

/* A right that makes data of a map counts, too. */
static bool limited_by_mprotect(void *argument)
{
    char *p = mmap(NULL, 16 * page, PROT_READ, ANON, -1, 0);
    (void)argument;

    if (p == MAP_FAILED || !set_limit(RLIMIT_DATA, (data_pages() + 4) * page))
        return false;
    bool good = mprotect(p, 4 * page, RW) == 0 && mprotect(p + 4 * page, page, RW) == -1;
    return good && errno == ENOMEM && mprotect(p, page, PROT_READ) == 0 &&
           mprotect(p + 5 * page, page, RW) == 0;
}

/* ---- Descriptors ------------------------------------------------------------------------------ */

static bool limited_files(void *argument)
{
    int first = open("/", O_RDONLY), n = 0, last = -1, fd;
    (void)argument;

    for (fd = first; fd < 1024; fd++)
        close(fd);
    if (first < 0 || !set_limit(RLIMIT_NOFILE, first + 10))
        return false;
    while ((fd = open("/", O_RDONLY)) >= 0) {
        last = fd;
        n++;
    }
    bool good = n == 10 && last == first + 9 && errno == EMFILE;
    good &= dup(0) == -1 && errno == EMFILE;
    good &= fcntl(0, F_DUPFD, first + 10) == -1 && errno == EINVAL;
    close(last);
    return good && dup(first) == last && set_limit(RLIMIT_NOFILE, 0) &&
           lseek(first, 0, SEEK_CUR) == 0;
}

static bool default_files(void *argument)
{
    struct rlimit limit;
    (void)argument;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 1024;
}

static bool has_them(void *argument)
{
    struct rlimit files, space;
    (void)argument;

    return getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur == 33 &&
           getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur == 1ul << 40 &&
           map_any((1ul << 40) / page) == MAP_FAILED;
}

static bool limits_are_inherited(void *argument)
{
    return set_limit(RLIMIT_NOFILE, 33) && set_limit(RLIMIT_AS, 1ul << 40) &&
           in_child(has_them, argument);
}

static void limits(void)
{
    char *p = anon_at(area(16), 16, RW);

    ok(in_child(limited_as, p), "RLIMIT_AS: ENOMEM beyond it, and nothing changed");
    ok(in_child(limited_data, p), "RLIMIT_DATA: private writable memory");
    ok(in_child(limited_break, p), "RLIMIT_DATA: the break");
    ok(in_child(limited_by_mprotect, p), "RLIMIT_DATA: mprotect that makes data");
    ok(in_child(limited_files, p), "RLIMIT_NOFILE: EMFILE");
    ok(in_child(limits_are_inherited, p), "a child has its parent's limits");
    if (fathom)
        ok(in_child(default_files, p), "RLIMIT_NOFILE is 1024 at first");
    unmap(p, 16);
}

/* ---- Overcommit ------------------------------------------------------------------------------- */

static u64 meminfo(const char *name)
{
    static char text[8192];
    char *at = vm_read_file("/proc/meminfo", text, sizeof text) < 0 ? NULL : strstr(text, name);

    return at ? strtoul(at + strlen(name), NULL, 10) * 1024 : 0;
}

static bool can_map(u64 bytes, int flags)
{
    char *p = mmap(NULL, bytes, RW, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    if (p == MAP_FAILED)
        return false;
    munmap(p, bytes);
    return true;
}

/* A child that ends at once. */
static long fork_once(void)
{
    pid_t child = fork();

    if (!child)
        _exit(0);
    if (child > 0)
        waitpid(child, NULL, 0);
    return child;
}

static void never_too_much(u64 memory)
{
    ok(vm_knob_set("vm.overcommit_memory", "2"), "vm.overcommit_memory 2: never too much");
    u64 limit = meminfo("CommitLimit:"), used = meminfo("Committed_AS:");
    ok(limit && limit < memory && used < limit, "a limit below the memory, and less in use");
    if (used >= limit)
        return;
    ok(!can_map(limit - used + (1 << 20), 0), "a MiB more than is left: ENOMEM");
    ok(!can_map(limit - used + (1 << 20), MAP_NORESERVE), "NORESERVE does not help");
    u64 half = (limit - used) / 2 / page * page;
    char *p = mmap(NULL, half, RW, ANON, -1, 0), *q = mmap(NULL, half, PROT_READ, ANON, -1, 0);
    ok(p != MAP_FAILED && q != MAP_FAILED, "half of it writable, half of it not");
    ok(meminfo("Committed_AS:") >= used + half && meminfo("Committed_AS:") < used + 3 * half / 2,
       "only the writable half is charged");
    ok(!can_map(half + (1 << 20), 0), "more than the other half: ENOMEM");
    u64 charged = meminfo("Committed_AS:");
    fails(fork_once(), ENOMEM);
    is(meminfo("Committed_AS:"), charged, "a fork that is refused charges nothing");
    is(munmap(p, half), 0, "given back");
    ok(fork_once() > 0, "fork works again");
    ok(can_map(half + half / 2, 0), "now it can be had");
    munmap(q, half);
    is(meminfo("Committed_AS:"), used, "nothing stays charged");
}

static void overcommit(void)
{
    char saved[16];
    u64 memory = meminfo("MemTotal:");

    if (!fathom || !vm_knob_get("vm.overcommit_memory", saved, sizeof saved)) {
        tap_skip("vm.overcommit_memory is the machine's");
        return;
    }
    ok(!strcmp(saved, "0"), "vm.overcommit_memory is 0 at first");
    ok(!can_map(4 * memory, 0), "0: more than the machine has in one piece: ENOMEM");
    ok(can_map(4 * memory, MAP_NORESERVE), "but with NORESERVE");
    ok(can_map(memory / 2, 0), "and half of it");
    ok(vm_knob_set("vm.overcommit_memory", "1"), "vm.overcommit_memory 1: always");
    ok(can_map(1000 * memory, 0), "a thousand times the memory");
    never_too_much(memory);
    ok(!vm_knob_set("vm.overcommit_memory", "3") && errno == EINVAL, "3: EINVAL");
    ok(vm_knob_set("vm.overcommit_memory", saved), "set back");
}

void suite_rlimits(void)
{
    limits();
    overcommit();
}
