/*
 * tree.h: the one tree of names, and the inodes that the names stand for.
 *
 *      entry "/" --> inode (directory) --children--> entry "bin" --> inode (directory) ...
 *                                               \--> entry "init" --> inode (file) --> struct mapping: the data
 *
 * An entry is a name in a directory; an inode is what it names. The whole file system lives in memory, so an entry in
 * the tree is never forgotten: the tree holds one reference to each. Open files, working directories and VMAs
 * (through files) hold more, which is how an unlinked file lives on.
 *
 * What /proc shows of processes is not kept: a directory there makes the entry that is asked for (tree_child), and whoever
 * looked it up may use it until the tree lock is let go, like any other. tree_keep sees to that.
 *
 * Locks: fs_tree_lock (sleeping, RANK_DIR) guards every link of the tree, names, nlink and the deleted mark. An
 * inode's lock (sleeping, RANK_INODE) guards its contents and size. Reference counts are atomic.
 */
#ifndef KERNEL_FS_TREE_H
#define KERNEL_FS_TREE_H

#include "kernel/mm/mapping.h"
#include "lib/abi/fcntl.h"
#include "lib/abi/stat.h"
#include "lib/rbtree.h"

struct file_ops;
struct pipe;
struct proc_entry;
struct entry;

/* What a file of /proc is about: a process, told from a later one with its number by when it was born. */
struct proc_subject {
    u32 id;   /* 0: the whole machine */
    u32 item; /* which of its files, or descriptors */
    u64 born;
};

struct inode {
    u32 refs;  /* atomic: entries and files */
    u32 mode;  /* type and rights; the type never changes */
    u32 nlink; /* tree lock */
    u64 ino;
    s32 writers; /* atomic: files open for writing; below 0: so many run it as a program */
    u64 rdev;    /* character devices */
    u64 atime, mtime, ctime; /* nanoseconds since 1970; single words */
    struct mutex lock;
    struct mutex
        write_lock; /* regular files: one write at a time, while it fetches the caller's bytes, too */
    const struct file_ops *file_ops;
    union {
        struct mapping mapping;                /* S_IFREG */
        char *target;                          /* S_IFLNK, from kmalloc */
        struct pipe *pipe;                     /* S_IFIFO */
        struct {                               /* S_IFDIR; tree lock; children.c */
            struct rb_root by_name, by_cookie; /* of struct entry */
            u64 next_cookie;
        };
    };
    const struct proc_entry *proc; /* all of /proc */
    struct proc_subject about;     /* and there: of which process */
};

struct entry {
    u32 refs;     /* atomic */
    bool deleted; /* tree lock: no longer in its directory */
    bool bare;    /* not a place in the tree: its name is all its path ("pipe:[7]") */
    bool kept;    /* tree lock: on the list of tree_keep */
    struct entry *next_kept;
    u64 cookie;                        /* position for getdents, grows with time */
    struct rb_node by_name, by_cookie; /* in the parent's children */
    struct entry *parent; /* a reference; the root's own parent is itself, without one */
    struct inode *inode;  /* a reference */
    char *name;           /* tree lock: first_name, or after a rename from kmalloc */
    char first_name[];
};

extern struct mutex fs_tree_lock;
extern struct entry *fs_root;

/* Make the root directory. 0 or -ENOMEM. => once, at boot. */
int tree_init(void);

/* A new inode with one reference, nlink 0. NULL without memory. */
struct inode *inode_create(u32 mode);
void inode_put(struct inode *inode);

static inline struct inode *inode_get(struct inode *inode)
{
    __atomic_fetch_add(&inode->refs, 1, __ATOMIC_RELAXED);
    return inode;
}

/* A regular file is either written or run. Begin answers -ETXTBSY while it is the other; each end goes with a begin that
 * answered 0. => any context. */
int inode_write_begin(struct inode *inode);
void inode_write_end(struct inode *inode);
int inode_run_begin(struct inode *inode);
void inode_run_end(struct inode *inode);

static inline struct entry *entry_get(struct entry *entry)
{
    __atomic_fetch_add(&entry->refs, 1, __ATOMIC_RELAXED);
    return entry;
}

/* Drop a reference; may free the inode and its data. => no spin lock held; the tree lock may be. */
void entry_put(struct entry *entry);

/* All of these: => tree lock held. */

void tree_lock(void); /* these two, for those who walk */
void tree_unlock(void);
/* Put off dropping a reference until tree_unlock. */
void tree_keep(struct entry *entry);

/* The child of that name, without a reference of its own; NULL: none, or no memory to make it. */
struct entry *tree_child(struct entry *dir, const char *name, size_t length);
/* Enter inode in dir under a name that is not there. Takes no reference of the caller's. *out (may be NULL) gets the
 * entry, without a reference. 0, -ENOMEM, -ENOENT when dir itself was removed. */
int tree_link(struct entry *dir, const char *name, size_t length, struct inode *inode,
              struct entry **out);
/* An entry that was never in the tree: one reference for the caller. NULL without memory. The name NULL: the inode's
 * number (O_TMPFILE). bare: see struct entry. */
struct entry *tree_orphan(struct inode *inode, const char *name, bool bare);
/* An entry that dir makes on demand and does not keep. => any context; may be without the tree lock. */
struct entry *tree_transient(struct entry *dir, const char *name, struct inode *inode);
/* Take an entry out of its directory. The tree's reference goes. */
void tree_unlink(struct entry *entry);
/* Put entry into dir under a name; whoever has it open or works in it goes along. victim, the entry of that name, goes as by
 * tree_unlink; NULL: there is none. 0, or -ENOMEM, -ENOENT (dir was removed) with nothing changed. */
int tree_move(struct entry *entry, struct entry *dir, const char *name, size_t length,
              struct entry *victim);
bool tree_empty(const struct entry *dir);
/* The absolute path with " (deleted)" where it applies; cut to size. Returns its full length. */
size_t tree_path(const struct entry *entry, char *buf, size_t size);

#endif
