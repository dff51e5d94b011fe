/*
 * holt2005.c: Robin Holt's mail of 27 October 2005, "munmap extremely slow even with untouched
 * mapping".
 *
 * A temporary file is mapped, shared and writable, over 17,592,182,882,304 bytes. Nothing is
 * touched, so no page table is made. Then it is unmapped, which took his machine 24 seconds. The
 * program does it once for each way of unmapping that vm.zap offers and prints, from the kernel's
 * own counters, how many turns the walk took and how many entries it read.
 *
 *      | pgd entry        | pgd entry        |       | pgd entry     |
 *      |..................|..................|. ... .|...........    |
 *         ^ 3 MiB in: the mapping begins                        ^ it ends
 *
 * The place is fixed, because the counts depend on it: an empty pgd entry plus 3 MiB. `block`
 * takes minutes at full length, so a slice of it is run and scaled, and said to be. It is an
 * ordinary Linux program: there it shows the time of the one way that there is.
 */
#include "user/mails/holt2005.h"
#include "user/common/report.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
    WAYS_MAX = 4,
    SLICE_FIRST = 1 << 14, /* turns of the slice that calibrates */
    SLICE_NS = 2000000000, /* how long the slice that counts may take */
};

static const char usage_text[] =
    "usage: holt2005 [options]\n"
    "Map 16 TiB of a file, touch nothing, unmap it, once for each way of vm.zap.\n"
    "  --zap WAY        only this way: block, work, ...\n"
    "  --touch WHAT     first touch: none (default); neighbour, a page 3 MiB below;\n"
    "                   ends, the first, middle and last page; dense:MiB, that many\n"
    "                   MiB from the start\n"
    "  --at ADDR|any    map at ADDR, or where the kernel likes (default: 3 MiB into\n"
    "                   the lowest empty pgd entry; counts are exact only there)\n"
    "  --length BYTES   instead of 17592182882304\n"
    "  --full           run `block` over the whole length, however long it takes\n"
    "  --json           print one JSON object (docs/json.md)\n"
    "  --help           print this\n";

static void parse_touch(struct scene *scene, const char *text)
{
    if (!strcmp(text, "none"))
        scene->touch = TOUCH_NONE;
    else if (!strcmp(text, "neighbour"))
        scene->touch = TOUCH_NEIGHBOUR;
    else if (!strcmp(text, "ends"))
        scene->touch = TOUCH_ENDS;
    else if (!strncmp(text, "dense:", 6)) {
        u64 mib = report_number("--touch dense needs a number of MiB", text + 6);
        if (!mib || mib > scene->geometry.user_end >> 20)
            report_usage("--touch dense needs a number of MiB that fits", text + 6);
        scene->touch = TOUCH_DENSE;
        scene->dense = mib << 20;
    } else
        report_usage("--touch knows none, neighbour, ends and dense:MiB", text);
}

static void parse_at(struct scene *scene, const char *text)
{
    scene->at_any = !strcmp(text, "any");
    scene->at = 0;
    if (scene->at_any)
        return;
    scene->at = report_number("--at needs an address or any", text);
    if (!scene->at || scene->at % scene->geometry.page || scene->at >= scene->geometry.user_end)
        report_usage("--at needs a page's address in user space", text);
}

