/*
 * link.c: the stdio link on COM3: the program's standard input, output and error as frames, so that all 256 byte values,
 * both outputs and the end of input survive a serial line.
 *
 *      to the host:    type (1 stdout, 2 stderr, 3 "input wanted"), length (2 bytes, little endian), bytes
 *      from the host:  length (2 bytes), bytes; only after a type 3, one frame for each; length 0: the end of input
 *
 * As the host sends only when asked, the buffer, of the largest frame's size, never overflows; input is asked for when a
 * reader finds it empty. Lock: input.lock (interrupts off) guards the receiver; out_lock keeps frames whole.
 */
#include "kernel/core/printk.h"
#include "kernel/core/restart.h"
#include "kernel/dev/dev.h"
#include "kernel/dev/uart.h"
#include "kernel/sched/thread.h"

enum { FRAME_STDOUT = 1, FRAME_STDERR = 2, FRAME_WANT_INPUT = 3, FRAME_MAX = 1024 };

static struct wait_queue input;
static struct spinlock out_lock;
static bool present;

static struct {
    bool wanted;  /* asked for, not yet here in full */
    bool ended;   /* the host's input is over */
    u32 header;   /* bytes of the length that have come */
    u32 expected; /* length of the frame */
    u32 have, taken;
    u8 bytes[FRAME_MAX];
} in;

static void send_frame(u8 type, const u8 *bytes, u32 n)
{
    u64 flags = spin_lock_irq(&out_lock);
    if (present) {
        const u8 header[] = {type, n & 0xff, n >> 8};
        uart_send_bytes(UART_COM3, header, sizeof(header));
        uart_send_bytes(UART_COM3, bytes, n);
    }
    spin_unlock_irq(&out_lock, flags);
}

/* A byte from the host. => input.lock held. */
static void receive(u8 byte)
{
    if (!in.wanted)
        return; /* nobody asked */
    if (in.header < 2) {
        in.expected |= (u32)byte << (8 * in.header++);
        if (in.header == 2 && in.expected == 0)
            in.ended = true;
    } else if (in.have < in.expected) {
        if (in.have < FRAME_MAX)
            in.bytes[in.have] = byte;
        in.have++;
    }
    if (in.header == 2 && in.have == in.expected) {
        in.wanted = false;
        in.have = min_u64(in.have, FRAME_MAX);
    }
}

void link_irq(void)
{
    u8 byte;
    if (!present)
        return;
    u64 flags = spin_lock_irq(&input.lock);
    while (uart_receive(UART_COM3, &byte))
        receive(byte);
    if (!in.wanted)
        wait_wake_all_locked(&input);
    spin_unlock_irq(&input.lock, flags);
}

static bool link_readable(void)
{
    return in.ended || (!in.wanted && in.taken < in.have);
}

/* Ask the host for a frame unless that was done already. => input.lock held; it is let go meanwhile. */
static void ask(u64 *flags)
{
    if (in.wanted)
        return;
    in.wanted = true;
    in.header = in.expected = in.have = in.taken = 0;
    spin_unlock_irq(&input.lock, *flags);
    send_frame(FRAME_WANT_INPUT, NULL, 0);
    *flags = spin_lock_irq(&input.lock);
}

/* Wait for input and take up to n bytes. Bytes, 0 at the end, -EAGAIN, -RESTART_SYS. */
static long take_input(struct file *file, u8 *buf, size_t n)
{
    long ret = 0;
    u64 flags = spin_lock_irq(&input.lock);
    while (!link_readable()) {
        ask(&flags);
        if (link_readable())
            break;
        if (file->flags & O_NONBLOCK)
            ret = -EAGAIN;
        else if (!wait_sleep_interruptible(&input, &flags))
            ret = -RESTART_SYS;
        if (ret < 0)
            break;
    }
    if (ret == 0 && !in.ended) {
        ret = min_u64(n, in.have - in.taken);
        memcpy(buf, in.bytes + in.taken, ret);
        in.taken += ret;
    }
    spin_unlock_irq(&input.lock, flags);
    return ret;
}

static long link_read(struct file *file, struct io *io, u64 *pos)
{
    u8 buf[FRAME_MAX];
    (void)pos;
    if (!io->left || !present)
        return 0;
    long n = take_input(file, buf, min_u64(io->left, sizeof(buf)));
    if (n <= 0)
        return n;
    size_t put = io_put(io, buf, n);
    return put ? (long)put : -EFAULT;
}

static long link_write(struct io *io, u8 type)
{
    u8 buf[FRAME_MAX];
    u64 done = 0;
    while (io->left) {
        size_t want = min_u64(io->left, sizeof(buf)), n = io_get(io, buf, want);
        if (n)
            send_frame(type, buf, n);
        done += n;
        if (n < want)
            return io_result(done, -EFAULT);
        sched_yield_point();
    }
    return done;
}

static long link_write_out(struct file *file, struct io *io, u64 *pos)
{
    (void)file, (void)pos;
    return link_write(io, FRAME_STDOUT);
}

static long link_write_err(struct file *file, struct io *io, u64 *pos)
{
    (void)file, (void)pos;
    return link_write(io, FRAME_STDERR);
}

static u32 link_poll(struct file *file)
{
    (void)file;
    u64 flags = spin_lock_irq(&input.lock);
    if (!link_readable())
        ask(&flags);
    u32 ready = POLLOUT | (link_readable() ? POLLIN : 0);
    spin_unlock_irq(&input.lock, flags);
    return ready;
}

static const struct file_ops in_ops = {
    .read = link_read, .write = link_write_out, .poll = link_poll, .stream = true};
static const struct file_ops out_ops = {.read = link_read, .write = link_write_out, .stream = true};
static const struct file_ops err_ops = {.read = link_read, .write = link_write_err, .stream = true};

void link_init(void)
{
    wait_init(&input);
    spin_init(&out_lock, RANK_DEVICE);
    present = uart_init(UART_COM3);
    if (present)
        uart_enable_input_irq(UART_COM3);
    dev_make("hostin", 240, 0, &in_ops);
    dev_make("hostout", 240, 1, &out_ops);
    dev_make("hosterr", 240, 2, &err_ops);
}
