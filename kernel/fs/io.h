/*
 * io.h: where the bytes of a read or write come from or go to, without saying whose memory it is.
 *
 *      sys: user vector  --\
 *                           >-- struct io --> file operations: io_put (read), io_get (write)
 *      kernel buffer     --/
 *
 * A file hands over bytes with io_put and takes them with io_get, a page or so at a time, straight between its own
 * pages and the caller's memory, so no transfer needs a large buffer. User memory may fault: both calls may sleep, and
 * => the file holds no lock while it makes them. A short answer means that the caller's memory ended in a bad address.
 */
#ifndef KERNEL_FS_IO_H
#define KERNEL_FS_IO_H

#include "lib/abi/errno.h"
#include "lib/string.h"

struct io;

struct io_ops {
    size_t (*put)(struct io *io, const void *src, size_t n); /* bytes stored, at most n */
    size_t (*get)(struct io *io, void *dst, size_t n);       /* bytes fetched, at most n */
};

struct io {
    const struct io_ops *ops;
    u64 left; /* bytes that the caller still wants to move */
};

/* Store n <= left bytes in the caller's memory. Returns how many were stored. */
static inline size_t io_put(struct io *io, const void *src, size_t n)
{
    size_t done = io->ops->put(io, src, n);
    io->left -= done;
    return done;
}

/* Fetch n <= left bytes from the caller's memory. Returns how many were fetched. */
static inline size_t io_get(struct io *io, void *dst, size_t n)
{
    size_t done = io->ops->get(io, dst, n);
    io->left -= done;
    return done;
}

/* What a read or write that moved done bytes returns when it then met error (0: none). */
static inline long io_result(u64 done, long error)
{
    return done ? (long)done : error;
}

/* An io over kernel memory. */
struct io_kernel {
    struct io io;
    char *at;
};

void io_kernel_init(struct io_kernel *k, void *buf, size_t n);

#endif
