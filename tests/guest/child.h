/*
 * child.h: processes for the suites that fork: a child that runs one function, and memory that both see.
 */
#ifndef TESTS_GUEST_CHILD_H
#define TESTS_GUEST_CHILD_H

#include <sys/types.h>

/* A child that ends with the function's result as its status. Returns its number; ends the program if there is none. */
pid_t child_start(int (*run)(void));
/* Start one and wait: its status as wait gives it. */
int child_run(int (*run)(void));
int child_wait(pid_t pid);
/* The same as one number: the exit status, or 1000 and the signal. */
int child_status(pid_t pid);

/* A page that all children and the parent share; zero at first. */
extern volatile long *common;
void common_make(void);
/* Wait until *word is value, giving way to others. False: ten seconds went by. */
bool await(volatile long *word, long value);

#endif
