/*
 * vma_find.c: the two searches of the VMA store, each in two ways that vm.find chooses between.
 *
 *                      find the VMA of an address     find a hole
 *   list (Linux 2.2)   last hit, else along the list  along the list, from the end it starts at
 *   gap  (Linux 3.8)   down the tree                  down the tree, guided by the largest gaps
 *
 * Both give the same answers; the tests ask both. What differs is vma_steps, one for each VMA
 * looked at: n in the list, about log2 n in the tree (at most twice that, plus two). => mm.lock
 * held for read or write.
 *
 * A hole is found if [max(gap's start, floor), min(gap's end, ceiling)) is long enough, that is if
 * all of
 *
 *      (size)  end - start >= length
 *      (low)   end >= floor + length
 *      (high)  start <= ceiling - length
 *
 * In order of address (low) holds from some VMA on, and (high) up to some VMA: each is one
 * boundary in the tree.
 */
#include "kernel/core/panic.h"
#include "kernel/mm/vma.h"

static const char *const find_words[] = {"gap", "list", NULL};

struct knob vma_find_knob = {
    .name = "vm.find",
    .help = "how VMAs and holes are looked for",
    .words = find_words,
    .value = VMA_FIND_GAP,
};

static struct vma *vma_of(struct rb_node *node)
{
    return node ? container_of(node, struct vma, node) : NULL;
}

static struct vma *left_of(struct vma *vma)
{
    return vma_of(vma->node.left);
}

static struct vma *right_of(struct vma *vma)
{
    return vma_of(vma->node.right);
}

static bool by_list(void)
{
    return knob_value(&vma_find_knob) == VMA_FIND_LIST;
}

static struct vma *find_in_list(struct vma_store *store, vaddr_t addr, u64 *steps)
{
    struct vma *vma = READ_ONCE(store->cache);

    if (vma) {
        ++*steps;
        if (vma->start <= addr && addr < vma->end)
            return vma;
    }
    for (vma = vma_next(store, NULL); vma; vma = vma_next(store, vma)) {
        ++*steps;
        if (addr < vma->end)
            break;
    }
    if (vma)
        WRITE_ONCE(store->cache, vma);
    return vma;
}

static struct vma *find_in_tree(struct vma_store *store, vaddr_t addr, u64 *steps)
{
    struct vma *best = NULL;

    for (struct vma *at = vma_of(store->tree.node); at;) {
        ++*steps;
        if (addr >= at->end) {
            at = right_of(at);
            continue;
        }
        best = at;
        if (addr >= at->start)
            break;
        at = left_of(at);
    }
    return best;
}

struct vma *vma_find_quiet(struct vma_store *store, vaddr_t addr)
{
    u64 uncounted = 0;

    return find_in_tree(store, addr, &uncounted);
}

struct vma *vma_find(struct vma_store *store, vaddr_t addr)
{
    u64 steps = 0;
    struct vma *vma =
        by_list() ? find_in_list(store, addr, &steps) : find_in_tree(store, addr, &steps);

    vmcount_add(store->counts, VMC_vma_steps, steps);
    return vma;
}

/* ---- holes ---- */

static vaddr_t gap_start(struct vma_store *store, struct vma *next)
{
    struct vma *prev = vma_prev(store, next);

    return prev ? prev->end : 0;
}

/* Where the gap below vma ends; no lower than it starts, where a stack's guard gap is not kept by
 * its neighbour, so that (low) has one boundary even then. */
static vaddr_t gap_end(struct vma_store *store, struct vma *vma)
{
    return max_u64(vma_gap_end(vma), gap_start(store, vma));
}

/* The gap below `next` (NULL: above the last VMA) serves: say where. */
static bool take_gap(struct vma_store *store, struct vma_hole *hole, struct vma *next)
{
    vaddr_t start = max_u64(gap_start(store, next), hole->floor);
    vaddr_t end = next ? min_u64(gap_end(store, next), hole->ceiling) : hole->ceiling;

    if (end < start || end - start < hole->length)
        return false;
    hole->addr = hole->bottom_up ? start : end - hole->length;
    hole->next = next;
    return true;
}

static bool hole_in_list(struct vma_store *store, struct vma_hole *hole, u64 *steps)
{
    struct vma *vma = NULL;

    if (!hole->bottom_up) {
        do { /* vma: the VMA above the gap looked at */
            if (take_gap(store, hole, vma))
                return true;
            vma = vma_prev(store, vma);
            *steps += vma != NULL;
        } while (vma);
        return false;
    }
    while ((vma = vma_next(store, vma)) != NULL) {
        ++*steps;
        if (take_gap(store, hole, vma))
            return true;
    }
    return take_gap(store, hole, NULL);
}

static bool own_gap_fits(struct vma_store *store, struct vma *vma, u64 length)
{
    return gap_end(store, vma) - gap_start(store, vma) >= length;
}

/* Some gap below a VMA of this subtree (not NULL) is long enough: the highest (lowest) such VMA. */
static struct vma *last_fit(struct vma_store *store, struct vma *at, const struct vma_hole *hole,
                            u64 *steps)
{
    for (;;) {
        ++*steps;
        struct vma *first = hole->bottom_up ? left_of(at) : right_of(at);
        struct vma *other = hole->bottom_up ? right_of(at) : left_of(at);
        if (first && first->gap >= hole->length)
            at = first;
        else if (own_gap_fits(store, at, hole->length))
            return at;
        else
            at = other;
    }
}

/*
 * Highest hole: among the VMAs that satisfy (high), the last one whose gap satisfies (size). Going
 * down along the boundary of (high), each VMA inside it is a candidate together with its left
 * subtree, which is inside too; the later candidate is the higher one. Nothing can be to the right
 * when no gap there is long enough, so the way down ends early. (low) is tested on the result: if
 * it fails, it fails for all below. The lowest hole is the mirror image, with (low) and (high)
 * exchanged.
 */
static struct vma *boundary_search(struct vma_store *store, const struct vma_hole *hole, u64 *steps)
{
    struct vma *candidate = NULL;

    for (struct vma *at = vma_of(store->tree.node); at && at->gap >= hole->length;) {
        ++*steps;
        bool inside = hole->bottom_up ? gap_end(store, at) >= hole->floor + hole->length
                                      : gap_start(store, at) <= hole->ceiling - hole->length;
        struct vma *outward = hole->bottom_up ? left_of(at) : right_of(at);
        struct vma *inward = hole->bottom_up ? right_of(at) : left_of(at);
        if (!inside) {
            at = inward;
            continue;
        }
        if ((inward && inward->gap >= hole->length) || own_gap_fits(store, at, hole->length))
            candidate = at;
        at = outward;
    }
    if (!candidate || own_gap_fits(store, candidate, hole->length))
        return candidate;
    return last_fit(store, hole->bottom_up ? right_of(candidate) : left_of(candidate), hole, steps);
}

static bool hole_in_tree(struct vma_store *store, struct vma_hole *hole, u64 *steps)
{
    if (!hole->bottom_up && take_gap(store, hole, NULL))
        return true;
    struct vma *vma = boundary_search(store, hole, steps);
    if (vma && take_gap(store, hole, vma))
        return true;
    return hole->bottom_up && take_gap(store, hole, NULL);
}

bool vma_find_hole(struct vma_store *store, struct vma_hole *hole)
{
    u64 steps = 0;
    bool found = false;

    if (hole->ceiling >= hole->length && hole->floor <= hole->ceiling - hole->length)
        found = by_list() ? hole_in_list(store, hole, &steps) : hole_in_tree(store, hole, &steps);
    vmcount_add(store->counts, VMC_vma_steps, steps);
    return found;
}
