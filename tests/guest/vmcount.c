/*
 * vmcount.c: the counts of Holt's mail, exactly, in the booted kernel. Each scene is laid out at
 * an empty pgd entry plus 3 MiB, unmapped, and the counters' differences are compared with the
 * numbers that follow from the layout:
 *
 *      empty       one read for each pgd entry that the range touches
 *      neighbour   a page mapped at the pgd entry's base: its pud and pmd tables are read through as well
 *      ends        first, middle and last page touched
 *      dense       the first 64 MiB touched
 *
 * They are for 4 KiB pages and 512 entries; another layout skips what has a number in it.
 */
#include "tests/guest/guest.h"

#define MAIL 17592182882304ul
#define OFFSET (3ul << 20)
#define BLOCK (8 * page)

static struct vm_geometry geometry;

static char *scene_base(u64 length)
{
    u64 base = vm_find_free(geometry.pgd, OFFSET + length, geometry.user_end);

    if (!base)
        vm_die(0, "no empty pgd entries for %lu bytes", length);
    return (char *)base;
}

static char *map_scene(char *base, u64 length, int fd)
{
    char *p = mmap(base + OFFSET, length, RW, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);

    if (p != base + OFFSET)
        vm_die(errno, "cannot map the scene");
    return p;
}

static struct vm_counters unmap_counted(char *p, u64 length)
{
    struct vm_counters before, after;

    vm_counters_read(&before);
    int failed = munmap(p, length);
    vm_counters_read(&after);
    if (failed)
        vm_die(errno, "munmap of %lu bytes", length);
    return vm_counters_since(&before, &after);
}

static u64 reads(const struct vm_counters *c)
{
    return c->pgd_reads + c->p4d_reads + c->pud_reads + c->pmd_reads + c->pte_reads;
}

static void set(const char *name, const char *value)
{
    if (!vm_knob_set(name, value))
        vm_die(errno, "cannot set %s to %s", name, value);
}

static struct vm_counters untouched(const char *way, u64 length)
{
    int fd = temp_file();

    set("vm.zap", way);
    struct vm_counters c = unmap_counted(map_scene(scene_base(length), length, fd), length);
    close(fd);
    return c;
}

static void empty(void)
{
    struct vm_counters c = untouched("work", MAIL);
    u64 entries = (OFFSET + MAIL + geometry.pgd - 1) / geometry.pgd;

    if (page == 4096)
        is(entries, 32, "the mail's length touches 32 pgd entries");
    is(c.pgd_reads, entries, "work: one read for each pgd entry of the mail's length");
    is(reads(&c), entries, "and nothing else is read");
    is(c.zap_calls, 1, "in one turn");
    is(c.tables_freed, 0, "no table is freed, because none was made");
}

static void blocks(void)
{
    static const u64 pages[] = {1, 7, 8, 9, 8192, 262144, (1 << 21) + 3};

    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        u64 want = (pages[i] * page + BLOCK - 1) / BLOCK;
        struct vm_counters c = untouched("block", pages[i] * page);
        is(c.zap_calls, want, "block: turns for %lu pages", pages[i]);
        is(c.pgd_reads, want, "and as many pgd reads");
        is(reads(&c), want, "and nothing else");
    }
}

/* The same range with other sizes of block. */
static void block_sizes(void)
{
    static const u64 sizes[] = {1, 2, 3, 8, 1000, 1024, 1 << 20, 0};
    u64 pages = 32768;
    char text[32];

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(text, sizeof text, "%lu", sizes[i]);
        set("vm.zap_block_pages", text);
        struct vm_counters c = untouched("block", pages * page);
        is(c.zap_calls, sizes[i] ? (pages + sizes[i] - 1) / sizes[i] : 1,
           "block: turns for %lu pages in blocks of %s", pages, text);
    }
    set("vm.zap_block_pages", "8");
}

static void neighbour(void)
{
    char *base = scene_base(MAIL), *below;
    int fd = temp_file();

    below = mmap(base, page, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0);
    *below = 1;
    set("vm.zap", "work");
    struct vm_counters c = unmap_counted(map_scene(base, MAIL, fd), MAIL);
    is(c.pgd_reads, 32, "a neighbour below, work: pgd reads");
    is(c.pud_reads, 512, "pud reads");
    is(c.pmd_reads, 511, "pmd reads");
    is(c.pte_reads, 0, "pte reads");
    is(reads(&c), 1055, "1,055 in all");
    is(*below, 1, "the neighbour is as it was");
    unmap(below, 1);
    close(fd);
}

