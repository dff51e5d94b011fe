/*
 * elf.c: the checks behind elf.h. Every sum of numbers from the file goes through add_ok, so nothing wraps.
 *
 *      file   |  header | ... |<- p_offset .. p_filesz ->|
 *      memory             start <- file bytes -> file_end <- zeroes -> mem_end
 *
 * Where Linux would start a program and kill it at once (a segment beyond the end of the file, no segment at all), Fathom
 * refuses with ENOEXEC: the old program is still there then, and the message names the reason.
 */
#include "kernel/proc/elf.h"

#include "lib/abi/errno.h"
#include "lib/string.h"

enum { PHDRS_MAX = 65536 / sizeof(struct elf64_program) };

/* *sum = a + b; false when it wraps. */
static bool add_ok(u64 a, u64 b, u64 *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

int elf_check_header(const void *head, u64 head_size, u64 file_size, u64 *phoff, u64 *phsize)
{
    struct elf64_header h;
    u64 end;
    if (head_size < sizeof(h))
        return -ENOEXEC;
    memcpy(&h, head, sizeof(h));
    if (memcmp(h.e_ident, "\177ELF", 4) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB)
        return -ENOEXEC;
    if ((h.e_type != ET_EXEC && h.e_type != ET_DYN) || h.e_machine != EM_X86_64)
        return -ENOEXEC;
    if (h.e_phentsize != sizeof(struct elf64_program) || h.e_phnum < 1 || h.e_phnum > PHDRS_MAX)
        return -ENOEXEC;
    *phoff = h.e_phoff;
    *phsize = (u64)h.e_phnum * sizeof(struct elf64_program);
    if (!add_ok(*phoff, *phsize, &end) || end > file_size)
        return -ENOEXEC;
    return 0;
}

static int check_load(const struct elf64_program *p, u64 file_size, const struct elf_geometry *g,
                      u64 bias, struct elf_segment *s)
{
    u64 mask = g->page_size - 1, end, vaddr, in_page = p->p_vaddr & mask;
    if (!add_ok(p->p_offset, p->p_filesz, &end) || p->p_filesz > p->p_memsz)
        return -EINVAL;
    if (end > file_size)
        return -ENOEXEC;
    if (p->p_filesz && (p->p_offset & mask) != in_page)
        return -EINVAL;
    if (!add_ok(p->p_vaddr, bias, &vaddr) || vaddr >= g->user_end)
        return -EINVAL;
    if (p->p_memsz > g->user_end - vaddr)
        return p->p_memsz > g->user_end ? -EINVAL : -ENOMEM;
    s->start = vaddr - in_page;
    s->file_offset = p->p_filesz ? p->p_offset - in_page : 0;
    s->file_end = p->p_filesz ? vaddr + p->p_filesz : s->start;
    s->mem_end = vaddr + p->p_memsz;
    s->flags = p->p_flags;
    return 0;
}

/* Segments come in ascending order and share no byte (they may share a page). */
static int add_segment(struct elf_plan *plan, const struct elf_segment *s, u64 first_byte)
{
    if (plan->segments == ELF_SEGMENTS_MAX)
        return -ENOEXEC;
    if (plan->segments && first_byte < plan->segment[plan->segments - 1].mem_end)
        return -EINVAL;
    plan->segment[plan->segments++] = *s;
    return 0;
}

static int check_program(const struct elf64_header *h, const struct elf64_program *p, u64 file_size,
                         const struct elf_geometry *g, struct elf_plan *plan)
{
    struct elf_segment s;
    u64 end;
    int ret;
    switch (p->p_type) {
    case PT_LOAD:
        if (p->p_memsz == 0)
            return p->p_filesz ? -EINVAL : 0;
        ret = check_load(p, file_size, g, plan->bias, &s);
        if (ret < 0)
            return ret;
        if (h->e_phoff >= p->p_offset && h->e_phoff - p->p_offset < p->p_filesz)
            plan->phdr = p->p_vaddr + plan->bias + (h->e_phoff - p->p_offset);
        return add_segment(plan, &s, p->p_vaddr + plan->bias);
    case PT_INTERP:
        if (p->p_filesz < 2 || p->p_filesz > 4096)
            return -ENOEXEC;
        if (!add_ok(p->p_offset, p->p_filesz, &end) || end > file_size)
            return -ENOEXEC;
        plan->interp_at = p->p_offset;
        plan->interp_size = p->p_filesz;
        return 0;
    case PT_GNU_STACK:
        plan->exec_stack = p->p_flags & PF_X;
        return 0;
    }
    return 0;
}

/* A position-independent file moves so that its first page lies at dyn_base. */
static u64 choose_bias(const struct elf64_header *h, const void *phdrs,
                       const struct elf_geometry *g)
{
    if (h->e_type != ET_DYN)
        return 0;
    for (u32 i = 0; i < h->e_phnum; i++) {
        struct elf64_program p;
        memcpy(&p, (const u8 *)phdrs + i * sizeof(p), sizeof(p));
        if (p.p_type == PT_LOAD)
            return g->dyn_base - align_down(p.p_vaddr, g->page_size);
    }
    return g->dyn_base;
}

int elf_check(const struct elf64_header *h, const void *phdrs, u64 file_size,
              const struct elf_geometry *g, struct elf_plan *plan)
{
    *plan = (struct elf_plan){.bias = choose_bias(h, phdrs, g), .phnum = h->e_phnum};
    for (u32 i = 0; i < h->e_phnum; i++) {
        struct elf64_program p;
        memcpy(&p, (const u8 *)phdrs + i * sizeof(p), sizeof(p));
        int ret = check_program(h, &p, file_size, g, plan);
        if (ret < 0)
            return ret;
    }
    if (!plan->segments)
        return -ENOEXEC;
    plan->entry = h->e_entry + plan->bias;
    if (plan->entry >= g->user_end)
        return -EINVAL;
    plan->brk = align_up(plan->segment[plan->segments - 1].mem_end, g->page_size);
    return 0;
}
