/*
 * init.c: the first process. It says what this is and how to leave, then runs the mails one after
 * the other.
 *
 * With arguments it becomes that program instead (`init=/bin/init -- /bin/prog arg`). A kernel
 * that has no fork yet answers ENOSYS; then the mail takes this process's place, and the machine
 * ends with the mail's status.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_CANNOT_RUN = 127, SIGNAL_BASE = 128 };

static void become(char *const *argv)
{
    static char *const environment[] = {"PATH=/bin", "HOME=/", NULL};

    fflush(stdout);
    execve(argv[0], argv, environment);
    fprintf(stderr, "init: cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(STATUS_CANNOT_RUN);
}

/* Run a program and wait for it. Returns its exit status, 128 + n for a signal. */
static int run(char *const *argv)
{
    int status;

    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0 || (pid < 0 && errno == ENOSYS))
        become(argv);
    if (pid < 0 || waitpid(pid, &status, 0) < 0) {
        fprintf(stderr, "init: cannot run %s: %s\n", argv[0], strerror(errno));
        return STATUS_CANNOT_RUN;
    }
    return WIFSIGNALED(status) ? SIGNAL_BASE + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    static char *const holt2005[] = {"/bin/holt2005", NULL};
    static char *const *const mails[] = {holt2005};
    int worst = 0;

    if (argc > 1)
        become(argv + 1);
    printf("Fathom, a small kernel that shows virtual memory to the bottom.\n"
           "To leave QEMU: Ctrl-A, then x.\n\n");
    for (size_t i = 0; i < sizeof mails / sizeof *mails; i++) {
        int status = run(mails[i]);
        if (status > worst)
            worst = status;
    }
    return worst;
}
