/*
 * test_vma.c: the VMA store alone: both searches against a plain walk, the bound on the nodes that
 * the tree looks at, splits A1 to A4, each merge, and the guard gap below stacks.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

static struct vmcount counts;
static struct vma_store store;
static u64 steps_max;

static struct vma *put(vaddr_t start, vaddr_t end, u32 flags)
{
    struct vma *vma = vma_alloc(&store);
    vma->start = start;
    vma->end = end;
    vma->flags = flags;
    vma->pgoff = start >> PAGE_SHIFT;
    vma_hook(&store, vma, vma_find(&store, start));
    return vma;
}

static void take(struct vma *vma)
{
    vma_unhook(&store, vma);
    vma_free(vma);
}

static void clear(void)
{
    while (vma_next(&store, NULL))
        take(vma_next(&store, NULL));
    vma_check(&store);
}

static u64 steps_of_last(u64 before)
{
    return counts.n[VMC_vma_steps] - before;
}

/* ---- searches ---- */

static struct vma *plain_find(vaddr_t addr)
{
    for (struct vma *vma = vma_next(&store, NULL); vma; vma = vma_next(&store, vma))
        if (vma->end > addr)
            return vma;
    return NULL;
}

/* All gaps one after the other; the last that fits, or the first. */
static bool plain_hole(struct vma_hole *hole)
{
    vaddr_t bottom = 0;
    bool found = false;
    for (struct vma *vma = vma_next(&store, NULL);; vma = vma_next(&store, vma)) {
        vaddr_t low = max_u64(bottom, hole->floor);
        vaddr_t high = vma ? min_u64(vma_gap_end(vma), hole->ceiling) : hole->ceiling;
        if (high > low && high - low >= hole->length && !(found && hole->bottom_up)) {
            found = true;
            hole->addr = hole->bottom_up ? low : high - hole->length;
            hole->next = vma;
        }
        if (!vma)
            return found;
        bottom = vma->end;
    }
}

static bool holes_agree(struct vma_hole hole)
{
    struct vma_hole want = hole, got;
    bool found = plain_hole(&want), agree = true;
    BOTH_FINDS(find)
    {
        u64 before = counts.n[VMC_vma_steps];
        got = hole;
        agree &= vma_find_hole(&store, &got) == found;
        agree &= !found || (got.addr == want.addr && got.next == want.next);
        if (**find == 'g')
            steps_max = max_u64(steps_max, steps_of_last(before));
    }
    return agree;
}

static bool finds_agree(vaddr_t addr)
{
    bool agree = true;
    BOTH_FINDS(find)
    {
        u64 before = counts.n[VMC_vma_steps];
        agree &= vma_find(&store, addr) == plain_find(addr);
        if (**find == 'g')
            steps_max = max_u64(steps_max, steps_of_last(before));
    }
    return agree;
}

static u64 step_bound(void) /* 2 * log2(n) + 2 */
{
    u64 log = 0;
    while (1ul << log < store.count)
        log++;
    return 2 * log + 2;
}

static bool random_searches(vaddr_t space, unsigned n)
{
    bool agree = true;
    steps_max = 0;
    for (unsigned i = 0; i < n; i++) {
        vaddr_t a = PAGES((u64)rand() % (space >> PAGE_SHIFT)),
                b = PAGES((u64)rand() % (space >> PAGE_SHIFT));
        struct vma_hole hole = {.length = PAGES(1 + rand() % 24),
                                .floor = min_u64(a, b),
                                .ceiling = max_u64(a, b),
                                .bottom_up = rand() % 2};
        if (i % 4 == 0)
            hole.floor = 0, hole.ceiling = space;
        agree &= finds_agree(a + rand() % PAGE_SIZE) && holes_agree(hole);
    }
    return agree;
}

