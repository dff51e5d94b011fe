/*
 * vma_merge.c: cutting VMAs and joining them, and nothing else that changes where they end.
 *
 * A range to be changed meets a VMA in one of four ways, by which splits are named everywhere:
 *
 *      A1  |=======|    A2  |====|---|    A3  |---|====|    A4  |--|====|--|     = in the range
 *          whole            head              tail              middle
 *
 * Joins are named by a picture: A the VMA below, B the one above, * new pages, P the part that
 * changes, V what stays of its VMA. Two may become one if they touch, have the same flags and
 * file, if the file's pages go on without a jump, and if not both were written under different
 * anon ids.
 *
 * A VMA of a file is also in the file's mapping, ordered by pgoff; it is taken out while its
 * bounds change, under one hold of map_lock, so truncate never sees a range twice or not at all.
 * => mm.lock held for write. Sleeps.
 */
#include "kernel/core/panic.h"
#include "kernel/mm/mapping.h"
#include "kernel/mm/vma.h"

static void file_remove(struct vma *vma)
{
    if (vma->file)
        mapping_remove_vma(vma->file->mapping, vma);
}

static void file_add(struct vma *vma)
{
    if (vma->file)
        mapping_add_vma(vma->file->mapping, vma);
}

void vma_hook(struct vma_store *store, struct vma *vma, struct vma *next)
{
    mm_file_lock(vma->file);
    vma_insert(store, vma, next);
    file_add(vma);
    mm_file_unlock(vma->file);
}

void vma_unhook(struct vma_store *store, struct vma *vma)
{
    mm_file_lock(vma->file);
    vma_erase(store, vma);
    file_remove(vma);
    mm_file_unlock(vma->file);
}

void vma_resize(struct vma_store *store, struct vma *vma, vaddr_t start, vaddr_t end)
{
    mm_file_lock(vma->file);
    file_remove(vma);
    vma_set_range(store, vma, start, end);
    file_add(vma);
    mm_file_unlock(vma->file);
}

/*      vma                  vma   upper
 *   |===========|   -->   |=====|=====|        upper->pgoff follows from vma->start before the cut
 *         addr                 addr
 */
void vma_split(struct vma_store *store, struct vma *vma, vaddr_t addr, struct vma *upper)
{
    struct vma *next = vma_next(store, vma);
    struct vma_shape rest = vma_part(vma, addr, vma->end);

    CHECK(vma->start < addr && addr < vma->end, "%lx in %lx-%lx", addr, vma->start, vma->end);
    vma_take_shape(upper, &rest);
    if (vma->file)
        mm_file_get(vma->file);
    mm_file_lock(vma->file);
    file_remove(vma);
    vma_set_range(store, vma, vma->start, addr);
    vma_insert(store, upper, next);
    file_add(vma);
    file_add(upper);
    mm_file_unlock(vma->file);
    vmcount_add(store->counts, VMC_vma_splits, 1);
}

static bool ids_agree(u32 a, u32 b)
{
    return a == b || ((a == 0 || b == 0) && !((a | b) & ANON_ID_INHERITED));
}

static bool alike(const struct vma *vma, const struct vma_shape *shape)
{
    return vma->flags == shape->flags && vma->file == shape->file &&
           ids_agree(vma->anon_id, shape->anon_id);
}

static pgoff_t shape_end_pgoff(const struct vma_shape *shape)
{
    return shape->pgoff + ((shape->end - shape->start) >> PAGE_SHIFT);
}

/* Which neighbours can take the shape in? */
struct merge {
    struct vma *low, *high; /* NULL: this one can't */
};

static struct merge merge_plan(struct vma *prev, struct vma *next, const struct vma_shape *shape)
{
    struct merge m = {0};

    if (prev && prev->end == shape->start && alike(prev, shape) &&
        prev->pgoff + vma_pages(prev) == shape->pgoff)
        m.low = prev;
    if (next && next->start == shape->end && alike(next, shape) &&
        next->pgoff == shape_end_pgoff(shape))
        m.high = next;
    if (m.low && m.high && !ids_agree(prev->anon_id, next->anon_id))
        m.high = NULL; /* written apart: the lower one takes it, two stay two */
    return m;
}

