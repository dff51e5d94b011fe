/*
 * proc_maps.h: the lines of /proc/PID/maps and smaps. Also asked by who reports a fault.
 */
#ifndef KERNEL_FS_PROC_MAPS_H
#define KERNEL_FS_PROC_MAPS_H

#include "kernel/mm/mm.h"

/* Lines of /proc/PID/maps for the VMAs that end above *addr: as many as fit into buf whole, or one,
 * cut to size; moves *addr to the end of the last. Returns the length, 0 after the last VMA,
 * -ENOMEM. proc_maps_line: one at a time. => mm may be another process's; size at least 2; may
 * sleep. */
int proc_maps_lines(struct mm *mm, vaddr_t *addr, char *buf, size_t size);
int proc_maps_line(struct mm *mm, vaddr_t *addr, char *buf, size_t size);

/* As proc_maps_line, with what is mapped there (added to *usage) and the VMA's bounds and flags. */
struct proc_vma_info {
    vaddr_t start, end;
    u32 flags;
};
int proc_smaps_line(struct mm *mm, vaddr_t *addr, char *buf, size_t size,
                    struct proc_vma_info *info, struct mm_usage *usage);

#endif
