/* initramfs.h: fills the tree from an archive. */
#ifndef KERNEL_FS_INITRAMFS_H
#define KERNEL_FS_INITRAMFS_H

#include "lib/types.h"

struct initramfs_error {
    int error; /* -EINVAL: damaged; -ENOMEM; else what making a file answered */
    u64 offset;
    const char *what;
    u64 needed; /* -ENOMEM: bytes that the file at offset wanted */
};

/* Unpack the archives in [bytes, bytes + length). 0, or a negative errno with *error filled in; what was unpacked by then
 * stays. => at boot, the tree made; may sleep. */
int initramfs_unpack(const void *bytes, u64 length, struct initramfs_error *error);

#endif
