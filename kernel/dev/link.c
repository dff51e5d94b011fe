/*
 * link.c: the stdio link on COM3: the program's standard input, output and error as frames, so that all 256 byte values,
 * both outputs and the end of input survive a serial line.
 *
 *      to the host:    type (1 stdout, 2 stderr, 3 "input wanted"), length (2 bytes, little endian), bytes
 *      from the host:  length (2 bytes), bytes; only after a type 3, one frame for each; length 0: the end of input
 *
 * The host sends only when asked, and input is asked for only while the ring has room for the largest frame, so it never
 * overflows. A reader that finds nothing asks. So does one that takes from a frame of full length: there is more where that
 * came from, and it comes while the program works on this.
 *
 *      head ............ ready ............ tail
 *      | may be read     | a frame that is coming |
 *
 * Lock: input.lock (interrupts off) guards the receiver; out_lock keeps frames whole.
 */
#include "kernel/core/printk.h"
#include "kernel/core/restart.h"
#include "kernel/dev/dev.h"
#include "kernel/dev/uart.h"
#include "kernel/sched/thread.h"

enum { FRAME_STDOUT = 1, FRAME_STDERR = 2, FRAME_WANT_INPUT = 3 };
enum { FRAME_MAX = 4096, RING = 2 * FRAME_MAX, PIECE = 1024 };

static struct wait_queue input;
static struct spinlock out_lock;
static bool present;

static struct {
    bool wanted;  /* asked for, not yet here in full */
    bool ended;   /* the host's input is over, behind what is in the ring */
    bool full;    /* the last frame was of full length */
    u32 header;   /* bytes of the length that have come */
    u32 expected; /* length of the frame */
    u32 have;
    u32 head, ready, tail; /* ever growing */
    u8 ring[RING];
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
        if (in.have++ < FRAME_MAX)
            in.ring[in.tail++ % RING] = byte;
    }
    if (in.header == 2 && in.have == in.expected) {
        in.wanted = false;
        in.full = in.have >= FRAME_MAX;
        in.ready = in.tail;
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
    return in.ended || in.head != in.ready;
}

/* Ask the host for a frame unless that was done already. => input.lock held; it is let go meanwhile. */
static void ask(u64 *flags)
{
    if (in.wanted || in.ended || in.tail - in.head > RING - FRAME_MAX)
        return;
    in.wanted = true;
    in.header = in.expected = in.have = 0;
    spin_unlock_irq(&input.lock, *flags);
    send_frame(FRAME_WANT_INPUT, NULL, 0);
    *flags = spin_lock_irq(&input.lock);
}

/* Wait for input. 0, -EAGAIN, -RESTART_SYS. => input.lock held; it is let go meanwhile. */
static int wait_for_input(const struct file *file, u64 *flags)
{
    while (!link_readable()) {
        ask(flags);
        if (link_readable())
            break;
        if (file->flags & O_NONBLOCK)
            return -EAGAIN;
        if (!wait_sleep_interruptible(&input, flags))
            return -RESTART_SYS;
    }
    return 0;
}

/* Take up to n bytes of what is there; wait for the first of them if told to. Bytes, 0 at the end, -EAGAIN, -RESTART_SYS. */
static long take_input(const struct file *file, u8 *buf, size_t n, bool wait)
{
    u64 flags = spin_lock_irq(&input.lock);
    long ret = wait ? wait_for_input(file, &flags) : 0;
    if (ret == 0) {
        for (; (size_t)ret < n && in.head != in.ready; ret++)
            buf[ret] = in.ring[in.head++ % RING];
        if (ret && in.full)
            ask(&flags);
    }
    spin_unlock_irq(&input.lock, flags);
    return ret;
}

static long link_read(struct file *file, struct io *io, u64 *pos)
{
    u8 buf[PIECE];
    long done = 0;
    (void)pos;
    while (io->left && present) {
        long n = take_input(file, buf, min_u64(io->left, sizeof(buf)), done == 0);
        if (n <= 0)
            return done ? done : n;
        size_t put = io_put(io, buf, n);
        done += put;
        if (put < (size_t)n)
            return io_result(done, -EFAULT);
    }
    return done;
}

static long link_write(struct io *io, u8 type)
{
    u8 buf[PIECE];
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
