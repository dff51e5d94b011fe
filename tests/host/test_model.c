/*
 * test_model.c: random mmap, munmap, mprotect, brk, truncate, reads, writes and runs, against a
 * model that has no VMAs, no tree and no page table: an array with one entry for each page of a
 * window that lies across a table's border.
 *
 * A bit of each page says whether a VMA begins there. That is the model of Linux's merging: an
 * operation sets the bits at its two ends and clears them again where the neighbours are alike.
 * After each step the VMAs, their flags, offsets and ids, every access's result and every byte
 * must agree, and mm_check must pass.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

enum { WINDOW = 96, HEAP = 64, FILE_PAGES = 48, STEPS = 6000 };
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

static u32 model_new_flags(const struct model_page *p, u32 rights)
{
    u32 flags = (p->flags & ~7u) | rights;
    if (rights & VM_WRITE)
        return p->flags & (VM_ACCOUNT | VM_WRITE | VM_SHARED | VM_NORESERVE) ? flags
                                                                             : flags | VM_ACCOUNT;
    return !p->file && !p->id ? flags & ~(u32)VM_ACCOUNT : flags;
}

static long model_protect(u64 s, u64 e, u32 rights)
{
    for (u64 i = s, end; i < e; i = end) {
        if (!model[i].mapped)
            return -ENOMEM;
        end = min_u64(seg_end(i), e);
        u32 flags = model_new_flags(&model[i], rights), id = model[i].id;
        if (flags == model[i].flags)
            continue;
        if (!model[i].begins)
            model[i].begins = true;
        if (model[end].mapped)
            model[end].begins = true;
        for (u64 p = i; p < end; p++)
            model[p].flags = flags;
        join(i, end, id);
    }
    return 0;
}

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

/* ---- a step: the same to both ---- */

static void random_range(u64 *s, u64 *e)
{
    *s = rand() % WINDOW;
    *e = *s + 1 + rand() % (rand() % 4 ? 6 : 40);
    if (*e > WINDOW)
        *e = WINDOW;
}

static bool step_map(u64 s, u64 e)
{
    static const u32 prots[] = {RW, RW, PROT_READ, PROT_NONE, RW | PROT_EXEC};
    u32 prot = prots[rand() % 5], may = VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;
    bool file = rand() % 2, shared = file && rand() % 2, noreserve = rand() % 6 == 0;
    pgoff_t pgoff = rand() % 2 ? s % (FILE_PAGES - 6) : (u64)rand() % FILE_PAGES;
    u32 flags = (shared ? MAP_SHARED : MAP_PRIVATE) | (file ? 0 : MAP_ANONYMOUS) | MAP_FIXED |
                (noreserve ? MAP_NORESERVE : 0);
    long got =
        map_file(mm, at(s), PAGES(e - s), prot, flags, file ? &f : NULL, file ? PAGES(pgoff) : 0);
    model_map(s, e,
              prot | may | (shared ? VM_SHARED | VM_MAYSHARE : 0) | (noreserve ? VM_NORESERVE : 0),
              file, file ? pgoff : at(s) >> PAGE_SHIFT);
    return got == (long)at(s);
}

static bool step_brk(void)
{
    u64 want = HEAP + rand() % (WINDOW - HEAP - 1);
    bool can = true, any = false;
    if (want > heap_end) {
        for (u64 i = heap_end; i <= want; i++)
            can &= !model[i].mapped;
        if (can)
            model_map(heap_end, want, VM_READ | VM_WRITE | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC,
                      false, at(heap_end) >> PAGE_SHIFT);
    } else if (want < heap_end) {
        for (u64 i = want; i < heap_end; i++)
            any |= model[i].mapped;
        can = any;
        if (can)
            model_unmap(want, heap_end);
    }
    if (can)
        heap_end = want;
    return mm_brk(mm, at(want)) == at(heap_end);
}

static void step_truncate(void)
{
    u64 size = rand() % (FILE_PAGES + 1);
    mapping_truncate(&f.mapping, PAGES(size));
    for (u64 i = 0; i < WINDOW; i++)
        if (model[i].file && model[i].pgoff >= size)
            model[i].own = false;
    for (u64 i = size; i < FILE_PAGES; i++)
        file_bytes[i] = 0;
    file_pages = size;
}