static void test_searches(bool stacks)
{
    const vaddr_t space = PAGES(4096);
    bool agree = true, bounded = true;
    for (unsigned n = 0; n < 1500; n++) {
        vaddr_t start = PAGES(rand() % 4080), end = start + PAGES(1 + rand() % 12);
        struct vma *at = plain_find(start);
        if (at && at->start < end)
            take(at);
        else
            put(start, end, stacks && rand() % 5 == 0 ? VM_GROWSDOWN : 0);
        vma_check(&store);
        agree &= random_searches(space, 12);
        bounded &= steps_max <= step_bound();
    }
    ok(agree, "random stores%s: list, tree and a plain walk find the same",
       stacks ? " with stacks" : "");
    ok(bounded, "the tree looks at 2 log2 n + 2 VMAs at most");
    clear();
    set_knob("vm.find", "gap");
}

/* The mmap of a full space: n VMAs without holes, then a hole wanted. */
static void test_costs(void)
{
    u64 before;
    struct vma_hole hole = {.length = PAGES(1), .ceiling = PAGES(5000), .floor = PAGES(1)};
    for (unsigned i = 0; i < 4096; i++)
        put(PAGES(1000 + i) - PAGES(1), PAGES(1000 + i), i % 2);
    hole.ceiling = PAGES(5000 + 95);
    BOTH_FINDS(find)
    {
        before = counts.n[VMC_vma_steps];
        ok(vma_find_hole(&store, &hole) && hole.addr == PAGES(998), "%s: the hole below 4096 VMAs",
           *find);
        u64 steps = steps_of_last(before);
        ok(**find == 'l' ? steps == 4096 : steps <= 26, "%s: found in %lu steps", *find, steps);
    }
    set_knob("vm.find", "list");
    vma_find(&store, PAGES(3000));
    before = counts.n[VMC_vma_steps];
    vma_find(&store, PAGES(3000) + 5);
    is(steps_of_last(before), 1, "list: the last hit again is one step");
    struct vma *hit = vma_find(&store, PAGES(3000));
    take(hit);
    struct vma *found = vma_find(&store, PAGES(3000));
    ok(found && found->start == PAGES(3001), "the cache forgets a VMA that goes");
    set_knob("vm.find", "gap");
    clear();
}

static void test_hole_edges(void)
{
    struct vma *a = put(PAGES(10), PAGES(20), 0);
    put(PAGES(23), PAGES(30), 0);
    struct vma_hole hole = {.floor = PAGES(10), .ceiling = PAGES(30)};
    bool right = true;
    BOTH_FINDS(find) for (int up = 0; up < 2; up++)
    {
        hole.bottom_up = up;
        hole.length = PAGES(3);
        right &=
            vma_find_hole(&store, &hole) && hole.addr == PAGES(20) && hole.next->start == PAGES(23);
        hole.length = PAGES(4);
        right &= !vma_find_hole(&store, &hole);
        hole.length = ~0ul & PAGE_MASK;
        right &= !vma_find_hole(&store, &hole);
    }
    ok(right, "a hole of just the length is taken, a page more is not");
    hole = (struct vma_hole){.length = PAGES(1), .floor = 0, .ceiling = PAGES(10)};
    ok(vma_find_hole(&store, &hole) && hole.addr == PAGES(9) && hole.next == a,
       "below the first VMA");
    hole = (struct vma_hole){.length = PAGES(2), .floor = 0, .ceiling = USER_END};
    ok(vma_find_hole(&store, &hole) && hole.addr == USER_END - PAGES(2) && !hole.next,
       "above the last");
    clear();
    hole =
        (struct vma_hole){.length = USER_END, .floor = 0, .ceiling = USER_END, .bottom_up = true};
    ok(vma_find_hole(&store, &hole) && hole.addr == 0, "an empty store is one hole");
}

/* History, case 31: the first candidate is too short because of a guard gap or a limit; a later
 * one serves. */
