/*
 * seq.c: a growing run of bytes, kept in the pages of a struct mapping that nobody else sees, so that the text of
 * /proc/self/maps with 65,530 lines needs no large block of memory. Written by one maker, then only read. No lock.
 */
#include "kernel/fs/procfs.h"

#include "kernel/mm/slab.h"
#include "lib/abi/errno.h"
#include "lib/format.h"
#include "lib/string.h"

struct seq *seq_create(void)
{
    struct seq *seq = kzalloc(sizeof(*seq));
    if (seq) {
        mapping_init(&seq->bytes);
        seq->bytes.kernel = true;
        seq->refs = 1;
    }
    return seq;
}

void seq_put(struct seq *seq)
{
    if (seq && __atomic_fetch_sub(&seq->refs, 1, __ATOMIC_ACQ_REL) == 1) {
        mapping_destroy(&seq->bytes);
        kfree(seq);
    }
}

/* The page that holds pos, and how much of n fits in it. */
static u8 *seq_place(struct seq *seq, u64 pos, bool create, size_t *n, struct page **page)
{
    if (mapping_page(&seq->bytes, pos >> PAGE_SHIFT, create, page) < 0 || !*page)
        return NULL;
    *n = min_u64(*n, PAGE_SIZE - (pos & ~PAGE_MASK));
    return (u8 *)page_to_virt(*page) + (pos & ~PAGE_MASK);
}

void seq_write(struct seq *seq, const void *bytes, size_t n)
{
    const u8 *src = bytes;
    while (n && !seq->error) {
        struct page *page = NULL;
        size_t part = n;
        u8 *dst = seq_place(seq, seq->bytes.size, true, &part, &page);
        if (!dst) {
            seq->error = -ENOMEM;
            return;
        }
        memcpy(dst, src, part);
        page_put(page);
        seq->bytes.size += part;
        src += part;
        n -= part;
    }
}

void seq_printf(struct seq *seq, const char *fmt, ...)
{
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    int n = format_to_v(line, sizeof(line), fmt, ap);
    va_end(ap);
    seq_write(seq, line, min_u64(n, sizeof(line) - 1));
}

size_t seq_read(struct seq *seq, void *dst, size_t n, u64 pos)
{
    size_t done = 0;
    if (pos >= seq->bytes.size)
        return 0;
    n = min_u64(n, seq->bytes.size - pos);
    while (done < n) {
        struct page *page = NULL;
        size_t part = n - done;
        u8 *src = seq_place(seq, pos + done, false, &part, &page);
        if (!src)
            break;
        memcpy((u8 *)dst + done, src, part);
        page_put(page);
        done += part;
    }
    return done;
}
