/* fs.h: the tests' short forms of file calls. */
#ifndef STANDIN_FS_H
#define STANDIN_FS_H

#include "kernel/core/failpoint.h"
#include "kernel/fs/fs.h"
#include "kernel/mm/mm.h"
#include "tests/host/standin/host.h"

void host_boot_fs(u64 frames); /* host_boot, and a tree with /tmp and /proc */
int host_open(const char *path, u32 flags, struct file **out);
long host_write(struct file *file, const void *bytes, size_t n, u64 pos);
int host_make_file(const char *path, const void *bytes, size_t n,
                   u32 mode); /* 0 or a negative errno */

#endif
