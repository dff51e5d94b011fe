/*
 * test_cpio.c: the cpio reader, and unpacking. Archives are made here, whole, joined, cut at every byte and with every byte
 * changed; each lies in a block of exactly its size, so AddressSanitizer sees a read beyond it. Whatever the damage, the
 * reader must end, name an offset inside the archive, and unpacking must give back all that unlinking the files frees.
 */
#include <stdlib.h>

#include "kernel/fs/cpio.h"
#include "kernel/fs/initramfs.h"
#include "tests/host/standin/fs.h"

static u8 archive[8192];
static size_t length;

static void put(const void *bytes, size_t n)
{
    memcpy(archive + length, bytes, n);
    length += n;
}

static void pad(void)
{
    while (length % 4)
        archive[length++] = 0;
}

static void add(const char *name, u32 mode, const char *data, size_t n)
{
    char header[160];
    snprintf(header, sizeof(header), "070701%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x",
             1, mode, 0, 0, 1, 0, n, 0, 0, 0, 0, strlen(name) + 1, 0);
    put(header, 110);
    put(name, strlen(name) + 1);
    pad();
    put(data, n);
    pad();
}

static void trailer(void)
{
    add("TRAILER!!!", 0, "", 0);
}

static void make_archives(void)
{
    length = 0;
    memset(archive, 0, sizeof(archive));
    add("bin", S_IFDIR | 0755, "", 0);
    add("bin/prog", S_IFREG | 0755, "program", 7);
    add("bin/sh", S_IFLNK | 0777, "prog", 4);
    trailer();
    length += 324; /* cpio pads an archive to blocks */
    add("deep/er/file", S_IFREG | 0600, "abc", 3);
    add("bin/prog", S_IFREG | 0700, "newer program", 13);
    trailer();
}

static bool contents_are(const char *path, const char *want)
{
    char buf[64] = {0};
    struct file *file;
    if (host_open(path, O_RDONLY, &file) < 0)
        return false;
    long n = file_read_at(file, buf, sizeof(buf), 0);
    file_put(file);
    return n == (long)strlen(want) && memcmp(buf, want, n) == 0;
}

static void remove_all(void)
{
    static const char *const files[] = {"bin/prog", "bin/sh", "deep/er/file"};
    static const char *const dirs[] = {"bin", "deep/er", "deep"};
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        fs_unlink(fs_root, files[i], false);
    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
        fs_unlink(fs_root, dirs[i], true);
}

static void test_good(void)
{
    struct initramfs_error error;
    make_archives();
    is(initramfs_unpack(archive, length, &error), 0, "two archives with zeroes between them");
    ok(contents_are("/bin/prog", "newer program"), "the later archive wins");
    ok(contents_are("/bin/sh", "newer program"), "a symbolic link leads there");
    ok(contents_are("/deep/er/file", "abc"), "directories that were forgotten are made");
    remove_all();
    is(initramfs_unpack(archive, 0, &error), 0, "an empty archive");
    memset(archive, 0, 512);
    is(initramfs_unpack(archive, 512, &error), 0, "nothing but zeroes");
}

/* Unpack bytes from a block of exactly n. True: the answer is sane. */
static bool unpack_sane(size_t n, int *ret)
{
    struct initramfs_error error;
    u8 *block = malloc(n ? n : 1);
    memcpy(block, archive, n);
    *ret = initramfs_unpack(block, n, &error);
    free(block);
    if (*ret == 0)
        return true;
    return error.offset <= n && error.what && error.error == *ret;
}

static void test_cut(void)
{
    size_t bad = 0, accepted = 0, whole;
    int ret;
    make_archives();
    whole = length;
    host_begin();
    for (size_t n = 0; n < whole; n++) {
        bad += !unpack_sane(n, &ret);
        accepted += ret == 0;
        remove_all();
    }
    is(bad, 0, "cut at every byte: a sane answer");
    /* Good cuts: nothing at all, and inside the zeroes between the archives. */
    ok(accepted >= 325 && accepted <= 332, "only cuts between the archives pass (%zu do)",
       accepted);
    host_end("cut archives");
}

static void test_changed(void)
{
    static const u8 values[] = {0, '0', 'f', '/', 0xff};
    size_t bad = 0;
    host_begin();
    for (size_t i = 0; i < length; i++) {
        for (size_t v = 0; v < sizeof(values); v++) {
            make_archives();
            archive[i] = values[v];
            struct cpio_reader r;
            struct cpio_item item;
            int got, turns = 0;
            cpio_start(&r, archive, length);
            while ((got = cpio_next(&r, &item)) > 0 && ++turns < 100)
                bad += item.data + item.data_length > archive + length;
            bad += turns == 100 || (got < 0 && r.error_at > length);
        }
    }
    is(bad, 0, "every byte changed: the reader stays inside");
    host_end("changed archives");
}

static void test_messages(void)
{
    struct initramfs_error error;
    make_archives();
    archive[3] = 'x';
    initramfs_unpack(archive, length, &error);
    ok(error.error == -EINVAL && error.offset == 0, "a bad magic is at offset 0");
    make_archives();
    archive[54] = 'z';
    initramfs_unpack(archive, length, &error);
    is(error.offset, 54, "a bad digit is where it is");
    remove_all();
}

static void test_no_memory(void)
{
    struct initramfs_error error;
    int failures = 0, ret = -ENOMEM;
    make_archives();
    host_begin();
    for (u64 n = 1; ret == -ENOMEM && n < 1000; n++) {
        fail_countdown = n;
        ret = initramfs_unpack(archive, length, &error);
        fail_countdown = 0;
        failures += ret == -ENOMEM;
        remove_all();
    }
    ok(ret == 0 && failures > 10, "every allocation of unpacking fails in turn (%d of them)",
       failures);
    host_end("unpacking without memory");
}

int main(void)
{
    host_boot_fs(4096);
    test_good();
    test_cut();
    test_changed();
    test_messages();
    test_no_memory();
    return tap_done();
}
