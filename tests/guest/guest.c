/*
 * guest.c: the guest tests, all in one program: `guest SUITE` runs one and prints TAP, `guest
 * --list` names them, `guest COMMAND` ends in the way that the command is named for (die.c).
 */
#include "tests/guest/guest.h"

u64 page;
bool fathom;
u64 random_seed = 1;

/* clang-format off */
static const struct {
    const char *name;
    void (*run)(void);
} suites[] = {
    {"mmap", suite_mmap},
    {"mmap-file", suite_mmap_file},
    {"munmap", suite_munmap},
    {"mprotect", suite_mprotect},
    {"maps", suite_maps},
    {"brk", suite_brk},
    {"stack", suite_stack},
    {"limits", suite_limits},
    {"tmpfs", suite_tmpfs},
    {"files", suite_files},
    {"paths", suite_paths},
    {"answers", suite_answers},
    {"process", suite_process},
    {"exec", suite_exec},
    {"efault", suite_efault},
    {"junk", suite_junk},
    {"vmcount", suite_vmcount},
    {"vmcount-1tib", suite_vmcount_1tib},
    {"knobs", suite_knobs},
    {"random", suite_random},
    {"memory", suite_memory},
    {"time", suite_time},
    {"entry", suite_entry},
    {"bugs", suite_bugs},
    {"edges", suite_edges},
    {"rlimits", suite_rlimits},
    {"faults", suite_faults},
    {"cow", suite_cow},
    {"mlock", suite_mlock},
    {"madvise", suite_madvise},
    {"remap", suite_remap},
    {"mremap", suite_mremap},
    {"proc", suite_proc},
    {"proc-machine", suite_proc_machine},
    {"pipe", suite_pipe},
    {"dev", suite_dev},
    {"signal", suite_signal},
    {"wait", suite_wait},
    {"forks", suite_forks},
    {"stress", suite_stress},
    {"select", suite_select},
    {"spawn", suite_spawn},
};
/* clang-format on */

static int list(void)
{
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        puts(suites[i].name);
    return 0;
}

int main(int argc, char **argv)
{
    vm_program = "guest";
    page = sysconf(_SC_PAGESIZE);
    fathom = access("/proc/vmcount", F_OK) == 0;
    if (argc >= 3)
        random_seed = strtoull(argv[2], NULL, 0);
    if (argc >= 2 && !strcmp(argv[1], "--list"))
        return list();
    for (size_t i = 0; argc >= 2 && i < sizeof suites / sizeof *suites; i++)
        if (!strcmp(argv[1], suites[i].name)) {
            suites[i].run();
            return tap_done();
        }
    if (argc >= 2 && die_command(argv[1]))
        return 100; /* it should have ended the program */
    fprintf(stderr, "usage: guest SUITE [SEED] | guest --list | guest COMMAND\ncommands:");
    die_list();
    return 2;
}
