/*
 * epler2001.c: Jeff Epler's mail of 27 November 2001, "Re: MMAP issues", and Peter Zaitsev's which
 * it answers.
 *
 * One page of a file is mapped privately, again and again, in one of these ways:
 *
 *      open    the file is opened again for each map (Zaitsev's program)
 *      keep    it is opened once; the kernel chooses the place
 *      unmap   the same, and each map is unmapped at once
 *      down    at 0x70000000, 0x6ffff000, ... downwards, as hints (the mail's program)
 *      anon    anonymous memory, the kernel chooses the place
 *
 * A line for every 10,000 maps tells the time, as the mail's did, and what the mail could only
 * guess: how many VMAs the kernel looked at. With vm.find=list the search for a hole walks along
 * all the VMAs, so it takes one step more with each map; with gap it descends a tree. When a call
 * fails, the true cause is looked for and told. It is an ordinary Linux program.
 */
#include "user/mails/epler2001.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    DEFAULT_MAPS = 20000,
    MAPS_ENOUGH = 200000,
    FILES_2001 = 1024,
    RUNS_MAX = VARIANTS * FINDS_MAX
};

static const char usage_text[] =
    "usage: epler2001 [options]\n"
    "Map one page of a file again and again; a line for every 10,000 maps.\n"
    "  --variant V      keep (default): any place, and keep all maps; open: open the\n"
    "                   file for each; unmap: unmap each at once; down: hints from\n"
    "                   0x70000000 downwards; anon: anonymous memory; all: each of them\n"
    "  --find WAY       only this way of searching holes: gap, list, ...\n"
    "  --maps N         stop after N maps (default 20000); 0: when a call fails,\n"
    "                   or after 200,000\n"
    "  --json           print one JSON object (docs/json.md)\n"
    "  --help           print this\n";

const char *const epler_variant_names[VARIANTS] = {"open", "keep", "unmap", "down", "anon"};

static struct run runs[RUNS_MAX];
static void *places[MAPS_MAX]; /* of the maps that are kept */
static int files[FILES_2001];  /* that are kept open */
static u64 file_count;

static void parse_variant(struct scene *scene, const char *text)
{
    bool all = !strcmp(text, "all"), known = all;

    for (int i = 0; i < VARIANTS; i++) {
        scene->wanted[i] = all || !strcmp(text, epler_variant_names[i]);
        known |= scene->wanted[i];
    }
    if (!known)
        report_usage("--variant knows open, keep, unmap, down, anon and all", text);
}

static void parse_maps(struct scene *scene, const char *text)
{
    scene->maps = report_number("--maps needs a number", text);
    if (!scene->maps)
        scene->maps = MAPS_ENOUGH;
    if (scene->maps > MAPS_MAX)
        report_usage("--maps: at most 1048576", text);
}

static void parse_options(struct scene *scene, int argc, char **argv)
{
    enum { HELP = 256, JSON, VARIANT, FIND, MAPS };
    static const struct option options[] = {
        {"help", 0, 0, HELP}, {"json", 0, 0, JSON}, {"variant", 1, 0, VARIANT},
        {"find", 1, 0, FIND}, {"maps", 1, 0, MAPS}, {0, 0, 0, 0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        if (c == HELP)
            report_help();
        else if (c == JSON)
            scene->json = true;
        else if (c == VARIANT)
            parse_variant(scene, optarg);
        else if (c == FIND)
            scene->find = optarg;
        else if (c == MAPS)
            parse_maps(scene, optarg);
        else
            report_usage("see below for what is known", NULL);
    }
    if (optind < argc)
        report_usage("what is this?", argv[optind]);
}

/* ---- The file --------------------------------------------------------------------------------- */

static char file_name[64];

static void remove_file(void)
{
    unlink(file_name);
}

/* The mail's test.dat: a page long, and there. */
static void make_file(const struct scene *scene)
{
    int fd = report_temp_file(file_name, sizeof file_name);

    atexit(remove_file);
    if (ftruncate(fd, scene->page))
        vm_die(errno, "cannot make %s a page long", file_name);
    close(fd);
}

/* As many descriptors as a program had in 2001, so that opening ends where it ended then. */
static u64 lower_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        vm_die(errno, "cannot read RLIMIT_NOFILE");
    if (limit.rlim_cur > FILES_2001) {
        limit.rlim_cur = FILES_2001;
        if (setrlimit(RLIMIT_NOFILE, &limit))
            vm_die(errno, "cannot lower RLIMIT_NOFILE to %d", FILES_2001);
    }
    return limit.rlim_cur;
}

