/*
 * shutemov2015.c: Kirill Shutemov's mail of 10 February 2015, "mm: replace remap_file_pages()
 * syscall with emulation".
 *
 * N pages of shared anonymous memory are mapped and each page's number is written to it. Then each
 * page is remapped, one call after the other, so that the file lies there in reverse:
 *
 *      addresses    | 0   | 1   | 2   | ...                  | N-1 |
 *      before       | 0     1     2     ...                    N-1 |    one VMA
 *      call 0       | N-1 | 1     2     ...                    N-1 |    two: call i leaves i + 2
 *      call N-2     | N-1 | N-2 | N-3 | ...              | 1 | N-1 |    N
 *      call N-1     | N-1 | N-2 | N-3 | ...              | 1 |  0  |    N
 *
 * Then every page is read and compared, and all is unmapped. The mail did it ten times with 4 GiB,
 * so it needed a million VMAs and vm.max_map_count=1100000; this program raises the limit itself
 * where it may. --restore remaps everything back in the forward order; each call then merges with
 * its left neighbour, down to one VMA. It is an ordinary Linux program.
 *
 * VMAs are counted in /proc/self/maps, with the clock stopped: after every phase, and within the
 * remapping after the calls at which the count is highest.
 */
#include "user/mails/shutemov2015.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { DEFAULT_MIB = 16, PASSES_MAX = 1000, SPARE_VMAS = 64 };
enum { OK, REFUSED };

static const char usage_text[] =
    "usage: shutemov2015 [options]\n"
    "Map shared memory, remap its pages in reverse, read them back, unmap.\n"
    "  --mib N          MiB to map (default 16; the mail: 4096)\n"
    "  --pages N        the same in pages\n"
    "  --passes N       how often (default 1; the mail: 10)\n"
    "  --restore        before the unmapping, remap all pages forwards again\n"
    "  --keep-limit     leave vm.max_map_count as it is, and show which call fails\n"
    "  --json           print one JSON object (docs/json.md)\n"
    "  --help           print this\n";

static u64 parse_count(const char *what, const char *text, u64 most)
{
    u64 n = report_number(what, text);

    if (!n || n > most)
        report_usage(what, text);
    return n;
}

static void parse_options(struct scene *scene, int argc, char **argv)
{
    enum { HELP = 256, JSON, MIB, PAGES, PASSES, RESTORE_BACK, KEEP };
    static const struct option options[] = {
        {"help", 0, 0, HELP},       {"json", 0, 0, JSON},
        {"mib", 1, 0, MIB},         {"pages", 1, 0, PAGES},
        {"passes", 1, 0, PASSES},   {"restore", 0, 0, RESTORE_BACK},
        {"keep-limit", 0, 0, KEEP}, {0, 0, 0, 0},
    };
    u64 most = vm_geometry().user_end;
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        if (c == HELP)
            report_help();
        else if (c == JSON)
            scene->json = true;
        else if (c == RESTORE_BACK)
            scene->restore = true;
        else if (c == KEEP)
            scene->keep_limit = true;
        else if (c == MIB)
            scene->pages = (parse_count("--mib needs a number of MiB", optarg, most >> 20) << 20) /
                           scene->page;
        else if (c == PAGES)
            scene->pages =
                parse_count("--pages needs a number of pages", optarg, most / scene->page);
        else if (c == PASSES)
            scene->passes =
                parse_count("--passes needs a number, at most 1000", optarg, PASSES_MAX);
        else
            report_usage("see below for what is known", NULL);
    }
    if (optind < argc)
        report_usage("what is this?", argv[optind]);
}

/* ---- The limit -------------------------------------------------------------------------------- */

static u64 read_limit(void)
{
    char text[32];

    return vm_knob_get("vm.max_map_count", text, sizeof text) ? strtoull(text, NULL, 10) : 0;
}

/* All N pieces and the program's own VMAs must fit below vm.max_map_count. */
static void raise_limit(struct scene *scene)
{
    u64 needed = scene->pages + scene->others + SPARE_VMAS;
    char text[32];

    scene->limit = read_limit();
    if (scene->keep_limit || !scene->limit || scene->limit >= needed)
        return;
    report_knob_hold("vm.max_map_count");
    snprintf(text, sizeof text, "%lu", needed);
    if (!vm_knob_set("vm.max_map_count", text))
        vm_die(errno,
               "%s VMAs are needed, vm.max_map_count is %s, and it cannot be raised.\n"
               "As root: sysctl -w vm.max_map_count=%lu; or use fewer --mib; or --keep-limit\n"
               "to see which call fails",
               vm_commas(needed), vm_commas(scene->limit), needed);
    scene->limit = needed;
}

/* ---- One pass --------------------------------------------------------------------------------- */

static u64 own_vmas(const struct scene *scene, const u64 *p)
{
    return vm_vmas((u64)p, (u64)p + scene->pages * scene->page);
}

static volatile u64 *page_at(const struct scene *scene, u64 *p, u64 i)
{
    return p + i * scene->page / sizeof *p;
}

/* The calls after which VMAs are counted: all of a small mapping's, else where the count is half,
 * and the last two. */
static bool counts_after(const struct scene *scene, u64 call)
{
    u64 n = scene->pages;

    return n <= TRAIL_MAX || call + 1 == n / 2 || call + 2 >= n;
}

