/*
 * guest.h: what the guest suites share.
 *
 * Each suite is one function in one file, listed in guest.c. A suite finds things out only by
 * system calls, so it runs on Linux too, where all its answers come from (tests/oracle). Memory is
 * tested without faulting: writing a byte to a file tells whether it can be read, reading one from
 * a file whether it can be written; both give EFAULT where a program would die. What must die is a
 * command of its own (die.c).
 */
#ifndef TESTS_GUEST_GUEST_H
#define TESTS_GUEST_GUEST_H

#include "tests/guest/tap.h"
#include "user/common/vm.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define USER_END (1ul << 47)
#define KERNEL_ADDRESS ((char *)0xffff800000000000ul)
#define NON_CANONICAL ((char *)0x800000000000ul)
#define RW (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

extern u64 page;    /* bytes of a page */
extern bool fathom; /* false: another kernel */

/* An address with room for pages and at least as much before and after it, in which nothing is
 * mapped; each call gives another place. */
char *area(u64 pages);
/* mmap at exactly p by FIXED; ends the program when it fails. */
char *map_at(char *p, u64 pages, int prot, int flags, int fd, u64 offset);
char *anon_at(char *p, u64 pages, int prot);
void unmap(char *p, u64 pages);

/* Open a new, nameless file on a tmpfs; ends the program when that fails. */
int temp_file(void);
/* The same with a name, which the caller unlinks. */
int named_file(char *name, size_t size);
/* A nameless file of pages, each filled with the byte first, first + 1, ... */
int filled_file(u64 pages, int first);
const char *temp_directory(void);

bool readable(const char *p);
bool writable(char *p); /* leaves the byte as it is where it is readable, else 0 */

struct map_line {
    u64 start, end, offset, inode;
    char prot[5];
    char name[128];
};
/* The lines of /proc/self/maps that touch [start, end), at most max. Returns their number. */
int maps_in(const char *start, u64 pages, struct map_line *lines, int max);
int vmas(const char *start, u64 pages); /* how many */

/* Deterministic numbers. */
u64 random_next(u64 *state);

void suite_mmap(void);
void suite_mmap_file(void);
void suite_munmap(void);
void suite_mprotect(void);
void suite_maps(void);
void suite_brk(void);
void suite_stack(void);
void suite_limits(void);
void suite_tmpfs(void);
void suite_files(void);
void suite_paths(void);
void suite_answers(void);
void suite_process(void);
void suite_exec(void);
void suite_efault(void);
void suite_junk(void);
void suite_vmcount(void);
void suite_vmcount_1tib(void);
void suite_knobs(void);
void suite_random(void);
void suite_memory(void);
void suite_time(void);
void suite_entry(void);
void suite_bugs(void);
void suite_edges(void);
void suite_rlimits(void);
void suite_faults(void);
void suite_cow(void);
void suite_mlock(void);
void suite_madvise(void);
void suite_remap(void);
void suite_mremap(void);
void suite_proc(void);
void suite_proc_machine(void);
void suite_pipe(void);
void suite_dev(void);
void suite_signal(void);
void suite_wait(void);
void suite_forks(void);
void suite_spawn(void);
void suite_stress(void);
void suite_select(void);

extern u64 random_seed;

/* Commands that end the program in their own way; return false for a name that is not one. */
bool die_command(const char *name);
void die_list(void);

/* Write an ELF file that ends with status 42; change it with exec_case. Used by die.c and
 * exec.c. */
void exec_write_good(const char *path);

#endif
