/*
 * shutemov2015_print.c: shutemov2015's result as a table of 80 columns with a few lines of
 * meaning, or as JSON (docs/json.md).
 */
#include "user/mails/shutemov2015.h"

#include <stdio.h>
#include <string.h>

const char *const shutemov_phase_names[PHASES] = {"write",   "remap",  "read",
                                                  "restore", "reread", "unmap"};

static const char *const titles[PHASES] = {"map and write",  "remap in reverse", "read and compare",
                                           "remap forwards", "read and compare", "unmap"};

/* ---- The table -------------------------------------------------------------------------------- */

/* One phase, the mean of all passes. */
static void print_phase(const struct scene *scene, const struct pass *passes, enum phase_kind kind)
{
    struct stopwatch sum = {0};
    const struct refusal *r = &passes[0].refusal;
    u64 all = scene->passes * (kind == REMAP && r->happened ? r->call + 1 : scene->pages);

    for (u64 i = 0; i < scene->passes; i++)
        stopwatch_add(&sum, &passes[i].phases[kind].watch);
    printf("%-17s %11s %9s %10s", titles[kind], vm_time(sum.ns / scene->passes),
           vm_commas(sum.ns / all), vm_commas(passes[0].phases[kind].vmas));
    if (scene->fathom)
        printf(" %9s %9s %9s", report_ratio(sum.counts.vma_allocs, all),
               report_ratio(sum.counts.vma_steps, all), report_ratio(sum.counts.faults, all));
    printf("\n");
}

static u64 pass_time(const struct pass *pass)
{
    u64 ns = 0;

    for (int kind = 0; kind < PHASES; kind++)
        ns += pass->phases[kind].watch.ns;
    return ns;
}

static void print_total(const struct scene *scene, const struct pass *passes)
{
    u64 sum = 0, least = -1ul, most = 0;

    for (u64 i = 0; i < scene->passes; i++) {
        u64 ns = pass_time(&passes[i]);
        sum += ns;
        least = ns < least ? ns : least;
        most = ns > most ? ns : most;
    }
    printf("%-17s %11s %9s %10s\n", "all", vm_time(sum / scene->passes),
           vm_commas(sum / scene->passes / scene->pages), vm_commas(passes[0].most));
    if (scene->passes > 1)
        printf("\nTimes are the mean of %s passes; the quickest took %s, the slowest\n"
               "%s, all together %s.\n",
               vm_commas(scene->passes), vm_time(least), vm_time(most), vm_time(sum));
}

static void print_trail(const struct scene *scene, const char *what, const unsigned *trail)
{
    int column = printf("%s:", what);

    for (u64 i = 0; i < scene->pages; i++) {
        if (column > 74)
            column = printf("\n ") - 1;
        column += printf(" %u", trail[i]);
    }
    printf("\n");
}

static void print_trails(const struct scene *scene, const struct pass *pass)
{
    if (scene->pages > TRAIL_MAX || pass->refusal.happened)
        return;
    printf("\n");
    print_trail(scene, "VMAs after each call", pass->trail);
    if (scene->restore)
        print_trail(scene, "and on the way back", pass->trail_restore);
}

static void print_refusal(const struct scene *scene, const struct refusal *r)
{
    printf("Call %s of %s (the first is 0) failed: %s.\n"
           "The program had %s VMAs then, and vm.max_map_count is %s: a new map\n"
           "is refused when the count is above the limit. %s of the VMAs are not of this\n"
           "mapping, and %s - %s = %s. Nothing was changed by the call that\n"
           "failed: all pages were read, those before it in reverse, the others as written.\n",
           vm_commas(r->call), vm_commas(scene->pages), strerrorname_np(r->error),
           vm_commas(r->vmas), vm_commas(scene->limit), vm_commas(scene->others),
           vm_commas(scene->limit), vm_commas(scene->others),
           vm_commas(scene->limit - scene->others));
}

