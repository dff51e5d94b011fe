/*
 * test_exec.c: exec_load: a program in a new address space, its stack word by word, scripts, refusals, and every allocation
 * made to fail in turn, after each of which all memory is back.
 */
#include <stdlib.h>

#include "kernel/fs/procfs.h"
#include "kernel/proc/elf.h"
#include "kernel/proc/proc.h"
#include "lib/abi/auxv.h"
#include "tests/host/standin/fs.h"

static struct {
    struct elf64_header h;
    struct elf64_program p[3];
    u8 contents[8192];
} image;

static void make_image(void)
{
    memset(&image, 0x11, sizeof(image));
    memset(&image.h, 0, sizeof(image.h) + sizeof(image.p));
    memcpy(image.h.e_ident, "\177ELF\2\1\1", 7);
    image.h.e_type = ET_EXEC;
    image.h.e_machine = EM_X86_64;
    image.h.e_entry = 0x401000;
    image.h.e_phoff = sizeof(image.h);
    image.h.e_phentsize = sizeof(image.p[0]);
    image.h.e_phnum = 3;
    image.p[0] = (struct elf64_program){PT_LOAD, PF_R | PF_X, 0, 0x400000, 0, 0x1200, 0x1200, 4096};
    image.p[1] =
        (struct elf64_program){PT_LOAD, PF_R | PF_W, 0x1200, 0x402200, 0, 0x100, 0x3000, 4096};
    image.p[2] = (struct elf64_program){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W};
}

static int install(const char *path)
{
    return host_make_file(path, &image, sizeof(image), 0755);
}

static int args_make(struct exec_args *args, const char *const *argv, const char *const *envp)
{
    *args = (struct exec_args){.strings = seq_create()};
    if (!args->strings)
        return -ENOMEM;
    for (; *argv; argv++, args->argc++)
        seq_write(args->strings, *argv, strlen(*argv) + 1);
    for (; *envp; envp++, args->envc++)
        seq_write(args->strings, *envp, strlen(*envp) + 1);
    return args->strings->error;
}

static const char *const argv[] = {"prog", "", "third argument", NULL};
static const char *const envp[] = {"PATH=/bin", "X=", NULL};

/* Load path; on success the image is the caller's. Arguments are given back. */
static int load(const char *path, struct exec_image *out)
{
    struct exec_args args;
    int ret = args_make(&args, argv, envp);
    if (ret == 0)
        ret = exec_load(fs_root, path, &args, out);
    seq_put(args.strings);
    return ret;
}

static void drop(struct exec_image *out)
{
    mm_put(out->mm);
    exe_put(out->exe);
}

/* The bytes at a user address of an address space that does not run. */
static void peek(struct mm *mm, vaddr_t addr, void *to, size_t n)
{
    for (u8 *out = to; n; n--, addr++) {
        struct page *page = NULL;
        enum fault_result result = mm_fault(mm, addr, FAULT_READ);
        if (result == FAULT_DONE || result == FAULT_ALLOWED)
            page = host_access(&mm->pt.hw, addr, RIGHT_READ);
        *out++ = page ? ((u8 *)page_to_virt(page))[addr & ~PAGE_MASK] : 0xee;
    }
}

static u64 peek_word(struct mm *mm, vaddr_t addr)
{
    u64 word;
    peek(mm, addr, &word, sizeof(word));
    return word;
}

static bool string_at(struct mm *mm, vaddr_t addr, const char *want)
{
    char buf[64];
    peek(mm, addr, buf, strlen(want) + 1);
    return strcmp(buf, want) == 0;
}

static u64 aux_value(struct mm *mm, vaddr_t at, u64 type)
{
    for (int i = 0; i < 40; i++, at += 16)
        if (peek_word(mm, at) == type)
            return peek_word(mm, at + 8);
    return ~0ul;
}

