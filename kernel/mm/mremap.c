/*
 * mremap.c: changing where a mapping ends, or where it is.
 *
 *      shrink    unmap the end
 *      grow      in place, if there is room behind: mmap's merge, so that VMAs stay few
 *      move      reserve -> move -> unmap:
 *
 *              old                      new
 *               |=======|                |===........|     tables for what will come
 *               |=======|   |==other==|  |===........|     FIXED: what was there goes
 *               |       |                |===========|     a VMA, or a longer neighbour; entries
 *                                        |===========|     the old range is unmapped (or stays,
 *                                                          empty: DONTUNMAP)
 *
 * All VMAs, promises and tables are got hold of before the first change, so that nothing can fail
 * half-way (CVE-2004-0077: an unmap inside was refused and mremap went on). Old size 0 is a
 * request for a second view of shared memory. Checks and their order are those of Linux, but a
 * range of several VMAs is never moved. => mm.lock held for write.
 */
#include "kernel/core/panic.h"
#include "kernel/mm/space.h"
#include "kernel/mm/zap.h"
#include "lib/abi/errno.h"
#include "lib/abi/mman.h"

/* Linux leaves room under vm.max_map_count for the worst number of splits: to be moved at all, and
 * to be moved to a place that has to be emptied first. One more than it says, as its test is >=. */
enum { SPARE_MAPS = 4, SPARE_MAPS_PLACED = 6 };

struct remap {
    vaddr_t old, new;
    u64 old_len, new_len;
    u32 flags;              /* MREMAP_ */
    struct vma_shape shape; /* of the new VMA */
    u64 charged;            /* pages promised */
    struct vma *spare[4];
    unsigned spares;
};

static bool placed(const struct remap *r) /* the caller says where to */
{
    return r->flags & (MREMAP_FIXED | MREMAP_DONTUNMAP);
}

static u64 kept(const struct remap *r) /* bytes that survive */
{
    return min_u64(r->old_len, r->new_len);
}

/* ---- check ---- */

static int check_request(const struct remap *r)
{
    const u32 known = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;

    if ((r->flags & ~known) || (r->old & ~PAGE_MASK) || r->new_len == 0 || r->new_len > USER_END)
        return -EINVAL;
    if (!placed(r))
        return 0;
    if (!user_range_ok(r->new, r->new_len) || (r->new & ~PAGE_MASK))
        return -EINVAL;
    if (!(r->flags & MREMAP_MAYMOVE))
        return -EINVAL;
    if ((r->flags & MREMAP_DONTUNMAP) && r->old_len != r->new_len)
        return -EINVAL;
    if (r->old + r->old_len > r->new && r->new + r->new_len > r->old)
        return -EINVAL;
    return 0;
}

/* To move or grow, the source has to lie in one VMA, which may not outgrow its limits. */
static int check_source(const struct mm *mm, const struct remap *r, const struct vma *vma)
{
    u64 more = (r->new_len - r->old_len) >> PAGE_SHIFT;
    pgoff_t pgoff = vma->pgoff + ((r->old - vma->start) >> PAGE_SHIFT);

    if (r->old_len == 0 && !(vma->flags & VM_MAYSHARE))
        return -EINVAL;
    if (kept(r) > vma->end - r->old)
        return -EFAULT;
    if (r->old_len > r->new_len && !user_range_ok(r->old, r->old_len))
        return -EINVAL;
    if (r->flags & MREMAP_DONTUNMAP)
        more = r->new_len >> PAGE_SHIFT;
    else if (r->new_len <= r->old_len)
        return 0;
    if (pgoff + (r->new_len >> PAGE_SHIFT) < pgoff)
        return -EINVAL;
    if (!(r->flags & MREMAP_DONTUNMAP) && !mm_may_lock(mm, vma->flags, more))
        return -EAGAIN;
    return mm_may_grow(mm, vma->flags, more) ? 0 : -ENOMEM;
}

/* ---- in place ---- */

