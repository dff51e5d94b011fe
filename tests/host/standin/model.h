/*
 * model.h: memory calls on a model that has no VMAs, no tree and no page table: an array with one
 * entry for each page of a window that lies across a table's border.
 *
 * A bit of each page says whether a VMA begins there. That is the model of Linux's merging: an
 * operation sets the bits at its two ends and clears them again where the neighbours are alike.
 */
#ifndef STANDIN_MODEL_H
#define STANDIN_MODEL_H

#include "tests/host/standin/mm_test.h"

enum { WINDOW = 96, HEAP = 64, FILE_PAGES = 48, STEPS = 8000 };
#define BASE ((1ul << 30) - PAGES(40))

struct model_page {
    bool mapped, begins; /* a VMA begins here */
    u32 flags;           /* VM_ */
    bool file;
    pgoff_t pgoff;
    u32 id;
    bool own; /* a private copy is here */
    u8 byte;  /* of it */
};

static struct model_page model[WINDOW + 1]; /* the last is never mapped */
static u8 file_bytes[FILE_PAGES];
static u64 file_pages, heap_end;
static u32 next_id;
static struct mm *mm;
static struct test_file f;

static vaddr_t at(u64 page)
{
    return BASE + PAGES(page);
}

/* ---- the model ---- */

static bool ids_agree(u32 a, u32 b)
{
    return !a || !b || a == b;
}

/* Are pages p - 1 and p alike but for `except`, and do their contents go on? */
static bool alike(u64 p, u32 except)
{
    if (p == 0)
        return false;
    const struct model_page *low = &model[p - 1], *high = &model[p];
    return low->mapped && high->mapped && !((low->flags ^ high->flags) & ~except) &&
           low->file == high->file && low->pgoff + 1 == high->pgoff;
}

static u64 seg_start(u64 p)
{
    while (!model[p].begins)
        p--;
    return p;
}

static u64 seg_end(u64 p)
{
    do
        p++;
    while (model[p].mapped && !model[p].begins);
    return p;
}

static void set_id(u64 p, u32 id)
{
    for (u64 i = seg_start(p), end = seg_end(p); i < end; i++)
        model[i].id = id;
}

/* Pages [s, e) have just become what they are, with this id; join them with those beside. */
static void join(u64 s, u64 e, u32 id)
{
    u32 low_id = s ? model[s - 1].id : 0, high_id = model[e].id;
    bool low = alike(s, 0) && ids_agree(low_id, id), high = alike(e, 0) && ids_agree(high_id, id);
    model[s].begins = true;
    model[e].begins = model[e].mapped;
    if (low && high && !ids_agree(low_id, high_id))
        high = false;
    if (low)
        model[s].begins = false;
    if (high)
        model[e].begins = false;
    set_id(s, id | (low ? low_id : 0) | (high ? high_id : 0));
}

static void model_unmap(u64 s, u64 e)
{
    if (model[e].mapped)
        model[e].begins = true;
    for (u64 i = s; i < e; i++)
        model[i] = (struct model_page){0};
}

static void model_map(u64 s, u64 e, u32 flags, bool file, pgoff_t pgoff)
{
    if ((flags & (VM_WRITE | VM_SHARED | VM_NORESERVE)) == VM_WRITE)
        flags |= VM_ACCOUNT;
    model_unmap(s, e);
    for (u64 i = s; i < e; i++)
        model[i] = (struct model_page){
            .mapped = true, .flags = flags, .file = file, .pgoff = pgoff + (i - s)};
    join(s, e, 0);
}

/* ---- what changes flags ---- */

typedef u32 new_flags_fn(const struct model_page *p, u32 set, u32 clear);

static u32 protect_flags(const struct model_page *p, u32 rights, u32 clear)
{
    u32 flags = (p->flags & ~clear) | rights;
    if (rights & VM_WRITE)
        return p->flags & (VM_ACCOUNT | VM_WRITE | VM_SHARED | VM_NORESERVE) ? flags
                                                                             : flags | VM_ACCOUNT;
    return !p->file && !p->id ? flags & ~(u32)VM_ACCOUNT : flags;
}

static u32 plain_flags(const struct model_page *p, u32 set, u32 clear)
{
    return (p->flags & ~clear) | set;
}

/* VMA by VMA. At a hole it ends, or goes on and says so in the end. */
static long model_change(u64 s, u64 e, new_flags_fn *fn, u32 set, u32 clear, bool skip_holes)
{
    long result = 0;
    for (u64 i = s, end; i < e; i = end) {
        if (!model[i].mapped) {
            if (!skip_holes)
                return -ENOMEM;
            result = -ENOMEM;
            end = i + 1;
            continue;
        }
        end = min_u64(seg_end(i), e);
        u32 flags = fn(&model[i], set, clear), id = model[i].id;
        if (flags == model[i].flags)
            continue;
        model[i].begins = true;
        if (model[end].mapped)
            model[end].begins = true;
        for (u64 p = i; p < end; p++)
            model[p].flags = flags;
        join(i, end, id);
    }
    return result;
}