static void test_stack(void)
{
    struct exec_image out;
    host_begin();
    is(load("/tmp/prog", &out), 0, "load a program");
    struct mm *mm = out.mm;
    is(out.sp % 16, 0, "the stack is aligned to 16");
    is(peek_word(mm, out.sp), 3, "argc");
    for (int i = 0; i < 3; i++)
        ok(string_at(mm, peek_word(mm, out.sp + 8 + 8 * i), argv[i]), "argv[%d] is \"%s\"", i,
           argv[i]);
    is(peek_word(mm, out.sp + 32), 0, "argv ends");
    for (int i = 0; i < 2; i++)
        ok(string_at(mm, peek_word(mm, out.sp + 40 + 8 * i), envp[i]), "envp[%d] is \"%s\"", i,
           envp[i]);
    is(peek_word(mm, out.sp + 56), 0, "envp ends");
    vaddr_t aux = out.sp + 64;
    is(aux_value(mm, aux, AT_PAGESZ), PAGE_SIZE, "AT_PAGESZ");
    is(aux_value(mm, aux, AT_ENTRY), 0x401000, "AT_ENTRY");
    is(aux_value(mm, aux, AT_PHDR), 0x400040, "AT_PHDR");
    is(aux_value(mm, aux, AT_PHNUM), 3, "AT_PHNUM");
    ok(string_at(mm, aux_value(mm, aux, AT_EXECFN), "/tmp/prog"), "AT_EXECFN");
    ok(string_at(mm, aux_value(mm, aux, AT_PLATFORM), "x86_64"), "AT_PLATFORM");
    is(peek_word(mm, aux_value(mm, aux, AT_RANDOM)), 0x5a5a5a5a5a5a5a5a, "AT_RANDOM");
    is(mm->env_start, mm->arg_start + sizeof("prog") + 1 + sizeof("third argument"),
       "where the arguments end");
    u8 bytes[4];
    peek(mm, 0x4022fe, bytes, 4);
    ok(bytes[1] == 0x11 && bytes[2] == 0 && bytes[3] == 0, "the file's bytes end in zeroes");
    is(peek_word(mm, 0x405000), 0, "and so does the page behind");
    is(mm->brk, 0x406000, "the break");
    mm_check(mm);
    drop(&out);
    host_end("a loaded program");
}

/* More strings than a piece, and strings longer than one. */
static void test_long_arguments(void)
{
    static char text[3000];
    struct exec_args args = {.strings = seq_create()};
    struct exec_image out;
    size_t wrong = 0;
    for (u32 i = 0; i < 700; i++) {
        size_t n = i % 7 == 3 ? 600 + i : i % 5;
        memset(text, 'a' + i % 26, n);
        text[n] = '\0';
        seq_write(args.strings, text, n + 1);
        args.argc++;
    }
    is(exec_load(fs_root, "/tmp/prog", &args, &out), 0, "700 arguments of all lengths");
    for (u32 i = 0; i < 700; i++) {
        char byte[3] = {0};
        vaddr_t at = peek_word(out.mm, out.sp + 8 + 8 * i);
        size_t n = i % 7 == 3 ? 600 + i : i % 5;
        peek(out.mm, at + n - (n > 0), byte, 2);
        wrong += n ? byte[0] != (char)('a' + i % 26) || byte[1] != '\0' : byte[0] != '\0';
    }
    is(wrong, 0, "each pointer leads to its string");
    is(peek_word(out.mm, out.sp + 8 + 8 * 700), 0, "and NULL follows");
    drop(&out);
    args.argc = EXEC_ARGS_MAX / 8;
    is((long)exec_load(fs_root, "/tmp/prog", &args, &out), (long)-E2BIG,
       "too many pointers: E2BIG");
    seq_put(args.strings);
}

static void script(const char *path, const char *text)
{
    host_make_file(path, text, strlen(text), 0755);
}

