/*
 * exec.c: from a path to a program in a new address space.
 *
 *      open -> "#!"? -> other path, longer arguments, again (5 times at most: ELOOP)
 *           -> ELF?  -> elf_check: a plan -> mm_create -> map segments, zero bss -> stack -> image
 *
 * Everything that can fail happens in exec_load, beside the running program; exec_commit (enter.c) only exchanges pointers. So a
 * failed execve leaves its caller as it was, unlike Linux, which has killed it by then.
 */
#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/fs/fs.h"
#include "kernel/fs/procfs.h"
#include "kernel/mm/slab.h"
#include "kernel/proc/elf.h"
#include "kernel/proc/proc.h"
#include "lib/abi/mman.h"

enum { HEAD_SIZE = 256 }; /* a "#!" line longer than this is ENOEXEC, as Linux's BINPRM_BUF_SIZE */

#define MMAP_TOP_GAP (128ul << 20) /* least room left for the stack, as Linux */

static const struct elf_geometry geometry = {
    .page_size = PAGE_SIZE,
    .user_end = USER_END,
    .dyn_base = (USER_END / 3 * 2) & PAGE_MASK, /* Linux's ELF_ET_DYN_BASE */
};

struct entry *exe_get(struct entry *exe)
{
    int ret = inode_run_begin(exe->inode);
    ASSERT(ret == 0, "%s is written while it runs", exe->name);
    return entry_get(exe);
}

void exe_put(struct entry *exe)
{
    inode_run_end(exe->inode);
    entry_put(exe);
}

/* Open a program: a regular file that somebody may execute, and that nobody writes. The caller ends with inode_run_end. */
static int exec_open(struct entry *start, const char *path, struct file **out)
{
    struct open_request q = {.start = start, .path = path, .flags = O_RDONLY};
    int ret = file_open(&q, out);
    if (ret < 0)
        return ret == -ENXIO ? -EACCES : ret;
    struct inode *inode = file_inode(*out);
    bool program = S_ISREG(inode->mode) && (inode->mode & 0111) && (*out)->mm.mapping;
    ret = program ? inode_run_begin(inode) : -EACCES;
    if (ret < 0)
        file_put(*out);
    return ret;
}

static u32 segment_prot(const struct elf_segment *s)
{
    return (s->flags & PF_R ? PROT_READ : 0) | (s->flags & PF_W ? PROT_WRITE : 0) |
           (s->flags & PF_X ? PROT_EXEC : 0);
}

/* The bytes behind the file's part in its last page become zero. A segment without the right to write keeps what the file
 * has there, as on Linux. */
static int zero_page_tail(struct mm *mm, const struct elf_segment *s)
{
    static const u8 zeroes[PAGE_SIZE];
    u64 tail = page_align_up(s->file_end) - s->file_end;
    if (!tail || !(s->flags & PF_W))
        return 0;
    return mm_write(mm, s->file_end, zeroes, tail);
}

static int map_segment(struct mm *mm, struct file *file, const struct elf_segment *s)
{
    u64 file_top = page_align_up(s->file_end), mem_top = page_align_up(s->mem_end);
    struct mmap_request q = {
        .addr = s->start,
        .length = file_top - s->start,
        .prot = segment_prot(s),
        .flags = MAP_PRIVATE | MAP_FIXED,
        .file = &file->mm,
        .offset = s->file_offset,
    };
    long ret = 0;
    if (s->file_end > s->start)
        ret = mm_mmap(mm, &q);
    if (ret >= 0 && s->file_end > s->start && s->mem_end > s->file_end)
        ret = zero_page_tail(mm, s);
    if (ret >= 0 && mem_top > file_top) {
        q.addr = file_top;
        q.length = mem_top - file_top;
        q.flags |= MAP_ANONYMOUS;
        q.file = NULL;
        q.offset = 0;
        ret = mm_mmap(mm, &q);
    }
    if (ret == -EPERM) /* below vm.mmap_min_addr */
        return -EINVAL;
    return ret < 0 ? ret : 0;
}

/* Programs with an interpreter need a dynamic linker: say which one is wanted and whether it is there. */
static int refuse_interpreter(struct file *file, const char *path, const struct elf_plan *plan)
{
    char name[128], last;
    size_t n = min_u64(plan->interp_size, sizeof(name) - 1);
    long got = file_read_at(file, &last, 1, plan->interp_at + plan->interp_size - 1);
    if (got == 1 && last != '\0')
        return -ENOEXEC;
    got = file_read_at(file, name, n, plan->interp_at);
    if (got < 0)
        return got;
    name[got] = '\0';
    struct entry *entry;
    int ret = path_find(fs_root, name, PATH_FOLLOW, &entry);
    if (ret == 0)
        entry_put(entry);
    printk("exec: %s needs the dynamic linker %s, but only static programs run here (link with "
           "-static)\n",
           path, name);
    return ret < 0 ? ret : -ELIBBAD;
}

/* Read and check the headers. */
static int read_plan(struct file *file, const char *path, const void *head, u64 head_size,
                     struct elf_plan *plan)
{
    u64 file_size = READ_ONCE(file->mm.mapping->size), phoff, phsize;
    int ret = elf_check_header(head, head_size, file_size, &phoff, &phsize);
    if (ret < 0)
        return ret;
    void *phdrs = kmalloc(phsize);
    if (!phdrs)
        return -ENOMEM;
    long got = file_read_at(file, phdrs, phsize, phoff);
    ret = got < 0 ? got : (u64)got < phsize ? -ENOEXEC : 0;
    struct elf64_header header;
    memcpy(&header, head, sizeof(header));
    if (ret == 0)
        ret = elf_check(&header, phdrs, file_size, &geometry, plan);
    kfree(phdrs);
    if (ret == 0 && plan->interp_size)
        ret = refuse_interpreter(file, path, plan);
    return ret;
}

