/*
 * proc.h: processes: the table of them, their family, their beginning and end.
 *
 *      table: pid -> proc     PID 1 ---children---> 2 ---children---> 5
 *                                               \-> 3 (zombie, until 1 waits for it)
 *
 * A process has one thread. It lives until it exits, then stays in the table as a zombie, with nothing but its status and
 * times, until its parent has waited for it. Who loses its parent becomes a child of PID 1; PID 1's end is the
 * end of the machine.
 *
 * Fields say who may touch them: T: proc_table_lock (spin, interrupts off).
 * O: the process's own thread alone. W: written by the own thread under proc_table_lock, so that the thread reads without and
 * others read with it. Who wants another process's mm, files or directories takes a reference by proc_mm_get and its like.
 */
#ifndef KERNEL_PROC_PROC_H
#define KERNEL_PROC_PROC_H

#include "kernel/core/random.h"
#include "kernel/fs/files.h"
#include "kernel/mm/mm.h"
#include "kernel/proc/signal.h"
#include "kernel/sched/thread.h"
#include "lib/abi/signal.h"
#include "lib/abi/system.h"

struct trap_frame; /* kernel/x86/trap.h */

enum proc_state { PROC_ALIVE, PROC_ZOMBIE };

/* CPU time, and what getrusage tells beside it. */
struct proc_usage {
    u64 user_ns, system_ns;
    u64 max_rss; /* pages */
    u64 faults;
};

struct proc {
    u32 refs; /* atomic: the table, until it was waited for; its thread; proc_find */
    u32 pid;  /* never changes */

    /* the family */
    enum proc_state state;     /* T */
    u32 pgid, sid;             /* T: process group, session */
    struct proc *parent;       /* T; PID 1 has none */
    struct list_head children; /* T: of sibling; oldest first, zombies too */
    struct list_head sibling;  /* T */
    u32 exit_signal;           /* T: what the parent gets at the end; 0: nothing */
    u32 wait_status;           /* T: of a zombie, as wait4 tells it */
    u32 stop_status;           /* T: stopped or going on, as wait4 tells it; 0: told already */
    bool oom_victim;           /* T: it has to go, as memory ran out */
    s32 nice;                  /* T: is kept and told, but all threads take turns alike */
    bool execed;               /* T: setpgid by the parent comes too late */
    struct proc_usage
        usage; /* T: of a zombie: all it used; before, O: faults, and max_rss of older programs */
    struct proc_usage waited; /* T: of children that were waited for, and theirs */
    struct wait_queue wait;   /* where it sleeps for news of children */
    u32 news;                 /* wait.lock: counts what happened to children */
    bool vfork_done;          /* wait.lock: the parent that lent its memory may go on */

    /* what it has */
    char name[16];                 /* W: last component of the program's path */
    struct mm *mm;                 /* W: a reference; NULL once it ends */
    struct files *files;           /* W: a reference; NULL once it ends */
    struct entry *cwd;             /* W: a reference; NULL once it ends */
    struct entry *exe;             /* W: by exe_get: the program's file; NULL once it ends */
    struct thread *thread;         /* W: NULL once it ends */
    u32 umask;                     /* O */
    u32 death_signal;              /* what it gets when its parent ends; 0: nothing. Single word */
    bool undumpable, no_new_privs; /* O: of prctl */
    u64 clear_child_tid;           /* O */
    u64 robust_list;               /* O */
    u64 start_ns;                  /* never changes */
    struct abi_rlimit rlimit[ABI_RLIMITS]; /* T */

    /* signals: bit n-1 is signal n. S: written under signals.lock, anybody may look */
    u64 pending;                                  /* S */
    u64 blocked;                                  /* S, by the own thread */
    struct abi_sigaction action[ABI_SIGNALS + 1]; /* S, by the own thread */
    struct abi_sigaltstack altstack;              /* O */
    struct signals signals;
};

void proc_init(void); /* starts the first process; at boot */

static inline struct proc *proc_current(void)
{
    return thread_current()->proc;
}

/* ---- the table (table.c) ---- */

enum { PID_INIT = 1, PID_MAX = 32768 };

extern struct spinlock proc_table_lock; /* RANK_PROC; with interrupts off, always */

/* The process of that number, a zombie too, with a reference; NULL: none. => any context. */
struct proc *proc_find(u32 pid);
/* The process with the lowest number above after_pid, with a reference; NULL: none. proc_next(0) is the first. */
struct proc *proc_next(u32 after_pid);
struct proc *proc_get(struct proc *proc);
void proc_put(struct proc *proc); /* => any context */
/* The same as proc_find and proc_next without a reference. => proc_table_lock held, for as long as the result is used. */
struct proc *proc_find_locked(u32 pid);
struct proc *proc_next_locked(u32 after_pid);

/* What another process has, with a reference each, NULL once it has ended (or has none). => any context but interrupts. */
struct mm *proc_mm_get(struct proc *proc);
struct files *proc_files_get(struct proc *proc);
struct entry *proc_cwd_get(struct proc *proc);
struct entry *proc_exe_get(struct proc *proc);

