/*
 * init.c: the first process. It says what this is and how to leave, runs the three mails in short
 * form, and shows them in one table: the way it was, and the way it became. Then, if standard input
 * is a terminal, it gives a shell (shell.c); without one it ends, and with it the machine.
 *
 *      mails, table -> shell -> (left) end
 *                        ^-- killed --/   poweroff, halt, reboot (SIGUSR2, SIGUSR1, SIGTERM) -> end
 *
 * Each mail's program runs as a child with --json, its output in a file in /tmp; the figures are
 * read from there (summary.c). What fails is shown as failed, with what it said, and init's status
 * is then 1. As the first process it also takes in children whose parents have ended. With
 * arguments it becomes that program instead (`init=/bin/init -- /bin/prog arg`).
 */
#include "user/init/init.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RESULT_MAX = 64 * 1024 };

/* What the terminal sends: it is meant for the program that runs. */
static const int ignored[] = {SIGINT, SIGQUIT, SIGTSTP, SIGHUP, 0};

void become(char *const *argv)
{
    static char *const environment[] = {"PATH=/bin", "HOME=/", "TERM=vt100", "PS1=fathom:\\w# ",
                                        NULL};

    fflush(stdout);
    for (const int *s = ignored; *s; s++)
        signal(*s, SIG_DFL); /* a program would inherit it */
    execve(argv[0], argv, environment);
    fprintf(stderr, "init: cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(STATUS_CANNOT_RUN);
}

static void become_with_output(char *const *argv, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
        fprintf(stderr, "init: cannot write %s: %s\n", path, strerror(errno));
        _exit(STATUS_CANNOT_RUN);
    }
    close(fd);
    become(argv);
}

int wait_for(pid_t child)
{
    int status;
    pid_t ended;

    while ((ended = waitpid(-1, &status, 0)) != child)
        if (ended < 0 && (errno != EINTR || shell_asked()))
            return -1;
    return status;
}

/* Run a mail's program. True: it ended well, and its result is in text. */
static bool run_mail(const struct mail *mail, char *text, size_t size)
{
    char path[64];

    snprintf(path, sizeof path, "/tmp/init-%s.json", mail->program);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        become_with_output(mail->argv, path);
    int status = child < 0 ? -1 : wait_for(child);
    if (status == -1)
        fprintf(stderr, "init: cannot run %s: %s\n", mail->program, strerror(errno));
    else if (WIFSIGNALED(status))
        fprintf(stderr, "init: %s was ended by signal %d\n", mail->program, WTERMSIG(status));
    else if (WEXITSTATUS(status))
        fprintf(stderr, "init: %s ended with status %d\n", mail->program, WEXITSTATUS(status));
    bool good = status == 0 && vm_read_file(path, text, size) > 0;
    unlink(path);
    return good;
}

/* The table. Returns whether all mails could be shown. */
static bool show_mails(void)
{
    static char text[RESULT_MAX];
    bool good = true;

    printf("Three mails in short form. It takes a few seconds.\n\n");
    summary_head();
    for (const struct mail *mail = mails; mail->program; mail++) {
        if (run_mail(mail, text, sizeof text) && mail->show(text))
            continue;
        summary_failed(mail);
        good = false;
    }
    summary_foot();
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    vm_program = "init";
    if (argc > 1)
        become(argv + 1);
    for (const int *s = ignored; *s; s++)
        signal(*s, SIG_IGN);
    printf("Fathom, a small kernel that shows virtual memory to the bottom.\n"
           "To leave QEMU: Ctrl-A, then x.\n\n");
    int failed = !show_mails();
    if (isatty(STDIN_FILENO))
        shell_run();
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    return failed;
}