/* For /proc/PID/stat: Linux's rules for what is code and what data. */
static void note_segments(struct mm *mm, const struct elf_plan *plan)
{
    mm->code_start = plan->segment[0].start;
    for (u32 i = 0; i < plan->segments; i++) {
        const struct elf_segment *s = &plan->segment[i];
        if (s->flags & PF_X)
            mm->code_end = max_u64(mm->code_end, s->file_end);
        mm->data_start = max_u64(mm->data_start, s->start);
        mm->data_end = max_u64(mm->data_end, s->file_end);
    }
}

static int build_mm(struct file *file, const char *path, const struct exec_args *args,
                    const struct elf_plan *plan, struct exec_image *image)
{
    struct mm *mm = mm_create();
    if (!mm)
        return -ENOMEM;
    mm->mmap_base = USER_END - MMAP_TOP_GAP;
    int ret = 0;
    for (u32 i = 0; i < plan->segments && ret == 0; i++)
        ret = map_segment(mm, file, &plan->segment[i]);
    mm->brk_start = mm->brk = plan->brk;
    note_segments(mm, plan);
    if (ret == 0)
        ret = exec_stack(mm, args, path, plan, &image->sp);
    if (ret < 0) {
        mm_put(mm);
        return ret;
    }
    const char *slash = strrchr(path, '/');
    string_copy(image->name, slash ? slash + 1 : path, sizeof(image->name));
    image->mm = mm;
    image->ip = plan->entry;
    image->exe = exe_get(file->entry);
    return 0;
}

static int load_elf(struct file *file, const char *path, const struct exec_args *args,
                    const void *head, u64 head_size, struct exec_image *image)
{
    struct elf_plan *plan = kmalloc(sizeof(*plan));
    if (!plan)
        return -ENOMEM;
    int ret = read_plan(file, path, head, head_size, plan);
    if (ret == 0)
        ret = build_mm(file, path, args, plan, image);
    kfree(plan);
    return ret;
}

/* Cut "#! interp arg\n" up in place. *arg is NULL when there is none. 0 or -ENOEXEC. */
static int parse_script(char *line, size_t size, char **interp, char **arg)
{
    char *end = memchr(line, '\n', size);
    if (!end)
        return -ENOEXEC;
    while (end > line + 2 && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    char *p = line + 2;
    while (*p == ' ' || *p == '\t')
        p++;
    if (!*p)
        return -ENOEXEC;
    *interp = p;
    while (*p && *p != ' ' && *p != '\t')
        p++;
    while (*p == ' ' || *p == '\t')
        *p++ = '\0';
    *arg = *p ? p : NULL;
    return 0;
}

/* The arguments become: interp [arg] path, then all but the first of the old. 0 or -ENOMEM, nothing changed. */
static int script_args(struct exec_args *args, const char *interp, const char *arg,
                       const char *path)
{
    struct seq *longer = seq_create();
    if (!longer)
        return -ENOMEM;
    seq_write(longer, interp, strlen(interp) + 1);
    if (arg)
        seq_write(longer, arg, strlen(arg) + 1);
    seq_write(longer, path, strlen(path) + 1);
    char buf[256];
    bool first = args->argc > 0;
    size_t n;
    for (u64 pos = 0; (n = seq_read(args->strings, buf, sizeof(buf), pos)) > 0; pos += n) {
        const char *from = buf, *nul = first ? memchr(buf, '\0', n) : NULL;
        if (first && !nul)
            continue;
        from = nul ? nul + 1 : buf;
        first = false;
        seq_write(longer, from, buf + n - from);
    }
    if (longer->error) {
        seq_put(longer);
        return -ENOMEM;
    }
    args->argc = (args->argc ? args->argc - 1 : 0) + 2 + (arg != NULL);
    seq_put(args->strings);
    args->strings = longer;
    return 0;
}

static int load_depth(struct entry *start, const char *path, struct exec_args *args,
                      struct exec_image *image, int depth)
{
    struct file *file;
    int ret = exec_open(start, path, &file);
    if (ret < 0)
        return ret;
    char *head = kzalloc(HEAD_SIZE + 1);
    long got = head ? file_read_at(file, head, HEAD_SIZE, 0) : -ENOMEM;
    char *interp, *arg;
    if (got < 0) {
        ret = got;
    } else if (got < 2 || memcmp(head, "#!", 2) != 0) {
        ret = load_elf(file, path, args, head, got, image);
    } else if (depth == EXEC_ARGS_DEPTH) {
        ret = -ELOOP;
    } else {
        ret = parse_script(head, got, &interp, &arg);
        if (ret == 0)
            ret = script_args(args, interp, arg, path);
        if (ret == 0)
            ret = load_depth(start, interp, args, image, depth + 1);
    }
    kfree(head);
    inode_run_end(file_inode(file));
    file_put(file);
    return ret;
}

int exec_load(struct entry *start, const char *path, struct exec_args *args,
              struct exec_image *image)
{
    return load_depth(start, path, args, image, 0);
}
