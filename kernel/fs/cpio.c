/*
 * cpio.c: the newc reader. Every length in a header is checked against what is left of the buffer before it is used, so
 * a damaged archive is named by its offset and never read past. Compiled for the host tests as well.
 */
#include "kernel/fs/cpio.h"

#include "lib/string.h"

enum { CPIO_HEADER = 110, CPIO_NAME_MAX = 4096 };

/* Fields after the magic, in order. */
enum cpio_field {
    F_INO,
    F_MODE,
    F_UID,
    F_GID,
    F_NLINK,
    F_MTIME,
    F_FILESIZE,
    F_DEVMAJOR,
    F_DEVMINOR,
    F_RDEVMAJOR,
    F_RDEVMINOR,
    F_NAMESIZE,
    F_CHECK,
    FIELDS
};

void cpio_start(struct cpio_reader *r, const void *bytes, u64 length)
{
    *r = (struct cpio_reader){.bytes = bytes, .length = length};
}

static int damaged(struct cpio_reader *r, u64 at, const char *what)
{
    r->error_at = at;
    r->error = what;
    return -1;
}

static int hex_digit(u8 c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_fields(struct cpio_reader *r, u32 field[FIELDS])
{
    const u8 *h = r->bytes + r->at;
    if (memcmp(h, "070701", 6) != 0 && memcmp(h, "070702", 6) != 0)
        return damaged(r, r->at, "no cpio header (magic 070701)");
    for (int i = 0; i < FIELDS; i++) {
        field[i] = 0;
        for (int k = 0; k < 8; k++) {
            u64 at = 6 + i * 8 + k;
            int digit = hex_digit(h[at]);
            if (digit < 0)
                return damaged(r, r->at + at, "a byte that is no hex digit in a header");
            field[i] = field[i] << 4 | digit;
        }
    }
    return 0;
}

/* The entry at r->at, which starts with a byte that is not zero. */
static int read_entry(struct cpio_reader *r, struct cpio_item *item)
{
    u32 field[FIELDS];
    if (r->length - r->at < CPIO_HEADER)
        return damaged(r, r->at, "the archive ends inside a header");
    if (read_fields(r, field) < 0)
        return -1;
    u64 name_at = r->at + CPIO_HEADER, name_size = field[F_NAMESIZE], data_size = field[F_FILESIZE];
    if (name_size < 1 || name_size > CPIO_NAME_MAX)
        return damaged(r, r->at, "a name of impossible length");
    if (name_size > r->length - name_at)
        return damaged(r, name_at, "the archive ends inside a name");
    if (r->bytes[name_at + name_size - 1] != '\0')
        return damaged(r, name_at + name_size - 1, "a name that does not end in a zero byte");
    u64 data_at = align_up(name_at + name_size, 4);
    if (data_at > r->length && data_size == 0) /* only padding is missing */
        data_at = r->length;
    if (data_at > r->length || data_size > r->length - data_at)
        return damaged(r, min_u64(data_at, r->length), "the archive ends inside a file's data");
    *item = (struct cpio_item){.name = (const char *)r->bytes + name_at,
                               .mode = field[F_MODE],
                               .rdev_major = field[F_RDEVMAJOR],
                               .rdev_minor = field[F_RDEVMINOR],
                               .data = r->bytes + data_at,
                               .data_length = data_size,
                               .offset = r->at};
    r->at = min_u64(align_up(data_at + data_size, 4), r->length);
    return 1;
}

int cpio_next(struct cpio_reader *r, struct cpio_item *item)
{
    for (;;) {
        while (!r->inside && r->at < r->length && r->bytes[r->at] == 0)
            r->at++;
        if (r->at == r->length)
            return r->inside ? damaged(r, r->at, "the archive ends without its trailer") : 0;
        int ret = read_entry(r, item);
        r->inside = ret > 0 && strcmp(item->name, "TRAILER!!!") != 0;
        if (ret < 0 || r->inside)
            return ret;
    }
}
