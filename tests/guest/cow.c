/*
 * cow.c: what fork does to memory: private pages part at the first write, on whichever side; shared
 * ones never; a child has only its own, and lives on without its parent.
 */
#include "tests/guest/catch.h"

enum { LEVELS = 200, PAGES = 64, SIBLINGS = 8 };

/* One word for parents and children, and one page of it for many. */
static volatile int *shared_words;

static char *filled(u64 pages, int flags, int fd)
{
    char *p = map_at(area(pages), pages, RW, flags, fd, 0);

    for (u64 i = 0; i < pages; i++)
        p[i * page] = i;
    return p;
}

static bool all_are(const char *p, u64 pages, int added)
{
    bool good = true;

    for (u64 i = 0; i < pages; i++)
        good &= p[i * page] == (char)(i + added);
    return good;
}

static bool child_writes(void *p)
{
    if (!all_are(p, PAGES, 0))
        return false;
    for (u64 i = 0; i < PAGES; i++)
        ((char *)p)[i * page] = i + 1;
    return all_are(p, PAGES, 1);
}

static void apart(void)
{
    char *p = filled(PAGES, ANON, -1);

    ok(in_child(child_writes, p), "a child sees private memory and writes to it");
    ok(all_are(p, PAGES, 0), "its parent sees nothing of that");
    for (u64 i = 0; i < PAGES; i++)
        p[i * page] = i;
    ok(in_child(child_writes, p), "again, after the parent has written");
    is(vmas(p, PAGES), 1, "one VMA");
    unmap(p, PAGES);
}

/* The parent writes while the child waits: the child must see the old. */
static void parent_writes(void)
{
    char *p = filled(PAGES, ANON, -1);
    int status;

    shared_words[0] = 0;
    pid_t child = fork();
    if (child == 0) {
        while (!shared_words[0])
            usleep(1000);
        _exit(!all_are(p, PAGES, 0));
    }
    for (u64 i = 0; i < PAGES; i++)
        p[i * page] = i + 5;
    shared_words[0] = 1;
    ok(waitpid(child, &status, 0) == child && status == 0,
       "the parent writes, the child does not see it");
    ok(all_are(p, PAGES, 5), "the parent does");
    unmap(p, PAGES);
}

static void stays_shared(void)
{
    int fd = temp_file();
    char *p = filled(PAGES, MAP_SHARED | MAP_ANONYMOUS, -1);

    ok(in_child(child_writes, p), "a child writes to shared anonymous memory");
    ok(all_are(p, PAGES, 1), "its parent sees it");
    unmap(p, PAGES);
    if (ftruncate(fd, PAGES * page))
        vm_die(errno, "ftruncate");
    p = filled(PAGES, MAP_SHARED, fd);
    ok(in_child(child_writes, p), "a child writes to a shared map of a file");
    ok(all_are(p, PAGES, 1), "its parent sees it");
    unmap(p, PAGES);
    p = map_at(area(PAGES), PAGES, RW, MAP_PRIVATE, fd, 0);
    for (u64 i = 0; i < PAGES; i++)
        p[i * page] = i;
    ok(in_child(child_writes, p), "a child writes to a private map of a file");
    ok(all_are(p, PAGES, 0), "its parent does not see it");
    unmap(p, PAGES);
    close(fd);
}

static bool read_only_child(void *p)
{
    return segv_accerr(catch_write(p), p) && ((char *)p)[0] == 0 &&
           mprotect(p, PAGES * page, RW) == 0 && child_writes(p);
}

static void rights(void)
{
    char *p = filled(PAGES, ANON, -1);

    is(mprotect(p, PAGES * page, PROT_READ), 0, "memory made read-only");
    ok(in_child(read_only_child, p), "is so in a child, until it makes it writable for itself");
    ok(segv_accerr(catch_write(p), p), "in the parent it is as it was");
    is(mprotect(p, PAGES * page, RW), 0, "made writable again");
    p[0] = 0;
    ok(all_are(p, PAGES, 0), "with its contents");
    unmap(p, PAGES);
}

/* ---- /dev/zero -------------------------------------------------------------------------------- */

static void dev_zero(void)
{
    int fd = open("/dev/zero", O_RDWR);

    if (fd < 0) {
        ok(false, "/dev/zero can be opened");
        return;
    }
    char *private = map_at(area(PAGES), PAGES, RW, MAP_PRIVATE, fd, 0);
    char *shared = map_at(area(PAGES), PAGES, RW, MAP_SHARED, fd, 0);
    char *other = map_at(area(1), 1, RW, MAP_SHARED, fd, 0);
    close(fd);
    bool zero = true;
    for (u64 i = 0; i < PAGES * page; i++)
        zero &= private[i] == 0 && shared[i] == 0;
    ok(zero, "maps of /dev/zero are zero");
    for (u64 i = 0; i < PAGES; i++)
    private[i * page] = shared[i * page] = i;
    shared[0] = 0;
    ok(in_child(child_writes, private), "a child writes to a private one");
    ok(all_are(private, PAGES, 0), "its parent does not see it");
    ok(in_child(child_writes, shared), "a child writes to a shared one");
    ok(all_are(shared, PAGES, 1), "its parent sees it");
    is(other[0], 0, "another map is other memory");
    unmap(private, PAGES);
    unmap(shared, PAGES);
    unmap(other, 1);
}

