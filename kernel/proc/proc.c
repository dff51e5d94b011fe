/*
 * proc.c: the first process. It is made at boot in a thread of its own: descriptors 0 to 2 on the terminal or on the host's
 * stdio link, the program from init= with the words after "--" as arguments, PATH and HOME as its environment. Arguments that a command line
 * cannot hold may come in the file /init.args of the initramfs instead, each ended by a NUL; the file is then taken away.
 * A first program that cannot be run ends the machine with a message.
 */
#include "kernel/proc/proc.h"

#include "kernel/core/boot_info.h"
#include "kernel/core/cmdline.h"
#include "kernel/core/knob.h"
#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/core/time.h"
#include "kernel/fs/fs.h"
#include "kernel/fs/procfs.h"
#include "kernel/mm/slab.h"
#include "lib/errno_name.h"

static const char *const init_env[] = {"PATH=/bin", "HOME=/", "TERM=vt100"};

/* PID 1, as yet without a program. NULL without memory. */
static struct proc *create_first(void)
{
    struct proc *proc;
    if (proc_create(&proc) < 0)
        return NULL;
    ASSERT(proc->pid == PID_INIT, "the first process is process %u", proc->pid);
    proc->files = files_create();
    if (!proc->files)
        return NULL;
    proc->pgid = proc->sid = proc->pid;
    proc->exit_signal = SIGCHLD;
    proc->cwd = entry_get(fs_root);
    proc->umask = 022;
    proc_limits_init(proc);
    return proc;
}

enum { STDIO_CONSOLE, STDIO_LINK };
static const char *const stdio_words[] = {[STDIO_CONSOLE] = "console", [STDIO_LINK] = "link", NULL};
static struct knob stdio_knob = {.name = "stdio",
                                 .help = "where the first program's descriptors 0, 1 and 2 lead",
                                 .words = stdio_words,
                                 .boot_only = true};

static const char *init_path = "/bin/init";

static void read_options(void)
{
    const char *init = cmdline_option("init");
    if (init && *init)
        init_path = init;
}

/* Descriptors 0, 1 and 2. */
static int open_stdio(struct proc *proc)
{
    static const char *const console[] = {"/dev/console", "/dev/console", "/dev/console"};
    static const char *const link[] = {"/dev/hostin", "/dev/hostout", "/dev/hosterr"};
    for (int i = 0; i < 3; i++) {
        struct open_request q = {.start = fs_root,
                                 .path =
                                     knob_value(&stdio_knob) == STDIO_LINK ? link[i] : console[i],
                                 .flags = O_RDWR};
        struct file *file;
        int ret = file_open(&q, &file);
        if (ret < 0)
            return ret;
        int fd = files_reserve(proc->files, 0, false);
        files_install(proc->files, fd, file);
    }
    return 0;
}

static void push_string(struct exec_args *args, u32 *count, const char *s)
{
    seq_write(args->strings, s, strlen(s) + 1);
    (*count)++;
}

static const char args_path[] = "/init.args";

/* The strings of /init.args. 0, also without such a file (*found says whether there is one), or a negative errno. */
static int push_args_file(struct exec_args *args, bool *found)
{
    struct open_request q = {.start = fs_root, .path = args_path, .flags = O_RDONLY};
    struct file *file;
    char buf[256];
    char last = '\0';
    long n;
    *found = file_open(&q, &file) == 0;
    if (!*found)
        return 0;
    for (u64 pos = 0; (n = file_read_at(file, buf, sizeof(buf), pos)) > 0; pos += n) {
        for (long i = 0; i < n; i++)
            args->argc += buf[i] == '\0';
        seq_write(args->strings, buf, n);
        last = buf[n - 1];
    }
    file_put(file);
    if (last != '\0')
        push_string(args, &args->argc, "");
    fs_unlink(fs_root, args_path, false);
    return n < 0 ? n : 0;
}

static int init_args(struct exec_args *args, const char *path)
{
    u32 words;
    char *const *word = cmdline_init_args(&words);
    bool found;
    *args = (struct exec_args){.strings = seq_create()};
    if (!args->strings)
        return -ENOMEM;
    push_string(args, &args->argc, path);
    int ret = push_args_file(args, &found);
    if (ret < 0)
        return ret;
    for (u32 i = 0; i < words && !found; i++)
        push_string(args, &args->argc, word[i]);
    for (size_t i = 0; i < ARRAY_SIZE(init_env); i++)
        push_string(args, &args->envc, init_env[i]);
    return args->strings->error;
}

NORETURN static void no_init(const char *path, int error)
{
    panic_refuse("cannot run the first program %s: %s%s", path, errno_name(-error),
                 boot_info()->initramfs_length ? "" : " (the boot loader brought no initramfs)");
}

/* The first process's thread. */
static void init_thread(void *arg)
{
    struct proc *proc = arg;
    const char *path = init_path;
    struct exec_args args;
    struct exec_image image;
    proc->thread->proc = proc;
    int ret = open_stdio(proc);
    if (ret == 0)
        ret = init_args(&args, path);
    if (ret == 0)
        ret = exec_load(fs_root, path, &args, &image);
    if (ret < 0)
        no_init(path, ret);
    seq_put(args.strings);
    proc_enter_image(proc, &image);
}

void proc_init(void)
{
    knob_register(&stdio_knob);
    read_options();
    struct proc *proc = create_first();
    if (proc)
        proc->thread = thread_create("init", init_thread, proc_get(proc));
    if (!proc || !proc->thread)
        panic("no memory for the first process");
    signal_init();
    proc_files_init();
    procfs_register_knobs();
    thread_start(proc->thread);
}
