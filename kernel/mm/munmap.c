/*
 * munmap.c: taking a range of addresses out, whatever it covers: VMAs, parts of VMAs, holes,
 * nothing.
 *
 *                 start                        end
 *                   |                           |
 *      VMAs   |=====|==|   |=====|  |=====|  |==|======|
 *                   low     dead     dead    high
 *
 * Prepare: the only thing that can be missing is one VMA, when the range is the middle of a single
 * VMA (A4). Perform, which cannot fail:
 *
 *      unhook   VMAs leave the store and their files, cut ones become shorter: no new fault and
 *               no truncate comes
 *      zap      VMA by VMA: entries cleared, translations dropped, pages freed (zap.c)
 *      tables   the second pass, between what remains on both sides
 *      free     VMAs, and with them references of files
 *
 * => mm.lock held for write throughout.
 */
#include "kernel/core/panic.h"
#include "kernel/mm/space.h"
#include "kernel/mm/zap.h"
#include "lib/abi/errno.h"

bool unmap_begin(struct unmap *unmap, struct vma *first, vaddr_t start, vaddr_t end)
{
    *unmap = (struct unmap){.start = start, .end = end, .next = first};
    list_init(&unmap->dead);
    return first && first->start < start && first->end > end;
}

int unmap_prepare(struct mm *mm, struct unmap *unmap, struct vma *first, vaddr_t start, vaddr_t end)
{
    if (!unmap_begin(unmap, first, start, end))
        return 0;
    if (map_count_full(mm, 1))
        return -ENOMEM;
    unmap->spare = vma_alloc(&mm->vmas);
    return unmap->spare ? 0 : -ENOMEM;
}

static void count_part(struct mm *mm, struct unmap *unmap, const struct vma *vma, u64 bytes)
{
    unmap->pages += bytes >> PAGE_SHIFT;
    mm_account(mm, vma->flags, -(s64)(bytes >> PAGE_SHIFT));
    if (vma->flags & VM_ACCOUNT)
        unmap->accounted += bytes >> PAGE_SHIFT;
}

/* The VMA that begins below the range keeps what is below (A3; A4 was made an A3 by a split). */
static struct vma *unhook_low(struct mm *mm, struct unmap *unmap, struct vma *vma)
{
    if (vma->end > unmap->end) {
        vma_split(&mm->vmas, vma, unmap->end, unmap->spare);
        unmap->spare = NULL;
    }
    unmap->low = (struct unmap_part){unmap->start, vma->end};
    count_part(mm, unmap, vma, vma->end - unmap->start);
    vma_resize(&mm->vmas, vma, vma->start, unmap->start);
    return vma_next(&mm->vmas, vma);
}

static void unhook(struct mm *mm, struct unmap *unmap)
{
    struct vma *vma = unmap->next, *next;

    if (vma && vma->start < unmap->start)
        vma = unhook_low(mm, unmap, vma);
    for (; vma && vma->end <= unmap->end; vma = next) {
        next = vma_next(&mm->vmas, vma);
        count_part(mm, unmap, vma, vma->end - vma->start);
        vma_unhook(&mm->vmas, vma);
        list_add_tail(&unmap->dead, &vma->link);
    }
    if (vma && vma->start < unmap->end) { /* A2 */
        unmap->high = (struct unmap_part){vma->start, unmap->end};
        count_part(mm, unmap, vma, unmap->end - vma->start);
        vma_resize(&mm->vmas, vma, unmap->end, vma->end);
    }
    unmap->next = vma;
    unmap->prev = vma_prev(&mm->vmas, vma);
}

/* Stores that the file was not told of yet are told now. */
static void zap_part(struct zap *zap, const struct vma *vma, vaddr_t start, vaddr_t end)
{
    if (start == end)
        return;
    zap->dirtied = false;
    zap_range(zap, start, end);
    if (zap->dirtied)
        vma->file->ops->modified(vma->file);
}

static void zap_finish(struct mm *mm, struct zap *zap)
{
    zap_end(zap);
    mm_rss_add(mm, RSS_ANON, -zap->anon);
    mm_rss_add(mm, RSS_FILE, -zap->file);
}

/* A part cut off below (above) was of what is the neighbour there now. */
static void zap_parts(struct zap *zap, struct unmap *unmap)
{
    struct list_head *pos;

    zap_part(zap, unmap->prev, unmap->low.start, unmap->low.end);
    list_for_each (pos, &unmap->dead) {
        struct vma *vma = list_entry(pos, struct vma, link);
        zap_part(zap, vma, vma->start, vma->end);
    }
    zap_part(zap, unmap->next, unmap->high.start, unmap->high.end);
}

static void zap_all(struct mm *mm, struct unmap *unmap)
{
    vaddr_t floor = unmap->prev ? unmap->prev->end : 0;
    vaddr_t ceiling = unmap->next ? unmap->next->start : USER_LIMIT;
    struct zap zap;

    zap_begin(&zap, &mm->pt);
    if (!unmap->moved)
        zap_parts(&zap, unmap);
    if (!unmap->keep_tables)
        zap_free_tables(&zap, max_u64(floor, align_down(unmap->start, LEVEL_SPAN(LEVEL_TOP))),
                        min_u64(ceiling, align_up(unmap->end, LEVEL_SPAN(LEVEL_TOP))));
    zap_finish(mm, &zap);
}

void unmap_pages(struct vma *vma, vaddr_t start, vaddr_t end, bool spare_anon)
{
    struct mm *mm = mm_of(vma);
    struct zap zap;

    zap_begin(&zap, &mm->pt);
    zap.spare_anon = spare_anon;
    zap_part(&zap, vma, start, end);
    zap_finish(mm, &zap);
}

static void free_dead(struct list_head *dead)
{
    struct list_head *pos, *tmp;

    list_for_each_safe (pos, tmp, dead) {
        struct vma *vma = list_entry(pos, struct vma, link);
        if (vma->file)
            mm_file_put(vma->file);
        vma_free(vma);
    }
}

void unmap_perform(struct mm *mm, struct unmap *unmap)
{
    CHECK(rwsem_held_write(&mm->lock), "mm.lock is not held for write");
    unhook(mm, unmap);
    CHECK(!unmap->spare, "%lx-%lx: a VMA was reserved for nothing", unmap->start, unmap->end);
    if (unmap->pages == 0)
        return;
    zap_all(mm, unmap);
    commit_return(unmap->moved ? 0 : unmap->accounted);
    free_dead(&unmap->dead);
}

int unmap_range(struct mm *mm, struct vma *first, vaddr_t start, vaddr_t end)
{
    struct unmap unmap;
    int error = unmap_prepare(mm, &unmap, first, start, end);

    if (!error)
        unmap_perform(mm, &unmap);
    return error;
}

/* No VMA reaches over the end: nothing is to be reserved, and nothing fails. */
void unmap_all(struct mm *mm)
{
    unmap_range(mm, vma_next(&mm->vmas, NULL), 0, USER_LIMIT);
}

long mm_munmap(struct mm *mm, vaddr_t addr, u64 length)
{
    if ((addr & ~PAGE_MASK) || !user_range_ok(addr, length) || length == 0)
        return -EINVAL;
    rwsem_write_lock(&mm->lock);
    struct vma *first = vma_find(&mm->vmas, addr);
    int error = unmap_range(mm, first, addr, addr + page_align_up(length));
    rwsem_write_unlock(&mm->lock);
    return error;
}
