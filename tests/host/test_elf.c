/*
 * test_elf.c: elf_check against good files, against each kind of bad one with the errno it must get, cut at every byte, and
 * against some hundred thousand mutations, of which each accepted plan must hold what elf.h promises.
 */
#include <stdlib.h>

#include "kernel/proc/elf.h"
#include "lib/abi/errno.h"
#include "lib/string.h"
#include "tests/host/tap.h"

static const struct elf_geometry g = {4096, 0x7ffffffff000, 0x555555554000};

enum { PROGRAMS = 4 };

static struct image {
    struct elf64_header h;
    struct elf64_program p[PROGRAMS];
    u8 contents[8192];
} good;

static void make_good(void)
{
    memset(&good, 0, sizeof(good));
    memcpy(good.h.e_ident, "\177ELF\2\1\1", 7);
    good.h.e_type = ET_EXEC;
    good.h.e_machine = EM_X86_64;
    good.h.e_entry = 0x401000;
    good.h.e_phoff = sizeof(good.h);
    good.h.e_phentsize = sizeof(good.p[0]);
    good.h.e_phnum = PROGRAMS;
    good.p[0] = (struct elf64_program){PT_LOAD, PF_R, 0, 0x400000, 0, 0x600, 0x600, 4096};
    good.p[1] =
        (struct elf64_program){PT_LOAD, PF_R | PF_X, 0x1000, 0x401000, 0, 0x200, 0x200, 4096};
    good.p[2] =
        (struct elf64_program){PT_LOAD, PF_R | PF_W, 0x1200, 0x402200, 0, 0x100, 0x5000, 4096};
    good.p[3] = (struct elf64_program){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W};
}

static int check(const struct image *image, u64 size, struct elf_plan *plan)
{
    u64 phoff, phsize;
    int ret = elf_check_header(image, size, size, &phoff, &phsize);
    if (ret < 0)
        return ret;
    if (phoff + phsize > size)
        abort();
    return elf_check(&image->h, (const u8 *)image + phoff, size, &g, plan);
}

/* What elf.h promises of a plan. */
static bool plan_sane(const struct elf_plan *plan, u64 size)
{
    u64 last = 0;
    if (plan->segments < 1 || plan->segments > ELF_SEGMENTS_MAX || plan->entry >= g.user_end)
        return false;
    for (u32 i = 0; i < plan->segments; i++) {
        const struct elf_segment *s = &plan->segment[i];
        if (s->start % g.page_size || s->file_offset % g.page_size || s->start > s->file_end ||
            s->file_end > s->mem_end || s->mem_end > g.user_end || s->start >= s->mem_end)
            return false;
        if (s->file_end > s->start && s->file_offset + (s->file_end - s->start) > size)
            return false;
        if (s->mem_end <= last)
            return false;
        last = s->mem_end;
    }
    return plan->brk >= last && (!plan->interp_size || plan->interp_at + plan->interp_size <= size);
}

static void test_good(void)
{
    struct elf_plan plan;
    make_good();
    is(check(&good, sizeof(good), &plan), 0, "a static program");
    ok(plan_sane(&plan, sizeof(good)), "its plan is sane");
    is(plan.segments, 3, "three segments");
    is(plan.entry, 0x401000, "entry");
    is(plan.phdr, 0x400040, "program headers in memory");
    is(plan.brk, 0x408000, "the break after the last segment");
    is(plan.segment[2].start, 0x402000, "a segment begins at its page");
    is(plan.segment[2].file_offset, 0x1000, "and at its page of the file");
    ok(!plan.exec_stack, "no executable stack");
    good.h.e_type = ET_DYN;
    for (int i = 0; i < 3; i++)
        good.p[i].p_vaddr -= 0x400000;
    good.h.e_entry -= 0x400000;
    is(check(&good, sizeof(good), &plan), 0, "a position-independent program");
    is(plan.entry, 0x555555555000, "moves to two thirds of user space");
    is(plan.segment[0].start, 0x555555554000, "with its first page");
}

struct bad {
    const char *name;
    u64 *field; /* of good */
    u64 value;
    u8 size;
    int error;
};

#define BAD(text, field, value, error)                                                             \
    {                                                                                              \
        text, (u64 *)&good.field, value, sizeof(good.field), error                                 \
    }