/* ---- Families --------------------------------------------------------------------------------- */

/* Each level writes its number, forks the next, and finds its own number still there. */
static bool level(void *argument)
{
    unsigned char *p = argument;
    int own = p[0] + 1;

    p[0] = own;
    p[(1 + own % 3) * page] = own;
    if (own < LEVELS && !in_child(level, p))
        return false;
    return p[0] == own && p[(1 + own % 3) * page] == own;
}

static void levels(void)
{
    char *p = anon_at(area(4), 4, RW);

    ok(in_child(level, p), "two hundred levels of children");
    is(p[0], 0, "and here nothing has changed");
    unmap(p, 4);
}

static void siblings(void)
{
    char *p = filled(PAGES, ANON, -1);
    pid_t children[SIBLINGS];
    bool good = true;

    shared_words[0] = 0;
    for (int n = 0; n < SIBLINGS; n++)
        if ((children[n] = fork()) == 0) {
            for (u64 i = 0; i < PAGES; i++)
                p[i * page] += n + 1;
            while (!shared_words[0])
                usleep(1000);
            _exit(!all_are(p, PAGES, n + 1));
        }
    shared_words[0] = 1;
    for (int n = 0, status; n < SIBLINGS; n++)
        good &= waitpid(children[n], &status, 0) == children[n] && status == 0;
    ok(good && all_are(p, PAGES, 0), "eight children write at once, each sees its own");
    unmap(p, PAGES);
}

/* The child of a parent that has ended: waits for that, then uses its memory. */
static void orphan(char *p, pid_t parent)
{
    for (int i = 0; i < 5000 && getppid() == parent; i++)
        usleep(1000);
    bool good = getppid() != parent && all_are(p, PAGES, 0);
    for (u64 i = 0; i < PAGES; i++)
        p[i * page] = i + 3;
    good &= all_are(p, PAGES, 3) && vmas(p, PAGES) == 1;
    shared_words[1] = good ? 1 : 2;
    _exit(0);
}

static bool ends_first(void *p)
{
    pid_t self = getpid();

    if (fork() == 0)
        orphan(p, self);
    return true;
}

static void parent_first(void)
{
    char *p = filled(PAGES, ANON, -1);

    shared_words[1] = 0;
    ok(in_child(ends_first, p), "a parent that ends at once");
    for (int i = 0; i < 8000 && !shared_words[1]; i++)
        usleep(1000);
    is(shared_words[1], 1, "its child lives on, with memory of its own");
    ok(all_are(p, PAGES, 0), "and here nothing has changed");
    unmap(p, PAGES);
}

static bool sparse_child(void *argument)
{
    char *p = argument;
    u64 size = 1ul << 40;
    bool good = p[0] == 1 && p[size / 2] == 2 && p[size - 1] == 3 && p[size / 4] == 0;

    p[0] = p[size / 2] = p[size - 1] = 9;
    vm_knob_set("vm.zap", "work");
    return good && munmap(p, size) == 0;
}

static void sparse(void)
{
    u64 size = 1ul << 40;
    char *p = area(size / page);

    if (mmap(p, size, RW, ANON | MAP_NORESERVE | MAP_FIXED, -1, 0) != p)
        vm_die(errno, "cannot map a TiB");
    p[0] = 1;
    p[size / 2] = 2;
    p[size - 1] = 3;
    ok(in_child(sparse_child, p), "a TiB with three pages is there in a child");
    ok(p[0] == 1 && p[size / 2] == 2 && p[size - 1] == 3, "which unmaps it only for itself");
    vm_knob_set("vm.zap", "work");
    is(munmap(p, size), 0, "unmapped");
}

static bool unmaps_all(void *p)
{
    return munmap(p, PAGES / 2 * page) == 0 && !readable(p) &&
           mremap((char *)p + PAGES / 2 * page, PAGES / 2 * page, PAGES / 2 * page,
                  MREMAP_MAYMOVE | MREMAP_FIXED, p) == p &&
           *(char *)p == PAGES / 2;
}

static void unmapped(void)
{
    char *p = filled(PAGES, ANON, -1);

    ok(in_child(unmaps_all, p), "a child unmaps and moves memory");
    ok(all_are(p, PAGES, 0) && vmas(p, PAGES) == 1, "its parent's stays where it is");
    unmap(p, PAGES);
}

void suite_cow(void)
{
    shared_words = (void *)map_at(area(1), 1, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    apart();
    parent_writes();
    stays_shared();
    rights();
    dev_zero();
    levels();
    siblings();
    parent_first();
    sparse();
    unmapped();
}
