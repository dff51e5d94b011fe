/*
 * test_tmpfs.c: files' contents: read, write, sparse files, truncation, the tail of the last page, short transfers, the
 * life of an unlinked file, random calls against a plain array, and every allocation made to fail in turn.
 */
#include <stdlib.h>

#include "tests/host/standin/fs.h"

static struct file *open_or_die(const char *path, u32 flags)
{
    struct file *file = NULL;
    if (host_open(path, flags, &file) < 0)
        abort();
    return file;
}

static u64 size_of(struct file *file)
{
    return file_inode(file)->mapping.size;
}

static void test_basic(void)
{
    char buf[32] = {0};
    struct file *other;
    host_begin();
    struct file *f = open_or_die("/tmp/f", O_CREAT | O_EXCL | O_RDWR);
    is((long)host_open("/tmp/f", O_CREAT | O_EXCL | O_RDWR, &other), (long)-EEXIST,
       "O_EXCL on what is there");
    is(host_write(f, "hello", 5, 0), 5, "write");
    is(file_read_at(f, buf, 32, 0), 5, "read stops at the end");
    ok(memcmp(buf, "hello", 5) == 0, "and gives what was written");
    is(file_read_at(f, buf, 32, 5), 0, "nothing at the end");
    is(fs_unlink(fs_root, "/tmp/f", false), 0, "unlink it open");
    is((long)host_open("/tmp/f", O_RDONLY, &other), (long)-ENOENT, "the name is gone");
    is(file_read_at(f, buf, 3, 2), 3, "the data is not");
    char path[64];
    u32 major, minor;
    u64 ino;
    f->mm.ops->describe(&f->mm, path, sizeof(path), &major, &minor, &ino);
    ok(strcmp(path, "/tmp/f (deleted)") == 0, "maps say %s", path);
    file_put(f);
    host_end("an unlinked file");
}

static void test_sparse(void)
{
    u8 buf[8];
    host_begin();
    struct file *f = open_or_die("/tmp/s", O_CREAT | O_RDWR);
    is(inode_truncate(file_inode(f), ABI_FILE_MAX), 0, "2^63-1 bytes long");
    is(file_inode(f)->mapping.count, 0, "and not a page of it there");
    is(file_read_at(f, buf, 8, ABI_FILE_MAX - 4), 4, "its last bytes");
    ok(buf[0] == 0 && buf[3] == 0, "are zero");
    is(host_write(f, "z", 1, ABI_FILE_MAX - 1), 1, "writing the very last one");
    is(file_inode(f)->mapping.count, 1, "takes one page");
    is(host_write(f, "z", 1, ABI_FILE_MAX), (long)-EFBIG, "behind it: EFBIG");
    f->flags |= O_APPEND;
    is(host_write(f, "z", 1, 0), (long)-EFBIG, "appending to it: EFBIG");
    is(inode_truncate(file_inode(f), 0), 0, "and back to nothing");
    is(file_inode(f)->mapping.count, 0, "frees the page");
    fs_unlink(fs_root, "/tmp/s", false);
    file_put(f);
    host_end("a sparse file");
}

/* A store through a mapping beyond the end never shows when the file grows. */
static void test_tail(void)
{
    u8 buf[16];
    host_begin();
    struct file *f = open_or_die("/tmp/t", O_CREAT | O_RDWR);
    host_write(f, "abc", 3, 0);
    struct page *page;
    mapping_page(&file_inode(f)->mapping, 0, false, &page);
    memset((u8 *)page_to_virt(page) + 3, 'X', 100);
    page_put(page);
    host_write(f, "!", 1, 10);
    file_read_at(f, buf, 11, 0);
    ok(memcmp(buf, "abc\0\0\0\0\0\0\0!", 11) == 0, "the gap that a write leaves is zero");
    inode_truncate(file_inode(f), 2);
    inode_truncate(file_inode(f), 16);
    file_read_at(f, buf, 16, 0);
    ok(memcmp(buf, "ab\0\0\0\0\0\0\0\0\0\0\0\0\0", 16) == 0, "so is what truncation cut off");
    fs_unlink(fs_root, "/tmp/t", false);
    file_put(f);
    host_end("a tail");
}

/* Memory that ends in a bad address after `good` bytes. */
struct short_io {
    struct io io;
    size_t good;
    u8 bytes[16384];
    size_t at;
};

static size_t short_move(struct short_io *s, void *to, const void *from, size_t n)
{
    size_t part = min_u64(n, s->good - s->at);
    memcpy(to, from, part);
    s->at += part;
    return part;
}

