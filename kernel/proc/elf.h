/*
 * elf.h: decides whether an ELF file can be run, and as which segments, without touching anything.
 *
 * Decode apart from perform: elf_check reads the file header and the program headers, which may be any bytes at all, and fills
 * in a plan that exec can follow blindly. Pure; also compiled for the host, where a test mutates every byte.
 */
#ifndef KERNEL_PROC_ELF_H
#define KERNEL_PROC_ELF_H

#include "lib/abi/elf.h"

struct elf_geometry { /* of the layout */
    u64 page_size;
    u64 user_end;
    u64 dyn_base; /* where a position-independent program goes */
};

/* One PT_LOAD, relocated. All ranges lie in [0, user_end) and do not wrap. */
struct elf_segment {
    u64 start;       /* page aligned */
    u64 file_offset; /* page aligned; the file's bytes go to [start, file_end) */
    u64 file_end;    /* start when there are none */
    u64 mem_end;     /* [file_end, mem_end) is zero */
    u32 flags;       /* PF_ */
};

enum { ELF_SEGMENTS_MAX = 64 };

struct elf_plan {
    u64 entry;
    u64 bias;
    u64 phdr; /* AT_PHDR: where the program headers are in memory, 0: nowhere */
    u16 phnum;
    bool exec_stack;            /* PT_GNU_STACK with PF_X */
    u64 brk;                    /* page-aligned end of the highest segment */
    u64 interp_at, interp_size; /* PT_INTERP; size 0: none */
    u32 segments;
    struct elf_segment segment[ELF_SEGMENTS_MAX];
};

/* Is it an ELF header for this machine? Gives where the program headers are. 0, -ENOEXEC. head: the file's first bytes. */
int elf_check_header(const void *head, u64 head_size, u64 file_size, u64 *phoff, u64 *phsize);

/* phdrs: the e_phnum program headers, of the size elf_check_header gave, any alignment.
 * 0, -ENOEXEC, -EINVAL (addresses or offsets that make no sense), -ENOMEM (does not fit into user space). */
int elf_check(const struct elf64_header *header, const void *phdrs, u64 file_size,
              const struct elf_geometry *g, struct elf_plan *plan);

#endif
