/*
 * sys.h: inside the system-call room: the handlers, and what they share to fetch arguments.
 *
 * A handler gets the six argument registers and returns what RAX shall be: a value or a negative errno. It checks
 * everything, in Linux's order, and is the only kind of code (beside x86/usercopy) that sees user pointers.
 * => Called with interrupts on and no lock held; may sleep.
 */
#ifndef KERNEL_SYS_SYS_H
#define KERNEL_SYS_SYS_H

#include "kernel/core/rooms.h"
#include "kernel/fs/fs.h"
#include "kernel/proc/proc.h"
#include "kernel/x86/usercopy.h"
#include "lib/abi/syscall.h"

/* Every call that there is. clone3 (the C libraries then use clone) and all others are ENOSYS, named once
 * in the log. */
/* clang-format off */
#define SYS_HANDLERS(X)                                                                            \
    /* bytes */                                                                                    \
    X(read) X(write) X(pread64) X(pwrite64) X(readv) X(writev) X(preadv) X(pwritev) X(lseek)       \
    X(sendfile)                                                                                    \
    /* descriptors */                                                                              \
    X(open) X(openat) X(creat) X(close) X(dup) X(dup2) X(dup3) X(fcntl) X(ioctl) X(poll)           \
    X(ppoll) X(select) X(pselect6) X(truncate) X(ftruncate) X(fallocate) X(fsync)                  \
    X(fdatasync) X(sync) X(fadvise64) X(getdents64) X(memfd_create) X(pipe) X(pipe2)               \
    /* names */                                                                                    \
    X(stat) X(lstat) X(fstat) X(newfstatat) X(statx) X(statfs) X(fstatfs) X(access) X(faccessat)   \
    X(faccessat2) X(getcwd) X(chdir) X(fchdir) X(mkdir) X(mkdirat) X(rmdir) X(unlink)              \
    X(unlinkat) X(readlink) X(readlinkat) X(rename) X(renameat) X(renameat2) X(link) X(linkat)     \
    X(symlink) X(symlinkat) X(chmod) X(fchmod) X(fchmodat) X(umask) X(utimensat) X(chown)          \
    X(lchown) X(fchown) X(fchownat) X(mknod) X(mknodat)                                            \
    /* memory */                                                                                   \
    X(mmap) X(munmap) X(mprotect) X(brk) X(mremap) X(remap_file_pages) X(madvise) X(mincore)       \
    X(msync) X(mlock) X(mlock2) X(munlock) X(mlockall) X(munlockall)                               \
    /* processes */                                                                                \
    X(execve) X(fork) X(vfork) X(clone) X(exit) X(exit_group) X(wait4) X(waitid) X(getpid)         \
    X(getppid) X(gettid) X(getpgrp) X(getpgid) X(setpgid) X(getsid) X(setsid) X(getuid)            \
    X(geteuid) X(getgid) X(getegid) X(set_tid_address) X(set_robust_list) X(rseq) X(arch_prctl)    \
    X(prctl) X(prlimit64) X(getrlimit) X(setrlimit) X(getrusage)                                   \
    /* users */                                                                                    \
    X(setuid) X(setgid) X(setreuid) X(setregid) X(setresuid) X(setresgid) X(setfsuid)              \
    X(setfsgid) X(getresuid) X(getresgid) X(getgroups) X(setgroups)                                \
    /* scheduling */                                                                               \
    X(getpriority) X(setpriority) X(sched_getscheduler) X(sched_setscheduler) X(sched_getparam)    \
    X(sched_setparam) X(sched_get_priority_max) X(sched_get_priority_min)                          \
    X(sched_rr_get_interval)                                                                       \
    /* the machine */                                                                              \
    X(syslog) X(uname) X(sysinfo) X(getrandom) X(reboot) X(futex) X(sched_yield)                   \
    X(sched_getaffinity) X(sched_setaffinity) X(getcpu)                                            \
    /* signals */                                                                                  \
    X(rt_sigaction) X(rt_sigprocmask) X(rt_sigpending) X(sigaltstack) X(kill) X(tkill) X(tgkill)   \
    X(pause) X(rt_sigreturn) X(rt_sigsuspend) X(rt_sigtimedwait) X(rt_sigqueueinfo)                \
    X(rt_tgsigqueueinfo) X(restart_syscall)                                                        \
    /* time */                                                                                     \
    X(clock_gettime) X(clock_getres) X(gettimeofday) X(time) X(nanosleep) X(clock_nanosleep)       \
    X(times) X(alarm) X(setitimer) X(getitimer)
/* clang-format on */

#define X(name) long sys_##name(const u64 *arg);
SYS_HANDLERS(X)
#undef X

/* ---- structs and strings ---- */

static inline long put_user(vaddr_t dst, const void *src, size_t n)
{
    return copy_to_user(dst, src, n) ? -EFAULT : 0;
}

static inline long get_user(void *dst, vaddr_t src, size_t n)
{
    return copy_from_user(dst, src, n) ? -EFAULT : 0;
}

/* A path from user memory in a block of its own (kfree). 0, -EFAULT, -ENAMETOOLONG, -ENOMEM. */
long user_path(vaddr_t addr, char **out);

/* A path and the directory it starts from, for all the ...at calls. */
struct user_at {
    char *path;
    struct entry *start; /* a reference */
};
/* 0, or -EFAULT, -ENAMETOOLONG, -ENOMEM, -EBADF, -ENOTDIR with nothing held. */
long user_at_get(struct user_at *at, int dirfd, vaddr_t path);
void user_at_put(struct user_at *at);
/* The entry that dirfd, path and AT_ flags mean, with a reference. */
long user_entry_at(int dirfd, vaddr_t path, u32 flags, struct entry **out);

/* ---- time ---- */

/* A timespec from the user as ns, saturating. 0, -EFAULT, -EINVAL. */
long user_timespec(vaddr_t addr, u64 *ns);

static inline u64 add_saturating(u64 a, u64 b)
{
    return a > ~0ul - b ? ~0ul : a + b;
}

/* A system call that sleeps until an absolute deadline was woken by a signal: have restart_syscall make call(arg) if no
 * handler runs. */
long restart_by(long (*call)(const u64 *arg), const u64 *arg);

/* ---- files ---- */

static inline struct files *current_files(void)
{
    return proc_current()->files;
}

/* A descriptor that read-like calls may use: not O_PATH. NULL: -EBADF. */
static inline struct file *file_of(u64 fd)
{
    struct file *file = files_get(current_files(), (int)fd);
    if (file && (file->flags & O_PATH)) {
        file_put(file);
        return NULL;
    }
    return file;
}

/* Wake who sleeps for the word at addr, which the kernel has changed (sys_futex.c). => no lock held. */
void futex_word_changed(vaddr_t addr);

/* ---- usage (sys_limits.c) ---- */

struct abi_rusage; /* lib/abi/time.h */
void usage_to_user(const struct proc_usage *usage, struct abi_rusage *out);

/* ---- strace ---- */

extern bool strace_on;
struct strace_line {
    char text[400];
};
void strace_enter(struct strace_line *line, u64 number, const u64 *arg);
void strace_leave(const struct strace_line *line, long result);
const char *syscall_name(u64 number); /* NULL: Linux has no such call */

#endif
