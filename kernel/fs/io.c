/*
 * io.c: struct io over a kernel buffer: exec reads headers with it, the initramfs unpacks with it, tests use it.
 * It owns nothing and never comes up short.
 */
#include "kernel/fs/io.h"

static size_t kernel_put(struct io *io, const void *src, size_t n)
{
    struct io_kernel *k = container_of(io, struct io_kernel, io);
    memcpy(k->at, src, n);
    k->at += n;
    return n;
}

static size_t kernel_get(struct io *io, void *dst, size_t n)
{
    struct io_kernel *k = container_of(io, struct io_kernel, io);
    memcpy(dst, k->at, n);
    k->at += n;
    return n;
}

static const struct io_ops kernel_io_ops = {.put = kernel_put, .get = kernel_get};

/* Make k move n bytes to or from buf, which outlives it. => any context. */
void io_kernel_init(struct io_kernel *k, void *buf, size_t n)
{
    k->io.ops = &kernel_io_ops;
    k->io.left = n;
    k->at = buf;
}
