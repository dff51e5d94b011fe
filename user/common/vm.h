/*
 * vm.h: what Fathom's user programs ask the kernel about memory.
 *
 * Knobs are files below /proc/sys (the knob "vm.zap" is /proc/sys/vm/zap), counters are the lines
 * of /proc/self/vmcount, and the map of this program is /proc/self/maps. On another kernel knobs
 * and counters are not there, and the calls say so. Everything is read into fixed buffers by plain
 * read(), so that looking does not change the map that is looked at. No locks: one thread.
 */
#ifndef USER_COMMON_VM_H
#define USER_COMMON_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t u64;

/* Print "program: message: error" to stderr and exit with status 1. error 0: without the last
 * part. */
void vm_die(int error, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
extern const char *vm_program; /* the name that vm_die prints */

/* Read a whole small file as a string. Returns its length, or -1 and errno. Cut at size - 1. */
long vm_read_file(const char *path, char *buf, size_t size);

/* A knob's text without the newline. False when this kernel has no such knob. */
bool vm_knob_get(const char *name, char *value, size_t size);
/* False and errno: EINVAL for a value that the kernel does not offer. */
bool vm_knob_set(const char *name, const char *value);

/* The counters of /proc/self/vmcount that the mails' programs and the tests look at, and the same
 * for their differences. */
#define VM_COUNTERS(X)                                                                             \
    X(zap_calls)                                                                                   \
    X(pgd_reads)                                                                                   \
    X(p4d_reads)                                                                                   \
    X(pud_reads)                                                                                   \
    X(pmd_reads)                                                                                   \
    X(pte_reads)                                                                                   \
    X(free_reads)                                                                                  \
    X(vma_steps)                                                                                   \
    X(vma_allocs)                                                                                  \
    X(vma_splits)                                                                                  \
    X(vma_merges)                                                                                  \
    X(vma_rotations)                                                                               \
    X(faults)                                                                                      \
    X(cow_copies)                                                                                  \
    X(tables_allocated)                                                                            \
    X(tables_freed)

struct vm_counters {
#define X(name) u64 name;
    VM_COUNTERS(X)
#undef X
};

/* False when this kernel has no counters; then *out is zero. */
bool vm_counters_read(struct vm_counters *out);
struct vm_counters vm_counters_since(const struct vm_counters *before,
                                     const struct vm_counters *after);

/* Add what lies between before and after to sum. */
void vm_counters_add(struct vm_counters *sum, const struct vm_counters *before,
                     const struct vm_counters *after);

/* How many lines of /proc/self/maps touch [start, end): the VMAs that the kernel counts there. Any
 * number of them, so it takes its time. */
u64 vm_vmas(u64 start, u64 end);

/* The page table of this machine, as far as the page's size tells it: 8-byte entries, a page of
 * them to a table. */
struct vm_geometry {
    u64 page;
    u64 entries; /* in a table */
    u64 pmd;     /* bytes under one pmd entry: a pte table's worth */
    u64 pud;
    u64 pgd;
    u64 user_end; /* where user addresses of plain mmap end */
};
struct vm_geometry vm_geometry(void);

/* The lowest multiple of align, not 0, at which length bytes are free, with nothing mapped up to
 * the next multiple of align behind them; 0 when there is none. */
u64 vm_find_free(u64 align, u64 length, u64 limit);

/* A number with commas between the thousands. One of eight buffers, used in turn. */
const char *vm_commas(u64 n);
/* A time with a unit that keeps three to six digits. One of eight buffers. */
const char *vm_time(u64 ns);
u64 vm_now(void); /* nanoseconds of a clock that only goes on */

#endif