static void swallow(struct vma_store *store, struct vma *vma)
{
    vma_erase(store, vma);
    file_remove(vma);
    if (vma->file)
        mm_file_put(vma->file); /* not the last reference: its swallower has one */
    vma_free(vma);
}

/*
 *   AA**BB --> AAAAAA    AA** --> AAAA    **BB --> BBBB
 *   (B goes)                               (its pgoff moves down with its start)
 */
static struct vma *take_in(struct vma_store *store, const struct merge *m,
                           const struct vma_shape *shape, struct vma *middle)
{
    struct vma *taker = m->low ? m->low : m->high;
    vaddr_t start = m->low ? m->low->start : shape->start;
    vaddr_t end = m->high ? m->high->end : shape->end;
    u32 id = taker->anon_id | shape->anon_id; /* each 0 or the same */

    if (m->low && m->high)
        id |= m->high->anon_id;
    mm_file_lock(shape->file);
    if (middle)
        swallow(store, middle);
    if (m->low && m->high)
        swallow(store, m->high);
    file_remove(taker);
    vma_set_range(store, taker, start, end);
    file_add(taker);
    mm_file_unlock(shape->file);
    taker->anon_id = id;
    vmcount_add(store->counts, VMC_vma_merges, 1);
    return taker;
}

struct vma *vma_merge_new(struct vma_store *store, struct vma *prev, struct vma *next,
                          const struct vma_shape *shape)
{
    struct merge m = merge_plan(prev, next, shape);

    return m.low || m.high ? take_in(store, &m, shape, NULL) : NULL;
}

/* Which neighbours can take in this part of vma, as it would be with the flags? */
static struct merge part_plan(struct vma_store *store, struct vma *vma, struct vma_shape *part,
                              u32 flags)
{
    struct vma *prev = part->start == vma->start ? vma_prev(store, vma) : NULL;
    struct vma *next = part->end == vma->end ? vma_next(store, vma) : NULL;

    part->flags = flags;
    return merge_plan(prev, next, part);
}

bool vma_can_merge_part(struct vma_store *store, struct vma *vma, vaddr_t start, vaddr_t end,
                        u32 flags)
{
    struct vma_shape shape = vma_part(vma, start, end);
    struct merge m = part_plan(store, vma, &shape, flags);

    return m.low || m.high;
}

/*
 *   A1   AAPPBB --> AAAAAA     AAPP --> AAAA     PPBB --> BBBB
 *   A2   AAPPVV --> AAAAVV     the border moves up
 *   A3   VVPPBB --> VVBBBB     the border moves down
 */
struct vma *vma_merge_part(struct vma_store *store, struct vma *vma, vaddr_t start, vaddr_t end,
                           u32 flags)
{
    struct vma_shape shape = vma_part(vma, start, end);
    struct merge m = part_plan(store, vma, &shape, flags);

    if (!m.low && !m.high)
        return NULL;
    if (start == vma->start && end == vma->end)
        return take_in(store, &m, &shape, vma);
    if (start == vma->start)
        vma_resize(store, vma, end, vma->end);
    else
        vma_resize(store, vma, vma->start, start);
    return take_in(store, &m, &shape, NULL);
}

/* Linux's anon_vma_compatible: alike but for rights, so that mprotect back can merge. */
static bool could_share_id(const struct vma *low, const struct vma *high)
{
    return low->end == high->start && low->file == high->file &&
           ((low->flags ^ high->flags) & ~(u32)VM_RIGHTS) == 0 &&
           low->pgoff + vma_pages(low) == high->pgoff;
}

static u32 id_to_share(const struct vma *vma)
{
    u32 id = READ_ONCE(vma->anon_id);

    return id & ANON_ID_INHERITED ? 0 : id;
}

/* => mm.lock held for read is enough. */
u32 vma_neighbour_anon_id(struct vma_store *store, struct vma *vma)
{
    struct vma *prev = vma_prev(store, vma), *next = vma_next(store, vma);
    u32 id = next && could_share_id(vma, next) ? id_to_share(next) : 0;

    if (id == 0 && prev && could_share_id(prev, vma))
        id = id_to_share(prev);
    return id;
}
