/*
 * kernel_test.h: suites that run inside the kernel, on the real machine's tables, stacks and
 * threads.
 *
 * They are linked into kernels built with CONFIG_CHECK=1 and run when the command line has
 * `selftest`: in a thread of their own instead of the first program. Results go to the log as TAP;
 * the machine ends with status 0 if all passed. tests/kernel/selftest.t boots and reads them.
 */
#ifndef TESTS_KERNEL_KERNEL_TEST_H
#define TESTS_KERNEL_KERNEL_TEST_H

#include "lib/types.h"

/* Report one test; what follows is its name. Returns cond. */
#define ok(cond, ...) kernel_test_ok((cond), #cond, __FILE__, __LINE__, __VA_ARGS__)

bool kernel_test_ok(bool cond, const char *text, const char *file, int line, const char *fmt, ...)
    PRINTF_LIKE(5, 6);

void suite_paging(void);
void suite_traps(void);
void suite_usercopy(void);
void suite_threads(void);
void suite_locks(void);
void suite_timers(void);

#endif
