/*
 * proc_maps.h: what /proc/PID shows of an address space, which may be another process's: the lines
 * of maps and smaps, sums, sizes. Also asked by who reports a fault.
 */
#ifndef KERNEL_FS_PROC_MAPS_H
#define KERNEL_FS_PROC_MAPS_H

#include "kernel/mm/mm.h"

/* Lines of /proc/PID/maps for the VMAs that end above *addr: as many as fit into buf whole, or one,
 * cut to size; moves *addr to the end of the last. Returns the length, 0 after the last VMA,
 * -ENOMEM. proc_maps_line: one at a time. => size at least 2; may sleep. */
int proc_maps_lines(struct mm *mm, vaddr_t *addr, char *buf, size_t size);
int proc_maps_line(struct mm *mm, vaddr_t *addr, char *buf, size_t size);

/* What the entries of a range lead to. In bytes; pss (a page's share of each of its maps) in
 * 1/2^PSS_SHIFT of a byte. */
enum { PSS_SHIFT = 12 };
struct mm_usage {
    u64 rss, pss, pss_dirty, shared_clean, shared_dirty, private_clean, private_dirty, referenced,
        anonymous, pss_anon, pss_file, locked;
};
/* Add up what vma's entries lead to. => mm.lock held for read. */
void proc_usage_sum(struct mm *mm, const struct vma *vma, struct mm_usage *usage);

/* As proc_maps_line, with what is mapped there (added to *usage) and the VMA's bounds and flags. */
struct proc_vma_info {
    vaddr_t start, end;
    u32 flags;
};
int proc_smaps_line(struct mm *mm, vaddr_t *addr, char *buf, size_t size,
                    struct proc_vma_info *info, struct mm_usage *usage);

/* Pages, as /proc/PID/status and statm tell them. Every file lies in memory, so what Linux calls
 * pages of files is none, and those are shared memory, as there for tmpfs. */
struct mm_sizes {
    u64 total, peak, locked, data, stack, exec;
    u64 rss_anon, rss_shared, rss_peak, tables;
};
/* => takes no lock: each number is right by itself. */
void proc_mm_sizes(struct mm *mm, struct mm_sizes *sizes);

#endif