static void test_bad(void)
{
    static const struct bad bads[] = {
        BAD("magic", h.e_ident[0], 0, -ENOEXEC),
        BAD("32-bit class", h.e_ident[4], 1, -ENOEXEC),
        BAD("big endian", h.e_ident[5], 2, -ENOEXEC),
        BAD("relocatable", h.e_type, 1, -ENOEXEC),
        BAD("core file", h.e_type, 4, -ENOEXEC),
        BAD("machine i386", h.e_machine, 3, -ENOEXEC),
        BAD("phentsize 55", h.e_phentsize, 55, -ENOEXEC),
        BAD("phentsize 0", h.e_phentsize, 0, -ENOEXEC),
        BAD("no program headers", h.e_phnum, 0, -ENOEXEC),
        BAD("65535 program headers", h.e_phnum, 65535, -ENOEXEC),
        BAD("program headers past the end", h.e_phoff, sizeof(good), -ENOEXEC),
        BAD("program headers that wrap", h.e_phoff, ~0ul - 8, -ENOEXEC),
        BAD("entry in the kernel", h.e_entry, 0xffffffff80000000, -EINVAL),
        BAD("entry at the limit", h.e_entry, 0x7ffffffff000, -EINVAL),
        BAD("segment at a kernel address", p[2].p_vaddr, 0xffffffff80000200, -EINVAL),
        BAD("segment at a non-canonical address", p[2].p_vaddr, 0x800000000200, -EINVAL),
        BAD("segment across the limit", p[2].p_vaddr, 0x7fffffffe200, -ENOMEM),
        BAD("memsz of 2^47", p[2].p_memsz, 1ul << 47, -EINVAL),
        BAD("memsz that wraps", p[2].p_memsz, ~0ul, -EINVAL),
        BAD("memsz of nearly all", p[2].p_memsz, 0x7fffffbff000, -ENOMEM),
        BAD("filesz above memsz", p[1].p_filesz, 0x201, -EINVAL),
        BAD("offset past the end", p[1].p_offset, 0x10000, -ENOEXEC),
        BAD("offset near the last number", p[1].p_offset, ~0ul << 12, -ENOEXEC),
        BAD("offset not of the address's kind", p[1].p_offset, 0x1004, -EINVAL),
        BAD("overlap with the one before", p[1].p_vaddr, 0x400000, -EINVAL),
        BAD("descending", p[2].p_vaddr, 0x10200, -EINVAL),
        BAD("interpreter of one byte", p[3].p_type, PT_INTERP, -ENOEXEC),
    };
    struct elf_plan plan;
    for (size_t i = 0; i < ARRAY_SIZE(bads); i++) {
        make_good();
        memcpy(bads[i].field, &bads[i].value, bads[i].size);
        is((long)check(&good, sizeof(good), &plan), (long)bads[i].error, "%s", bads[i].name);
    }
    make_good();
    for (int i = 0; i < 3; i++)
        good.p[i].p_type = 0;
    is((long)check(&good, sizeof(good), &plan), (long)-ENOEXEC, "no segment at all");
}

static void test_cut(void)
{
    struct elf_plan plan;
    size_t wrong = 0, needed = 0x1300; /* the last byte that a segment wants */
    make_good();
    for (size_t n = 0; n < sizeof(good); n++) {
        struct image *cut = malloc(n ? n : 1);
        memcpy(cut, &good, n);
        int ret = check(cut, n, &plan);
        wrong += ret != (n < needed ? -ENOEXEC : 0);
        free(cut);
    }
    is(wrong, 0, "cut at every byte: ENOEXEC until nothing is missing");
}

static u64 random_word(void)
{
    static const u64 edges[] = {
        0, 1, 0xfff, 0x1000, ~0ul, 1ul << 63, 0x7ffffffff000, 0x7fffffffefff, 1ul << 47};
    u64 r = (u64)rand() << 42 ^ (u64)rand() << 21 ^ (u64)rand();
    return r % 3 ? edges[r / 3 % ARRAY_SIZE(edges)] + (r >> 60) - 8 : r >> (rand() % 64);
}

static void test_mutations(void)
{
    struct elf_plan plan;
    size_t insane = 0, accepted = 0, strange = 0;
    srand(1);
    for (int turn = 0; turn < 300000; turn++) {
        make_good();
        if (turn & 1)
            good.h.e_type = ET_DYN;
        for (int k = rand() % 3; k >= 0; k--) {
            u64 word = random_word();
            size_t size = 1ul << rand() % 4, headers = sizeof(good.h) + sizeof(good.p);
            memcpy((u8 *)&good + rand() % (headers - 8), &word, size);
        }
        int ret = check(&good, sizeof(good), &plan);
        strange += ret != 0 && ret != -ENOEXEC && ret != -EINVAL && ret != -ENOMEM;
        if (ret == 0) {
            accepted++;
            insane += !plan_sane(&plan, sizeof(good));
        }
    }
    is(strange, 0, "mutations get no other error");
    is(insane, 0, "every accepted plan is sane");
    ok(accepted > 10000, "and many are accepted (%zu)", accepted);
}

int main(void)
{
    test_good();
    test_bad();
    test_cut();
    test_mutations();
    return tap_done();
}
