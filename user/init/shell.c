/*
 * shell.c: the shell on the terminal, and the end of the machine.
 *
 *      fork -> own session, terminal taken, exec /bin/sh
 *      it ends by itself      all others are sent away, the machine ends with init
 *      a signal ended it      a new one (it was killed; who works here keeps the terminal)
 *
 * poweroff, halt and reboot of busybox send PID 1 a signal (SIGUSR2, SIGUSR1, SIGTERM): that interrupts the
 * wait. Programs are asked to end by SIGTERM and SIGHUP, and killed a moment later.
 */
#include "user/init/init.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { GRACE_MS = 300 };

static volatile sig_atomic_t asked;
static struct termios settings; /* of the terminal, as the first shell found them */

static void note(int signal)
{
    asked = signal;
}

bool shell_asked(void)
{
    return asked;
}

static void catch_requests(void)
{
    static const int requests[] = {SIGUSR1, SIGUSR2, SIGTERM};
    struct sigaction action = {.sa_handler = note}; /* no SA_RESTART: the wait has to end */

    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        sigaction(requests[i], &action, NULL);
}

static void say_hello(void)
{
    printf("\nThis is a shell (busybox). To leave: poweroff, or Ctrl-A x. Worth typing:\n"
           "  cat /proc/self/maps        the map of a process, here of cat itself\n"
           "  holt2005 --help            a mail's program, to ask it more\n"
           "  cat /proc/vmcount          what the kernel counts; echo 0 > /proc/vmcount resets it\n"
           "  echo block > /proc/sys/vm/zap    munmap as it was in 2.6.14\n"
           "  dmesg | tail               what the kernel has to say; top, ps, free, vi, too\n");
    fflush(stdout);
}

static pid_t start(void)
{
    static char *const argv[] = {"/bin/sh", NULL};

    pid_t child = fork();
    if (child)
        return child;
    setsid();
    if (ioctl(STDIN_FILENO, TIOCSCTTY, 1) < 0)
        fprintf(stderr, "init: the shell does not get the terminal: %s\n", strerror(errno));
    become(argv);
    return 0; /* not reached */
}

/* Ask everybody to go, wait a moment, and see to it. */
static void send_all_away(void)
{
    signal(SIGTERM, SIG_IGN);
    kill(-1, SIGTERM);
    kill(-1, SIGHUP);
    for (int waited = 0; waited < GRACE_MS; waited += 10) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (waitpid(-1, NULL, WNOHANG) < 0)
            return; /* no children are left */
        usleep(10 * 1000);
    }
    kill(-1, SIGKILL);
}

void shell_run(void)
{
    if (access("/bin/sh", X_OK) < 0) {
        printf("\nThere is no shell: this image was made without busybox-static.\n");
        return;
    }
    catch_requests();
    tcgetattr(STDIN_FILENO, &settings);
    say_hello();
    while (!asked) {
        pid_t child = start();
        int status = child < 0 ? -1 : wait_for(child);
        if (status == -1 || !WIFSIGNALED(status))
            break;
        tcsetattr(STDIN_FILENO, TCSANOW, &settings);
        printf("\ninit: the shell was ended by signal %d; here is another\n", WTERMSIG(status));
        fflush(stdout);
    }
    if (asked)
        printf("\ninit: the machine ends\n");
    send_all_away();
}
