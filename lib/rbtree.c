/*
 * rbtree.c: red-black trees with subtree summaries.
 *
 * The rules, which rb_check tests: (1) a red node has no red child; (2) every way from a node down
 * to an empty link passes the same number of black nodes. So no way is more than twice as long as
 * another. In the drawings capitals are black nodes, small letters red ones, ( ) either; numbers
 * are subtrees.
 *
 *          rotate_left(x)                          rotate_right(y)
 *
 *            (x)            (y)                     (y)            (x)
 *           /   \          /   \                   /   \          /   \
 *          1    (y)  -->  (x)   3                 (x)   3   -->  1    (y)
 *              /   \     /   \                   /   \               /   \
 *             2     3   1     2                 1     2             2     3
 *
 * A summary is valid as soon as its node's children's are: rotations recompute the lower node,
 * then the upper one. => Summaries of all other nodes are right when rb_insert or rb_erase is
 * called: an owner whose change touches a neighbour's summary too calls rb_propagate for it before
 * or after, not between.
 */
#include "lib/rbtree.h"

enum { RED = 0, BLACK = 1 };

static bool is_red(const struct rb_node *n) /* an empty link is black */
{
    return n && !(n->parent_color & 1);
}

static void set_parent(struct rb_node *n, struct rb_node *parent)
{
    n->parent_color = (uintptr_t)parent | (n->parent_color & 1);
}

static void set_color(struct rb_node *n, unsigned color)
{
    n->parent_color = (n->parent_color & ~(uintptr_t)1) | color;
}

/* The link that points to n. */
static struct rb_node **link_of(struct rb_root *root, struct rb_node *n)
{
    struct rb_node *parent = rb_parent(n);
    if (!parent)
        return &root->node;
    return parent->left == n ? &parent->left : &parent->right;
}

static void recompute(struct rb_node *n, rb_update_fn *update)
{
    if (update)
        update(n);
}

static void rotate_left(struct rb_root *root, struct rb_node *x, rb_update_fn *update)
{
    struct rb_node *y = x->right;

    *link_of(root, x) = y;
    set_parent(y, rb_parent(x));
    x->right = y->left;
    if (y->left)
        set_parent(y->left, x);
    y->left = x;
    set_parent(x, y);
    root->rotations++;
    recompute(x, update);
    recompute(y, update);
}

static void rotate_right(struct rb_root *root, struct rb_node *y, rb_update_fn *update)
{
    struct rb_node *x = y->left;

    *link_of(root, y) = x;
    set_parent(x, rb_parent(y));
    y->left = x->right;
    if (x->right)
        set_parent(x->right, y);
    x->right = y;
    set_parent(y, x);
    root->rotations++;
    recompute(y, update);
    recompute(x, update);
}

/*
 * n is red and so may be its parent p (g: grandparent, u: the parent's sibling). Drawn for p on
 * the left; the right is its mirror image.
 *
 *   I1 u red: recolour, go on from g   I2 n inside: rotate_left(p)    I3 n outside: rotate_right(g)
 *         G            g                   G          G                  G            P
 *        / \          / \                 / \        / \                / \          / \
 *       p   u  -->   P   U               p   U -->  n   U              p   U  -->   n   g
 *      /            /                     \        /                  /                  \
 *     n            n                       n      p   (then I3)      n                    U
 */
static void insert_fixup(struct rb_root *root, struct rb_node *n, rb_update_fn *update)
{
    struct rb_node *p, *g, *u;

    while (is_red(p = rb_parent(n))) {
        g = rb_parent(p); /* there is one: a red p is not the root */
        bool left = g->left == p;
        u = left ? g->right : g->left;
        if (is_red(u)) { /* I1 */
            set_color(p, BLACK);
            set_color(u, BLACK);
            set_color(g, RED);
            n = g;
            continue;
        }
        if (left && p->right == n) { /* I2 */
            rotate_left(root, p, update);
            p = n;
        } else if (!left && p->left == n) {
            rotate_right(root, p, update);
            p = n;
        }
        set_color(p, BLACK); /* I3 */
        set_color(g, RED);
        if (left)
            rotate_right(root, g, update);
        else
            rotate_left(root, g, update);
        break;
    }
    set_color(root->node, BLACK);
}

/* => *link is empty and is parent's left or right link, or &root->node with parent NULL. */
void rb_insert(struct rb_root *root, struct rb_node *node, struct rb_node *parent,
               struct rb_node **link, rb_update_fn *update)
{
    node->left = node->right = NULL;
    node->parent_color = (uintptr_t)parent | RED;
    *link = node;
    recompute(node, update);
    if (update)
        rb_propagate(parent, update);
    insert_fixup(root, node, update);
}

