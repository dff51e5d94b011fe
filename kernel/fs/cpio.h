/*
 * cpio.h: reads archives in cpio's "newc" format (kernel.org, "initramfs buffer format").
 *
 *      header (110 bytes: "070701" and 13 fields of 8 hex digits) | name NUL | pad to 4 | data | pad to 4 | ...
 *      the entry named TRAILER!!! ends an archive; zero bytes and another archive may follow.
 *
 * Pure: looks only at the bytes it was given, whatever they say.
 */
#ifndef KERNEL_FS_CPIO_H
#define KERNEL_FS_CPIO_H

#include "lib/types.h"

struct cpio_reader {
    const u8 *bytes;
    u64 length;
    u64 at;
    bool inside;       /* an archive has begun and its trailer has not come yet */
    u64 error_at;      /* after an error: the offset of the damage */
    const char *error; /* and what it is */
};

struct cpio_item {
    const char *name; /* ends in NUL, inside the archive */
    u32 mode;
    u32 rdev_major, rdev_minor;
    const u8 *data;
    u64 data_length;
    u64 offset; /* of the header */
};

void cpio_start(struct cpio_reader *r, const void *bytes, u64 length);
/* 1: *item is the next file (trailers are skipped); 0: the end; -1: damaged, see error and error_at. */
int cpio_next(struct cpio_reader *r, struct cpio_item *item);

#endif
