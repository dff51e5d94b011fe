/* pipe.h: pipes, for the call that makes them and for the end of their inodes. */
#ifndef KERNEL_FS_PIPE_H
#define KERNEL_FS_PIPE_H

#include "kernel/fs/file.h"

struct pipe;

/* A new pipe, open at both ends: end[0] for reading, end[1] for writing, a reference each; flags: O_NONBLOCK. 0 or -ENOMEM.
 * => may sleep */
int pipe_create(u32 flags, struct file *end[2]);

/* Make inode, new and of type S_IFIFO, a pipe. With a name in the tree it is a FIFO: opening one end waits for the other.
 * 0 or -ENOMEM. */
int pipe_attach(struct inode *inode);
void pipe_free(struct pipe *pipe); /* its inode goes; NULL is allowed */

#endif
