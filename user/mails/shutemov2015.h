/*
 * shutemov2015.h: what is measured, and what came out; between shutemov2015.c (which measures) and
 * shutemov2015_print.c.
 */
#ifndef USER_MAILS_SHUTEMOV2015_H
#define USER_MAILS_SHUTEMOV2015_H

#include "user/common/report.h"

#define MAIL_MIB 4096
#define MAIL_PASSES 10

enum phase_kind { WRITE, REMAP, READ, RESTORE, REREAD, UNMAP, PHASES };
enum { TRAIL_MAX = 64 }; /* up to so many pages, the VMAs are counted after each call */

struct scene {
    u64 page;
    u64 pages; /* of the mapping: the mail's N */
    u64 passes;
    bool restore;
    bool keep_limit;
    bool json;
    bool fathom; /* this kernel has counters */
    u64 others;  /* VMAs of the program itself */
    u64 limit;   /* vm.max_map_count; 0: not there */
};

struct phase {
    bool done;
    struct stopwatch watch;
    u64 vmas; /* of the mapping, when the phase has ended */
};

/* The call that was refused, and what it left behind. */
struct refusal {
    bool happened;
    u64 call;
    int error;
    u64 vmas; /* of the whole program then */
};

struct pass {
    struct phase phases[PHASES];
    u64 most; /* the most VMAs of the mapping that were counted */
    unsigned trail[TRAIL_MAX], trail_restore[TRAIL_MAX];
    struct refusal refusal;
};

extern const char *const shutemov_phase_names[PHASES];

void shutemov_print_table(const struct scene *scene, const struct pass *passes);
void shutemov_print_json(const struct scene *scene, const struct pass *passes);

#endif