static void test_scripts(void)
{
    struct exec_image out;
    script("/tmp/s1", "#! /tmp/prog  one two  \nrest\n");
    script("/tmp/s2", "#!/tmp/s1\n");
    script("/tmp/loop", "#!/tmp/loop\n");
    script("/tmp/empty", "#!\n");
    script("/tmp/endless", "#!/tmp/prog");
    host_begin();
    is(load("/tmp/s1", &out), 0, "a script");
    ok(peek_word(out.mm, out.sp) == 5 &&
           string_at(out.mm, peek_word(out.mm, out.sp + 8), "/tmp/prog") &&
           string_at(out.mm, peek_word(out.mm, out.sp + 16), "one two") &&
           string_at(out.mm, peek_word(out.mm, out.sp + 24), "/tmp/s1") &&
           string_at(out.mm, peek_word(out.mm, out.sp + 40), "third argument"),
       "its interpreter gets: itself, one argument, the script, the rest");
    drop(&out);
    is(load("/tmp/s2", &out), 0, "a script run by a script");
    is(peek_word(out.mm, out.sp), 6, "has one argument more");
    drop(&out);
    is((long)load("/tmp/loop", &out), (long)-ELOOP, "a script run by itself");
    is((long)load("/tmp/empty", &out), (long)-ENOEXEC, "no interpreter");
    is((long)load("/tmp/endless", &out), (long)-ENOEXEC, "no end of line");
    host_end("scripts");
}

static void test_refusals(void)
{
    struct exec_image out;
    host_make_file("/tmp/noexec", &image, sizeof(image), 0644);
    host_make_file("/tmp/none", "", 0, 0755);
    host_begin();
    is((long)load("/tmp/missing", &out), (long)-ENOENT, "no such program");
    is((long)load("/tmp", &out), (long)-EACCES, "a directory");
    is((long)load("/tmp/noexec", &out), (long)-EACCES, "not executable");
    is((long)load("/tmp/none", &out), (long)-ENOEXEC, "an empty file");
    image.p[0].p_vaddr = 0;
    install("/tmp/low");
    is((long)load("/tmp/low", &out), 0, "root may have a segment at address 0");
    drop(&out);
    make_image();
    image.p[1].p_vaddr = USER_END - 0x2000 + 0x200;
    image.p[1].p_memsz = 0x1000;
    install("/tmp/high");
    is((long)load("/tmp/high", &out), (long)-ENOMEM, "a segment where the stack goes");
    make_image();
    image.p[2] = (struct elf64_program){.p_type = PT_INTERP, .p_offset = 0x1000, .p_filesz = 5};
    install("/tmp/interp");
    is((long)load("/tmp/interp", &out), (long)-ENOEXEC, "an interpreter's name without an end");
    memcpy((u8 *)&image + 0x1000, "/xyz", 5);
    install("/tmp/interp");
    is((long)load("/tmp/interp", &out), (long)-ENOENT, "an interpreter that is missing");
    memcpy((u8 *)&image + 0x1000, "/tmp", 5);
    install("/tmp/interp");
    is((long)load("/tmp/interp", &out), (long)-ELIBBAD, "an interpreter that is there");
    make_image();
    fs_unlink(fs_root, "/tmp/low", false);
    fs_unlink(fs_root, "/tmp/high", false);
    fs_unlink(fs_root, "/tmp/interp", false);
    host_end("refused programs");
}

static void test_no_memory(const char *path, int least)
{
    struct exec_image out;
    int failures = 0, ret = -ENOMEM;
    host_begin();
    for (u64 n = 1; ret == -ENOMEM && n < 1000; n++) {
        fail_countdown = n;
        ret = load(path, &out);
        fail_countdown = 0;
        failures += ret == -ENOMEM;
        if (ret == -ENOMEM && host_leak())
            break;
    }
    ok(ret == 0 && failures >= least, "%s: every allocation fails in turn (%d of them)", path,
       failures);
    if (ret == 0)
        drop(&out);
    host_end("loading without memory");
}

int main(void)
{
    host_boot_fs(8192);
    make_image();
    install("/tmp/prog");
    test_stack();
    test_long_arguments();
    test_scripts();
    test_refusals();
    test_no_memory("/tmp/prog", 15);
    test_no_memory("/tmp/s1", 18);
    return tap_done();
}
