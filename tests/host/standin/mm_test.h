/*
 * mm_test.h: an address space under test: short forms of the calls, accesses as a user program
 * makes them, files with known contents, and the layout as text to compare.
 */
#ifndef STANDIN_MM_TEST_H
#define STANDIN_MM_TEST_H

#include <errno.h>
#include <string.h>

#include "kernel/core/failpoint.h"
#include "kernel/fs/proc_maps.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/space.h"
#include "lib/abi/mman.h"
#include "tests/host/standin/space.h"

#define PAGES(n) ((u64)(n) << PAGE_SHIFT)
#define RW (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

/* ---- files ---- */

struct test_file {
    struct mm_file file;
    struct mapping mapping;
    unsigned modified, released;
    const char *path;
};

static void test_file_release(struct mm_file *file)
{
    container_of(file, struct test_file, file)->released++;
}

static int test_file_describe(struct mm_file *file, char *path, size_t size, u32 *dev_major,
                              u32 *dev_minor, u64 *inode)
{
    *dev_major = 0xfe;
    *dev_minor = 1;
    *inode = 12345;
    return snprintf(path, size, "%s", container_of(file, struct test_file, file)->path);
}

static void test_file_modified(struct mm_file *file)
{
    container_of(file, struct test_file, file)->modified++;
}

static const struct mm_file_ops test_file_ops = {test_file_release, test_file_describe,
                                                 test_file_modified};

/* A file of so many bytes; page i begins with the byte 'a' + i, unless it is a hole (sparse). */
static inline void file_make(struct test_file *f, u64 size, bool sparse)
{
    *f = (struct test_file){.path = "/tmp/file"};
    f->file = (struct mm_file){.ops = &test_file_ops,
                               .mapping = &f->mapping,
                               .access = MM_FILE_READ | MM_FILE_WRITE,
                               .refs = 1};
    mapping_init(&f->mapping);
    f->mapping.size = size;
    for (u64 i = 0; !sparse && i < page_align_up(size) >> PAGE_SHIFT; i++) {
        struct page *page;
        int error = mapping_page(&f->mapping, i, true, &page);
        ASSERT(!error, "%d", error);
        *(u8 *)page_to_virt(page) = 'a' + i;
        page_put(page);
    }
}

/* The file's own view of a byte; -1: a hole. */
static inline int file_byte(struct test_file *f, u64 offset)
{
    struct page *page;
    mapping_page(&f->mapping, offset >> PAGE_SHIFT, false, &page);
    if (!page)
        return -1;
    int byte = ((u8 *)page_to_virt(page))[offset & (PAGE_SIZE - 1)];
    page_put(page);
    return byte;
}

static inline void file_end(struct test_file *f)
{
    ASSERT(f->file.refs == 1 && !f->released, "%u references of the file are left", f->file.refs);
    mapping_check(&f->mapping);
    mapping_destroy(&f->mapping);
}

/* ---- calls ---- */

static inline long map_file(struct mm *mm, vaddr_t addr, u64 length, u32 prot, u32 flags,
                            struct test_file *f, u64 offset)
{
    struct mmap_request r = {addr, length, prot, flags, f ? &f->file : NULL, offset};
    return mm_mmap(mm, &r);
}

static inline long map(struct mm *mm, vaddr_t addr, u64 length, u32 prot, u32 flags)
{
    return map_file(mm, addr, length, prot, flags, NULL, 0);
}

/* Anonymous memory exactly there. */
static inline void map_at(struct mm *mm, vaddr_t addr, u64 pages, u32 prot)
{
    long got = map(mm, addr, PAGES(pages), prot, ANON | MAP_FIXED);
    ASSERT(got == (long)addr, "mmap at %lx: %ld", addr, got);
}

/* ---- accesses ---- */

/* Access as the CPU and the fault handler do together. NULL: *result says which signal. */
static inline u8 *access_byte(struct mm *mm, vaddr_t addr, enum fault_access access,
                              enum fault_result *result)
{
    static const unsigned rights[] = {RIGHT_READ, RIGHT_WRITE, RIGHT_EXEC};
    for (int tries = 0; tries < 8; tries++) {
        struct page *page =
            addr < USER_LIMIT ? host_access(&mm->pt.hw, addr, rights[access]) : NULL;
        *result = FAULT_DONE;
        if (page)
            return (u8 *)page_to_virt(page) + (addr & (PAGE_SIZE - 1));
        *result = mm_fault(mm, addr, access);
        if (*result != FAULT_DONE && *result != FAULT_RETRY)
            return NULL;
    }
    panic("%lx: faults without end", addr);
}

/* The byte, or -(enum fault_result). */
static inline int peek(struct mm *mm, vaddr_t addr)
{
    enum fault_result result;
    u8 *p = access_byte(mm, addr, FAULT_READ, &result);
    return p ? *p : -(int)result;
}

static inline int poke(struct mm *mm, vaddr_t addr, u8 byte)
{
    enum fault_result result;
    u8 *p = access_byte(mm, addr, FAULT_WRITE, &result);
    if (p)
        *p = byte;
    return -(int)result; /* FAULT_DONE is 0 */
}

static inline int run_at(struct mm *mm, vaddr_t addr)
{
    enum fault_result result;
    access_byte(mm, addr, FAULT_EXEC, &result);
    return -(int)result;
}

/* ---- the layout ---- */

/* All lines of /proc/PID/maps. */
static inline const char *maps(struct mm *mm)
{
    static char text[2][1 << 16];
    static int turn;
    char *buf = text[turn ^= 1];
    vaddr_t addr = 0;
    int at = 0, n;
    buf[0] = 0;
    while ((n = proc_maps_line(mm, &addr, buf + at, sizeof(text[0]) - at)) > 0)
        at += n;
    return buf;
}

static inline u64 objects(const char *cache) /* allocated now */
{
    for (struct slab_cache *c = slab_next(NULL); c; c = slab_next(c))
        if (strcmp(c->kind.name, cache) == 0)
            return c->objects;
    panic("no cache %s", cache);
}

/* The end of a space: nothing of it, and with the last nothing at all, is left. */
static inline void mm_end(struct mm *mm)
{
    mm_check(mm);
    mm_put(mm);
    if (objects("mm") > 0) /* another one lives */
        return;
    ASSERT(objects("vma") == 0 && objects("shared_memory") == 0, "%lu VMAs left", objects("vma"));
    ASSERT(commit_total() == 0, "%lu pages are still promised", commit_total());
}

#define BOTH_FINDS(find)                                                                           \
    for (const char *const *find = (const char *const[]){"gap", "list", NULL};                     \
         *find && (set_knob("vm.find", *find), true); find++)

#endif
