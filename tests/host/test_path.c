/*
 * test_path.c: the path walk and the calls on names: each row is a path and what Linux answers. Also open directories,
 * getcwd's texts, and procfs's texts in pieces of every size.
 */
#include <stdlib.h>

#include "kernel/fs/procfs.h"
#include "tests/host/standin/fs.h"

static char name255[256], name256[257];

/* The answer of looking path up from /tmp: an errno, or 0 and *ino. */
static long look(const char *path, unsigned flags, u64 *ino)
{
    struct entry *tmp, *found;
    if (path_find(fs_root, "/tmp", 0, &tmp) < 0)
        abort();
    int ret = path_find(tmp, path, flags, &found);
    if (ret == 0) {
        *ino = found->inode->ino;
        entry_put(found);
    }
    entry_put(tmp);
    return ret;
}

static void make_tree(void)
{
    memset(name255, 'n', 255);
    memset(name256, 'n', 256);
    host_make_file("/tmp/file", "x", 1, 0644);
    fs_mkdir(fs_root, "/tmp/dir", 0755);
    fs_mkdir(fs_root, "/tmp/dir/sub", 0755);
    host_make_file("/tmp/dir/inner", "yy", 2, 0644);
    fs_symlink(fs_root, "/tmp/to-file", "file");
    fs_symlink(fs_root, "/tmp/to-dir", "dir/");
    fs_symlink(fs_root, "/tmp/to-nothing", "nothing");
    fs_symlink(fs_root, "/tmp/to-root", "/");
    fs_symlink(fs_root, "/tmp/self", "self");
    fs_symlink(fs_root, "/tmp/dir/up", "../to-dir/sub/..");
    fs_symlink(fs_root, "/tmp/slash-file", "file/");
    for (int i = 0; i < 41; i++) {
        char from[32], to[32];
        snprintf(from, sizeof(from), "/tmp/chain%d", i);
        snprintf(to, sizeof(to), i == 0 ? "file" : "chain%d", i - 1);
        fs_symlink(fs_root, from, to);
    }
}

struct row {
    const char *path;
    unsigned flags;
    const char *same_as; /* an absolute path without links, or NULL */
    int error;
};

static void test_rows(void)
{
    const struct row rows[] = {
        {"", PATH_FOLLOW, NULL, -ENOENT},
        {"/", PATH_FOLLOW, "/", 0},
        {"///", PATH_FOLLOW, "/", 0},
        {"/..", PATH_FOLLOW, "/", 0},
        {".", PATH_FOLLOW, "/tmp", 0},
        {"./", PATH_FOLLOW, "/tmp", 0},
        {"..", PATH_FOLLOW, "/", 0},
        {"../tmp/./dir//inner", PATH_FOLLOW, "/tmp/dir/inner", 0},
        {"file", PATH_FOLLOW, "/tmp/file", 0},
        {"file/", PATH_FOLLOW, NULL, -ENOTDIR},
        {"file/x", PATH_FOLLOW, NULL, -ENOTDIR},
        {"file/..", PATH_FOLLOW, NULL, -ENOTDIR},
        {"dir/", 0, "/tmp/dir", 0},
        {"nothing", PATH_FOLLOW, NULL, -ENOENT},
        {"nothing/x", PATH_FOLLOW, NULL, -ENOENT},
        {"to-file", PATH_FOLLOW, "/tmp/file", 0},
        {"to-file/", 0, NULL, -ENOTDIR},
        {"to-dir/inner", 0, "/tmp/dir/inner", 0},
        {"to-dir/", 0, "/tmp/dir", 0},
        {"to-dir/up/inner", 0, "/tmp/dir/inner", 0},
        {"to-nothing", PATH_FOLLOW, NULL, -ENOENT},
        {"to-root", PATH_FOLLOW, "/", 0},
        {"to-root/tmp/file", 0, "/tmp/file", 0},
        {"slash-file", PATH_FOLLOW, NULL, -ENOTDIR},
        {"self", PATH_FOLLOW, NULL, -ELOOP},
        {"self/x", 0, NULL, -ELOOP},
        {"chain39", PATH_FOLLOW, "/tmp/file", 0},
        {"chain40", PATH_FOLLOW, NULL, -ELOOP},
        {name255, PATH_FOLLOW, NULL, -ENOENT},
        {name256, PATH_FOLLOW, NULL, -ENAMETOOLONG},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        u64 ino = 0, want = 0;
        long ret = look(rows[i].path, rows[i].flags, &ino);
        if (rows[i].same_as)
            look(rows[i].same_as, 0, &want);
        ok(ret == rows[i].error && ino == want, "\"%.40s\": %ld", rows[i].path, ret);
    }
    u64 ino, file;
    look("file", 0, &file);
    ok(look("to-file", 0, &ino) == 0 && ino != file, "a last link that is not followed is itself");
}

