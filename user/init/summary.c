/*
 * summary.c: the three mails in one table, from the JSON of their programs (docs/json.md).
 *
 *      what is counted                          before           after
 *      Holt, 2005       turns of the walk       vm.zap=block     work
 *      Shutemov, 2015   VMAs                    the mapping      all pages remapped
 *      Epler, 2001      VMAs looked at a map    vm.find=list     gap
 *
 * A figure is looked for by the row it stands in ("zap": "block") and its name behind that; this is
 * no JSON reader, but the programs write each row in one order.
 */
#include "user/init/init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number that follows "name": behind the text row and before the text stop (NULL: the end).
 * False: it is not there. */
static bool figure(const char *text, const char *row, const char *stop, const char *name, u64 *out)
{
    char quoted[64];
    const char *at = strstr(text, row);
    const char *end = at && stop ? strstr(at + strlen(row), stop) : NULL;

    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    at = at ? strstr(at, quoted) : NULL;
    if (!at || (end && at > end))
        return false;
    *out = strtoull(at + strlen(quoted), NULL, 10);
    return true;
}

static void line(const char *title, const char *what, const char *before, const char *after)
{
    printf("%-14s %-31s %16s %16s\n", title, what, before, after);
}

void summary_head(void)
{
    line("mail", "what is counted", "before", "after");
}

void summary_failed(const struct mail *mail)
{
    line(mail->title, mail->program, "failed", "");
}

void summary_foot(void)
{
    printf("\n* a slice was run and scaled. More: holt2005, shutemov2015 and epler2001, each\n"
           "with --help (tools/run -- /bin/epler2001 --variant all), and docs/.\n");
}

/* ---- The mails -------------------------------------------------------------------------------- */

static bool show_holt(const char *text)
{
    static const char next[] = "\"zap\": ", block[] = "\"zap\": \"block\"",
                      work[] = "\"zap\": \"work\"";
    u64 turns, ns, work_turns, work_ns;
    char before[40], before_time[40];

    bool scaled = figure(text, block, next, "scaled_turns", &turns);
    if (!figure(text, block, next, scaled ? "scaled_ns" : "ns", &ns) ||
        (!scaled && !figure(text, block, next, "turns", &turns)) ||
        !figure(text, work, next, "turns", &work_turns) ||
        !figure(text, work, next, "ns", &work_ns))
        return false;
    snprintf(before, sizeof before, "%s%s", vm_commas(turns), scaled ? "*" : "");
    snprintf(before_time, sizeof before_time, "%s%s", vm_time(ns), scaled ? "*" : "");
    line("", "", "vm.zap=block", "vm.zap=work");
    line("Holt, 2005", "munmap of 16 TiB: turns", before, vm_commas(work_turns));
    line("", "  time", before_time, vm_time(work_ns));
    return true;
}

static bool show_shutemov(const char *text)
{
    u64 pages, vmas, most, write_ns, remap_ns;
    char what[40];

    if (!figure(text, "{", NULL, "pages", &pages) ||
        !figure(text, "\"phase\": \"write\"", "}", "vmas", &vmas) ||
        !figure(text, "\"phase\": \"write\"", "}", "ns", &write_ns) ||
        !figure(text, "\"phase\": \"remap\"", "}", "ns", &remap_ns) ||
        !figure(text, "\"rows\"", NULL, "vmas_most", &most) || !pages)
        return false;
    snprintf(what, sizeof what, "%s pages reversed: VMAs", vm_commas(pages));
    line("", "", "mapped, written", "remapped");
    line("Shutemov, 2015", what, vm_commas(vmas), vm_commas(most));
    line("", "  time a page", vm_time(write_ns / pages), vm_time(remap_ns / pages));
    return true;
}

static bool show_epler(const char *text)
{
    static const char next[] = "\"variant\"", list[] = "\"find\": \"list\"",
                      gap[] = "\"find\": \"gap\"";
    u64 maps, list_steps, gap_steps, list_ns, gap_ns;
    char what[40];

    if (!figure(text, list, next, "maps", &maps) ||
        !figure(text, list, next, "last_steps", &list_steps) ||
        !figure(text, gap, next, "last_steps", &gap_steps) ||
        !figure(text, list, next, "ns", &list_ns) || !figure(text, gap, next, "ns", &gap_ns) ||
        !list_steps || !gap_steps) /* a map failed before the last one */
        return false;
    snprintf(what, sizeof what, "map %s: VMAs looked at", vm_commas(maps));
    line("", "", "vm.find=list", "vm.find=gap");
    line("Epler, 2001", what, vm_commas(list_steps), vm_commas(gap_steps));
    line("", "  time of all of them", vm_time(list_ns), vm_time(gap_ns));
    return true;
}

static char *const holt_argv[] = {"/bin/holt2005", "--json", NULL};
static char *const shutemov_argv[] = {"/bin/shutemov2015", "--json", "--mib", "16", NULL};
static char *const epler_argv[] = {"/bin/epler2001", "--json", "--maps", "10000", NULL};

const struct mail mails[] = {
    {"holt2005", "Holt, 2005", holt_argv, show_holt},
    {"shutemov2015", "Shutemov, 2015", shutemov_argv, show_shutemov},
    {"epler2001", "Epler, 2001", epler_argv, show_epler},
    {NULL, NULL, NULL, NULL},
};
