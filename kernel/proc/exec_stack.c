/*
 * exec_stack.c: what a new program finds on its stack (System V ABI for x86-64, section 3.4.1), highest first:
 *
 *      USER_END      8 zero bytes
 *                    path of the program                  AT_EXECFN
 *      env_end       environment strings
 *      arg_end       argument strings
 *      arg_start     "x86_64", 16 random bytes            AT_PLATFORM, AT_RANDOM
 *                    auxiliary vector ... AT_NULL
 *                    envp[0] ... NULL
 *                    argv[0] ... NULL
 *      sp            argc                                 16-byte aligned
 *
 * The strings come from a seq, a piece at a time, and pointers are written as their strings are met, so no table of them is
 * ever held. Everything is written through mm_write into an address space that nobody runs yet.
 */
#include "kernel/fs/procfs.h"
#include "kernel/proc/elf.h"
#include "kernel/proc/proc.h"
#include "kernel/x86/asm.h"
#include "lib/abi/auxv.h"
#include "lib/abi/mman.h"

enum { STACK_SPARE = 128 << 10, AUXV_PAIRS = 18, CHUNK = 512 };

struct word_writer {
    struct mm *mm;
    vaddr_t at;
    u32 n;
    int error;
    u64 word[64];
};

static void words_flush(struct word_writer *w)
{
    if (w->n && !w->error)
        w->error = mm_write(w->mm, w->at, w->word, w->n * sizeof(u64));
    w->at += w->n * sizeof(u64);
    w->n = 0;
}

static void word_put(struct word_writer *w, u64 word)
{
    if (w->n == ARRAY_SIZE(w->word))
        words_flush(w);
    w->word[w->n++] = word;
}

/* Copy the strings to at. */
static int write_strings(struct mm *mm, struct seq *strings, vaddr_t at)
{
    char buf[CHUNK];
    size_t n;
    for (u64 pos = 0; (n = seq_read(strings, buf, sizeof(buf), pos)) > 0; pos += n) {
        int ret = mm_write(mm, at + pos, buf, n);
        if (ret < 0)
            return ret;
    }
    return 0;
}

/* The pointers to count strings, the first of which starts at *pos of the seq that lies at base, and a NULL. */
static void put_pointers(struct word_writer *w, struct seq *strings, vaddr_t base, u64 *pos,
                         u32 count)
{
    char buf[CHUNK];
    size_t n;
    if (count)
        word_put(w, base + *pos);
    for (u64 at = *pos; count && (n = seq_read(strings, buf, sizeof(buf), at)) > 0; at += n) {
        for (size_t i = 0; i < n && count; i++) {
            if (buf[i] != '\0')
                continue;
            *pos = at + i + 1; /* where the next string starts */
            if (--count)
                word_put(w, base + *pos);
        }
    }
    word_put(w, 0);
}

static void put_aux(struct word_writer *w, u64 type, u64 value)
{
    word_put(w, type);
    word_put(w, value);
}

static void put_auxv(struct word_writer *w, const struct elf_plan *plan, vaddr_t platform,
                     vaddr_t random, vaddr_t execfn)
{
    put_aux(w, AT_HWCAP, cpuid(1, 0).edx);
    put_aux(w, AT_PAGESZ, PAGE_SIZE);
    put_aux(w, AT_CLKTCK, 100);
    put_aux(w, AT_PHDR, plan->phdr);
    put_aux(w, AT_PHENT, sizeof(struct elf64_program));
    put_aux(w, AT_PHNUM, plan->phnum);
    put_aux(w, AT_BASE, 0);
    put_aux(w, AT_FLAGS, 0);
    put_aux(w, AT_ENTRY, plan->entry);
    put_aux(w, AT_UID, 0);
    put_aux(w, AT_EUID, 0);
    put_aux(w, AT_GID, 0);
    put_aux(w, AT_EGID, 0);
    put_aux(w, AT_SECURE, 0);
    put_aux(w, AT_RANDOM, random);
    put_aux(w, AT_EXECFN, execfn);
    put_aux(w, AT_PLATFORM, platform);
    put_aux(w, AT_NULL, 0);
}

/* Map the stack: what is used at once and some more; it grows by faults. */
static int map_stack(struct mm *mm, u64 used, bool exec)
{
    u64 size = page_align_up(used + STACK_SPARE);
    struct mmap_request q = {
        .addr = USER_END - size,
        .length = size,
        .prot = PROT_READ | PROT_WRITE | (exec ? PROT_EXEC : 0),
        .flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN | MAP_STACK,
    };
    long ret = mm_mmap(mm, &q);
    if (ret == -EEXIST) /* a segment lies there */
        return -ENOMEM;
    return ret < 0 ? ret : 0;
}

int exec_stack(struct mm *mm, const struct exec_args *args, const char *path,
               const struct elf_plan *plan, vaddr_t *sp)
{
    static const char platform_name[16] = "x86_64";
    u64 strings = args->strings->bytes.size, path_size = strlen(path) + 1;
    u64 words = 1 + (args->argc + 1ul) + (args->envc + 1ul) + 2 * AUXV_PAIRS;
    if (strings + path_size + words * sizeof(u64) > EXEC_ARGS_MAX)
        return -E2BIG;
    vaddr_t execfn = USER_END - 8 - path_size, base = execfn - strings;
    vaddr_t platform = align_down(base, 16) - 16, random = platform - 16;
    *sp = align_down(random - words * sizeof(u64), 16);
    u8 bytes[16];
    random_fill(bytes, sizeof(bytes));
    int ret = map_stack(mm, USER_END - *sp, plan->exec_stack);
    if (ret == 0)
        ret = mm_write(mm, execfn, path, path_size);
    if (ret == 0)
        ret = write_strings(mm, args->strings, base);
    if (ret == 0)
        ret = mm_write(mm, platform, platform_name, sizeof(platform_name));
    if (ret == 0)
        ret = mm_write(mm, random, bytes, sizeof(bytes));
    if (ret < 0)
        return ret;
    struct word_writer w = {.mm = mm, .at = *sp};
    u64 pos = 0;
    word_put(&w, args->argc);
    put_pointers(&w, args->strings, base, &pos, args->argc);
    mm->arg_start = base;
    mm->arg_end = mm->env_start = base + pos;
    put_pointers(&w, args->strings, base, &pos, args->envc);
    mm->env_end = execfn;
    mm->stack_start = *sp;
    put_auxv(&w, plan, platform, random, execfn);
    words_flush(&w);
    return w.error;
}
