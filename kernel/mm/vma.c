/*
 * vma.c: the VMA store: one set of mappings, kept in two structures at once.
 *
 *   list   1000-3000 <-> 5000-6000 <-> 9000-b000      sorted by address
 *
 *   tree                 5000-6000                    the same VMAs, red-black, by address
 *                       /         \
 *             1000-3000            9000-b000
 *
 *   own gap   1000       2000      3000               free bytes directly below
 *   stored    1000       3000      3000               the largest of the subtree
 *
 * Own gaps are never stored: they are read off the VMA and its neighbour in the list. A stack's
 * guard gap (vma_gap_end) is not free, so no search can give it away.
 *
 * One rule keeps the stored gaps right: whoever changes what lies below a VMA calls rb_propagate
 * for it while the tree is otherwise in order (see rbtree.c). => mm.lock held for write in all
 * that change.
 */
#include "kernel/mm/vma.h"
#include "kernel/core/panic.h"
#include "kernel/mm/mapping.h"
#include "kernel/mm/slab.h"

static struct slab_cache vma_cache;

struct knob vma_stack_guard_knob = {
    .name = "vm.stack_guard_gap",
    .help = "pages kept free below a growing stack",
    .value = 256,
    .max = 1 << 20,
    .boot_only = true,
};

void vma_init_once(void)
{
    slab_cache_init(&vma_cache, "vma", sizeof(struct vma), 64);
    knob_register(&vma_find_knob);
    knob_register(&vma_stack_guard_knob);
}

void vma_store_init(struct vma_store *store, struct vmcount *counts)
{
    *store = (struct vma_store){.counts = counts};
    list_init(&store->list);
}

struct vma *vma_alloc(struct vma_store *store)
{
    struct vma *vma = slab_alloc_zeroed(&vma_cache);

    if (vma)
        vmcount_add(store->counts, VMC_vma_allocs, 1);
    return vma;
}

void vma_free(struct vma *vma)
{
    slab_free(&vma_cache, vma);
}

vaddr_t vma_gap_end(const struct vma *vma)
{
    u64 guard = vma->flags & VM_GROWSDOWN ? knob_value(&vma_stack_guard_knob) << PAGE_SHIFT : 0;

    return vma->start > guard ? vma->start - guard : 0;
}

static struct vma *vma_of(struct rb_node *node)
{
    return container_of(node, struct vma, node);
}

static u64 own_gap(struct vma *vma)
{
    struct vma *prev = vma_prev(vma->store, vma);
    vaddr_t bottom = prev ? prev->end : 0;
    vaddr_t top = vma_gap_end(vma);

    return top > bottom ? top - bottom : 0;
}

static u64 largest_gap(struct rb_node *node)
{
    u64 gap = own_gap(vma_of(node));

    if (node->left)
        gap = max_u64(gap, vma_of(node->left)->gap);
    if (node->right)
        gap = max_u64(gap, vma_of(node->right)->gap);
    return gap;
}

static bool update_gap(struct rb_node *node)
{
    u64 gap = largest_gap(node);
    bool changed = vma_of(node)->gap != gap;

    vma_of(node)->gap = gap;
    return changed;
}

/* What lies below vma (may be NULL) has changed. */
static void gap_changed(struct vma *vma)
{
    if (vma)
        rb_propagate(&vma->node, update_gap);
}

static void count_rotations(struct vma_store *store, u64 before)
{
    if (store->tree.rotations != before)
        vmcount_add(store->counts, VMC_vma_rotations, store->tree.rotations - before);
}

/*
 * Of two neighbours in the order, one has an empty link towards the other:
 *
 *        next                  prev               If next has a left subtree, prev is its rightmost
 *       /        or                \              node, and so has no right child.
 *    (here)                       (here)
 */
void vma_insert(struct vma_store *store, struct vma *vma, struct vma *next)
{
    struct vma *prev = vma_prev(store, next);
    u64 rotations = store->tree.rotations;

    CHECK(vma->start < vma->end && (!prev || prev->end <= vma->start) &&
              (!next || vma->end <= next->start),
          "%lx-%lx between %lx and %lx", vma->start, vma->end, prev ? prev->end : 0,
          next ? next->start : ~0ul);
    vma->store = store;
    list_insert_between(&vma->link, prev ? &prev->link : &store->list,
                        next ? &next->link : &store->list);
    gap_changed(next);
    if (next && !next->node.left)
        rb_insert(&store->tree, &vma->node, &next->node, &next->node.left, update_gap);
    else if (prev)
        rb_insert(&store->tree, &vma->node, &prev->node, &prev->node.right, update_gap);
    else
        rb_insert(&store->tree, &vma->node, NULL, &store->tree.node, update_gap);
    store->count++;
    count_rotations(store, rotations);
}

/* => the store forgets vma wholly: the one-entry cache as well (CVE-2018-17182 was a stale one). */
void vma_erase(struct vma_store *store, struct vma *vma)
{
    struct vma *next = vma_next(store, vma);
    u64 rotations = store->tree.rotations;

    CHECK(vma->store == store, "%lx-%lx is in another store", vma->start, vma->end);
    rb_erase(&store->tree, &vma->node, update_gap);
    list_del(&vma->link);
    gap_changed(next);
    vma->store = NULL;
    store->cache = NULL;
    store->count--;
    count_rotations(store, rotations);
}

void vma_set_range(struct vma_store *store, struct vma *vma, vaddr_t start, vaddr_t end)
{
    vma->pgoff += ((s64)(start - vma->start)) >> PAGE_SHIFT;
    vma->start = start;
    vma->end = end;
    gap_changed(vma);
    gap_changed(vma_next(store, vma));
}

static void check_one(struct vma_store *store, struct vma *vma, struct vma *prev)
{
    ASSERT(vma->start < vma->end && vma->end <= USER_LIMIT, "%lx-%lx", vma->start, vma->end);
    ASSERT(((vma->start | vma->end) & ~PAGE_MASK) == 0, "%lx-%lx", vma->start, vma->end);
    ASSERT(!prev || prev->end <= vma->start, "%lx overlaps %lx", prev->end, vma->start);
    ASSERT(vma->store == store, "%lx: wrong store", vma->start);
    ASSERT(vma->gap == largest_gap(&vma->node), "%lx: gap %lx is %lx", vma->start, vma->gap,
           largest_gap(&vma->node));
}

/* => any lock on the store; allocates nothing, so gdb and panics may call it. */
void vma_check(struct vma_store *store)
{
    struct rb_node *node = rb_first(&store->tree);
    struct vma *prev = NULL;
    u32 count = 0;

    ASSERT(rb_check(store->tree.node) >= 0, "red-black rules are broken");
    for (struct vma *vma = vma_next(store, NULL); vma; vma = vma_next(store, vma)) {
        ASSERT(node == &vma->node, "tree and list differ at %lx", vma->start);
        check_one(store, vma, prev);
        node = rb_next(node);
        prev = vma;
        count++;
    }
    ASSERT(!node && count == store->count, "%u VMAs in the list, %u counted", count, store->count);
}