/*
 * The ways through n (below p; n may be an empty link) lack one black node; s is n's sibling,
 * which exists for that reason. Drawn for n on the left.
 *
 *   E1 s red: rotate, so that s is black     E2 s's children black: recolour s; if p was red, done
 *         P             S                        (p)          P    else go on from p
 *        / \           / \                       / \         / \
 *       N   s   -->   p   4                     N   S  -->  N   s
 *          / \       / \
 *         3   4     N   3
 *   E3 s's near child red: rotate(s)         E4 s's far child red: rotate(p), done
 *        (p)          (p)                        (p)           (s)
 *        / \          / \                        / \           / \
 *       N   S   -->  N   A                      N   S   -->   P   B
 *          /              \                        / \       / \
 *         a                s   (then E4)         (a)  b     N  (a)
 */
static void erase_fixup(struct rb_root *root, struct rb_node *n, struct rb_node *p,
                        rb_update_fn *update)
{
    while (p && !is_red(n)) {
        bool left = p->left == n;
        struct rb_node *s = left ? p->right : p->left;
        if (is_red(s)) { /* E1 */
            set_color(s, BLACK);
            set_color(p, RED);
            left ? rotate_left(root, p, update) : rotate_right(root, p, update);
            s = left ? p->right : p->left;
        }
        if (!is_red(s->left) && !is_red(s->right)) { /* E2 */
            set_color(s, RED);
            n = p;
            p = rb_parent(n);
            continue;
        }
        if (!is_red(left ? s->right : s->left)) { /* E3 */
            set_color(left ? s->left : s->right, BLACK);
            set_color(s, RED);
            left ? rotate_right(root, s, update) : rotate_left(root, s, update);
            s = left ? p->right : p->left;
        }
        set_color(s, is_red(p) ? RED : BLACK); /* E4 */
        set_color(p, BLACK);
        set_color(left ? s->right : s->left, BLACK);
        left ? rotate_left(root, p, update) : rotate_right(root, p, update);
        return;
    }
    if (n)
        set_color(n, BLACK);
}

/* Take n, which has one child at most, out of its place: the child moves up. */
static void unlink_node(struct rb_root *root, struct rb_node *n)
{
    struct rb_node *child = n->left ? n->left : n->right;

    *link_of(root, n) = child;
    if (child)
        set_parent(child, rb_parent(n));
}

/* => node is in the tree; its links are garbage afterwards. */
void rb_erase(struct rb_root *root, struct rb_node *node, rb_update_fn *update)
{
    struct rb_node *out = node; /* the node whose place vanishes */

    if (node->left &&
        node->right) /* then it is the successor's place; the successor takes node's */
        for (out = node->right; out->left; out = out->left)
            ;
    struct rb_node *child = out->left ? out->left : out->right;
    struct rb_node *low = rb_parent(out); /* lowest node with a changed subtree */
    bool lost_black = !is_red(out);

    unlink_node(root, out);
    if (out != node) {
        *link_of(root, node) = out;
        out->parent_color = node->parent_color;
        out->left = node->left;
        set_parent(out->left, out);
        out->right = node->right;
        if (out->right)
            set_parent(out->right, out);
        if (low == node)
            low = out;
    }
    if (update) /* all the way: out's summary is stale as well, so no early stop */
        for (struct rb_node *n = low; n; n = rb_parent(n))
            update(n);
    if (lost_black)
        erase_fixup(root, child, low, update);
}

/* node may be NULL. */
void rb_propagate(struct rb_node *node, rb_update_fn *update)
{
    while (node && update(node))
        node = rb_parent(node);
}

static struct rb_node *leftmost(struct rb_node *n)
{
    while (n && n->left)
        n = n->left;
    return n;
}

static struct rb_node *rightmost(struct rb_node *n)
{
    while (n && n->right)
        n = n->right;
    return n;
}

struct rb_node *rb_first(const struct rb_root *root)
{
    return leftmost(root->node);
}

struct rb_node *rb_last(const struct rb_root *root)
{
    return rightmost(root->node);
}

struct rb_node *rb_next(const struct rb_node *node)
{
    struct rb_node *p;

    if (node->right)
        return leftmost(node->right);
    while ((p = rb_parent(node)) && p->right == node)
        node = p;
    return p;
}

struct rb_node *rb_prev(const struct rb_node *node)
{
    struct rb_node *p;

    if (node->left)
        return rightmost(node->left);
    while ((p = rb_parent(node)) && p->left == node)
        node = p;
    return p;
}

int rb_check(const struct rb_node *node)
{
    if (!node)
        return 0;
    if (is_red(node) && (is_red(node->left) || is_red(node->right)))
        return -1;
    if ((node->left && rb_parent(node->left) != node) ||
        (node->right && rb_parent(node->right) != node))
        return -1;
    int left = rb_check(node->left), right = rb_check(node->right);
    return left < 0 || left != right ? -1 : left + !is_red(node);
}
