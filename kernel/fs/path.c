/*
 * path.c: the path walk.
 *
 * One loop takes a component at a time. A symbolic link does not recurse: the rest of the path is put on a stack, the
 * walk goes on with the link's target, and comes back when that is used up. Only a rest with components in it is
 * stacked, so an empty stack and an empty rest mean that this component is the last.
 *
 *      /a/link/b     link -> x/y          rest "b" stacked; walk "x/y" from /a; then "b"
 *
 * Order of errors as on Linux: a name that is too long, then not a directory, then not there.
 */
#include "kernel/fs/path.h"

#include "kernel/core/panic.h"
#include "kernel/fs/procfs.h"
#include "lib/abi/errno.h"
#include "lib/string.h"

struct walk_state {
    struct entry *at; /* directory reached so far */
    const char *rest;
    const char *stack[PATH_LINKS_MAX];
    unsigned depth, links;
    unsigned flags;
};

static const char *skip_slashes(const char *s)
{
    while (*s == '/')
        s++;
    return s;
}

/* Go on with the target of link. 1: the walk has a new path; 0: a magic link, *child is where it leads. */
static int walk_link(struct walk_state *w, struct entry **child, const char *after)
{
    struct inode *inode = (*child)->inode;
    if (++w->links > PATH_LINKS_MAX)
        return -ELOOP;
    if (inode->proc && inode->proc->link) {
        *child = inode->proc->link(proc_arg(inode));
        if (!*child)
            return -ENOENT;
        tree_keep(*child);
        return 0;
    }
    if (*after)
        w->stack[w->depth++] = after;
    w->rest = inode->target;
    if (*w->rest == '/')
        w->at = fs_root;
    return *w->rest ? 1 : -ENOENT;
}

static enum path_last last_kind(const char *name, size_t length)
{
    if (name[0] != '.' || length > 2)
        return PATH_NAME;
    if (length == 1)
        return PATH_DOT;
    return name[1] == '.' ? PATH_DOTDOT : PATH_NAME;
}

static struct entry *walk_step(struct walk_state *w, struct path_result *r)
{
    r->last = last_kind(r->name, r->length);
    r->dir = w->at;
    if (r->last == PATH_NAME)
        return tree_child(w->at, r->name, r->length);
    if (r->last == PATH_DOTDOT && w->at != fs_root)
        w->at = w->at->parent;
    return r->dir = w->at;
}

/* Is the link that was found as the last component to be followed? */
static bool follow_last(const struct walk_state *w, const struct path_result *r)
{
    if (w->flags & PATH_PARENT)
        return w->flags & PATH_FOLLOW;
    return (w->flags & PATH_FOLLOW) || r->slash;
}

static int walk_end(const struct walk_state *w, struct path_result *r)
{
    const struct entry *found = r->entry;
    bool directory = found && S_ISDIR(found->inode->mode);
    return found && r->slash && !directory && !(w->flags & PATH_PARENT) ? -ENOTDIR : 0;
}

/* Cut the next component off the rest: its name goes into r, what follows it into *after. False: no more. */
static bool walk_component(struct walk_state *w, struct path_result *r, const char **after)
{
    while (!*(w->rest = skip_slashes(w->rest))) {
        if (!w->depth)
            return false;
        w->rest = w->stack[--w->depth];
    }
    const char *slash = strchr(w->rest, '/');
    r->name = w->rest;
    r->length = slash ? (size_t)(slash - w->rest) : strlen(w->rest);
    *after = skip_slashes(w->rest + r->length);
    return true;
}

int path_walk(struct entry *start, const char *path, unsigned flags, struct path_result *r)
{
    struct walk_state w = {.at = *path == '/' ? fs_root : start, .rest = path, .flags = flags};
    const char *after;
    CHECK(mutex_held(&fs_tree_lock), "walking %s unlocked", path);
    *r = (struct path_result){.dir = w.at, .entry = w.at, .name = ""};
    if (!*path)
        return -ENOENT;
    while (walk_component(&w, r, &after)) {
        bool last = !*after && !w.depth;
        if (!S_ISDIR(w.at->inode->mode))
            return -ENOTDIR;
        if (r->length > ABI_NAME_MAX)
            return -ENAMETOOLONG;
        r->slash |= last && r->name[r->length] == '/';
        w.rest = after;
        struct entry *child = walk_step(&w, r);
        if (child && S_ISLNK(child->inode->mode) && (!last || follow_last(&w, r))) {
            int ret = walk_link(&w, &child, after);
            if (ret < 0)
                return ret;
            if (ret)
                continue;
        }
        if (last)
            return r->entry = child, walk_end(&w, r);
        if (!child)
            return -ENOENT;
        w.at = child;
    }
    *r = (struct path_result){.dir = w.at, .entry = w.at, .name = "", .last = PATH_ROOT};
    return 0;
}

int path_find(struct entry *start, const char *path, unsigned flags, struct entry **out)
{
    struct path_result r;
    tree_lock();
    int ret = path_walk(start, path, flags, &r);
    if (ret == 0 && !r.entry)
        ret = -ENOENT;
    if (ret == 0)
        *out = entry_get(r.entry);
    tree_unlock();
    return ret;
}
