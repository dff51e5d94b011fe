/*
 * proc.h: processes. One so far: PID 1, which the kernel starts; its end is the end of the machine.
 *
 * Fields are touched by the process's own thread only, except pending, which interrupts set (atomic).
 */
#ifndef KERNEL_PROC_PROC_H
#define KERNEL_PROC_PROC_H

#include "kernel/fs/files.h"
#include "kernel/mm/mm.h"
#include "kernel/sched/thread.h"
#include "lib/abi/signal.h"
#include "lib/abi/system.h"

struct trap_frame; /* kernel/x86/trap.h */

struct proc {
    u32 pid;
    char name[16];       /* last component of the program's path */
    struct mm *mm;       /* a reference */
    struct files *files; /* a reference */
    struct entry *cwd;   /* a reference */
    struct entry *exe;   /* a reference: the program's file */
    struct thread *thread;
    u32 umask;
    u64 clear_child_tid;
    u64 robust_list;
    u64 start_ns;
    struct abi_rlimit rlimit[ABI_RLIMITS];
    /* signals: bit n-1 is signal n */
    u64 pending; /* atomic */
    u64 blocked;
    struct abi_sigaction action[ABI_SIGNALS + 1];
    struct abi_sigaltstack altstack;
};

void proc_init(void); /* starts the first process; at boot */

static inline struct proc *proc_current(void)
{
    return thread_current()->proc;
}

/* ---- the end ---- */

/* End the process with an exit status or by a signal. => its own thread, no lock held. */
NORETURN void proc_exit(u32 status);
NORETURN void proc_exit_signal(u32 signal);

/* ---- signals ---- */

static inline u64 signal_bit(u32 signal)
{
    return 1ul << (signal - 1);
}

/* Make signal (1 to 64) pending; it acts on the way back to user mode. => any context. */
void signal_send(struct proc *proc, u32 signal);
/* Something is pending that is neither blocked nor ignored. */
bool signal_wanted(const struct proc *proc);
void signal_exec(
    struct proc *proc); /* handlers of the old program go; the terminal's signals come to it */
void signal_init(void);
void signal_no_process(void); /* the terminal's signals go nowhere any more */

/* ---- exec ---- */

enum { EXEC_STRING_MAX = 131072, EXEC_ARGS_MAX = 2 << 20, EXEC_ARGS_DEPTH = 5 };

struct exec_args {
    struct seq *strings; /* argc strings, then envc strings, each with its NUL */
    u32 argc, envc;
};

struct exec_image { /* a program, loaded and not yet running */
    struct mm *mm;
    struct entry *exe;
    vaddr_t ip, sp;
    char name[16];
};

/* Load the program at path (an ELF file, or a script whose interpreter is one). args->strings may be exchanged for a longer one;
 * the caller puts what is there in the end. 0, or a negative errno with nothing held. => may sleep. */
int exec_load(struct entry *start, const char *path, struct exec_args *args,
              struct exec_image *image);
/* Point of no return: the process runs image now. Takes image over. */
void exec_commit(struct proc *proc, struct exec_image *image);
/* exec_commit, then user mode with a clean set of registers. => the process's own thread. */
NORETURN void proc_enter_image(struct proc *proc, struct exec_image *image);

/* Arguments and tables on the new program's stack. 0, -ENOMEM, -E2BIG. */
struct elf_plan;
int exec_stack(struct mm *mm, const struct exec_args *args, const char *path,
               const struct elf_plan *plan, vaddr_t *sp);

void proc_files_init(void);               /* /proc/self */
void random_fill(void *buf, size_t size); /* statistically random, not secret */

#endif