static void test_changes(void)
{
    struct file *f;
    is((long)fs_mkdir(fs_root, "/tmp/dir", 0), (long)-EEXIST, "mkdir of what is there");
    is((long)fs_mkdir(fs_root, "/tmp/to-nothing", 0), (long)-EEXIST, "mkdir of a dangling link");
    is((long)fs_mkdir(fs_root, "/", 0), (long)-EEXIST, "mkdir of the root");
    is((long)fs_mkdir(fs_root, "/tmp/new/", 0), 0, "mkdir with a slash");
    is((long)fs_unlink(fs_root, "/tmp/new", false), (long)-EISDIR, "unlink of a directory");
    is((long)fs_unlink(fs_root, "/tmp/file/", false), (long)-ENOTDIR,
       "unlink of a file with a slash");
    is((long)fs_unlink(fs_root, "/tmp/file", true), (long)-ENOTDIR, "rmdir of a file");
    is((long)fs_unlink(fs_root, "/tmp/dir", true), (long)-ENOTEMPTY, "rmdir of a full directory");
    is((long)fs_unlink(fs_root, "/tmp/new/.", true), (long)-EINVAL, "rmdir of .");
    is((long)fs_unlink(fs_root, "/tmp/new/..", true), (long)-ENOTEMPTY, "rmdir of ..");
    is((long)fs_unlink(fs_root, "/", true), (long)-EBUSY, "rmdir of the root");
    is((long)fs_unlink(fs_root, "/tmp/new", true), 0, "rmdir");
    is((long)host_open("/tmp/dir", O_RDWR, &f), (long)-EISDIR, "a directory for writing");
    is((long)host_open("/tmp/dir", O_CREAT | O_RDONLY, &f), (long)-EISDIR,
       "a directory with O_CREAT");
    is((long)host_open("/tmp/made/", O_CREAT | O_RDWR, &f), (long)-EISDIR, "O_CREAT with a slash");
    is((long)host_open("/tmp/file", O_DIRECTORY, &f), (long)-ENOTDIR, "O_DIRECTORY of a file");
    is((long)host_open("/tmp/to-file", O_NOFOLLOW, &f), (long)-ELOOP, "O_NOFOLLOW of a link");
    is((long)host_open("/tmp/to-nothing", O_CREAT | O_EXCL, &f), (long)-EEXIST,
       "O_EXCL of a dangling link");
    is((long)host_open("/tmp/to-nothing", O_CREAT, &f), 0, "O_CREAT makes what a link names");
    file_put(f);
    is((long)fs_unlink(fs_root, "/tmp/nothing", false), 0, "which is there now");
    is((long)host_open("/tmp/to-file", O_PATH | O_NOFOLLOW, &f), 0, "O_PATH of a link");
    file_put(f);
    is((long)fs_rename(fs_root, "/tmp/file", fs_root, "/tmp/dir/sub"), (long)-EISDIR,
       "rename onto a directory");
    is((long)fs_link(fs_root, fs_root, "/tmp/l"), (long)-EPERM, "a hard link to a directory");
}

static void string_append(char *to, const char *what)
{
    string_copy(to + strlen(to), what, ABI_NAME_MAX + 1);
}

static void test_dir(void)
{
    struct file *f;
    struct dir_item item;
    char names[512] = "";
    host_open("/tmp/dir", O_DIRECTORY, &f);
    for (u64 pos = 0; dir_next(f, pos, &item); pos = item.next) {
        string_append(names, item.name);
        string_append(names, " ");
        if (strcmp(item.name, "sub") == 0)
            fs_unlink(fs_root, "/tmp/dir/sub", true);
    }
    ok(strcmp(names, ". .. sub inner up ") == 0, "a name removed meanwhile hides no other: %s",
       names);
    file_put(f);
}

