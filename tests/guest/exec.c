/*
 * exec.c: execve of files that are no programs, or damaged ones. Each must be refused, and this
 * program go on.
 *
 * The good file is one page: header, two program headers and code that ends with status 42. A case
 * changes some bytes of it. Linux looks at segments only after the old program is gone, and kills
 * it then; Fathom refuses such files beforehand with ENOEXEC, EINVAL or ENOMEM, so those cases run
 * only in Fathom.
 */
#include "tests/guest/guest.h"

#include <elf.h>
#include <sys/stat.h>

enum { GOOD_STATUS = 42, BASE = 0x400000 };

struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segment[2];
    unsigned char code[32];
    char interpreter[32];
};

/* mov edi, 42; mov eax, 231 (exit_group); syscall; ud2 */
static const unsigned char code[] = {0xbf, GOOD_STATUS, 0, 0,    0,    0xb8, 231,
                                     0,    0,           0, 0x0f, 0x05, 0x0f, 0x0b};

static struct image good_image(void)
{
    struct image i = {0};

    memcpy(i.header.e_ident, ELFMAG, SELFMAG);
    i.header.e_ident[EI_CLASS] = ELFCLASS64;
    i.header.e_ident[EI_DATA] = ELFDATA2LSB;
    i.header.e_ident[EI_VERSION] = EV_CURRENT;
    i.header.e_type = ET_EXEC;
    i.header.e_machine = EM_X86_64;
    i.header.e_version = EV_CURRENT;
    i.header.e_entry = BASE + offsetof(struct image, code);
    i.header.e_phoff = offsetof(struct image, segment);
    i.header.e_ehsize = sizeof i.header;
    i.header.e_phentsize = sizeof i.segment[0];
    i.header.e_phnum = 2;
    i.segment[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                                .p_flags = PF_R | PF_X,
                                .p_vaddr = BASE,
                                .p_filesz = sizeof i,
                                .p_memsz = sizeof i,
                                .p_align = 0x10000};
    i.segment[1] = (Elf64_Phdr){.p_type = PT_LOAD,
                                .p_flags = PF_R | PF_W,
                                .p_vaddr = BASE + 0x100000,
                                .p_memsz = 0x10000,
                                .p_align = 0x10000};
    memcpy(i.code, code, sizeof code);
    strcpy(i.interpreter, "/no/such/interpreter");
    return i;
}

static void write_file(const char *path, const void *data, size_t length, int mode)
{
    unlink(path);
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, mode);
    if (fd < 0 || write(fd, data, length) != (ssize_t)length || close(fd))
        vm_die(errno, "cannot write %s", path);
}

void exec_write_good(const char *path)
{
    struct image i = good_image();

    write_file(path, &i, sizeof i, 0755);
}

static const char *program_path(void)
{
    static char path[64];

    snprintf(path, sizeof path, "%s/guest-exec-%d", temp_directory(), (int)getpid());
    return path;
}

/* Execute a file of length bytes; report whether it was refused with one of up to three errors. */
static void refuse(const void *data, size_t length, const char *what, int e1, int e2, int e3)
{
    char *argv[] = {(char *)program_path(), NULL};

    write_file(program_path(), data, length, 0755);
    errno = 0;
    execve(program_path(), argv, argv + 1);
    ok(errno == e1 || errno == e2 || errno == e3, "%s: %s", what, strerrorname_np(errno));
    unlink(program_path());
}

static void refuse_image(const struct image *image, const char *what, int error)
{
    refuse(image, sizeof *image, what, error, error, error);
}

static void paths(void)
{
    static char huge[200000], deep[5000];
    char *argv[] = {"x", NULL}, *too_big[] = {"x", huge, NULL};
    char below[80];

    fails(execve("/no/such/program", argv, argv + 1), ENOENT);
    fails(execve("", argv, argv + 1), ENOENT);
    fails(execve(temp_directory(), argv, argv + 1), EACCES);
    memset(deep, 'x', sizeof deep - 1);
    fails(execve(deep, argv, argv + 1), ENAMETOOLONG);
    exec_write_good(program_path());
    snprintf(below, sizeof below, "%s/below", program_path());
    fails(execve(below, argv, argv + 1), ENOTDIR);
    memset(huge, 'x', sizeof huge - 1);
    fails(execve(program_path(), too_big, argv + 1), E2BIG);
    fails(execve(program_path(), (char **)KERNEL_ADDRESS, argv + 1), EFAULT);
    fails(execve(program_path(), (char **)NON_CANONICAL, argv + 1), EFAULT);
    fails(execve(program_path(), argv, (char **)8), EFAULT);
    char *bad[] = {"x", KERNEL_ADDRESS, NULL}, *worse[] = {"x", (char *)16, NULL};
    fails(execve(program_path(), bad, argv + 1), EFAULT);
    fails(execve(program_path(), argv, worse), EFAULT);
    fails(execve((char *)16, argv, argv + 1), EFAULT);
    is(unlink(program_path()), 0, "the file is still there");
    struct image i = good_image();
    write_file(program_path(), &i, sizeof i, 0600);
    fails(execve(program_path(), argv, argv + 1), EACCES);
    unlink(program_path());
}

