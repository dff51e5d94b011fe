/*
 * die.c: commands that end the program in their own way; die.t and the oracle check with which
 * status.
 */
#include "tests/guest/guest.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static void null_read(void)
{
    *(volatile char *)0;
}

static void null_write(void)
{
    *(volatile char *)8 = 1;
}

static void write_ro(void)
{
    *(volatile char *)anon_at(area(1), 1, PROT_READ) = 1;
}

static void write_text(void)
{
    *(volatile char *)die_command = 1;
}

static void write_protected(void)
{
    char *p = anon_at(area(1), 1, RW);

    *(volatile char *)p = 1;
    mprotect(p, page, PROT_READ);
    *(volatile char *)p = 2;
}

static void read_none(void)
{
    *(volatile char *)anon_at(area(1), 1, PROT_NONE);
}

static void exec_nx(void)
{
    char *p = anon_at(area(1), 1, RW);

    *p = (char)0xc3;
    ((void (*)(void))p)();
}

static void exec_protected(void)
{
    char *p = anon_at(area(1), 1, RW | PROT_EXEC);

    *p = (char)0xc3;
    ((void (*)(void))p)();
    mprotect(p, page, RW);
    ((void (*)(void))p)();
}

static void after_munmap(void)
{
    char *p = anon_at(area(3), 3, RW);

    p[page] = 1;
    unmap(p + page, 1);
    *(volatile char *)(p + page);
}

static void past_end(void)
{
    int fd = temp_file();
    char *p = map_at(area(2), 2, RW, MAP_SHARED, fd, 0);

    if (ftruncate(fd, page))
        _exit(99);
    *(volatile char *)p = 1;
    *(volatile char *)(p + page) = 1;
}

static void past_cut(void)
{
    int fd = temp_file();
    char *p = map_at(area(1), 1, RW, MAP_PRIVATE, fd, 0);

    if (ftruncate(fd, page))
        _exit(99);
    *(volatile char *)p = 1;
    if (ftruncate(fd, 0))
        _exit(99);
    *(volatile char *)p;
}

static void kernel_read(void)
{
    *(volatile char *)KERNEL_ADDRESS;
}

static void kernel_write(void)
{
    *(volatile char *)0xffffffff80100000 = 1;
}

static void kernel_exec(void)
{
    ((void (*)(void))0xffffffff80100000)();
}

static void non_canonical(void)
{
    *(volatile char *)NON_CANONICAL;
}

static void non_canonical_exec(void)
{
    ((void (*)(void))NON_CANONICAL)();
}

static void last_page(void)
{
    *(volatile char *)(USER_END - 1);
}

static void undefined(void)
{
    __asm__ volatile("ud2");
}

static void divide(void)
{
    __asm__ volatile("idivl %0" ::"r"(0), "a"(1), "d"(0));
}

static void privileged(void)
{
    __asm__ volatile("cli");
}

static void port(void)
{
    __asm__ volatile("outl %0, %1" ::"a"(0), "Nd"((short)0xf4));
}

static void breakpoint(void)
{
    __asm__ volatile("int3");
}

static void bad_interrupt(void)
{
    __asm__ volatile("int $0x21");
}

static void bad_stack(void)
{
    __asm__ volatile("mov $0x800000000000, %%rax; mov %%rax, %%rsp; push %%rax" ::: "memory");
}

static void no_stack(void)
{
    __asm__ volatile("xor %%esp, %%esp; push %%rax" ::: "memory");
}

static void flags(void) /* the alignment check and the direction flag set at a system call */
{
    __asm__ volatile("std");
    long n = syscall(SYS_getpid);
    __asm__ volatile("cld");
    _exit(n > 0 ? 55 : 56);
}

/* Where a far jump goes on; R8 has the stack pointer. */
#define FAR_TARGET "1: mov %%r8, %%rsp"

static void far_return(void)
{
    __asm__ volatile("mov %%rsp, %%r8; sub $128, %%rsp; pushq $0x33; pushq $1f; lretq; " FAR_TARGET
                     :
                     :
                     : "r8", "memory");
    _exit(57);
}

/* The words that the far return takes lie in two pages that nobody has touched. */
static void far_return_untouched(void)
{
    extern char far_untouched[];
    int fd = temp_file();
    u64 words[2] = {(u64)far_untouched, 0x33};

    if (pwrite(fd, words, sizeof words, page - 8) != sizeof words || ftruncate(fd, 2 * page))
        _exit(99);
    char *p = map_at(area(2), 2, RW, MAP_PRIVATE, fd, 0);
    __asm__ volatile("mov %%rsp, %%r8; mov %0, %%rsp; lretq; .globl far_untouched; far_untouched: "
                     "mov %%r8, %%rsp"
                     :
                     : "r"(p + page - 8)
                     : "r8", "memory");
    _exit(59);
}

static void interrupt_return(void)
{
    __asm__ volatile("mov %%rsp, %%r8; sub $128, %%rsp; pushq $0x2b; pushq %%r8; pushq $0x202; "
                     "pushq $0x33; pushq $1f; iretq; " FAR_TARGET
                     :
                     :
                     : "r8", "memory");
    _exit(58);
}

