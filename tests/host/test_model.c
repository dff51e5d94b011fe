/*
 * test_model.c: random mmap, munmap, mprotect, brk, mremap, remap_file_pages, madvise, mlock,
 * truncate, reads, writes and runs, against a model (model.h).
 *
 * After each step the VMAs, their flags, offsets and ids, every access's result and every byte
 * must agree, and mm_check must pass.
 */
#include <stdlib.h>

#include "tests/host/standin/model.h"

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
    pgoff_t pgoff = (rand() % 2 ? s % (FILE_PAGES - 6) : (u64)rand() % FILE_PAGES);
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

static bool step_mremap(u64 s, u64 e)
{
    if (model[s].mapped && rand() % 2) { /* just a VMA */
        e = seg_end(s);
        s = seg_start(s);
    }
    u64 old = e - s, to = rand() % WINDOW;
    u64 new = rand() % 3 ? old : 1 + (u64)rand() % 12;
    u32 flags = rand() % 3 ? MREMAP_MAYMOVE | MREMAP_FIXED : 0;
    if (flags && rand() % 4 == 0)
        flags |= MREMAP_DONTUNMAP;
    if (flags && rand() % 8 == 0)
        old = 0;
    if (flags && to + new > WINDOW)
        to = WINDOW - new;
    if (!flags && s + new > WINDOW) /* would leave the window */
        return true;
    long want = model_mremap(s, old, new, flags, to);
    return mm_mremap(mm, at(s), PAGES(old), PAGES(new), flags, at(to)) == want;
}

static bool step_advise(u64 s, u64 e)
{
    static const struct {
        int advice;
        u32 set, clear;
    } advices[] = {{MADV_RANDOM, VM_RAND_READ, 0},
                   {MADV_NORMAL, 0, VM_RAND_READ},
                   {MADV_DONTFORK, VM_DONTCOPY, 0},
                   {MADV_DOFORK, 0, VM_DONTCOPY}};
    u64 n = PAGES(e - s);
    unsigned i = rand() % 6;
    if (i < 4)
        return mm_madvise(mm, at(s), n, advices[i].advice) ==
               model_change(s, e, plain_flags, advices[i].set, advices[i].clear, true);
    if (rand() % 2)
        return mm_madvise(mm, at(s), n, MADV_DONTNEED) == model_dontneed(s, e);
    if (rand() % 2) /* brings nothing in, so no private page is written */
        return mm_mlock(mm, at(s), n, MLOCK_ONFAULT) ==
               model_change(s, e, plain_flags, VM_LOCK_BITS, 0, false);
    return mm_munlock(mm, at(s), n) == model_change(s, e, plain_flags, 0, VM_LOCK_BITS, false);
}

static bool step_remap_file(u64 s, u64 e)
{
    pgoff_t pgoff = (rand() % 2 ? s % (FILE_PAGES - 6) : (u64)rand() % FILE_PAGES);
    return mm_remap_file_pages(mm, at(s), PAGES(e - s), 0, pgoff, rand() % 2 ? MAP_NONBLOCK : 0) ==
           model_remap_file(s, e, pgoff);
}

static bool step(void)
{
    u64 s, e;
    random_range(&s, &e);
    switch (rand() % 18) {
    case 0 ... 2:
        return step_map(s, e);
    case 3:
        model_unmap(s, e);
        return mm_munmap(mm, at(s), PAGES(e - s)) == 0;
    case 4 ... 5: {
        u32 prot = rand() % 8;
        return mm_mprotect(mm, at(s), PAGES(e - s), prot) ==
               model_change(s, e, protect_flags, prot, 7, false);
    }
    case 6:
        return rand() % 4 ? true : step_brk();
    case 7:
        if (rand() % 8 == 0)
            step_truncate();
        return true;
    case 8 ... 9:
        return step_mremap(s, e);
    case 10 ... 11:
        return step_advise(s, e);
    case 12:
        return step_remap_file(s, rand() % 2 && s + 2 < e ? s + 2 : e);
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
