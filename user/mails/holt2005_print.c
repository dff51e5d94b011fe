/*
 * holt2005_print.c: holt2005's result as a table of 80 columns with a few lines of meaning, or as
 * JSON (docs/json.md).
 */
#include "user/common/report.h"
#include "user/mails/holt2005.h"

#include <stdio.h>
#include <string.h>

/* The value, with a star when it was scaled. */
static const char *figure(u64 n, bool scaled)
{
    static char buffers[8][40];
    static unsigned turn;
    char *buf = buffers[turn++ % 8];

    snprintf(buf, sizeof buffers[0], "%s%s", vm_commas(n), scaled ? "*" : "");
    return buf;
}

static void print_row(const struct scene *scene, const struct row *row)
{
    const struct vm_counters *c = &row->counts;
    bool scaled = row->slice && holt_reads_scale(row);
    u64 pgd = scaled ? holt_scale(scene, row, c->pgd_reads) : c->pgd_reads;
    char time[40];

    snprintf(time, sizeof time, "%s%s", vm_time(row->slice ? row->scaled_ns : row->ns),
             row->slice ? "*" : "");
    if (!scene->counted)
        printf("%-11s %13s\n", row->way, time);
    else if (row->slice && !scaled)
        printf("%-11s %13s %12s %11s %9s %8s %10s\n", row->way, figure(row->scaled_turns, true),
               "-", "-", "-", "-", time);
    else
        printf("%-11s %13s %12s %11s %9s %8s %10s\n", row->way,
               figure(row->slice ? row->scaled_turns : c->zap_calls, row->slice),
               figure(pgd, scaled), vm_commas(c->pud_reads), vm_commas(c->pmd_reads),
               vm_commas(c->pte_reads), time);
}

static void print_slice(const struct row *row)
{
    const struct vm_counters *c = &row->counts;

    printf("* %s ran over a slice of %s bytes only:\n"
           "  %s turns in %s.\n"
           "  Figures with a star are that slice's, scaled to the whole length; --full runs\n"
           "  it all.\n",
           row->way, vm_commas(row->length), vm_commas(c->zap_calls), vm_time(row->ns));
    if (!holt_reads_scale(row))
        printf("  Its reads do not grow evenly, so they are not scaled:\n"
               "  pgd %s, pud %s, pmd %s, pte %s.\n",
               vm_commas(c->pgd_reads), vm_commas(c->pud_reads), vm_commas(c->pmd_reads),
               vm_commas(c->pte_reads));
}

static void print_meaning(const struct scene *scene)
{
    const struct vm_geometry *g = &scene->geometry;

    if (!scene->counted) {
        printf("This kernel has no vm.zap and no counters: one way, and only its time.\n"
               "Run this program in Fathom to see the turns and the entries read.\n");
        return;
    }
    if (scene->block)
        printf("block cuts the range into blocks of %s pages and begins each at the root, so\n"
               "an empty entry is passed over again for each block under it: %s turns for\n"
               "a pmd entry, %s for a pud, %s for a pgd. (The mail, on ia64 with\n"
               "pages of 16 KiB: 256; 524,288; 1,073,741,824.)\n",
               vm_commas(scene->block / g->page),
               vm_commas((g->pmd + scene->block - 1) / scene->block),
               vm_commas((g->pud + scene->block - 1) / scene->block),
               vm_commas((g->pgd + scene->block - 1) / scene->block));
    printf("work counts what is done, not the addresses passed: an empty entry costs one\n"
           "read, however much it covers, so one turn is enough.\n");
}

static const char *scene_text(const struct scene *scene)
{
    static char text[80];

    if (scene->touch == TOUCH_DENSE)
        snprintf(text, sizeof text, "the first %s MiB touched", vm_commas(scene->dense >> 20));
    else
        strcpy(text, scene->touch == TOUCH_NONE        ? "never touched"
                     : scene->touch == TOUCH_NEIGHBOUR ? "never touched, a page mapped below"
                                                       : "first, middle and last page touched");
    return text;
}

void holt_print_table(const struct scene *scene, const struct row *rows, int count)
{
    printf("munmap of %s bytes of a file at %#lx,\n%s\n\n", vm_commas(scene->length),
           rows[0].address, scene_text(scene));
    if (scene->counted)
        printf("%-11s %13s %12s %11s %9s %8s %10s\n", "vm.zap", "turns", "pgd read", "pud", "pmd",
               "pte", "time");
    else
        printf("%-11s %13s\n", "way", "time");
    for (int i = 0; i < count; i++)
        print_row(scene, &rows[i]);
    printf("\n");
    for (int i = 0; i < count; i++)
        if (rows[i].slice)
            print_slice(&rows[i]);
    print_meaning(scene);
}

static void json_row(const struct scene *scene, const struct row *row)
{
    const struct vm_counters *c = &row->counts;

    printf("    {\"zap\": \"%s\", \"address\": \"%#lx\", \"length\": %lu", row->way, row->address,
           row->length);
    if (scene->counted)
        printf(", \"turns\": %lu,\n     \"reads\": {\"pgd\": %lu, \"p4d\": %lu, \"pud\": %lu, "
               "\"pmd\": %lu, \"pte\": %lu}, \"free_reads\": %lu",
               c->zap_calls, c->pgd_reads, c->p4d_reads, c->pud_reads, c->pmd_reads, c->pte_reads,
               c->free_reads);
    printf(", \"ns\": %lu", row->ns);
    if (row->slice)
        printf(",\n     \"scaled_turns\": %lu, \"scaled_ns\": %lu", row->scaled_turns,
               row->scaled_ns);
    printf("}");
}

void holt_print_json(const struct scene *scene, const struct row *rows, int count)
{
    static const char *const touches[] = {"none", "neighbour", "ends", "dense"};

    report_json_begin(scene->counted);
    printf(" \"length\": %lu, \"touch\": \"%s\"", scene->length, touches[scene->touch]);
    if (scene->touch == TOUCH_DENSE)
        printf(", \"dense\": %lu", scene->dense);
    if (scene->counted)
        printf(", \"block\": %lu", scene->block);
    printf(",\n \"rows\": [\n");
    for (int i = 0; i < count; i++) {
        json_row(scene, &rows[i]);
        printf(i + 1 < count ? ",\n" : "\n");
    }
    printf("]}\n");
}
