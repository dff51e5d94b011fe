/*
 * init.h: between init.c, which runs the mails' programs, summary.c, which knows them and prints the
 * table, and shell.c, which keeps the shell.
 */
#ifndef USER_INIT_INIT_H
#define USER_INIT_INIT_H

#include "user/common/vm.h"

#include <sys/types.h>

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

enum { STATUS_CANNOT_RUN = 127 };

/* Run a program in this process, with the environment that all get; ends the process with
 * STATUS_CANNOT_RUN when it cannot be run. */
void become(char *const *argv);
/* Wait for one child. Others that end meanwhile are orphans, taken in. Returns its wait status,
 * -1 when it cannot be waited for, or when the machine has to end. */
int wait_for(pid_t child);

/* A shell on the terminal, until it is left or somebody asks for the machine's end; there may be
 * none to run. */
void shell_run(void);
bool shell_asked(void); /* for the machine's end */

#endif
