/*
 * test_interval.c: the interval tree against an array: random intervals come and go, and every
 * search "who reaches n, in order" gives what looking at all of them gives.
 */
#include <stdlib.h>

#include "lib/interval.h"
#include "tests/host/tap.h"

enum { INTERVALS = 60, NUMBERS = 200, ROUNDS = 3000 };

struct range {
    struct interval_node node;
    u64 first, last;
    bool in;
};

static struct range ranges[INTERVALS];
static struct rb_root root;

static struct range *range_of(const struct interval_node *node)
{
    return container_of(node, struct range, node);
}

static u64 range_first(const struct interval_node *node)
{
    return range_of(node)->first;
}

static u64 range_last(const struct interval_node *node)
{
    return range_of(node)->last;
}

static rb_update_fn range_update;
static const struct interval_kind kind = {range_first, range_last, range_update};

static bool range_update(struct rb_node *node)
{
    return interval_update(node, &kind);
}

static void toggle(struct range *range)
{
    if (range->in) {
        interval_remove(&root, &range->node, &kind);
    } else {
        range->first = rand() % NUMBERS;
        range->last = range->first + rand() % (rand() % 8 ? 10 : NUMBERS);
        interval_insert(&root, &range->node, &kind);
    }
    range->in = !range->in;
}

/* Are those found by going along just those that reach from, in order? */
static bool finds_all(u64 from)
{
    unsigned reaching = 0, found = 0;
    u64 before = 0;

    for (int i = 0; i < INTERVALS; i++)
        reaching += ranges[i].in && ranges[i].last >= from;
    for (struct interval_node *n = NULL; (n = interval_next(&root, n, from, &kind)) != NULL;) {
        if (!range_of(n)->in || range_last(n) < from || range_first(n) < before)
            return false;
        before = range_first(n);
        found++;
    }
    return found == reaching;
}

int main(void)
{
    bool sound = true, right = true;

    ok(!interval_next(&root, NULL, 0, &kind) && interval_check(&root, &kind), "nothing in it");
    for (int round = 0; round < ROUNDS; round++) {
        toggle(&ranges[rand() % INTERVALS]);
        sound = sound && interval_check(&root, &kind);
        right = right && finds_all(rand() % (2 * NUMBERS));
    }
    ok(sound, "%d rounds: in order, and the ends below are right", ROUNDS);
    ok(right, "every search finds all that reach a number, in order");
    struct interval_node *last = interval_next(&root, NULL, 0, &kind);
    last->last_below++;
    ok(!interval_check(&root, &kind), "a wrong end below is seen");
    last->last_below--;
    for (int i = 0; i < INTERVALS; i++)
        if (ranges[i].in)
            toggle(&ranges[i]);
    ok(!root.node, "empty again");
    return tap_done();
}