static void print_meaning(const struct scene *scene, const struct pass *pass)
{
    printf("\n");
    if (pass->refusal.happened) {
        print_refusal(scene, &pass->refusal);
        return;
    }
    printf("Every page shows another part of the file than its neighbours lead to, so each\n"
           "needs a VMA of its own. The mail: 4096 MiB, 1,048,576 VMAs; 23.3 s before\n"
           "the change, when one VMA was enough, 43.9 s after it, for ten passes.\n");
    if (!scene->fathom)
        printf("This kernel has no counters; run this program in Fathom to see them.\n");
}

void shutemov_print_table(const struct scene *scene, const struct pass *passes)
{
    printf("%s pages of shared memory (%s bytes), remapped one by one\n\n", vm_commas(scene->pages),
           vm_commas(scene->pages * scene->page));
    printf("%-17s %11s %9s %10s", "phase", "time", "ns a page", "VMAs then");
    printf(scene->fathom ? " %9s %9s %9s\n" : "\n", "allocs*", "steps*", "faults*");
    for (int kind = 0; kind < PHASES; kind++)
        if (passes[0].phases[kind].done)
            print_phase(scene, passes, kind);
    print_total(scene, passes);
    print_trails(scene, &passes[0]);
    if (scene->fathom)
        printf("\n* a page: VMAs allocated, VMAs looked at, page faults.");
    printf("\n\"VMAs then\" are the mapping's at the end of the phase; of all, the most.\n");
    print_meaning(scene, &passes[0]);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void json_phase(const struct scene *scene, const struct phase *phase, const char *name)
{
    const struct vm_counters *c = &phase->watch.counts;

    printf("      {\"phase\": \"%s\", \"ns\": %lu, \"vmas\": %lu", name, phase->watch.ns,
           phase->vmas);
    if (scene->fathom)
        printf(",\n       \"allocs\": %lu, \"splits\": %lu, \"merges\": %lu, \"rotations\": %lu, "
               "\"steps\": %lu, \"faults\": %lu",
               c->vma_allocs, c->vma_splits, c->vma_merges, c->vma_rotations, c->vma_steps,
               c->faults);
    printf("}");
}

static void json_trail(const struct scene *scene, const char *name, const unsigned *trail)
{
    printf(",\n     \"%s\": [", name);
    for (u64 i = 0; i < scene->pages; i++)
        printf("%s%u", i ? ", " : "", trail[i]);
    printf("]");
}

static void json_pass(const struct scene *scene, const struct pass *pass)
{
    const struct refusal *r = &pass->refusal;
    bool first = true;

    printf("    {\"vmas_most\": %lu,\n     \"phases\": [\n", pass->most);
    for (int kind = 0; kind < PHASES; kind++)
        if (pass->phases[kind].done) {
            printf("%s", first ? "" : ",\n");
            json_phase(scene, &pass->phases[kind], shutemov_phase_names[kind]);
            first = false;
        }
    printf("]");
    if (scene->pages <= TRAIL_MAX && !r->happened) {
        json_trail(scene, "trail", pass->trail);
        if (scene->restore)
            json_trail(scene, "trail_restore", pass->trail_restore);
    }
    if (r->happened)
        printf(",\n     \"refused\": {\"call\": %lu, \"errno\": \"%s\", \"vmas\": %lu}", r->call,
               strerrorname_np(r->error), r->vmas);
    printf("}");
}

void shutemov_print_json(const struct scene *scene, const struct pass *passes)
{
    report_json_begin(scene->fathom);
    printf(" \"pages\": %lu, \"others\": %lu, \"limit\": %lu,\n \"rows\": [\n", scene->pages,
           scene->others, scene->limit);
    for (u64 i = 0; i < scene->passes; i++) {
        json_pass(scene, &passes[i]);
        printf(i + 1 < scene->passes ? ",\n" : "\n");
    }
    printf("]}\n");
}
