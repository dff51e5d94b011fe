/*
 * init.h: between init.c, which runs the mails' programs, and summary.c, which knows them and
 * prints the table.
 */
#ifndef USER_INIT_INIT_H
#define USER_INIT_INIT_H

#include "user/common/vm.h"

struct mail {
    const char *program;
    const char *title;
    char *const *argv;              /* of its short form, with --json */
    bool (*show)(const char *text); /* print its lines; false, and nothing, when a figure is missing
                                     */
};

extern const struct mail mails[]; /* the last has no program */

void summary_head(void);
void summary_failed(const struct mail *mail);
void summary_foot(void);

#endif
