/*
 * sys_proc.c: calls about the process itself: who it is, exec, exit, limits, thread set-up.
 */
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/fs/procfs.h"
#include "kernel/mm/slab.h"
#include "kernel/sys/sys.h"
#include "kernel/x86/context.h"
#include "lib/abi/time.h"

long sys_getpid(const u64 *arg)
{
    (void)arg;
    return proc_current()->pid;
}

long sys_gettid(const u64 *arg)
{
    return sys_getpid(arg);
}

long sys_getppid(const u64 *arg)
{
    (void)arg;
    return 0;
}

long sys_getpgrp(const u64 *arg)
{
    return sys_getpid(arg);
}

static long of_self(u64 pid)
{
    int wanted = pid, self = proc_current()->pid;
    return wanted == 0 || wanted == self ? self : -ESRCH;
}

long sys_getpgid(const u64 *arg)
{
    return of_self(arg[0]);
}

long sys_getsid(const u64 *arg)
{
    return of_self(arg[0]);
}

/* Everything runs as root. */
long sys_getuid(const u64 *arg)
{
    (void)arg;
    return 0;
}

long sys_geteuid(const u64 *arg)
{
    return sys_getuid(arg);
}

long sys_getgid(const u64 *arg)
{
    return sys_getuid(arg);
}

long sys_getegid(const u64 *arg)
{
    return sys_getuid(arg);
}

long sys_exit(const u64 *arg)
{
    proc_exit(arg[0]);
}

long sys_exit_group(const u64 *arg)
{
    proc_exit(arg[0]);
}

/* WNOHANG, WUNTRACED, WCONTINUED, __WNOTHREAD, __WALL, __WCLONE */
enum { WAIT_OPTIONS = 1 | 2 | 8 };
#define WAIT_OPTIONS_LINUX 0xe0000000u

long sys_wait4(const u64 *arg)
{
    if ((u32)arg[2] & ~(WAIT_OPTIONS | WAIT_OPTIONS_LINUX))
        return -EINVAL;
    if ((int)arg[0] == (int)0x80000000)
        return -ESRCH;
    return -ECHILD; /* there is nothing to wait for */
}

/* Copy one string, with its NUL, into the seq, a piece at a time. */
static long push_user_string(struct exec_args *args, vaddr_t from, char *buf)
{
    for (u64 done = 0; done < EXEC_STRING_MAX;) {
        long n = copy_string_from_user(buf, from + done, ABI_PATH_MAX);
        bool whole = n >= 0;
        if (n == -ENAMETOOLONG)
            n = ABI_PATH_MAX;
        else if (n < 0)
            return n;
        if (done + n >= EXEC_STRING_MAX || args->strings->bytes.size + n >= EXEC_ARGS_MAX)
            return -E2BIG;
        seq_write(args->strings, buf, whole ? n + 1 : n);
        if (args->strings->error)
            return args->strings->error;
        if (whole)
            return 0;
        done += n;
    }
    return -E2BIG;
}

/* Copy a NULL-ended array of strings. */
static long push_user_array(struct exec_args *args, u32 *count, vaddr_t array, char *buf)
{
    u64 pointer;
    for (; array; array += sizeof(pointer)) {
        if (get_user(&pointer, array, sizeof(pointer)))
            return -EFAULT;
        if (!pointer)
            return 0;
        if (++*count > EXEC_ARGS_MAX / sizeof(pointer))
            return -E2BIG;
        long ret = push_user_string(args, pointer, buf);
        if (ret < 0)
            return ret;
    }
    return 0;
}

static long exec_args_get(struct exec_args *args, vaddr_t argv, vaddr_t envp)
{
    char *buf = kmalloc(ABI_PATH_MAX);
    *args = (struct exec_args){.strings = buf ? seq_create() : NULL};
    if (!args->strings) {
        kfree(buf);
        return -ENOMEM;
    }
    long ret = push_user_array(args, &args->argc, argv, buf);
    if (ret == 0 && args->argc == 0) { /* a program may count on argv[0] */
        seq_write(args->strings, "", 1);
        args->argc = 1;
        ret = args->strings->error;
    }
    if (ret == 0)
        ret = push_user_array(args, &args->envc, envp, buf);
    kfree(buf);
    if (ret < 0)
        seq_put(args->strings);
    return ret;
}