static u64 open_descriptors(u64 limit)
{
    u64 count = 0;

    for (u64 fd = 0; fd < limit; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Count the descriptors, once, and free one, since looking at the kernel needs one. */
static void count_descriptors(struct run *run)
{
    if (run->variant != OPEN || run->files_open)
        return;
    run->files_open = open_descriptors(run->files_limit);
    if (file_count)
        close(files[--file_count]);
}

/* ---- One run ---------------------------------------------------------------------------------- */

static void *failed(struct run *run, const char *call)
{
    run->error = errno;
    run->failed = call;
    return NULL;
}

/* One map of the run's kind; NULL and the run's end when a call fails. */
static void *map_one(const struct scene *scene, struct run *run, int fd)
{
    bool anon = run->variant == ANON;
    u64 hint = run->variant == DOWN ? MAIL_START - run->maps * scene->page : 0;

    if (run->variant == OPEN) {
        fd = open(file_name, O_RDWR);
        if (fd < 0)
            return failed(run, "open");
        files[file_count++] = fd;
        run->opens++;
    }
    void *p = mmap((void *)hint, scene->page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | (anon ? MAP_ANONYMOUS : 0), anon ? -1 : fd, 0);
    if (p == MAP_FAILED) {
        run->hint = hint;
        return failed(run, "mmap");
    }
    if (run->variant == UNMAP && munmap(p, scene->page))
        return failed(run, "munmap");
    return p;
}

/* Up to a batch's worth of maps; the last one's steps are also counted by themselves. */
static void run_batch(const struct scene *scene, struct run *run, int fd)
{
    struct batch *batch = &run->batches[run->batch_count++];
    u64 left = scene->maps - run->maps, n = left < BATCH ? left : BATCH;
    struct stopwatch last = {0};

    stopwatch_start(&batch->watch);
    for (; batch->maps < n; batch->maps++) {
        bool alone = batch->maps + 1 == n;
        if (alone) {
            stopwatch_stop(&batch->watch);
            stopwatch_start(&last);
        }
        void *p = map_one(scene, run, fd);
        if (alone)
            stopwatch_stop(&last);
        if (!p)
            break;
        places[run->maps++] = p;
    }
    if (batch->maps == n || batch->maps + 1 == n)
        stopwatch_add(&batch->watch, &last);
    else {
        u64 pause = vm_now();
        count_descriptors(run);
        batch->watch.started += vm_now() - pause;
        stopwatch_stop(&batch->watch);
    }
    batch->last_steps = last.counts.vma_steps;
}

/* Unmap and close all. The list would take its time here, and this is not measured. */
static void clean_up(const struct scene *scene, struct run *run)
{
    if (scene->fathom)
        vm_knob_set("vm.find", "gap");
    for (u64 i = 0; run->variant != UNMAP && i < run->maps; i++)
        if (munmap(places[i], scene->page))
            vm_die(errno, "cannot unmap what was mapped");
    while (file_count)
        close(files[--file_count]);
}

static void run_variant(const struct scene *scene, struct run *run)
{
    int fd = -1;

    run->before = vm_vmas(0, vm_geometry().user_end);
    if (run->variant == OPEN)
        run->files_limit = lower_file_limit();
    else if ((fd = open(file_name, O_RDWR)) < 0)
        vm_die(errno, "cannot open %s", file_name);
    while (run->maps < scene->maps && !run->failed)
        run_batch(scene, run, fd);
    count_descriptors(run);
    run->vmas = vm_vmas(0, vm_geometry().user_end);
    clean_up(scene, run);
    if (fd >= 0)
        close(fd);
}

/* One variant, with each way of searching that the kernel offers. Returns the number of runs. */
static int run_ways(const struct scene *scene, enum variant variant, struct run *run)
{
    static const char *const finds[FINDS_MAX] = {"list", "tree", "gap"};
    int count = 0;

    for (int i = 0; i < FINDS_MAX; i++) {
        if (scene->find && strcmp(scene->find, finds[i]))
            continue;
        if (!vm_knob_set("vm.find", finds[i])) {
            if (errno != EINVAL)
                vm_die(errno, "cannot set vm.find to %s", finds[i]);
            continue;
        }
        run[count].variant = variant;
        run[count].find = finds[i];
        run_variant(scene, &run[count++]);
    }
    if (!count)
        report_usage("--find: this kernel's vm.find does not offer", scene->find);
    return count;
}

/* The places are written to while the clock runs, and a fault there would look VMAs up. */
static void touch_places(const struct scene *scene)
{
    memset(places, 1, scene->maps * sizeof *places);
}

static void find_kernel(struct scene *scene)
{
    struct vm_counters counters;
    char value[32];

    scene->fathom = report_knob_hold("vm.find") && vm_counters_read(&counters);
    if (scene->find && !scene->fathom)
        report_usage("--find: this kernel has no vm.find", NULL);
    if (vm_knob_get("vm.max_map_count", value, sizeof value))
        scene->limit = strtoull(value, NULL, 10);
}

int main(int argc, char **argv)
{
    struct scene scene = {.wanted[KEEP] = true, .maps = DEFAULT_MAPS};
    int count = 0;

    scene.page = vm_geometry().page;
    report_begin("epler2001", usage_text);
    parse_options(&scene, argc, argv);
    find_kernel(&scene);
    make_file(&scene);
    touch_places(&scene);
    for (int variant = 0; variant < VARIANTS; variant++) {
        if (!scene.wanted[variant])
            continue;
        if (scene.fathom) {
            count += run_ways(&scene, variant, &runs[count]);
            continue;
        }
        runs[count].variant = variant;
        run_variant(&scene, &runs[count++]);
    }
    (scene.json ? epler_print_json : epler_print_table)(&scene, runs, count);
    report_end();
    return 0;
}