static void ends(void)
{
    char *base = scene_base(MAIL), *p;
    int fd = temp_file();

    if (ftruncate(fd, MAIL))
        vm_die(errno, "ftruncate");
    set("vm.zap", "work");
    p = map_scene(base, MAIL, fd);
    p[0] = p[MAIL / 2 / page * page] = p[MAIL - 1] = 1;
    struct vm_counters c = unmap_counted(p, MAIL);
    is(reads(&c), 4379, "first, middle and last page, work: 4,379 reads");
    is(c.zap_calls, 1, "in one turn");
    ok(c.tables_freed > 0, "the tables are freed");
    ok(c.free_reads > 0, "by the second pass, counted apart");
    close(fd);
}

static void dense(void)
{
    char *base = scene_base(MAIL), *p;
    int fd = temp_file();

    if (ftruncate(fd, MAIL))
        vm_die(errno, "ftruncate");
    set("vm.zap", "work");
    p = map_scene(base, MAIL, fd);
    for (u64 at = 0; at < 64 << 20; at += page)
        p[at] = 1;
    struct vm_counters c = unmap_counted(p, MAIL);
    is(c.zap_calls, 2049, "the first 64 MiB touched, work: 2,049 turns");
    is(reads(&c), 23807, "23,807 reads");
    p = map_scene(base, MAIL, fd);
    for (u64 at = 0; at < 64 << 20; at += page)
        p[at] = 1;
    set("vm.zap_block_pages", "0");
    c = unmap_counted(p, MAIL);
    is(c.zap_calls, 1, "with no limit of work: one turn");
    is(reads(&c), 17695, "17,695 reads");
    set("vm.zap_block_pages", "8");
    close(fd);
}

/* One page touched at the start, block: four reads for each block of the first pmd entry, and so
 * on upwards. */
static void block_touched(void)
{
    char *base = scene_base(geometry.pmd), *p;
    int fd = temp_file();
    u64 length = 2 * geometry.pmd - OFFSET % geometry.pmd;

    if (ftruncate(fd, length))
        vm_die(errno, "ftruncate");
    set("vm.zap", "block");
    p = map_scene(base, length, fd);
    *p = 1;
    struct vm_counters c = unmap_counted(p, length);
    u64 first = (geometry.pmd - OFFSET % geometry.pmd) / page;
    is(c.zap_calls, length / BLOCK, "one page touched, block: turns");
    is(c.pgd_reads, length / BLOCK, "each reads the pgd");
    is(c.pud_reads, length / BLOCK, "and the pud");
    is(c.pmd_reads, length / BLOCK, "and the pmd");
    is(c.pte_reads, first, "and those of the first pmd entry all its ptes");
    close(fd);
}

static void whole_system(void)
{
    static char text[8192];
    char *line;

    ok(vm_read_file("/proc/vmcount", text, sizeof text) > 0, "/proc/vmcount can be read");
    line = strstr(text, "zap_calls ");
    ok(line && (line == text || line[-1] == '\n') && strtoull(line + 10, NULL, 10) > 0,
       "and has turns of the whole system");
    int fd = open("/proc/self/vmcount", O_WRONLY);
    ok(fd >= 0 && write(fd, "0", 1) == 1, "writing 0 resets this program's");
    close(fd);
    struct vm_counters c;
    vm_counters_read(&c);
    is(c.zap_calls, 0, "turns are 0 then");
    unmap(anon_at(area(1), 1, RW), 1);
    vm_counters_read(&c);
    is(c.zap_calls, 1, "and count on");
    fd = open("/proc/self/vmcount", O_WRONLY);
    fails(write(fd, "7", 1), EINVAL);
    close(fd);
}

static bool begin(void)
{
    geometry = vm_geometry();
    if (fathom)
        return true;
    tap_skip("this kernel has no counters");
    return false;
}

void suite_vmcount(void)
{
    char zap[32], pages[32];

    if (!begin())
        return;
    vm_knob_get("vm.zap", zap, sizeof zap);
    vm_knob_get("vm.zap_block_pages", pages, sizeof pages);
    empty();
    blocks();
    block_sizes();
    block_touched();
    if (page == 4096) {
        neighbour();
        ends();
        dense();
    } else
        tap_skip("the scenes' numbers are for 4 KiB pages");
    whole_system();
    set("vm.zap", zap);
    set("vm.zap_block_pages", pages);
}

void suite_vmcount_1tib(void)
{
    if (!begin())
        return;
    struct vm_counters c = untouched("block", 1ul << 40);
    is(c.zap_calls, (1ul << 40) / BLOCK, "block: turns for 1 TiB");
    is(reads(&c), (1ul << 40) / BLOCK, "as many reads");
    c = untouched("work", 1ul << 40);
    is(c.zap_calls, 1, "work: one turn for 1 TiB");
    is(reads(&c), (OFFSET + (1ul << 40) + geometry.pgd - 1) / geometry.pgd, "a read for each pgd");
}