long sys_execve(const u64 *arg)
{
    struct proc *proc = proc_current();
    struct exec_args args;
    struct exec_image image;
    char *path;
    long ret = user_path(arg[0], &path);
    if (ret < 0)
        return ret;
    ret = *path ? exec_args_get(&args, arg[1], arg[2]) : -ENOENT;
    if (ret == 0) {
        ret = exec_load(proc->cwd, path, &args, &image);
        seq_put(args.strings);
    }
    kfree(path);
    if (ret < 0)
        return ret;
    proc_enter_image(proc, &image);
}

long sys_set_tid_address(const u64 *arg)
{
    proc_current()->clear_child_tid = arg[0];
    return proc_current()->pid;
}

long sys_set_robust_list(const u64 *arg)
{
    if (arg[1] != 24)
        return -EINVAL;
    proc_current()->robust_list = arg[0];
    return 0;
}

long sys_rseq(const u64 *arg) /* the C libraries do without */
{
    (void)arg;
    return -ENOSYS;
}

long sys_arch_prctl(const u64 *arg)
{
    struct thread *t = thread_current();
    bool set = (u32)arg[0] == ARCH_SET_FS || (u32)arg[0] == ARCH_SET_GS;
    if (set && arg[1] >= USER_LIMIT)
        return -EPERM;
    switch ((u32)arg[0]) {
    case ARCH_SET_FS:
        t->fs_base = arg[1];
        context_set_user_bases(t->fs_base, t->gs_base);
        return 0;
    case ARCH_SET_GS:
        t->gs_base = arg[1];
        context_set_user_bases(t->fs_base, t->gs_base);
        return 0;
    case ARCH_GET_FS:
        return put_user(arg[1], &t->fs_base, sizeof(u64));
    case ARCH_GET_GS:
        return put_user(arg[1], &t->gs_base, sizeof(u64));
    }
    return -EINVAL;
}

enum { PRCTL_SET_NAME = 15, PRCTL_GET_NAME = 16 };

long sys_prctl(const u64 *arg)
{
    struct proc *proc = proc_current();
    char name[sizeof(proc->name)];
    switch ((u32)arg[0]) {
    case PRCTL_SET_NAME: {
        long n = copy_string_from_user(name, arg[1], sizeof(name));
        if (n == -EFAULT)
            return n;
        name[sizeof(name) - 1] = '\0';
        string_copy(proc->name, name, sizeof(proc->name));
        return 0;
    }
    case PRCTL_GET_NAME:
        return put_user(arg[1], proc->name, sizeof(proc->name));
    }
    return -EINVAL;
}

/* ---- limits ---- */

static long limit_set(struct proc *proc, u32 resource, const struct abi_rlimit *new)
{
    if (new->cur > new->max)
        return -EINVAL;
    if (resource == RLIMIT_NOFILE) {
        if (new->max > FILES_MAX)
            return -EPERM;
        proc->files->limit = new->cur;
    }
    proc->rlimit[resource] = *new;
    return 0;
}

static long limit_call(u32 resource, vaddr_t new_at, vaddr_t old_at)
{
    struct proc *proc = proc_current();
    struct abi_rlimit new, old;
    if (resource >= ABI_RLIMITS)
        return -EINVAL;
    if (new_at && get_user(&new, new_at, sizeof(new)))
        return -EFAULT;
    old = proc->rlimit[resource];
    long ret = new_at ? limit_set(proc, resource, &new) : 0;
    if (ret == 0 && old_at)
        ret = put_user(old_at, &old, sizeof(old));
    return ret;
}

long sys_prlimit64(const u64 *arg)
{
    return of_self(arg[0]) < 0 ? -ESRCH : limit_call(arg[1], arg[2], arg[3]);
}

long sys_getrlimit(const u64 *arg)
{
    struct abi_rlimit *old =
        (u32)arg[0] < ABI_RLIMITS ? &proc_current()->rlimit[(u32)arg[0]] : NULL;
    return old ? put_user(arg[1], old, sizeof(*old)) : -EINVAL;
}

long sys_setrlimit(const u64 *arg)
{
    struct abi_rlimit new;
    if (get_user(&new, arg[1], sizeof(new)))
        return -EFAULT;
    return (u32)arg[0] < ABI_RLIMITS ? limit_set(proc_current(), arg[0], &new) : -EINVAL;
}

long sys_getrusage(const u64 *arg)
{
    int who = arg[0];
    if (who != 0 && who != -1 && who != 1)
        return -EINVAL;
    struct abi_rusage usage = {0};
    return put_user(arg[1], &usage, sizeof(usage));
}