static void test_later_gap(void)
{
    put(PAGES(100), PAGES(400), 0);
    put(PAGES(660), PAGES(700), VM_GROWSDOWN); /* 260 pages free below, 256 of them guard */
    put(PAGES(800), PAGES(900), 0);
    struct vma_hole hole = {.length = PAGES(50), .floor = PAGES(10), .ceiling = PAGES(740)};
    bool right = true;
    BOTH_FINDS(find)
    {
        right &= vma_find_hole(&store, &hole) && hole.addr == PAGES(50);
        hole.bottom_up = true;
        hole.floor = PAGES(90);
        hole.ceiling = PAGES(800);
        right &= vma_find_hole(&store, &hole) && hole.addr == PAGES(700);
        hole = (struct vma_hole){.length = PAGES(4), .floor = PAGES(10), .ceiling = PAGES(700)};
        right &= vma_find_hole(&store, &hole) && hole.addr == PAGES(400);
        hole = (struct vma_hole){.length = PAGES(50), .floor = PAGES(10), .ceiling = PAGES(740)};
    }
    ok(right, "a rejected gap does not end the search, and the guard gap is not given away");
    clear();
}

/* ---- splits and merges ---- */

static const char *picture(void) /* "start-end:pgoff:flags:id " in pages */
{
    static char text[512];
    int at = 0;
    text[0] = 0;
    for (struct vma *vma = vma_next(&store, NULL); vma; vma = vma_next(&store, vma))
        at += snprintf(text + at, sizeof(text) - at, "%lu-%lu:%lu:%x:%u ", vma->start >> PAGE_SHIFT,
                       vma->end >> PAGE_SHIFT, vma->pgoff, vma->flags, vma->anon_id);
    vma_check(&store);
    return text;
}

#define SEES(want, ...)                                                                            \
    do {                                                                                           \
        if (!ok(strcmp(picture(), want) == 0, __VA_ARGS__))                                        \
            diag("%s, not %s", picture(), want);                                                   \
    } while (0)

static void test_split(void)
{
    struct vma *vma = put(PAGES(10), PAGES(20), 1);
    vma->anon_id = 3;
    u64 before = counts.n[VMC_vma_splits];
    vma_split(&store, vma, PAGES(14), vma_alloc(&store));
    SEES("10-14:10:1:3 14-20:14:1:3 ", "split: the upper part's offset follows from the old start");
    is(counts.n[VMC_vma_splits] - before, 1, "and is counted");
    clear();
}

static bool merge(vaddr_t start, vaddr_t end, u32 flags, u32 id, pgoff_t pgoff)
{
    struct vma_shape shape = {PAGES(start), PAGES(end), flags, id, pgoff, NULL};
    struct vma *next = vma_find(&store, PAGES(start));
    return vma_merge_new(&store, vma_prev(&store, next), next, &shape);
}

static void test_merge_new(void)
{
    struct vma *a = put(PAGES(10), PAGES(20), 1), *b = put(PAGES(25), PAGES(30), 1);
    ok(!merge(20, 24, 2, 0, 20) && !merge(21, 24, 1, 0, 21) && !merge(20, 24, 1, 0, 22),
       "other flags, no contact, a jump in the offset: no merge");
    ok(merge(20, 22, 1, 0, 20), "AA**");
    SEES("10-22:10:1:0 25-30:25:1:0 ", "AA** --> AAAA");
    merge(24, 25, 1, 0, 24);
    SEES("10-22:10:1:0 24-30:24:1:0 ", "**BB --> BBBB, the offset moves down with the start");
    b->anon_id = 7;
    merge(22, 24, 1, 0, 22);
    SEES("10-30:10:1:7 ", "AA**BB --> AAAAAA, with the id of the one that has one");
    clear();
    a = put(PAGES(10), PAGES(20), 1), b = put(PAGES(25), PAGES(30), 1);
    a->anon_id = 1, b->anon_id = 2;
    merge(20, 25, 1, 0, 20);
    SEES("10-25:10:1:1 25-30:25:1:2 ", "both written before: they stay two, the lower takes it");
    is(objects("vma"), store.count, "no VMA is lost");
    clear();
}