static void count_now(const struct scene *scene, struct pass *pass, u64 *p, u64 call,
                      unsigned *trail)
{
    u64 vmas = own_vmas(scene, p);

    if (vmas > pass->most)
        pass->most = vmas;
    if (scene->pages <= TRAIL_MAX)
        trail[call] = vmas;
}

/* Remap page after page, in reverse or as it was. Returns OK or REFUSED. */
static int remap_all(const struct scene *scene, struct pass *pass, u64 *p, bool reverse)
{
    struct phase *phase = &pass->phases[reverse ? REMAP : RESTORE];
    u64 n = scene->pages;

    stopwatch_start(&phase->watch);
    for (u64 i = 0; i < n; i++) {
        u64 to = reverse ? n - 1 - i : i;
        if (remap_file_pages((void *)page_at(scene, p, i), scene->page, 0, to, 0)) {
            int error = errno;
            stopwatch_stop(&phase->watch);
            u64 all = vm_vmas(0, vm_geometry().user_end);
            pass->refusal =
                (struct refusal){.happened = true, .call = i, .error = error, .vmas = all};
            return REFUSED;
        }
        if (counts_after(scene, i)) {
            stopwatch_stop(&phase->watch);
            count_now(scene, pass, p, i, reverse ? pass->trail : pass->trail_restore);
            stopwatch_start(&phase->watch);
        }
    }
    stopwatch_stop(&phase->watch);
    return OK;
}

/* Read every page, from the last to the first as in the mail; those below turned are in reverse. */
static void compare(const struct scene *scene, struct phase *phase, u64 *p, u64 turned)
{
    stopwatch_start(&phase->watch);
    for (u64 i = scene->pages; i-- > 0;) {
        u64 want = i < turned ? scene->pages - 1 - i : i;
        u64 got = *page_at(scene, p, i);
        if (got != want)
            vm_die(0, "page %lu holds %lu instead of %lu", i, got, want);
    }
    stopwatch_stop(&phase->watch);
}

static void phase_end(const struct scene *scene, struct pass *pass, enum phase_kind kind, u64 *p)
{
    struct phase *phase = &pass->phases[kind];

    phase->done = true;
    phase->vmas = own_vmas(scene, p);
    if (phase->vmas > pass->most)
        pass->most = phase->vmas;
}

static u64 *map_and_write(const struct scene *scene, struct pass *pass)
{
    struct stopwatch *watch = &pass->phases[WRITE].watch;
    u64 length = scene->pages * scene->page;

    stopwatch_start(watch);
    u64 *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        vm_die(errno, "cannot map %s bytes", vm_commas(length));
    for (u64 i = 0; i < scene->pages; i++)
        *page_at(scene, p, i) = i;
    stopwatch_stop(watch);
    phase_end(scene, pass, WRITE, p);
    return p;
}

/* The mapping is back in one piece or still in many: unmap it all the same. */
static void unmap(const struct scene *scene, struct pass *pass, u64 *p)
{
    struct stopwatch *watch = &pass->phases[UNMAP].watch;

    stopwatch_start(watch);
    int failed = munmap(p, scene->pages * scene->page);
    stopwatch_stop(watch);
    if (failed)
        vm_die(errno, "cannot unmap");
    phase_end(scene, pass, UNMAP, p);
}

static void run_pass(const struct scene *scene, struct pass *pass)
{
    u64 *p = map_and_write(scene, pass);
    int status = remap_all(scene, pass, p, true);

    phase_end(scene, pass, REMAP, p);
    compare(scene, &pass->phases[READ], p, status == OK ? scene->pages : pass->refusal.call);
    phase_end(scene, pass, READ, p);
    if (status == OK && scene->restore) {
        status = remap_all(scene, pass, p, false);
        if (status != OK)
            vm_die(pass->refusal.error, "call %lu of the restoration failed", pass->refusal.call);
        phase_end(scene, pass, RESTORE, p);
        compare(scene, &pass->phases[REREAD], p, 0);
        phase_end(scene, pass, REREAD, p);
    }
    unmap(scene, pass, p);
}

/* ENOMEM at the limit is what --keep-limit is there to show; every other refusal is a failure. */
static int verdict(const struct scene *scene, const struct pass *pass)
{
    const struct refusal *r = &pass->refusal;
    bool expected = scene->keep_limit && r->error == ENOMEM && r->vmas > scene->limit;

    if (!r->happened || expected)
        return 0;
    fprintf(stderr, "shutemov2015: call %lu failed with %s\n", r->call, strerrorname_np(r->error));
    return 1;
}

int main(int argc, char **argv)
{
    struct vm_counters counters;
    struct scene scene = {.passes = 1, .page = vm_geometry().page};
    int status = 0;

    scene.pages = (DEFAULT_MIB << 20) / scene.page;
    report_begin("shutemov2015", usage_text);
    parse_options(&scene, argc, argv);
    struct pass *passes = calloc(scene.passes, sizeof *passes);
    if (!passes)
        vm_die(errno, "no memory for the results");
    scene.fathom = vm_counters_read(&counters);
    scene.others = vm_vmas(0, vm_geometry().user_end);
    raise_limit(&scene);
    for (u64 i = 0; i < scene.passes && !status; i++) {
        run_pass(&scene, &passes[i]);
        status = verdict(&scene, &passes[i]);
    }
    if (!status)
        (scene.json ? shutemov_print_json : shutemov_print_table)(&scene, passes);
    report_end();
    return status;
}
