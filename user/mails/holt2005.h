/*
 * holt2005.h: what is measured, and what came out; between holt2005.c (which measures) and
 * holt2005_print.c.
 */
#ifndef USER_MAILS_HOLT2005_H
#define USER_MAILS_HOLT2005_H

#include "user/common/vm.h"

#define MAIL_LENGTH 17592182882304ul /* 2^44 - 193 pages of 16 KiB */
#define MAIL_OFFSET (3ul << 20)      /* how far above a pgd entry's base the mail's mapping began */

enum touch { TOUCH_NONE, TOUCH_NEIGHBOUR, TOUCH_ENDS, TOUCH_DENSE };

struct scene {
    u64 length;
    enum touch touch;
    u64 dense;   /* bytes, for TOUCH_DENSE */
    bool at_any; /* the kernel chooses the place */
    u64 at;      /* else this address; 0: an empty pgd entry + MAIL_OFFSET */
    bool full;   /* never a slice */
    bool json;
    const char *zap; /* only this way; NULL: all */
    int file;        /* open, and without a name */
    bool counted;    /* this kernel has counters and knobs */
    u64 block;       /* bytes of a block of `block`; 0: no limit */
    struct vm_geometry geometry;
};

/* One way, run once over length bytes. Where that is a slice, the scaled figures are for the
 * whole length. */
struct row {
    const char *way;
    u64 address, length, ns;
    struct vm_counters counts;
    bool slice;
    u64 scaled_turns, scaled_ns;
};

/* True when every entry read was an empty one of the top level, so that reads grow with the
 * length exactly. */
bool holt_reads_scale(const struct row *row);
/* n of a slice's row, for the whole length; rounded up. */
u64 holt_scale(const struct scene *scene, const struct row *row, u64 n);

void holt_print_table(const struct scene *scene, const struct row *rows, int count);
void holt_print_json(const struct scene *scene, const struct row *rows, int count);

#endif