static size_t short_put(struct io *io, const void *src, size_t n)
{
    struct short_io *s = container_of(io, struct short_io, io);
    return short_move(s, s->bytes + s->at, src, n);
}

static size_t short_get(struct io *io, void *dst, size_t n)
{
    struct short_io *s = container_of(io, struct short_io, io);
    return short_move(s, dst, s->bytes + s->at, n);
}

static const struct io_ops short_ops = {short_put, short_get};

static void test_short(void)
{
    static struct short_io s;
    size_t wrong = 0;
    host_begin();
    struct file *f = open_or_die("/tmp/h", O_CREAT | O_RDWR);
    for (size_t good = 0; good<9000; good += good % 4096> 3 && good % 4096 < 4090 ? 61 : 1) {
        u64 pos = 100;
        inode_truncate(file_inode(f), 0);
        s = (struct short_io){.io = {&short_ops, 12000}, .good = good};
        long ret = f->ops->write(f, &s.io, &pos);
        wrong += ret != (good ? (long)good : -EFAULT) || pos != 100 + good;
        wrong += size_of(f) != (good ? 100 + good : 0);
        inode_truncate(file_inode(f), 20000);
        pos = 100;
        s = (struct short_io){.io = {&short_ops, 12000}, .good = good};
        ret = f->ops->read(f, &s.io, &pos);
        wrong += ret != (good ? (long)good : -EFAULT) || pos != 100 + good;
    }
    is(wrong, 0, "transfers stop at the first bad byte, and nothing behind it is there");
    fs_unlink(fs_root, "/tmp/h", false);
    file_put(f);
    host_end("short transfers");
}

enum { MODEL = 40000 };

static void test_random(void)
{
    static u8 model[MODEL], buf[MODEL];
    u64 size = 0;
    size_t wrong = 0;
    srand(2);
    host_begin();
    struct file *f = open_or_die("/tmp/r", O_CREAT | O_RDWR);
    for (int turn = 0; turn < 5000; turn++) {
        u64 pos = rand() % MODEL, n = rand() % (MODEL - pos) % 9000;
        switch (rand() % 4) {
        case 0:
            memset(buf, rand(), n);
            wrong += host_write(f, buf, n, pos) != (long)n;
            memcpy(model + pos, buf, n);
            size = n && pos + n > size ? pos + n : size;
            break;
        case 1:
            inode_truncate(file_inode(f), pos);
            if (pos < size)
                memset(model + pos, 0, MODEL - pos);
            size = pos;
            break;
        default: {
            u64 want = pos >= size ? 0 : min_u64(n, size - pos);
            wrong +=
                file_read_at(f, buf, n, pos) != (long)want || memcmp(buf, model + pos, want) != 0;
        }
        }
        wrong += size_of(f) != size;
    }
    is(wrong, 0, "5000 random calls agree with an array");
    fs_unlink(fs_root, "/tmp/r", false);
    file_put(f);
    host_end("random calls");
}

/* One of everything that allocates. 0, or the first error. */
static int many_calls(void)
{
    static const u8 bytes[10000];
    struct file *f = NULL;
    int ret = host_open("/tmp/n", O_CREAT | O_RDWR, &f);
    if (ret == 0) {
        long n = host_write(f, bytes, sizeof(bytes), 0);
        ret = n < 0 ? n : n < (long)sizeof(bytes) ? -ENOMEM : 0;
        file_put(f);
    }
    ret = ret ? ret : fs_mkdir(fs_root, "/tmp/dir", 0755);
    ret = ret ? ret : fs_symlink(fs_root, "/tmp/dir/link", "../n");
    ret = ret ? ret : fs_rename(fs_root, "/tmp/n", fs_root, "/tmp/dir/n");
    return ret;
}

static void test_no_memory(void)
{
    int failures = 0, ret = -ENOMEM;
    host_begin();
    for (u64 n = 1; ret == -ENOMEM && n < 1000; n++) {
        fail_countdown = n;
        ret = many_calls();
        fail_countdown = 0;
        failures += ret == -ENOMEM;
        fs_unlink(fs_root, "/tmp/n", false);
        fs_unlink(fs_root, "/tmp/dir/n", false);
        fs_unlink(fs_root, "/tmp/dir/link", false);
        fs_unlink(fs_root, "/tmp/dir", true);
    }
    ok(ret == 0 && failures > 8, "every allocation fails in turn (%d of them; last answer %d)",
       failures, ret);
    host_end("calls without memory");
}

int main(void)
{
    host_boot_fs(4096);
    test_basic();
    test_sparse();
    test_tail();
    test_short();
    test_random();
    test_no_memory();
    return tap_done();
}