static long shrink(struct mm *mm, const struct remap *r)
{
    vaddr_t start = r->old + r->new_len, end = r->old + r->old_len;

    if (!user_range_ok(r->old, r->old_len))
        return -EINVAL;
    int error = unmap_range(mm, vma_find(&mm->vmas, start), start, end);
    return error ? error : (long)r->old;
}

static bool room_behind(struct mm *mm, const struct remap *r, struct vma *vma)
{
    struct vma *next = vma_next(&mm->vmas, vma);

    return vma->end == r->old + r->old_len && user_range_ok(r->old, r->new_len) &&
           (!next || next->start >= r->old + r->new_len);
}

static long grow(struct mm *mm, const struct remap *r, struct vma *vma)
{
    struct vma_shape shape = vma_part(vma, vma->end, r->old + r->new_len);

    if ((vma->flags & VM_ACCOUNT) && commit_charge(mm, (shape.end - shape.start) >> PAGE_SHIFT))
        return -ENOMEM;
    if (vma->file)
        mm_file_get(vma->file);
    bool merged = mm_merge_shape(mm, &shape, vma, vma_next(&mm->vmas, vma));
    CHECK(merged, "%lx-%lx does not go on with itself", vma->start, vma->end);
    return r->old;
}

/* ---- reserve ---- */

static void release(struct remap *r)
{
    while (r->spares > 0)
        vma_free(r->spare[--r->spares]);
}

/* One VMA for the new range, one for each unmap that may cut the middle out of one. */
static int reserve_vmas(struct mm *mm, struct remap *r)
{
    unsigned wanted = 1 + !!(r->flags & MREMAP_FIXED) + (r->old_len > r->new_len) +
                      (kept(r) > 0 && !(r->flags & MREMAP_DONTUNMAP));

    while (r->spares < wanted) {
        struct vma *vma = vma_alloc(&mm->vmas);
        if (!vma) {
            release(r);
            return -ENOMEM;
        }
        r->spare[r->spares++] = vma;
    }
    return 0;
}

/* Private memory that was never written forgets where it was, so that it can merge where it will
 * be. */
static void plan_shape(struct remap *r, const struct vma *vma)
{
    r->shape = vma_part(vma, r->old, r->old + r->new_len);
    r->shape.start = r->new;
    r->shape.end = r->new + r->new_len;
    if (vma->file)
        mm_file_get(vma->file);
    else if (!vma->anon_id)
        r->shape.pgoff = r->new >> PAGE_SHIFT;
    if (vma->flags & VM_ACCOUNT) {
        u64 more = r->flags & MREMAP_DONTUNMAP ? r->new_len : r->new_len - kept(r);
        r->charged = more >> PAGE_SHIFT;
    }
}

static void free_empty_tables(struct mm *mm, vaddr_t start, vaddr_t end)
{
    struct zap zap;

    zap_begin(&zap, &mm->pt);
    zap_free_tables(&zap, start, end);
    zap_end(&zap);
}

static int reserve(struct mm *mm, struct remap *r, const struct vma *vma)
{
    plan_shape(r, vma);
    if (r->charged && commit_charge(mm, r->charged))
        goto no_promise;
    if (reserve_vmas(mm, r))
        goto no_vmas;
    if (kept(r) == 0 || pt_move_prepare(&mm->pt, r->old, r->new, kept(r)) == 0)
        return 0;
    free_empty_tables(mm, r->new, r->new + kept(r));
    release(r);
no_vmas:
    commit_return(r->charged);
no_promise:
    if (r->shape.file)
        mm_file_put(r->shape.file);
    return -ENOMEM;
}

/* ---- commit ---- */

static void take_out(struct mm *mm, struct remap *r, vaddr_t start, vaddr_t end, bool moved)
{
    struct unmap unmap;

    if (unmap_begin(&unmap, vma_find(&mm->vmas, start), start, end))
        unmap.spare = r->spare[--r->spares];
    unmap.moved = moved;
    unmap.keep_tables = !moved; /* the target's wait for entries */
    unmap_perform(mm, &unmap);
}

static void insert(struct mm *mm, struct remap *r)
{
    struct vma *next = vma_find(&mm->vmas, r->new);

    if (!mm_merge_shape(mm, &r->shape, vma_prev(&mm->vmas, next), next))
        mm_insert_shape(mm, &r->shape, next, r->spare[--r->spares]);
}

