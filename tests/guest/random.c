/*
 * random.c: thousands of random calls on a few hundred pages, against a plain model: an array with
 * one entry for each page.
 *
 * After each call the touched pages are probed, and every hundred calls all of them, and
 * /proc/self/maps is compared page by page with the model. `guest random SEED` repeats a run. The
 * pages lie across the boundary of two pmd entries.
 */
#include "tests/guest/guest.h"

enum { PAGES = 200, FILE_PAGES = 64, CALLS = 4000 };
enum kind { HOLE, ANONYMOUS, SHARED, PRIVATE };

static struct model {
    enum kind kind;
    int prot;
    unsigned offset;    /* page of the file */
    bool own;           /* a private page that was written */
    unsigned char byte; /* its contents, or an anonymous page's */
} model[PAGES];

static unsigned char file_byte[FILE_PAGES];
static char *base;
static int file;
static u64 state;

static unsigned below(unsigned n)
{
    return random_next(&state) % n;
}

static unsigned char expected(const struct model *m)
{
    return m->kind == SHARED || (m->kind == PRIVATE && !m->own) ? file_byte[m->offset] : m->byte;
}

/* Whether page i answers as the model says. Reads of a write-only page work on this machine. */
static bool probe(unsigned i)
{
    const struct model *m = &model[i];
    bool want = m->kind != HOLE && m->prot != PROT_NONE;

    if (readable(base + i * page) != want)
        return false;
    return !want || ((unsigned char)base[i * page] == expected(m) &&
                     (unsigned char)base[(i + 1) * page - 1] == expected(m));
}

static bool call_mmap(unsigned i, unsigned n)
{
    static const int prots[] = {PROT_NONE, PROT_READ, RW, RW, RW};
    enum kind kind = 1 + below(3);
    int prot = prots[below(5)];
    unsigned offset = below(FILE_PAGES - n + 1);
    int flags = kind == ANONYMOUS ? ANON : kind == SHARED ? MAP_SHARED : MAP_PRIVATE;
    char *p = mmap(base + i * page, n * page, prot, flags | MAP_FIXED,
                   kind == ANONYMOUS ? -1 : file, kind == ANONYMOUS ? 0 : offset * page);

    for (unsigned j = 0; j < n; j++)
        model[i + j] = (struct model){.kind = kind, .prot = prot, .offset = offset + j};
    return p == base + i * page;
}

static bool call_munmap(unsigned i, unsigned n)
{
    memset(model + i, 0, n * sizeof *model);
    return munmap(base + i * page, n * page) == 0;
}

static bool call_mprotect(unsigned i, unsigned n)
{
    static const int prots[] = {PROT_NONE, PROT_READ, RW};
    int prot = prots[below(3)];
    unsigned j;

    for (j = 0; j < n && model[i + j].kind != HOLE; j++)
        model[i + j].prot = prot;
    long r = mprotect(base + i * page, n * page, prot);
    return j == n ? r == 0 : r == -1 && errno == ENOMEM;
}

/* Fill page i by the kernel, so that a missing right is an error and no death. */
static bool call_write(unsigned i)
{
    static char buf[65536];
    struct model *m = &model[i];
    unsigned char byte = 1 + below(255);
    bool can = m->kind != HOLE && (m->prot & PROT_WRITE);
    static int source;

    if (!source)
        source = temp_file();
    memset(buf, byte, page);
    if (pwrite(source, buf, page, 0) != (ssize_t)page)
        return false;
    long n = pread(source, base + i * page, page, 0);
    if (!can)
        return n == -1 && errno == EFAULT;
    if (m->kind == SHARED)
        file_byte[m->offset] = byte;
    else {
        m->own = true;
        m->byte = byte;
    }
    return n == (long)page;
}

static bool call_file_write(void)
{
    static char buf[65536];
    unsigned at = below(FILE_PAGES);

    file_byte[at] = 1 + below(255);
    memset(buf, file_byte[at], page);
    return pwrite(file, buf, page, at * page) == (ssize_t)page;
}

static bool line_fits(const struct map_line *line, const struct model *m, unsigned page_of_line)
{
    if (m->kind == HOLE || (line->prot[0] == 'r') != !!(m->prot & PROT_READ) ||
        (line->prot[1] == 'w') != !!(m->prot & PROT_WRITE) ||
        (line->prot[3] == 's') != (m->kind == SHARED))
        return false;
    return m->kind == ANONYMOUS ? !line->inode
                                : line->inode && line->offset == (m->offset - page_of_line) * page;
}

static bool compare_maps(void)
{
    static struct map_line lines[PAGES];
    static bool seen[PAGES];
    int n = maps_in(base, PAGES, lines, PAGES);

    memset(seen, 0, sizeof seen);
    if (n > PAGES)
        return false;
    for (int l = 0; l < n; l++)
        for (u64 at = lines[l].start; at < lines[l].end; at += page) {
            unsigned i = (at - (u64)base) / page;
            if (i >= PAGES || seen[i] ||
                !line_fits(&lines[l], &model[i], (at - lines[l].start) / page))
                return false;
            seen[i] = true;
        }
    for (unsigned i = 0; i < PAGES; i++)
        if (seen[i] != (model[i].kind != HOLE))
            return false;
    return true;
}

static bool compare_all(void)
{
    for (unsigned i = 0; i < PAGES; i++)
        if (!probe(i)) {
            tap_note("page %u differs: kind %d prot %d", i, model[i].kind, model[i].prot);
            return false;
        }
    return compare_maps();
}

static bool one_call(void)
{
    unsigned n = 1 + below(below(4) ? 8 : 60), i = below(PAGES - n + 1), what = below(10);
    bool good = what < 3   ? call_mmap(i, n)
                : what < 5 ? call_munmap(i, n)
                : what < 7 ? call_mprotect(i, n)
                : what < 9 ? call_write(i)
                           : call_file_write();

    return good && probe(i) && probe(i + n - 1) && (!i || probe(i - 1)) &&
           (i + n >= PAGES || probe(i + n));
}

void suite_random(void)
{
    struct vm_geometry g = vm_geometry();
    int done = 0;

    state = random_seed * 0x9e3779b97f4a7c15ul + 1;
    base = area(2 * g.pmd / page);
    base = (char *)(((u64)base + g.pmd) / g.pmd * g.pmd - PAGES / 2 * page);
    file = temp_file();
    if (ftruncate(file, FILE_PAGES * page))
        vm_die(errno, "ftruncate");
    bool good = true;
    for (; done < CALLS && good; done++)
        good = one_call() && (done % 100 || compare_all());
    ok(good, "seed %lu: %d random calls agree with the model", random_seed, CALLS);
    if (!good)
        tap_note("call %d differs", done - 1);
    ok(compare_all(), "and so do all pages and /proc/self/maps at the end");
    unmap(base, PAGES);
    is(vmas(base, PAGES), 0, "all of it unmaps");
    close(file);
}