static void bad_interrupt_return(void)
{
    __asm__ volatile("pushq $0; pushq $0; pushq $0x202; pushq $0x33; pushq $0; iretq");
}

static void far_return_kernel(void)
{
    __asm__ volatile("pushq $0x10; pushq $1f; lretq; 1: ud2");
}

static void far_return_bad_stack(void)
{
    __asm__ volatile("xor %%esp, %%esp; lretq" ::: "memory");
}

/* There is no 32-bit code in Fathom. */
static void far_return_32(void)
{
    __asm__ volatile("pushq $0x23; pushq $1f; lretq; 1: int3");
}

static int recurse(volatile char *above)
{
    volatile char here[1024];

    here[0] = above ? above[0] + 1 : 0;
    return recurse(here) + here[0];
}

static void stack_overflow(void)
{
    recurse(NULL);
}

static void aborts(void)
{
    abort();
}

static void terminate(void)
{
    raise(SIGTERM);
}

static void killed(void)
{
    raise(SIGKILL);
}

static void exit_77(void)
{
    exit(77);
}

static void exit_0(void)
{
    exit(0);
}

static void exit_256(void)
{
    syscall(SYS_exit_group, 256 + 3);
}

static void exit_thread(void)
{
    syscall(SYS_exit, 9);
}

/* Touch memory until there is no more: mmap refuses (status 50) or the program is killed. */
static void oom(void)
{
    for (;;) {
        char *p = mmap(NULL, 16 << 20, RW, ANON | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            _exit(errno == ENOMEM ? 50 : 51);
        for (u64 at = 0; at < 16 << 20; at += page)
            p[at] = 1;
    }
}

/* Fill a file until there is no more: write refuses (status 50) or the program is killed. */
static void oom_file(void)
{
    static char buf[65536];
    int fd = temp_file();

    while (write(fd, buf, sizeof buf) > 0)
        ;
    _exit(errno == ENOSPC || errno == ENOMEM ? 50 : 51);
}

/* Map and touch one page in each 2 MiB: it is the tables that fill memory. */
static void oom_tables(void)
{
    char *p = mmap(NULL, 1ul << 44, RW, ANON | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        _exit(errno == ENOMEM ? 50 : 51);
    for (u64 at = 0; at < 1ul << 44; at += 2 << 20)
        p[at] = 1;
    _exit(52);
}

static void exec_good(void)
{
    char path[64];
    char *argv[] = {path, NULL};

    snprintf(path, sizeof path, "%s/guest-good-%d", temp_directory(), (int)getpid());
    exec_write_good(path);
    execve(path, argv, argv + 1);
    _exit(99);
}

static const struct {
    const char *name;
    void (*run)(void);
} commands[] = {
    {"die-segv-null", null_read},
    {"die-segv-null-write", null_write},
    {"die-write-ro", write_ro},
    {"die-write-text", write_text},
    {"die-write-protected", write_protected},
    {"die-read-none", read_none},
    {"die-exec-nx", exec_nx},
    {"die-exec-protected", exec_protected},
    {"die-after-munmap", after_munmap},
    {"die-bus-eof", past_end},
    {"die-bus-cut", past_cut},
    {"die-kernel-addr", kernel_read},
    {"die-kernel-write", kernel_write},
    {"die-kernel-exec", kernel_exec},
    {"die-noncanonical", non_canonical},
    {"die-noncanonical-exec", non_canonical_exec},
    {"die-last-page", last_page},
    {"die-ill", undefined},
    {"die-term", terminate},
    {"die-kill", killed},
    {"die-fpe", divide},
    {"die-privileged", privileged},
    {"die-port", port},
    {"die-trap", breakpoint},
    {"die-int", bad_interrupt},
    {"die-bad-stack", bad_stack},
    {"die-no-stack", no_stack},
    {"die-stack-overflow", stack_overflow},
    {"die-abort", aborts},
    {"die-far-kernel", far_return_kernel},
    {"die-far-32", far_return_32},
    {"die-far-no-stack", far_return_bad_stack},
    {"die-iret", bad_interrupt_return},
    {"far-return", far_return},
    {"far-return-untouched", far_return_untouched},
    {"iret", interrupt_return},
    {"flags", flags},
    {"exit-0", exit_0},
    {"exit-77", exit_77},
    {"exit-259", exit_256},
    {"exit-thread", exit_thread},
    {"exec-good", exec_good},
    {"oom", oom},
    {"oom-file", oom_file},
    {"oom-tables", oom_tables},
};

bool die_command(const char *name)
{
    static const struct rlimit no_core = {0, 0};

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(name, commands[i].name)) {
            setrlimit(RLIMIT_CORE, &no_core);
            commands[i].run();
            return true;
        }
    return false;
}

void die_list(void)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stderr, " %s", commands[i].name);
    fputc('\n', stderr);
}