static long model_dontneed(u64 s, u64 e)
{
    long result = 0;
    for (u64 i = s; i < e; i++) {
        if (model[i].mapped && (model[i].flags & VM_LOCKED))
            return -EINVAL;
        result = model[i].mapped ? result : -ENOMEM;
        model[i].own = false;
    }
    return result;
}

/* ---- what moves ---- */

/* Pages [to, to + n) become a VMA like page s; the first `kept` take the contents along. */
static void model_place(const struct model_page *from, u64 kept, u64 to, u64 n)
{
    struct model_page first = from[0];
    bool fresh = !first.file && !first.id;
    model_unmap(to, to + n);
    for (u64 i = 0; i < n; i++) {
        model[to + i] =
            (struct model_page){.mapped = true,
                                .flags = first.flags,
                                .file = first.file,
                                .pgoff = (fresh ? at(to) >> PAGE_SHIFT : first.pgoff) + i};
        if (i < kept) {
            model[to + i].own = from[i].own;
            model[to + i].byte = from[i].byte;
        }
    }
}

static long model_grow(u64 s, u64 old, u64 new)
{
    struct model_page last = model[s + old - 1];
    if (seg_end(s) != s + old || s + new > WINDOW)
        return -ENOMEM;
    for (u64 i = s + old; i < s + new; i++)
        if (model[i].mapped)
            return -ENOMEM;
    for (u64 i = s + old; i < s + new; i++)
        model[i] = (struct model_page){.mapped = true,
                                       .flags = last.flags,
                                       .file = last.file,
                                       .pgoff = last.pgoff + 1 + (i - s - old)};
    join(s + old, s + new, last.id);
    return at(s);
}

/* DONTUNMAP: what stays of the source. */
static void model_leave(u64 s, u64 n)
{
    for (u64 i = seg_start(s), end = seg_end(s); i < end; i++)
        model[i].flags &= ~(u32)VM_LOCK_BITS;
    for (u64 i = s; i < s + n; i++)
        model[i].own = false;
    if (seg_start(s) == s && seg_end(s) == s + n)
        set_id(s, 0);
}

/* Within the window: with FIXED, or in place. */
static long model_mremap(u64 s, u64 old, u64 new, u32 flags, u64 to)
{
    struct model_page taken[WINDOW];
    bool fixed = flags & MREMAP_FIXED, stays = flags & MREMAP_DONTUNMAP;
    u64 kept = min_u64(old, new);
    if (fixed && ((stays && old != new) || (s + old > to && to + new > s)))
        return -EINVAL;
    if (!model[s].mapped)
        return -EFAULT;
    if (!fixed && new <= old) {
        if (new < old)
            model_unmap(s + new, s + old);
        return at(s);
    }
    if (!old && !(model[s].flags & VM_MAYSHARE))
        return -EINVAL;
    if (s + kept > seg_end(s))
        return -EFAULT;
    if (!fixed)
        return old ? model_grow(s, old, new) : -ENOMEM;
    if (!old && to == s)
        return -EFAULT;
    memcpy(taken, model + s, max_u64(kept, 1) * sizeof(taken[0]));
    if (old > new) /* before or after: the same */
        model_unmap(s + new, s + old);
    model_place(taken, kept, to, new);
    join(to, to + new, taken[0].id);
    if (stays)
        model_leave(s, old);
    else if (kept)
        model_unmap(s, s + kept);
    return at(to);
}

static long model_remap_file(u64 s, u64 e, pgoff_t pgoff)
{
    for (u64 i = s; i < e; i++)
        if (!model[i].mapped || !(model[i].flags & VM_SHARED) || model[i].flags != model[s].flags)
            return -EINVAL;
    model_map(s, e,
              model[s].flags & ~(u32)(VM_LOCKONFAULT | VM_RAND_READ | VM_DONTCOPY | VM_NORESERVE),
              true, pgoff);
    return 0;
}

/* ---- accesses ---- */

static void model_first_write(u64 p)
{
    const u32 rights = VM_READ | VM_WRITE | VM_EXEC;
    u64 s = seg_start(p), e = seg_end(p);
    u32 id = alike(e, rights) ? model[e].id : 0;
    if (!id && alike(s, rights))
        id = model[s - 1].id;
    set_id(p, id ? id : next_id++);
}

/* What an access gets: a byte, or -(enum fault_result). */
static int model_access(u64 i, enum fault_access access)
{
    struct model_page *p = &model[i];
    u32 need = access == FAULT_READ    ? VM_READ | VM_WRITE | VM_EXEC
               : access == FAULT_WRITE ? VM_WRITE
                                       : VM_EXEC;
    if (!p->mapped)
        return -FAULT_MAPERR;
    if (!(p->flags & need))
        return -FAULT_ACCERR;
    if (p->own)
        return p->byte;
    if (!p->file)
        return 0;
    return p->pgoff < file_pages ? file_bytes[p->pgoff] : -FAULT_BUSERR;
}

static void model_write(u64 i, u8 byte)
{
    struct model_page *p = &model[i];
    if (p->flags & VM_SHARED) {
        file_bytes[p->pgoff] = byte;
        return;
    }
    if (!p->id)
        model_first_write(i);
    p->own = true;
    p->byte = byte;
}

#endif