/* Every length up to where the program headers are complete. */
static void truncated(void)
{
    struct image i = good_image();
    char *argv[] = {(char *)program_path(), NULL};
    size_t bad = 0;

    for (size_t length = 0; length < offsetof(struct image, code); length++) {
        write_file(program_path(), &i, length, 0755);
        errno = 0;
        execve(program_path(), argv, argv + 1);
        if (errno != ENOEXEC)
            bad = length + 1;
    }
    ok(!bad, "cut inside its headers: ENOEXEC");
    if (bad)
        tap_note("not at length %zu", bad - 1);
    refuse("hello\n", 6, "a text", ENOEXEC, ENOEXEC, ENOEXEC);
    unlink(program_path());
}

static void headers(void)
{
    struct image i = good_image();

#define CASE(field, value, error)                                                                  \
    do {                                                                                           \
        struct image saved = i;                                                                    \
        i.field = value;                                                                           \
        refuse_image(&i, #field " " #value, error);                                                \
        i = saved;                                                                                 \
    } while (0)
    CASE(header.e_ident[0], 0, ENOEXEC);
    CASE(header.e_ident[3], 'f', ENOEXEC);
    CASE(header.e_machine, EM_AARCH64, ENOEXEC);
    CASE(header.e_machine, EM_NONE, ENOEXEC);
    CASE(header.e_type, ET_REL, ENOEXEC);
    CASE(header.e_type, ET_CORE, ENOEXEC);
    CASE(header.e_type, 0xffff, ENOEXEC);
    CASE(header.e_phentsize, 32, ENOEXEC);
    CASE(header.e_phentsize, 0, ENOEXEC);
    CASE(header.e_phnum, 0, ENOEXEC);
    CASE(header.e_phnum, 0xffff, ENOEXEC);
    CASE(header.e_phnum, 1170, ENOEXEC);
    CASE(header.e_phoff, 1 << 20, ENOEXEC);
    CASE(header.e_phoff, -1ul, ENOEXEC);
    CASE(header.e_phoff, 1ul << 63, ENOEXEC);
    CASE(header.e_phoff, -64ul, ENOEXEC);
#undef CASE
}

static void interpreters(void)
{
    struct image i = good_image();
    Elf64_Phdr *p = &i.segment[1];

    *p = (Elf64_Phdr){.p_type = PT_INTERP,
                      .p_offset = offsetof(struct image, interpreter),
                      .p_filesz = sizeof "/no/such/interpreter"};
    refuse_image(&i, "an interpreter that is missing", ENOENT);
    p->p_filesz = 1;
    refuse_image(&i, "an interpreter's name of one byte", ENOEXEC);
    p->p_filesz = 5000;
    refuse_image(&i, "an interpreter's name of 5000 bytes", ENOEXEC);
    p->p_filesz = 5;
    refuse_image(&i, "an interpreter's name without an end", ENOEXEC);
}

/* Changes to the second segment that Fathom refuses before the old program is gone. */
static void segments(void)
{
    static const struct {
        const char *what;
        u64 vaddr, offset, filesz, memsz;
    } cases[] = {
        {"a segment at a kernel address", 0xffffffff80000000, 0, 0, 0x1000},
        {"a segment at a non-canonical address", 0x800000000000, 0, 0, 0x1000},
        {"a segment across the end of user space", 0x7ffffffff000, 0, 0, 0x2000},
        {"a segment that wraps", BASE + 0x100000, 0, 0, -1ul},
        {"a segment that wraps to 0", -0x1000ul, 0, 0, 0x1000},
        {"a segment that wraps to the other", -0x1000ul, 0, 0, BASE + 0x2000},
        {"p_memsz of 2^47", BASE + 0x100000, 0, 0, 1ul << 47},
        {"p_memsz of 2^63", BASE + 0x100000, 0, 0, 1ul << 63},
        {"p_memsz below p_filesz", BASE + 0x100000, 0, 0x100, 0x10},
        {"segments that overlap", BASE, 0, 0x100, 0x100},
        {"segments that overlap by a byte", BASE + sizeof(struct image) - 1, 0x10f + 0x10, 1, 1},
        {"p_filesz beyond the file", BASE + 0x100000, 0, 1 << 20, 1 << 20},
        {"an offset beyond the file", BASE + 0x100000, 1 << 20, 0x100, 0x100},
        {"an offset that wraps", BASE + 0x100000, -0x1000ul, 0x2000, 0x2000},
        {"an offset out of step with the address", BASE + 0x100001, 0, 0x100, 0x100},
    };

    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct image i = good_image();
        Elf64_Phdr *p = &i.segment[1];
        if (!fathom) {
            tap_skip("%s: Linux kills the program", cases[n].what);
            continue;
        }
        p->p_vaddr = cases[n].vaddr;
        p->p_offset = cases[n].offset;
        p->p_filesz = cases[n].filesz;
        p->p_memsz = cases[n].memsz;
        refuse(&i, sizeof i, cases[n].what, ENOEXEC, EINVAL, ENOMEM);
    }
}

static void entries(void)
{
    struct image i = good_image();

    if (!fathom) {
        tap_skip("no segment to load: Linux kills the program");
        return;
    }
    i.segment[0].p_type = i.segment[1].p_type = PT_NOTE;
    refuse(&i, sizeof i, "no segment to load", ENOEXEC, EINVAL, ENOMEM);
}

void suite_exec(void)
{
    paths();
    truncated();
    headers();
    interpreters();
    segments();
    entries();
    is(vmas((char *)0x100000000000, 1 << 20), 0, "nothing of it all was mapped");
}