static void three(u32 a, u32 p, u32 b)
{
    clear();
    put(PAGES(10), PAGES(20), a);
    put(PAGES(20), PAGES(30), p);
    put(PAGES(30), PAGES(40), b);
}

static bool part(vaddr_t start, vaddr_t end, u32 flags)
{
    struct vma *vma = vma_find(&store, PAGES(start));
    bool can = vma_can_merge_part(&store, vma, PAGES(start), PAGES(end), flags);
    bool did = vma_merge_part(&store, vma, PAGES(start), PAGES(end), flags);
    return can == did && did;
}

static void test_merge_part(void)
{
    three(1, 2, 1);
    ok(part(20, 30, 1), "AAPPBB");
    SEES("10-40:10:1:0 ", "AAPPBB --> AAAAAA");
    three(1, 2, 4);
    part(20, 30, 1);
    SEES("10-30:10:1:0 30-40:30:4:0 ", "AAPP --> AAAA");
    three(4, 2, 1);
    part(20, 30, 1);
    SEES("10-20:10:4:0 20-40:20:1:0 ", "PPBB --> BBBB");
    three(1, 2, 1);
    part(20, 25, 1);
    SEES("10-25:10:1:0 25-30:25:2:0 30-40:30:1:0 ", "AAPPVV --> AAAAVV");
    three(1, 2, 1);
    part(25, 30, 1);
    SEES("10-20:10:1:0 20-25:20:2:0 25-40:25:1:0 ", "VVPPBB --> VVBBBB");
    three(1, 2, 1);
    ok(!part(22, 28, 1), "the middle touches nobody");
    ok(!part(20, 30, 8), "nobody has these flags");
    vma_find(&store, PAGES(10))->anon_id = 1;
    vma_find(&store, PAGES(20))->anon_id = 2;
    vma_find(&store, PAGES(30))->anon_id = 2;
    part(20, 30, 1);
    SEES("10-20:10:1:1 20-40:20:1:2 ", "ids decide which neighbour may have it");
    clear();
}

static void test_neighbour_id(void)
{
    three(VM_READ, VM_WRITE, VM_READ);
    struct vma *a = vma_find(&store, PAGES(10)), *p = vma_find(&store, PAGES(20));
    a->anon_id = 5;
    is(vma_neighbour_anon_id(&store, p), 5,
       "a neighbour that differs in rights only shares its id");
    vma_next(&store, p)->anon_id = 6;
    is(vma_neighbour_anon_id(&store, p), 6, "the one above first, as Linux");
    vma_next(&store, p)->flags |= VM_GROWSDOWN;
    a->flags |= VM_NORESERVE;
    is(vma_neighbour_anon_id(&store, p), 0, "other kinds don't");
    clear();
}

static void test_check(void)
{
    three(1, 2, 1);
    struct vma *vma = vma_find(&store, PAGES(20));
    vma->gap += PAGES(1);
    ok(host_panics(vma_check(&store)), "vma_check sees a wrong gap");
    vma->gap -= PAGES(1);
    vma->end += PAGES(1);
    ok(host_panics(vma_check(&store)), "vma_check sees an overlap");
    vma->end -= PAGES(1);
    store.count++;
    ok(host_panics(vma_check(&store)), "vma_check sees a wrong count");
    store.count--;
    clear();
}

int main(void)
{
    host_boot(4096);
    mm_init_once();
    srand(3);
    host_begin();
    vma_store_init(&store, &counts);
    test_searches(false);
    test_searches(true);
    test_costs();
    test_hole_edges();
    test_later_gap();
    test_split();
    test_merge_new();
    test_merge_part();
    test_neighbour_id();
    test_check();
    is(objects("vma"), 0, "no VMA is left");
    host_end("vma");
    return tap_done();
}
