/*
 * child.c: see child.h. No data but the shared page.
 */
#include "tests/guest/guest.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/guest/child.h"

volatile long *common;

void common_make(void)
{
    if (!common)
        common = mmap(NULL, page, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (common == MAP_FAILED)
        exit(3);
    memset((void *)common, 0, page);
}

pid_t child_start(int (*run)(void))
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(run());
    if (pid < 0) {
        tap_note("fork: %s", strerror(errno));
        exit(3);
    }
    return pid;
}

int child_wait(pid_t pid)
{
    int status = -1;

    if (waitpid(pid, &status, 0) != pid)
        tap_note("waitpid(%d): %s", pid, strerror(errno));
    return status;
}

int child_status(pid_t pid)
{
    int status = child_wait(pid);

    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int child_run(int (*run)(void))
{
    return child_wait(child_start(run));
}

bool await(volatile long *word, long value)
{
    time_t end = time(NULL) + 10;

    while (*word != value && time(NULL) < end)
        sched_yield();
    return *word == value;
}