static void parse_options(struct scene *scene, int argc, char **argv)
{
    enum { HELP = 256, JSON, ZAP, TOUCH, AT, LENGTH, FULL };
    static const struct option options[] = {
        {"help", 0, 0, HELP},   {"json", 0, 0, JSON}, {"zap", 1, 0, ZAP},
        {"touch", 1, 0, TOUCH}, {"at", 1, 0, AT},     {"length", 1, 0, LENGTH},
        {"full", 0, 0, FULL},   {0, 0, 0, 0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        if (c == HELP)
            report_help();
        else if (c == JSON)
            scene->json = true;
        else if (c == FULL)
            scene->full = true;
        else if (c == ZAP)
            scene->zap = optarg;
        else if (c == TOUCH)
            parse_touch(scene, optarg);
        else if (c == AT)
            parse_at(scene, optarg);
        else if (c == LENGTH)
            scene->length = report_number("--length needs a number of bytes", optarg);
        else
            report_usage("see below for what is known", NULL);
    }
    if (optind < argc)
        report_usage("what is this?", argv[optind]);
}

static void check_scene(struct scene *scene)
{
    u64 room = scene->geometry.user_end - scene->at;

    if (!scene->length || scene->length > room)
        report_usage("--length: that many bytes do not fit into user space",
                     vm_commas(scene->length));
    if (scene->touch == TOUCH_DENSE && scene->dense > scene->length)
        report_usage("--touch dense: more than the mapping's length", vm_commas(scene->dense));
    if (scene->touch == TOUCH_NEIGHBOUR && scene->at_any)
        report_usage("--touch neighbour needs a place that is known, not --at any", NULL);
    if (scene->touch == TOUCH_NEIGHBOUR && scene->at && scene->at % scene->geometry.pgd == 0)
        report_usage("--touch neighbour: there is no room below, in the same pgd entry", NULL);
}

/* The mail's file: new, private to its owner, and without a name as soon as it is open. */
static int open_file(const struct scene *scene)
{
    char name[64];
    int fd = report_temp_file(name, sizeof name);

    if (unlink(name))
        vm_die(errno, "cannot unlink %s", name);
    if (scene->touch != TOUCH_NONE && ftruncate(fd, scene->length))
        vm_die(errno, "cannot make the file %s bytes long; a tmpfs /tmp can",
               vm_commas(scene->length));
    return fd;
}

static u64 choose_place(const struct scene *scene)
{
    u64 base;

    if (scene->at_any || scene->at)
        return scene->at;
    base = vm_find_free(scene->geometry.pgd, MAIL_OFFSET + scene->length, scene->geometry.user_end);
    if (!base)
        vm_die(0, "no run of empty pgd entries is long enough; try --at any or a shorter --length");
    return base + MAIL_OFFSET;
}

static char *map_file(const struct scene *scene, u64 place, u64 length)
{
    int flags = MAP_SHARED | (place ? MAP_FIXED_NOREPLACE : 0);
    char *p = mmap((void *)place, length, PROT_READ | PROT_WRITE, flags, scene->file, 0);

    if (p == MAP_FAILED && errno == EEXIST)
        vm_die(errno, "something is mapped at %#lx already; try another --at", place);
    if (p == MAP_FAILED)
        vm_die(errno, "cannot map %s bytes", vm_commas(length));
    if (place && (u64)p != place)
        vm_die(0, "the kernel mapped at %p instead of %#lx", p, place);
    return p;
}

/* The page at the base of the mapping's pgd entry, so that tables exist there; *length 0 when it
 * is not asked for. */
static char *map_neighbour(const struct scene *scene, u64 place)
{
    u64 base = place / scene->geometry.pgd * scene->geometry.pgd;
    char *p;

    if (scene->touch != TOUCH_NEIGHBOUR)
        return NULL;
    p = mmap((void *)base, scene->geometry.page, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        vm_die(errno, "cannot map the neighbour at %#lx", base);
    *(volatile char *)p = 1;
    return p;
}

static void touch_pages(const struct scene *scene, volatile char *p, u64 length)
{
    u64 page = scene->geometry.page;

    if (scene->touch == TOUCH_ENDS) {
        p[0] = 1;
        p[length / 2 / page * page] = 2;
        p[(length - 1) / page * page] = 3;
    }
    if (scene->touch == TOUCH_DENSE)
        for (u64 at = 0; at < scene->dense; at += page)
            p[at] = 4;
}

/* Map length bytes, touch what the scene asks for, and unmap with the counters and the clock
 * running. */
static void run(const struct scene *scene, struct row *row, u64 length)
{
    struct vm_counters before, after;
    u64 place = choose_place(scene);
    char *neighbour = map_neighbour(scene, place);
    char *p = map_file(scene, place, length);

    touch_pages(scene, p, length);
    vm_counters_read(&before);
    u64 start = vm_now();
    int failed = munmap(p, length);
    u64 end = vm_now();
    if (failed)
        vm_die(errno, "cannot unmap %s bytes", vm_commas(length));
    vm_counters_read(&after);
    if (neighbour && munmap(neighbour, scene->geometry.page))
        vm_die(errno, "cannot unmap the neighbour");
    row->address = (u64)p;
    row->length = length;
    row->counts = vm_counters_since(&before, &after);
    row->ns = end - start;
}

u64 holt_scale(const struct scene *scene, const struct row *row, u64 n)
{
    unsigned __int128 product = (unsigned __int128)n * scene->length;

    return (product + row->length - 1) / row->length;
}

bool holt_reads_scale(const struct row *row)
{
    const struct vm_counters *c = &row->counts;

    return !c->p4d_reads && !c->pud_reads && !c->pmd_reads && !c->pte_reads;
}

/*
 * One way: first a small slice, then the whole length if that promises to be quick or if turns do
 * not grow with the length, or else the longest slice that takes SLICE_NS. A slice is a power of
 * two of blocks, so its turns are whole ones, and the turns of the whole length follow exactly:
 * the last, shorter block is a turn too (holt_scale rounds up).
 */
static void run_way(const struct scene *scene, struct row *row)
{
    u64 unit = scene->block ? scene->block : scene->geometry.page;
    u64 slice = unit * SLICE_FIRST;

    while (scene->touch == TOUCH_DENSE && slice < scene->dense)
        slice *= 2;
    if (scene->full || !scene->counted || slice >= scene->length) {
        run(scene, row, scene->length);
        return;
    }
    run(scene, row, slice);
    if (row->counts.zap_calls != slice / unit || holt_scale(scene, row, row->ns) <= SLICE_NS) {
        run(scene, row, scene->length);
        return;
    }
    for (u64 ns = row->ns; ns * 2 <= SLICE_NS && slice * 2 <= scene->length; ns *= 2)
        slice *= 2;
    if (slice != row->length)
        run(scene, row, slice);
    row->slice = slice != scene->length;
    row->scaled_turns = holt_scale(scene, row, row->counts.zap_calls);
    row->scaled_ns = holt_scale(scene, row, row->ns);
}

/* Which ways the kernel offers is found by asking for each: what it does not know is EINVAL. */
static int run_ways(const struct scene *scene, struct row *rows)
{
    static const char *const ways[WAYS_MAX] = {"block", "work", "live"};
    int count = 0;

    for (int i = 0; i < WAYS_MAX && ways[i]; i++) {
        if (scene->zap && strcmp(scene->zap, ways[i]))
            continue;
        if (!vm_knob_set("vm.zap", ways[i])) {
            if (errno != EINVAL)
                vm_die(errno, "cannot set vm.zap to %s", ways[i]);
            continue;
        }
        rows[count].way = ways[i];
        run_way(scene, &rows[count++]);
    }
    if (!count)
        report_usage("--zap: this kernel's vm.zap does not offer", scene->zap);
    return count;
}

static void find_kernel(struct scene *scene)
{
    struct vm_counters counters;
    char value[32];

    scene->counted = report_knob_hold("vm.zap");
    if (!scene->counted)
        return;
    if (!vm_counters_read(&counters))
        vm_die(errno, "vm.zap is there but /proc/self/vmcount cannot be read");
    if (!vm_knob_get("vm.zap_block_pages", value, sizeof value))
        vm_die(errno, "cannot read vm.zap_block_pages");
    scene->block = strtoull(value, NULL, 10) * scene->geometry.page;
}

int main(int argc, char **argv)
{
    struct scene scene = {.length = MAIL_LENGTH, .geometry = vm_geometry()};
    struct row rows[WAYS_MAX] = {{0}};
    int count = 1;

    report_begin("holt2005", usage_text);
    parse_options(&scene, argc, argv);
    check_scene(&scene);
    find_kernel(&scene);
    if (scene.zap && !scene.counted)
        report_usage("--zap: this kernel has no vm.zap", NULL);
    scene.file = open_file(&scene);
    if (scene.counted)
        count = run_ways(&scene, rows);
    else {
        rows[0].way = "this kernel";
        run_way(&scene, &rows[0]);
    }
    (scene.json ? holt_print_json : holt_print_table)(&scene, rows, count);
    report_end();
    return 0;
}