/* Truncate goes from VMA to VMA: it must not pass the new one before the entries come, and the old
 * one after they left. */
static void move_entries(struct mm *mm, const struct remap *r)
{
    struct mm_file *file = r->shape.file; /* the source VMA still holds it */

    mm_file_lock(file);
    pt_move(&mm->pt, r->old, r->new, kept(r));
    mm_file_unlock(file);
}

/* DONTUNMAP: the old VMA is as fresh from mmap, and not locked. */
static void leave_empty(struct mm *mm, const struct remap *r)
{
    struct vma *vma = vma_find(&mm->vmas, r->old);
    s64 pages = vma_pages(vma);

    mm_account(mm, vma->flags, -pages);
    vma->flags &= ~(u32)VM_LOCK_BITS;
    mm_account(mm, vma->flags, pages);
    if (vma->start == r->old && vma->end == r->old + r->old_len)
        vma->anon_id = 0;
}

/* Nothing here fails. VMAs are looked up again after each step: any step may have freed them. */
static void commit(struct mm *mm, struct remap *r)
{
    vaddr_t old_end = r->old + r->old_len, kept_end = r->old + kept(r);

    if (r->flags & MREMAP_FIXED)
        take_out(mm, r, r->shape.start, r->shape.end, false);
    if (kept_end < old_end)
        take_out(mm, r, kept_end, old_end, false);
    insert(mm, r);
    if (kept(r) > 0)
        move_entries(mm, r);
    if (r->flags & MREMAP_DONTUNMAP)
        leave_empty(mm, r);
    else if (kept(r) > 0)
        take_out(mm, r, r->old, kept_end, true);
    free_empty_tables(mm, r->shape.start, r->shape.end);
    release(r);
}

/* ---- the call ---- */

static long move(struct mm *mm, struct remap *r, struct vma *vma)
{
    if (map_count_full(mm, SPARE_MAPS))
        return -ENOMEM;
    if (r->old_len == 0 && r->new <= r->old && r->old < r->new + r->new_len &&placed(r))
        return -EFAULT; /* FIXED would unmap what is to be duplicated */
    if (!(r->flags & MREMAP_FIXED)) {
        long addr = mmap_place(mm, placed(r) ? r->new : 0, r->new_len);
        if (addr < 0)
            return addr;
        r->new = addr;
    }
    int error = reserve(mm, r, vma);
    if (error)
        return error;
    commit(mm, r);
    return r->new;
}

static long remap_locked(struct mm *mm, struct remap *r, bool *locked)
{
    if (placed(r) && map_count_full(mm, SPARE_MAPS_PLACED))
        return -ENOMEM;
    struct vma *vma = vma_find(&mm->vmas, r->old);
    if (!vma || vma->start > r->old)
        return -EFAULT;
    *locked = vma->flags & VM_LOCKED;
    if (!placed(r) && r->new_len == r->old_len)
        return r->old;
    if (!placed(r) && r->new_len < r->old_len)
        return shrink(mm, r);
    int error = check_source(mm, r, vma);
    if (error)
        return error;
    if (!placed(r) && room_behind(mm, r, vma))
        return grow(mm, r, vma);
    return r->flags & MREMAP_MAYMOVE ? move(mm, r, vma) : -ENOMEM;
}

long mm_mremap(struct mm *mm, vaddr_t old, u64 old_len, u64 new_len, u32 flags, vaddr_t new_addr)
{
    struct remap r = {.old = old,
                      .new = new_addr,
                      .old_len = page_align_up(old_len),
                      .new_len = page_align_up(new_len),
                      .flags = flags};
    bool locked = false;
    int error = check_request(&r);

    if (error)
        return error;
    rwsem_write_lock(&mm->lock);
    long addr = remap_locked(mm, &r, &locked);
    rwsem_write_unlock(&mm->lock);
    if (addr >= 0 && locked && r.new_len > r.old_len)
        mm_populate(mm, addr + r.old_len, addr + r.new_len, POPULATE_MAP);
    return addr;
}
