/*
 * epler2001_print.c: epler2001's result as a table of 80 columns, with the true cause of each
 * end, or as JSON (docs/json.md).
 */
#include "user/mails/epler2001.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The mail's last line, "Failed 0x60007000 12", was printed one page after the hint that failed. */
#define MAIL_FAILED 0x60007000ul

static const char *const what[VARIANTS] = {
    "a page of a file, opened for each map",
    "a page of a file, any place, all maps kept",
    "a page of a file, each unmapped at once",
    "a page of a file, at hints from 0x70000000 downwards",
    "a page of anonymous memory, any place",
};

/* ---- The table -------------------------------------------------------------------------------- */

static void print_batches(const struct scene *scene, const struct run *run)
{
    u64 maps = 0;

    for (int i = 0; i < run->batch_count; i++) {
        const struct batch *b = &run->batches[i];
        maps += b->maps;
        if (!b->maps)
            continue;
        printf("%-6s %10s %12s %10s", scene->fathom ? run->find : "", vm_commas(maps),
               vm_time(b->watch.ns), vm_commas(b->watch.ns / b->maps));
        if (scene->fathom)
            printf(" %14s %14s", report_ratio(b->watch.counts.vma_steps, b->maps),
                   i + 1 < run->batch_count || !run->failed ? vm_commas(b->last_steps) : "-");
        printf("\n");
    }
}

static void print_limit_reached(const struct scene *scene, const struct run *run)
{
    printf("  %s VMAs are in /proc/self/maps, %s of them from before. mmap refuses\n"
           "  when the count is above vm.max_map_count: %s + 1 = %s.\n"
           "  So it is the mapping count that ends it, and no collision.\n",
           vm_commas(run->vmas), vm_commas(run->before), vm_commas(scene->limit),
           vm_commas(scene->limit + 1));
    if (run->variant == DOWN)
        printf("  The hint that failed was %#lx. The mail's \"Failed %#lx 12\": the\n"
               "  limit was 65,536 then. (0x70000000 - %#lx) / 4096 = %s: that call\n"
               "  failed, and %s maps and 9 VMAs of the program are 65,537. A busy hint is\n"
               "  no error, the kernel takes another place; and libraries were at 0x40000000.\n",
               run->hint, MAIL_FAILED, MAIL_FAILED, vm_commas((MAIL_START - MAIL_FAILED) / 4096),
               vm_commas((MAIL_START - MAIL_FAILED) / 4096 - 1));
}

static void print_end(const struct scene *scene, const struct run *run)
{
    printf("%s%s", scene->fathom ? run->find : "", scene->fathom ? ": " : "");
    if (!run->failed) {
        printf("all %s maps were made; %s VMAs before, %s after.\n", vm_commas(run->maps),
               vm_commas(run->before), vm_commas(run->vmas));
        return;
    }
    printf("after %s maps %s failed: %s.\n", vm_commas(run->maps), run->failed,
           strerrorname_np(run->error));
    if (run->error == ENOMEM && scene->limit && run->vmas > scene->limit)
        print_limit_reached(scene, run);
    else if (run->error == EMFILE)
        printf("  %s opens succeeded, %s descriptors are open, and RLIMIT_NOFILE is %s.\n",
               vm_commas(run->opens), vm_commas(run->files_open), vm_commas(run->files_limit));
    else
        printf("  %s VMAs are in /proc/self/maps, vm.max_map_count is %s.\n", vm_commas(run->vmas),
               vm_commas(scene->limit));
}

static void print_meaning(const struct scene *scene, enum variant variant)
{
    if (variant == ANON)
        printf("Neighbours that are anonymous and alike are merged into one VMA: there is\n"
               "nothing to walk along and nothing to count.\n");
    else if (scene->fathom && (variant == KEEP || variant == OPEN))
        printf("list walks along all VMAs to the first hole, so each map costs one step more\n"
               "than the one before, and n maps n * n / 2; gap descends a tree whose nodes\n"
               "know the largest hole below them.\n");
    else if (scene->fathom)
        printf("%s\n", variant == UNMAP ? "Each map leaves no trace, so the list does not grow."
                                        : "A free hint needs no search for a hole, only a lookup.");
}

static void print_variant(const struct scene *scene, const struct run *run, int count)
{
    printf("--variant %s: %s\n\n", epler_variant_names[run->variant], what[run->variant]);
    printf("%-6s %10s %12s %10s", scene->fathom ? "find" : "", "maps", "time", "ns a map");
    printf(scene->fathom ? " %14s %14s\n" : "\n", "steps a map", "the last one's");
    for (int i = 0; i < count; i++)
        print_batches(scene, &run[i]);
    printf("\n");
    for (int i = 0; i < count; i++)
        print_end(scene, &run[i]);
    print_meaning(scene, run->variant);
}

void epler_print_table(const struct scene *scene, const struct run *runs, int count)
{
    for (int i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && runs[i + n].variant == runs[i].variant;)
            n++;
        if (i)
            printf("\n");
        print_variant(scene, &runs[i], n);
    }
    printf(scene->fathom ? "\nSteps are the VMAs that the kernel looked at (vma_steps).\n"
                         : "This kernel has no vm.find and no counters: one way, and only its "
                           "time.\n");
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void json_batches(const struct scene *scene, const struct run *run)
{
    printf("     \"batches\": [");
    for (int i = 0; i < run->batch_count; i++) {
        const struct batch *b = &run->batches[i];
        printf("%s\n      {\"maps\": %lu, \"ns\": %lu", i ? "," : "", b->maps, b->watch.ns);
        if (scene->fathom)
            printf(", \"steps\": %lu, \"last_steps\": %lu, \"merges\": %lu",
                   b->watch.counts.vma_steps, b->last_steps, b->watch.counts.vma_merges);
        printf("}");
    }
    printf("]");
}

static void json_run(const struct scene *scene, const struct run *run)
{
    printf("    {\"variant\": \"%s\", \"find\": \"%s\", \"maps\": %lu, \"vmas_before\": %lu,\n"
           "     \"vmas\": %lu",
           epler_variant_names[run->variant], scene->fathom ? run->find : "this kernel", run->maps,
           run->before, run->vmas);
    if (run->failed)
        printf(", \"failed\": \"%s\", \"errno\": \"%s\"", run->failed, strerrorname_np(run->error));
    if (run->failed && run->variant == DOWN)
        printf(", \"hint\": \"%#lx\"", run->hint);
    if (run->variant == OPEN)
        printf(", \"opens\": %lu, \"descriptors\": %lu, \"descriptors_limit\": %lu", run->opens,
               run->files_open, run->files_limit);
    printf(",\n");
    json_batches(scene, run);
    printf("}");
}

void epler_print_json(const struct scene *scene, const struct run *runs, int count)
{
    report_json_begin(scene->fathom);
    printf(" \"limit\": %lu,\n \"rows\": [\n", scene->limit);
    for (int i = 0; i < count; i++) {
        json_run(scene, &runs[i]);
        printf(i + 1 < count ? ",\n" : "\n");
    }
    printf("]}\n");
}
