/*
 * test_radix.c: the radix tree against a plain array of (number, item) pairs, with numbers of all
 * sizes, and with each allocation of a node made to fail in turn. No node may be left when the
 * tree is empty.
 */
#include <stdlib.h>

#include "lib/abi/errno.h"
#include "lib/radix.h"
#include "tests/host/tap.h"

static int nodes, fail_at;

static void *node_alloc(void)
{
    if (fail_at && --fail_at == 0)
        return NULL;
    nodes++;
    return calloc(1, RADIX_NODE_SIZE);
}

static void node_free(void *node)
{
    nodes--;
    free(node);
}

static const struct radix_allocator allocator = {node_alloc, node_free};

enum { PAIRS = 300 };
static u64 numbers[PAIRS];
static bool in[PAIRS];

static u64 random_number(void)
{
    u64 r = (u64)rand() << 42 ^ (u64)rand() << 21 ^ (u64)rand();
    return r >> (unsigned)rand() % 64;
}

/* Compare the whole tree with the array. */
static bool same(const struct radix_tree *tree)
{
    unsigned count = 0, walked = 0;
    for (unsigned i = 0; i < PAIRS; i++) {
        count += in[i];
        if (radix_get(tree, numbers[i]) != (in[i] ? &numbers[i] : NULL))
            return false;
    }
    u64 index = 0;
    for (u64 *item; (item = radix_next(tree, &index)) != NULL; index++) {
        walked++;
        if (*item != index)
            return false;
        if (index == ~0ul)
            break;
    }
    return walked == count && (count || (nodes == 0 && tree->height == 0));
}

static void test_random(struct radix_tree *tree)
{
    bool right = true;
    for (unsigned i = 0; i < PAIRS; i++) { /* distinct numbers */
        bool again;
        do {
            again = false;
            numbers[i] = i == 0 ? ~0ul : random_number();
            for (unsigned j = 0; j < i; j++)
                again |= numbers[j] == numbers[i];
        } while (again);
    }
    for (unsigned n = 0; n < 4000; n++) {
        unsigned i = (unsigned)rand() % PAIRS;
        if (in[i])
            right &= radix_insert(tree, numbers[i], &numbers[0]) == -EEXIST &&
                     radix_remove(tree, numbers[i]) == &numbers[i];
        else
            right &= radix_insert(tree, numbers[i], &numbers[i]) == 0;
        in[i] = !in[i];
        if (n % 16 == 0)
            right &= same(tree);
    }
    ok(right, "4000 random insertions and removals");
    for (unsigned i = 0; i < PAIRS; i++)
        if (in[i])
            radix_remove(tree, numbers[i]), in[i] = false;
    ok(same(tree), "emptied, no node left");
}

/* Insert number into a tree that holds 5 (or not), failing each allocation in turn. */
static void test_failure(struct radix_tree *tree, bool with_five, u64 number)
{
    static int five, item;
    bool right = true;
    int before, tries = 0, result;

    if (with_five)
        radix_insert(tree, 5, &five);
    before = nodes;
    do {
        fail_at = ++tries;
        result = radix_insert(tree, number, &item);
        if (result != 0)
            right &= result == -ENOMEM && nodes == before && radix_get(tree, number) == NULL;
        right &= radix_get(tree, 5) == (with_five ? &five : NULL);
    } while (result != 0);
    fail_at = 0;
    right &= radix_remove(tree, number) == &item && nodes == before;
    radix_remove(tree, 5);
    ok(right && nodes == 0 && tries > 1, "each allocation failed, %d in all", tries - 1);
}

int main(void)
{
    struct radix_tree tree = {0};
    u64 index = 0;

    srand(2);
    radix_set_allocator(&allocator);
    ok(!radix_get(&tree, 0) && !radix_get(&tree, ~0ul) && !radix_next(&tree, &index) &&
           !radix_remove(&tree, 7),
       "an empty tree answers NULL");
    test_random(&tree);
    test_failure(&tree, false, 1ul << 51);
    test_failure(&tree, true, 1ul << 51);
    test_failure(&tree, true, ~0ul);
    return tap_done();
}
