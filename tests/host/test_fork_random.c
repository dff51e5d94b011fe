/*
 * test_fork_random.c: random families of address spaces: mmap, munmap, mprotect, reads, writes, fork, exit and truncate, against a
 * model that is an array of bytes for each space and one for the file.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

static struct test_file f;

enum { FAMILY = 6, WINDOW = 40, FILE_PAGES = 24, STEPS = 12000 };
#define BASE (LEVEL_SPAN(LEVEL_PUD) - PAGES(20))

enum kind { NONE, ANONYMOUS, PRIVATE_FILE, SHARED_FILE };

struct model_page {
    enum kind kind;
    bool writable, own;
    u8 byte;
    u32 pgoff;
};

static struct {
    struct mm *mm; /* NULL: free */
    struct model_page page[WINDOW];
} family[FAMILY];
static u8 file_bytes[FILE_PAGES];
static u64 file_pages;

static vaddr_t at(u64 i)
{
    return BASE + PAGES(i);
}

static int model_byte(const struct model_page *p)
{
    if (p->kind == NONE)
        return -FAULT_MAPERR;
    if (p->own)
        return p->byte;
    if (p->kind == ANONYMOUS)
        return 0;
    return p->pgoff < file_pages ? file_bytes[p->pgoff] : -FAULT_BUSERR;
}

static void step_map(int who, u64 s, u64 e)
{
    enum kind kind = ANONYMOUS + rand() % 3;
    u32 pgoff = rand() % (FILE_PAGES - 4), prot = rand() % 5 ? RW : PROT_READ;
    u32 flags = MAP_FIXED | (kind == SHARED_FILE ? MAP_SHARED : MAP_PRIVATE) |
                (kind == ANONYMOUS ? MAP_ANONYMOUS : 0);
    map_file(family[who].mm, at(s), PAGES(e - s), prot, flags, kind == ANONYMOUS ? NULL : &f,
             kind == ANONYMOUS ? 0 : PAGES(pgoff));
    for (u64 i = s; i < e; i++)
        family[who].page[i] =
            (struct model_page){.kind = kind, .writable = prot == RW, .pgoff = pgoff + (i - s)};
}

static bool step_write(int who, u64 i)
{
    struct model_page *p = &family[who].page[i];
    u8 byte = rand();
    int want = model_byte(p);
    if (want >= 0 && !p->writable)
        want = -FAULT_ACCERR;
    if (p->kind != NONE && !p->writable)
        want = -FAULT_ACCERR;
    if (want >= 0) {
        want = 0;
        if (p->kind == SHARED_FILE)
            file_bytes[p->pgoff] = byte;
        else
            *p = (struct model_page){p->kind, true, true, byte, p->pgoff};
    }
    return poke(family[who].mm, at(i), byte) == want;
}

static void step_fork(int who)
{
    for (int i = 0; i < FAMILY; i++)
        if (!family[i].mm) {
            family[i] = family[who];
            family[i].mm = mm_fork(family[who].mm);
            ASSERT(family[i].mm, "fork");
            return;
        }
}

static void step_exit(int who)
{
    int alive = 0;
    for (int i = 0; i < FAMILY; i++)
        alive += family[i].mm != NULL;
    if (alive < 2)
        return;
    mm_end(family[who].mm);
    family[who].mm = NULL;
}

static void step_truncate(void)
{
    u64 size = rand() % (FILE_PAGES + 1);
    mapping_truncate(&f.mapping, PAGES(size));
    for (int who = 0; who < FAMILY; who++)
        for (u64 i = 0; i < WINDOW; i++)
            if (family[who].page[i].kind != ANONYMOUS && family[who].page[i].pgoff >= size)
                family[who].page[i].own = false;
    for (u64 i = size; i < FILE_PAGES; i++)
        file_bytes[i] = 0;
    file_pages = size;
}

static void step_protect(int who, u64 s, u64 e)
{
    bool writable = rand() % 2;
    for (u64 i = s; i < e; i++)
        if (family[who].page[i].kind == NONE)
            return;
    mm_mprotect(family[who].mm, at(s), PAGES(e - s), writable ? RW : PROT_READ);
    for (u64 i = s; i < e; i++)
        family[who].page[i].writable = writable;
}

static bool step(void)
{
    int who = rand() % FAMILY;
    u64 s = rand() % WINDOW, e = min_u64(WINDOW, s + 1 + rand() % 4);
    if (!family[who].mm)
        return true;
    switch (rand() % 16) {
    case 0 ... 1:
        step_map(who, s, e);
        return true;
    case 2:
        mm_munmap(family[who].mm, at(s), PAGES(e - s));
        for (u64 i = s; i < e; i++)
            family[who].page[i] = (struct model_page){0};
        return true;
    case 3:
        step_protect(who, s, e);
        return true;
    case 4:
        step_fork(who);
        return true;
    case 5:
        if (rand() % 2)
            step_exit(who);
        else if (rand() % 8 == 0)
            step_truncate();
        return true;
    case 6 ... 11:
        return step_write(who, s);
    default:
        return peek(family[who].mm, at(s)) == model_byte(&family[who].page[s]);
    }
}

static bool family_right(void)
{
    for (int who = 0; who < FAMILY; who++) {
        if (!family[who].mm)
            continue;
        mm_check(family[who].mm);
        for (u64 i = 0; i < WINDOW; i++)
            if (peek(family[who].mm, at(i)) != model_byte(&family[who].page[i]))
                return false;
    }
    return true;
}

static void test_random(const char *find, const char *zap)
{
    bool right = true;
    int n;
    host_begin();
    memset(family, 0, sizeof(family));
    file_make(&f, PAGES(FILE_PAGES), false);
    file_pages = FILE_PAGES;
    for (int i = 0; i < FILE_PAGES; i++)
        file_bytes[i] = 'a' + i;
    family[0].mm = mm_create();
    for (n = 0; n < STEPS && right; n++) {
        right = step();
        if (n % 32 == 0)
            right = right && family_right();
    }
    mapping_check(&f.mapping);
    ok(right, "vm.find=%s vm.zap=%s: %d random steps of %d spaces agree with the model", find, zap,
       n, FAMILY);
    for (int who = 0; who < FAMILY; who++)
        if (family[who].mm)
            mm_end(family[who].mm);
    file_end(&f);
    host_end("random families");
}

int main(void)
{
    host_boot(8192);
    mm_init_once();
    unsigned seed = 3;
    BOTH_FINDS(find) for (int work = 0; work < 2; work++)
    {
        const char *zap = work ? "work" : "block";
        set_knob("vm.zap", zap);
        srand(seed++);
        test_random(*find, zap);
    }
    return tap_done();
}