static bool step_access(u64 i)
{
    enum fault_access access = rand() % 3;
    int want = model_access(i, access);
    if (access == FAULT_READ)
        return peek(mm, at(i)) == want;
    if (access == FAULT_EXEC)
        return run_at(mm, at(i)) == (want < 0 ? want : 0);
    u8 byte = rand();
    if (want >= 0)
        model_write(i, byte);
    return poke(mm, at(i), byte) == (want < 0 ? want : 0);
}

static bool step(void)
{
    u64 s, e;
    random_range(&s, &e);
    switch (rand() % 12) {
    case 0 ... 2:
        return step_map(s, e);
    case 3:
        model_unmap(s, e);
        return mm_munmap(mm, at(s), PAGES(e - s)) == 0;
    case 4 ... 5: {
        u32 prot = rand() % 8;
        return mm_mprotect(mm, at(s), PAGES(e - s), prot) == model_protect(s, e, prot);
    }
    case 6:
        return rand() % 4 ? true : step_brk();
    case 7:
        if (rand() % 8 == 0)
            step_truncate();
        return true;
    default:
        return step_access(s);
    }
}

/* ---- comparison ---- */

static bool same_vmas(void)
{
    struct vma *vma = vma_next(&mm->vmas, NULL);
    for (u64 i = 0; i < WINDOW; i++) {
        if (!model[i].mapped)
            continue;
        u64 end = seg_end(i);
        if (!vma || vma->start != at(i) || vma->end != at(end) || vma->flags != model[i].flags ||
            vma->pgoff != model[i].pgoff || vma->anon_id != model[i].id ||
            (vma->file != NULL) != model[i].file) {
            diag("page %lu: model %lu-%lu flags %x pgoff %lx id %u, VMA %lx-%lx flags %x pgoff %lx "
                 "id %u",
                 i, i, end, model[i].flags, model[i].pgoff, model[i].id,
                 vma ? (vma->start - BASE) >> PAGE_SHIFT : 0,
                 vma ? (vma->end - BASE) >> PAGE_SHIFT : 0, vma ? vma->flags : 0,
                 vma ? vma->pgoff : 0, vma ? vma->anon_id : 0);
            return false;
        }
        vma = vma_next(&mm->vmas, vma);
        i = end - 1;
    }
    return !vma;
}

static bool same_bytes(void)
{
    for (u64 i = 0; i < WINDOW; i++)
        if (peek(mm, at(i)) != model_access(i, FAULT_READ))
            return false;
    return true;
}

static void test_random(const char *find, const char *zap)
{
    bool right = true;
    unsigned n;

    host_begin();
    file_make(&f, PAGES(FILE_PAGES), false);
    memset(model, 0, sizeof(model));
    mm = mm_create();
    mm->brk_start = mm->brk = at(heap_end = HEAP);
    next_id = 1;
    file_pages = FILE_PAGES;
    for (unsigned i = 0; i < FILE_PAGES; i++)
        file_bytes[i] = 'a' + i;
    for (n = 0; n < STEPS && right; n++) {
        right = step() && same_vmas();
        mm_check(mm);
        if (n % 64 == 0) {
            mapping_check(&f.mapping);
            right = right && same_bytes();
        }
    }
    ok(right, "vm.find=%s vm.zap=%s: %u random steps agree with the model", find, zap, n);
    ok(mm->counts.n[VMC_vma_merges] > 100 && mm->counts.n[VMC_vma_splits] > 100,
       "with many splits and merges");
    mm_end(mm);
    file_end(&f);
    host_end("random");
}

int main(void)
{
    host_boot(8192);
    mm_init_once();
    unsigned seed = 5;
    BOTH_FINDS(find) for (int work = 0; work < 2; work++)
    {
        const char *zap = work ? "work" : "block";
        set_knob("vm.zap", zap);
        srand(seed++);
        test_random(*find, zap);
    }
    return tap_done();
}
