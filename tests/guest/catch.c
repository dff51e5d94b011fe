/*
 * catch.c: catching faults, and running checks in children; see catch.h.
 */
#include "tests/guest/catch.h"

static sigjmp_buf back;
static volatile struct caught last;
static volatile bool armed; /* back is where to go */

static void handler(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (!armed) { /* a fault that no check expects: die of it */
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        return;
    }
    armed = false;
    last.signal = signal;
    last.code = info->si_code;
    last.address = info->si_addr;
    siglongjmp(back, 1);
}

/* Before an access. */
static void arm(void)
{
    static char stack[65536];
    static bool done;
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    last.signal = 0;
    armed = true;
    if (done)
        return;
    if (sigaltstack(&alternate, NULL) || sigaction(SIGSEGV, &action, NULL) ||
        sigaction(SIGBUS, &action, NULL))
        vm_die(errno, "cannot catch faults");
    done = true;
}

static struct caught result(void)
{
    armed = false;
    return (struct caught){last.signal, last.code, last.address};
}

struct caught catch_read(const char *p)
{
    arm();
    if (!sigsetjmp(back, 1))
        (void)*(const volatile char *)p;
    return result();
}

struct caught catch_write(char *p)
{
    arm();
    if (!sigsetjmp(back, 1))
        *(volatile char *)p = 1;
    return result();
}

struct caught catch_execute(char *p)
{
    arm();
    if (!sigsetjmp(back, 1))
        ((void (*)(void))p)();
    return result();
}

bool faulted(struct caught got, int signal, int code, const void *address)
{
    bool good = got.signal == signal && got.code == code && got.address == address;

    if (!good)
        tap_note("caught signal %d, code %d, address %p; wanted %d, %d, %p", got.signal, got.code,
                 got.address, signal, code, address);
    return good;
}

bool in_child(bool (*run)(void *argument), void *argument)
{
    int status;
    pid_t child = fork();

    if (child < 0)
        vm_die(errno, "cannot fork");
    if (!child)
        _exit(!run(argument));
    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR)
            vm_die(errno, "cannot wait for a child");
    if (WIFSIGNALED(status))
        tap_note("the child was ended by signal %d", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
