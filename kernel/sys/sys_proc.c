/*
 * sys_proc.c: calls about the process itself: who it is, exec, thread set-up. Its family is sys_family.c's.
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

/* A program that is new gets a table of descriptors of its own, if it was shared (CLONE_FILES). 0, or -ENOMEM with the
 * image put. */
static long unshare_files(struct proc *proc, struct exec_image *image)
{
    struct files *old = proc->files, *own;
    if (__atomic_load_n(&old->refs, __ATOMIC_ACQUIRE) == 1)
        return 0;
    own = files_copy(old);
    if (!own) {
        mm_put(image->mm);
        exe_put(image->exe);
        return -ENOMEM;
    }
    u64 flags = spin_lock_irq(&proc_table_lock);
    proc->files = own;
    spin_unlock_irq(&proc_table_lock, flags);
    files_put(old);
    return 0;
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
    if (ret == 0)
        ret = unshare_files(proc, &image);
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
    if (set && arg[1] >= USER_END)
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

static long set_name(struct proc *proc, vaddr_t from)
{
    char name[sizeof(proc->name)];
    long n = copy_string_from_user(name, from, sizeof(name));
    if (n == -EFAULT)
        return n;
    name[sizeof(name) - 1] = '\0';
    string_copy(proc->name, name, sizeof(proc->name));
    return 0;
}

/* Nothing here gives privileges and nobody dumps cores, so the last two are only kept. */
long sys_prctl(const u64 *arg)
{
    struct proc *proc = proc_current();
    switch ((u32)arg[0]) {
    case PR_SET_PDEATHSIG:
        if (arg[1] > ABI_SIGNALS)
            return -EINVAL;
        WRITE_ONCE(proc->death_signal, arg[1]);
        return 0;
    case PR_GET_PDEATHSIG:
        return put_user(arg[1], &proc->death_signal, sizeof(proc->death_signal));
    case PR_SET_NAME:
        return set_name(proc, arg[1]);
    case PR_GET_NAME:
        return put_user(arg[1], proc->name, sizeof(proc->name));
    case PR_SET_DUMPABLE:
        if (arg[1] > 1)
            return -EINVAL;
        proc->undumpable = !arg[1];
        return 0;
    case PR_GET_DUMPABLE:
        return !proc->undumpable;
    case PR_SET_NO_NEW_PRIVS:
        if (arg[1] != 1 || arg[2] || arg[3] || arg[4])
            return -EINVAL;
        proc->no_new_privs = true;
        return 0;
    case PR_GET_NO_NEW_PRIVS:
        return arg[1] || arg[2] || arg[3] || arg[4] ? -EINVAL : proc->no_new_privs;
    }
    return -EINVAL;
}