/* A new process with one reference, in the table: alive, with a number, in no family. NULL in *out and -EAGAIN (too many),
 * -ENOMEM. => may sleep. */
int proc_create(struct proc **out);
/* Take it out of the family and the table: it was waited for, or never ran. The table's reference goes. */
void proc_remove(struct proc *proc);
/* The same, => proc_table_lock held, and the caller puts the table's reference after. */
void proc_remove_locked(struct proc *proc);
u32 proc_count(void); /* in the table */
u32 proc_count_max(void);
u32 proc_last_pid(void); /* given out; so many processes were made, until numbers come round */

/* Process groups and sessions: setpgid and setsid of caller. 0 (or the id) or a negative errno. */
long proc_set_group(struct proc *caller, u32 pid, u32 pgid);
long proc_set_session(struct proc *caller);
/* Has the group nobody outside, in its session, who could let it go on? Then the terminal's stop signals do nothing (POSIX,
 * orphaned process group). => proc_table_lock held. */
bool proc_group_orphaned(u32 pgid);

/* ---- limits (limits.c) ---- */

void proc_limits_init(struct proc *proc); /* what the first process has */
/* 0, -EINVAL, -EPERM. => resource is one. Both: any process, no lock held. */
long proc_limit_set(struct proc *proc, u32 resource, const struct abi_rlimit *new);
void proc_limit_get(struct proc *proc, u32 resource, struct abi_rlimit *out);
/* A new program's memory gets the process's limits. => proc_table_lock held. */
void proc_limits_apply(const struct proc *proc, struct mm *mm);

/* ---- beginning ---- */

struct fork_request {
    u64 flags; /* CLONE_, without the signal */
    u32 exit_signal;
    vaddr_t stack; /* 0: the parent's */
    vaddr_t tls;   /* CLONE_SETTLS */
    vaddr_t parent_tid, child_tid;
};

/* Make a child of the calling process that returns 0 from the system call. The child's pid, or -EAGAIN, -ENOMEM with nothing
 * left behind. With CLONE_VFORK it returns when the child gave the memory back. => may sleep; no lock held. */
long proc_fork(const struct fork_request *request);

/* What it used until now, alive or a zombie. _locked: => proc_table_lock held. */
void proc_usage_now(struct proc *proc, struct proc_usage *usage);
void proc_usage_locked(struct proc *proc, struct proc_usage *usage);
void proc_usage_add(struct proc_usage *sum, const struct proc_usage *more);

/* ---- the end ---- */

/* End the process with an exit status or by a signal. => its own thread, no lock held. */
NORETURN void proc_exit(u32 status);
NORETURN void proc_exit_signal(u32 signal);
/* The process leaves the memory it has, by exec or exit: clears its thread number there. => it still runs on it. */
void proc_leave_memory(struct proc *proc);
extern void (*proc_wake_futex)(vaddr_t addr); /* who sleeps for the number there; sys fills it in */
/* The memory a vfork lent is not used any more. */
void proc_vfork_done(struct proc *child);

struct wait_request { /* lib/abi/wait.h */
    enum { WAIT_PID, WAIT_GROUP, WAIT_ANY } which;
    u32 id;
    u32 options; /* WEXITED, WNOHANG, WNOWAIT, WALL, WCLONE */
};

struct wait_result {
    u32 pid; /* 0: WNOHANG, and no news */
    u32 status;
    struct proc_usage usage;
};

/* Something happened to a child: parent is woken if it waits. => locks before RANK_WAIT_QUEUE. */
void proc_child_news(struct proc *parent);
/* Wait for a child's end, or for its stop or going on. 0, or -ECHILD, -RESTART_SYS. => may sleep; no lock held. */
long proc_wait(const struct wait_request *request, struct wait_result *result);

/* ---- exec ---- */

enum { EXEC_STRING_MAX = 131072, EXEC_ARGS_MAX = 2 << 20, EXEC_ARGS_DEPTH = 5 };

struct exec_args {
    struct seq *strings; /* argc strings, then envc strings, each with its NUL */
    u32 argc, envc;
};

struct exec_image { /* a program, loaded and not yet running */
    struct mm *mm;
    struct entry *exe; /* by exe_get */
    vaddr_t ip, sp;
    char name[16];
};

/* A reference to a program that runs or is going to: nobody can write it meanwhile. => get: exe is one already. */
struct entry *exe_get(struct entry *exe);
void exe_put(struct entry *exe);

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

/* mm_fault found no memory: make some by ending the largest process, and fault again. FAULT_OOM: the running process has to
 * end. => no lock held but those of rule 4 of docs/locking.md; may sleep. */
enum fault_result oom_fault(struct mm *mm, vaddr_t addr, enum fault_access access);

void proc_files_init(void); /* /proc/PID and what goes with it */

#endif
