/*
 * shared.c: MAP_SHARED | MAP_ANONYMOUS: memory without a name that more than one address space may
 * see.
 *
 *      VMA --file--> struct shared { mm_file, mapping, ... } --> pages
 *
 * Each such mmap makes a file of its own, of just the mapping's size, which no descriptor leads
 * to. It goes with the last VMA. In /proc/PID/maps it is "/dev/zero (deleted)", as in Linux, and
 * its inode number tells two apart.
 */
#include "kernel/mm/slab.h"
#include "kernel/mm/space.h"
#include "lib/string.h"

struct shared {
    struct mm_file file;
    struct mapping mapping;
    u64 committed; /* pages promised */
    u64 inode;
};

static struct slab_cache shared_cache;
static u64 last_inode;

static struct shared *shared_of(struct mm_file *file)
{
    return container_of(file, struct shared, file);
}

static void release(struct mm_file *file)
{
    struct shared *shared = shared_of(file);

    mapping_destroy(&shared->mapping);
    commit_return(shared->committed);
    slab_free(&shared_cache, shared);
}

static int describe(struct mm_file *file, char *path, size_t size, u32 *dev_major, u32 *dev_minor,
                    u64 *inode)
{
    *dev_major = 0;
    *dev_minor = 1;
    *inode = shared_of(file)->inode;
    return string_copy(path, "/dev/zero (deleted)", size);
}

static void modified(struct mm_file *file)
{
    (void)file; /* no time that anybody could ask for */
}

static const struct mm_file_ops shared_ops = {release, describe, modified};

void shared_init_once(void)
{
    slab_cache_init(&shared_cache, "shared_memory", sizeof(struct shared), 8);
}

struct mm_file *shared_create(const struct mm *mm, u64 pages, bool reserve)
{
    struct shared *shared;

    if (reserve && commit_charge(mm, pages))
        return NULL;
    shared = slab_alloc_zeroed(&shared_cache);
    if (!shared) {
        commit_return(reserve ? pages : 0);
        return NULL;
    }
    mapping_init(&shared->mapping);
    shared->mapping.size = pages << PAGE_SHIFT;
    shared->file = (struct mm_file){.ops = &shared_ops,
                                    .mapping = &shared->mapping,
                                    .access = MM_FILE_READ | MM_FILE_WRITE,
                                    .refs = 1};
    shared->committed = reserve ? pages : 0;
    shared->inode = __atomic_add_fetch(&last_inode, 1, __ATOMIC_RELAXED);
    return &shared->file;
}
