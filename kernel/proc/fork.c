/*
 * fork.c: a child process: fork, vfork and clone are one call with different flags.
 *
 *      proc_fork     make all that can be refused: number, files, memory, thread
 *                    -> join the family -> start the thread -> with CLONE_VFORK wait
 *      child_start   the child's thread: the parent's registers, with 0 as the call's result
 *
 *                  fork               vfork, posix_spawn      CLONE_FILES
 *      memory      copied on write    shared, CLONE_VM
 *      files       copied table                               shared
 *
 * Until it has joined the family nobody knows the child but by its number; what fails before that is undone in abandon.
 */
#include "kernel/core/panic.h"
#include "kernel/mm/slab.h"
#include "kernel/proc/proc.h"
#include "kernel/x86/context.h"
#include "kernel/x86/trap.h"
#include "kernel/x86/usercopy.h"
#include "lib/abi/errno.h"
#include "lib/abi/wait.h"

/* What the child's thread begins with. */
struct birth {
    struct trap_frame frame;
    vaddr_t tid; /* where it writes its number; 0: nowhere */
    struct proc *child;
};

/* The first function of the child's thread. */
static void child_start(void *arg)
{
    struct birth birth = *(struct birth *)arg;
    u32 pid = birth.child->pid;
    kfree(arg);
    if (birth.tid && copy_to_user(birth.tid, &pid, sizeof(pid)))
        birth.tid = 0; /* it does not learn it: as on Linux no reason to fail */
    enter_user(&birth.frame);
}

static struct birth *birth_make(struct proc *child, const struct fork_request *request)
{
    struct birth *birth = kmalloc(sizeof(*birth));
    if (!birth)
        return NULL;
    *birth = (struct birth){
        .frame = *trap_user_frame(thread_current()->stack_top),
        .tid = request->flags & CLONE_CHILD_SETTID ? request->child_tid : 0,
        .child = child,
    };
    birth->frame.rax = 0;
    if (request->stack)
        birth->frame.rsp = request->stack;
    return birth;
}

/* Files, directories and memory of the child. 0 or -ENOMEM: what is there is abandon's. */
static int copy_belongings(struct proc *child, struct proc *parent, u64 flags)
{
    child->files = flags & CLONE_FILES ? files_share(parent->files) : files_copy(parent->files);
    child->cwd = entry_get(parent->cwd);
    child->exe = exe_get(parent->exe);
    if (!child->files)
        return -ENOMEM;
    child->mm = flags & CLONE_VM ? mm_get(parent->mm) : mm_fork(parent->mm);
    return child->mm ? 0 : -ENOMEM;
}

static void copy_properties(struct proc *child, const struct proc *parent,
                            const struct fork_request *request)
{
    memcpy(child->name, parent->name, sizeof(child->name));
    child->umask = parent->umask;
    child->undumpable = parent->undumpable;
    child->no_new_privs = parent->no_new_privs;
    if (request->flags & CLONE_CHILD_CLEARTID)
        child->clear_child_tid = request->child_tid;
    child->exit_signal = request->exit_signal;
    signal_fork(child, parent, (request->flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM);
}

/* Its thread, with the parent's x87 and SSE registers and segment bases. 0 or -ENOMEM. */
static int make_thread(struct proc *child, const struct fork_request *request)
{
    struct thread *self = thread_current();
    struct birth *birth = birth_make(child, request);
    struct thread *t = birth ? thread_create(child->name, child_start, birth) : NULL;
    if (!t) {
        kfree(birth);
        return -ENOMEM;
    }
    fpu_save(t->fxsave);
    t->fs_base = request->flags & CLONE_SETTLS ? request->tls : self->fs_base;
    t->gs_base = self->gs_base;
    t->space = &child->mm->pt.hw;
    t->proc = proc_get(child);
    child->thread = t;
    return 0;
}

/* child never ran; give back what it has. */
static void abandon(struct proc *child)
{
    u64 flags = spin_lock_irq(&proc_table_lock); /* others may be looking at it by its number */
    struct mm *mm = child->mm;
    struct files *files = child->files;
    struct entry *cwd = child->cwd, *exe = child->exe;
    child->mm = NULL;
    child->files = NULL;
    child->cwd = child->exe = NULL;
    spin_unlock_irq(&proc_table_lock, flags);
    if (mm)
        mm_put(mm);
    if (files)
        files_put(files);
    if (cwd)
        entry_put(cwd);
    if (exe)
        exe_put(exe);
    proc_remove(child);
}

static void join_family(struct proc *child, struct proc *parent)
{
    u64 flags = spin_lock_irq(&proc_table_lock);
    child->pgid = parent->pgid;
    child->sid = parent->sid;
    child->nice = parent->nice;
    memcpy(child->rlimit, parent->rlimit, sizeof(child->rlimit));
    child->parent = parent;
    list_add_tail(&parent->children, &child->sibling);
    spin_unlock_irq(&proc_table_lock, flags);
}

/* The child runs in this process's memory, often on its stack: wait until it has its own or has ended. A parent that is
 * killed does not wait: nothing of it is needed any more but the memory, which the child has a share in. */
static void wait_for_vfork(struct proc *child)
{
    u64 flags = spin_lock_irq(&child->wait.lock);
    while (!child->vfork_done && wait_sleep_killable(&child->wait, &flags))
        continue;
    spin_unlock_irq(&child->wait.lock, flags);
}

void proc_vfork_done(struct proc *child)
{
    u64 flags = spin_lock_irq(&child->wait.lock);
    child->vfork_done = true;
    wait_wake_all_locked(&child->wait);
    spin_unlock_irq(&child->wait.lock, flags);
}

long proc_fork(const struct fork_request *request)
{
    struct proc *parent = proc_current(), *child;
    int ret = proc_create(&child);
    if (ret < 0)
        return ret;
    u32 pid = child->pid;
    ret = copy_belongings(child, parent, request->flags);
    if (ret == 0) {
        copy_properties(child, parent, request);
        ret = make_thread(child, request);
    }
    if (ret < 0) {
        abandon(child);
        return ret;
    }
    if (request->flags & CLONE_PARENT_SETTID &&
        copy_to_user(request->parent_tid, &pid, sizeof(pid)))
        ret = 0; /* as Linux: the child is there all the same */
    proc_get(child);
    join_family(child, parent);
    thread_start(child->thread);
    if (request->flags & CLONE_VFORK)
        wait_for_vfork(child);
    proc_put(child);
    return pid;
}