static void test_cwd_text(void)
{
    struct entry *entry;
    char buf[32];
    fs_mkdir(fs_root, "/tmp/dir/sub", 0755);
    path_find(fs_root, "/tmp/dir/sub", 0, &entry);
    for (size_t size = 1; size < sizeof(buf); size++) {
        memset(buf, '#', sizeof(buf));
        mutex_lock(&fs_tree_lock);
        size_t n = tree_path(entry, buf, size);
        mutex_unlock(&fs_tree_lock);
        if (n != 12 || strncmp(buf, "/tmp/dir/sub", min_u64(size - 1, 12)) ||
            strlen(buf) != min_u64(size - 1, 12) || buf[size] != '#')
            ok(false, "tree_path with %zu bytes", size);
    }
    fs_unlink(fs_root, "/tmp/dir/sub", true);
    mutex_lock(&fs_tree_lock);
    tree_path(entry, buf, sizeof(buf));
    is((long)tree_link(entry, "x", 1, entry->inode, NULL), (long)-ENOENT,
       "nothing is made in a removed directory");
    mutex_unlock(&fs_tree_lock);
    ok(strcmp(buf, "/tmp/dir/sub (deleted)") == 0, "a removed directory is %s", buf);
    entry_put(entry);
}

static int show(struct seq *seq, void *arg)
{
    for (int i = 0; i < 1000; i++)
        seq_printf(seq, "line %d of %s\n", i, (const char *)arg);
    return 0;
}

static int accept(const char *text, size_t length, void *arg)
{
    (void)arg;
    return length == 3 && memcmp(text, "yes", 4) == 0 ? 0 : -EINVAL;
}

static const struct proc_entry test_entry = {
    .path = "a/b/test", .arg = "it", .show = show, .write = accept};
static const struct proc_entry read_only = {.path = "a/fixed", .arg = "it", .show = show};
static const struct proc_entry strict = {
    .path = "a/strict", .arg = "it", .show = show, .strict = true};

static void test_proc(void)
{
    static char whole[32768], part[32768];
    struct file *f;
    is(procfs_register(&test_entry), 0, "register");
    is((long)procfs_register(&test_entry), (long)-EEXIST, "only once");
    is(procfs_register(&read_only), 0, "another beside it");
    is(procfs_register(&strict), 0, "and a third");
    is((long)host_open("/proc/a/strict", O_WRONLY, &f), (long)-EACCES,
       "a strict one cannot be opened to be written");
    is((long)host_open("/proc/a/fixed", O_WRONLY, &f), 0, "another can");
    struct io_kernel nothing;
    u64 at = 0;
    io_kernel_init(&nothing, "yes", 3);
    is(f->ops->write(f, &nothing.io, &at), (long)-EIO, "but takes nothing");
    file_put(f);
    host_begin();
    is((long)host_open("/proc/a/b/test", O_RDWR, &f), 0, "open");
    long n = file_read_at(f, whole, sizeof(whole), 0);
    ok(n > 14000 && strncmp(whole, "line 0 of it\n", 13) == 0, "read it whole: %ld bytes", n);
    for (size_t size = 1; size < 9000; size = size * 3 + 1) {
        long at = 0, got;
        while ((got = file_read_at(f, part + at, size, at)) > 0)
            at += got;
        ok(at == n && memcmp(whole, part, n) == 0, "in pieces of %zu", size);
    }
    is(host_write(f, "yes", 3, 0), 3, "a good write");
    is(host_write(f, "no", 2, 0), (long)-EINVAL, "a bad write");
    file_put(f);
    int failures = 0;
    for (u64 k = 1;; k++) {
        fail_countdown = k;
        int ret = host_open("/proc/a/b/test", O_RDONLY, &f);
        n = ret < 0 ? ret : file_read_at(f, part, sizeof(part), 0);
        fail_countdown = 0;
        if (ret == 0)
            file_put(f);
        if (n != -ENOMEM)
            break;
        failures++;
    }
    ok(n > 14000 && failures > 3, "every allocation fails in turn (%d)", failures);
    host_end("a text");
}

int main(void)
{
    host_boot_fs(8192);
    make_tree();
    test_rows();
    test_changes();
    test_dir();
    test_cwd_text();
    test_proc();
    return tap_done();
}
