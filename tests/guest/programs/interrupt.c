/*
 * interrupt.c: waits for input and counts SIGINT; after the third it ends with status 3.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void interrupted(int signal)
{
    (void)signal;
    count++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = interrupted};
    char byte;

    setvbuf(stdout, NULL, _IONBF, 0);
    sigaction(SIGINT, &action, NULL);
    printf("ready\n");
    while (count < 3)
        if (read(0, &byte, 1) < 0 && errno == EINTR)
            printf("interrupted %d\n", (int)count);
    return 3;
}
