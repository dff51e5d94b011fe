/*
 * epler2001.h: what is measured, and what came out; between epler2001.c (which measures) and
 * epler2001_print.c.
 */
#ifndef USER_MAILS_EPLER2001_H
#define USER_MAILS_EPLER2001_H

#include "user/common/report.h"

enum variant { OPEN, KEEP, UNMAP, DOWN, ANON, VARIANTS };

enum {
    BATCH = 10000,      /* maps to a line, as in the mail */
    MAPS_MAX = 1 << 20, /* of one run */
    BATCHES_MAX = MAPS_MAX / BATCH + 1,
    FINDS_MAX = 3,
};

#define MAIL_START 0x70000000ul /* where the mail's descending hints begin */

struct scene {
    bool wanted[VARIANTS];
    u64 maps;         /* stop after so many */
    const char *find; /* only this value of vm.find; NULL: all */
    bool json;
    bool fathom; /* this kernel has vm.find and counters */
    u64 page;
    u64 limit; /* vm.max_map_count; 0: not there */
};

/* What was measured up to one line of the table. */
struct batch {
    u64 maps; /* in this batch */
    struct stopwatch watch;
    u64 last_steps; /* vma_steps of its last map alone */
};

/* One variant with one vm.find. */
struct run {
    enum variant variant;
    const char *find;
    struct batch batches[BATCHES_MAX];
    int batch_count;
    u64 maps;                    /* that succeeded */
    u64 before;                  /* VMAs before the first map */
    u64 vmas;                    /* and after the last, counted in /proc/self/maps */
    const char *failed;          /* the call that ended it; NULL: all maps were made */
    int error;                   /* its errno */
    u64 hint;                    /* where the map that failed was wanted; DOWN only */
    u64 files_open, files_limit; /* OPEN: descriptors at the end, and their limit */
    u64 opens;                   /* OPEN: that succeeded */
};

extern const char *const epler_variant_names[VARIANTS];

void epler_print_table(const struct scene *scene, const struct run *runs, int count);
void epler_print_json(const struct scene *scene, const struct run *runs, int count);

#endif
