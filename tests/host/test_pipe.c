/*
 * test_pipe.c: pipes, by one thread: where one would sleep it is as if a signal had come. Order of bytes round and round,
 * atomic writes, ends that close, want of memory; and the entries that /proc makes on demand.
 */
#include <stdlib.h>

#include "kernel/core/failpoint.h"
#include "kernel/core/restart.h"
#include "kernel/fs/pipe.h"
#include "kernel/fs/procfs.h"
#include "lib/abi/system.h"
#include "tests/host/standin/fs.h"

enum { SIZE = 16 * PAGE_SIZE };

static u8 bytes[2 * SIZE], back[2 * SIZE];

static void make(struct file *end[2], u32 flags)
{
    if (pipe_create(flags, end) < 0)
        abort();
}

static long put(struct file *end[2], size_t n)
{
    return host_write(end[1], bytes, n, 0);
}

static void test_order(void)
{
    struct file *end[2];
    u32 next_in = 0, next_out = 0;
    bool same = true;
    host_begin();
    make(end, 0);
    srand(1);
    for (int turn = 0; turn < 2000; turn++) {
        size_t n = rand() % 9000, room = SIZE - (next_in - next_out);
        n = n < room ? n : room;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (next_in + i) * 7;
        same &= n == 0 || put(end, n) == (long)n;
        next_in += n;
        n = rand() % 9000;
        if (next_in == next_out)
            continue;
        long got = file_read_at(end[0], back, n, 0);
        for (long i = 0; i < got; i++)
            same &= back[i] == (u8)((next_out + i) * 7);
        next_out += got;
    }
    ok(same && next_in > 10 * SIZE, "%u bytes come out as they went in", next_in);
    file_put(end[0]);
    file_put(end[1]);
    host_end("order");
}

static void test_ends(void)
{
    struct file *end[2];
    host_begin();
    make(end, 0);
    is(file_read_at(end[0], back, 10, 0), (long)-RESTART_SYS, "an empty pipe is waited for");
    is(end[0]->ops->poll(end[0]), 0, "and not ready");
    is(end[1]->ops->poll(end[1]), POLLOUT, "the other end is");
    is(put(end, 100), 100, "write");
    is(file_read_at(end[0], back, 60, 0), 60, "read a part");
    is(end[0]->ops->poll(end[0]), POLLIN, "there is more");
    file_put(end[1]);
    is(file_read_at(end[0], back, 60, 0), 40, "the rest, after the writer has closed");
    is(file_read_at(end[0], back, 60, 0), 0, "then the end");
    is(end[0]->ops->poll(end[0]), POLLHUP, "hung up");
    file_put(end[0]);
    make(end, O_NONBLOCK);
    is(file_read_at(end[0], back, 1, 0), (long)-EAGAIN, "nonblocking and empty: EAGAIN");
    is(put(end, 2 * SIZE), SIZE, "it takes what it holds");
    is(put(end, 1), (long)-EAGAIN, "then EAGAIN");
    is(end[1]->ops->poll(end[1]), 0, "not ready");
    is(file_read_at(end[0], back, 10, 0), 10, "room for ten");
    is(put(end, 11), (long)-EAGAIN, "is none for eleven, which may not be cut");
    is(put(end, PAGE_SIZE + 1), 10, "but for ten of more than a page");
    file_put(end[0]);
    is(put(end, 1), (long)-EPIPE, "nobody reads: EPIPE");
    is(put(end, 0), 0, "but for nothing");
    is(end[1]->ops->poll(end[1]) & POLLERR, POLLERR, "an error");
    file_put(end[1]);
    host_end("ends");
}

static void test_memory(void)
{
    struct file *end[2];
    host_begin();
    int tries = 0;
    for (fail_countdown = 1; pipe_create(0, end) < 0; fail_countdown = ++tries + 1)
        ok(!host_leak(), "allocation %d fails: nothing is left", tries + 1);
    fail_countdown = 1;
    is(put(end, 10), (long)-ENOMEM, "no page to write to");
    fail_countdown = 2;
    is(put(end, 2 * PAGE_SIZE), PAGE_SIZE, "none for the second");
    fail_countdown = 0;
    is(put(end, 10), 10, "and then there is");
    char path[64];
    u32 major, minor;
    u64 ino;
    end[0]->mm.ops->describe(&end[0]->mm, path, sizeof(path), &major, &minor, &ino);
    ok(strncmp(path, "pipe:[", 6) == 0, "it is called %s", path);
    file_put(end[0]);
    file_put(end[1]);
    host_end("memory");
}

/* ---- entries on demand ---- */

static struct entry *lookup(struct entry *dir, const char *name, size_t length);

static bool next(struct entry *dir, u64 pos, struct dir_item *item)
{
    u64 i = pos - PROC_DYNAMIC;
    (void)dir;
    *item = (struct dir_item){.ino = 1000 + i, .next = pos + 1, .type = S_IFDIR >> 12};
    snprintf(item->name, sizeof(item->name), "%lu", i);
    return i < 3;
}

static const struct proc_entry endless = {.path = "endless", .lookup = lookup, .next = next};

static struct entry *lookup(struct entry *dir, const char *name, size_t length)
{
    char text[32];
    snprintf(text, sizeof(text), "%.*s", (int)length, name);
    struct inode *inode = proc_inode(&endless, (struct proc_subject){.id = 1}, 1);
    struct entry *entry = inode ? tree_transient(dir, text, inode) : NULL;
    if (inode)
        inode_put(inode);
    return entry;
}

static void test_demand(void)
{
    struct entry *entry;
    struct dir_item item;
    struct file *file;
    char path[64];
    static bool registered;
    if (!registered)
        procfs_register(&endless);
    registered = true;
    host_begin();
    is(path_find(fs_root, "/proc/endless/a/b/c/d", 0, &entry), 0, "what is asked for is there");
    tree_lock();
    tree_path(entry, path, sizeof(path));
    tree_unlock();
    ok(strcmp(path, "/proc/endless/a/b/c/d") == 0, "at %s", path);
    entry_put(entry);
    is(path_find(fs_root, "/proc/endless/a/../../endless/b", 0, &entry), 0, "and back up");
    entry_put(entry);
    is(fs_mkdir(fs_root, "/proc/endless/x", 0700), (long)-EEXIST, "so it can't be made");
    is(fs_unlink(fs_root, "/proc/endless/x", true), (long)-EPERM, "or removed");
    is(fs_rename(fs_root, "/proc/endless/x", fs_root, "/proc/endless/y"), (long)-EPERM, "or moved");
    is(fs_rename(fs_root, "/proc/endless/x", fs_root, "/tmp/x"), (long)-EXDEV, "or moved out");
    is(fs_mkdir(fs_root, "/proc/x", 0700), (long)-ENOENT, "nothing is made in /proc");
    is((long)host_open("/proc/endless/dir", O_RDONLY | O_DIRECTORY, &file), 0, "it opens");
    int n = 0;
    for (u64 pos = 0; dir_next(file, pos, &item); pos = item.next)
        n++;
    is(n, 2 + 3, "it lists itself, its parent and three");
    file_put(file);
    int tries = 0;
    for (fail_countdown = 1; path_find(fs_root, "/proc/endless/a/b", 0, &entry) < 0;
         fail_countdown = ++tries + 1)
        ok(!host_leak(), "allocation %d fails: nothing is left", tries + 1);
    fail_countdown = 0;
    is(tries, 4, "each entry takes two");
    entry_put(entry);
    host_end("on demand");
}

int main(void)
{
    host_boot_fs(4096);
    test_order();
    test_ends();
    test_memory();
    test_demand();
    return tap_done();
}
