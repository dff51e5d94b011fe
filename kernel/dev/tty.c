/*
 * tty.c: the console terminal on COM1: /dev/console and /dev/tty.
 *
 *      IRQ 4 -> line_input -> (Ctrl-C: the foreground group's signal) -> wake readers
 *      a full ring leaves the rest in the port, which makes the host wait; readers fetch it when they have made room
 *      read: sleep until a line is ready, take a piece of it, hand it to the caller without the lock
 *      write: NL becomes CR NL, polled out
 *
 * Lock: input.lock of the wait queue, taken with interrupts off, guards the line; output needs none but keeps whole
 * pieces together with out_lock.
 */
#include "kernel/core/restart.h"
#include "kernel/core/upcall.h"
#include "kernel/dev/dev.h"
#include "kernel/dev/line.h"
#include "kernel/dev/uart.h"
#include "kernel/sched/thread.h"

enum { PIECE = 256 };

static struct line console;
static struct wait_queue input;
static struct spinlock out_lock;
static bool present;
static u32 foreground = 1; /* the process group that Ctrl-C is for */

static void send_cooked(u8 byte)
{
    u32 flags = console.settings.c_oflag;
    if (byte == '\n' && (flags & OPOST) && (flags & ONLCR))
        uart_send(UART_COM1, '\r');
    uart_send(UART_COM1, byte);
}

/* What the port has, as far as there is room. The signal that was asked for last, or 0. => input.lock held. */
static u32 receive(void)
{
    u8 byte;
    u32 signal = 0;
    while (present && line_has_room(&console) && uart_receive(UART_COM1, &byte)) {
        u32 asked = line_input(&console, byte);
        signal = asked ? asked : signal;
    }
    if (line_readable(&console))
        wait_wake_all_locked(&input);
    return signal;
}

/* => no lock held. */
static void send_signal(u32 signal)
{
    if (signal && fs_hooks.terminal_signal)
        fs_hooks.terminal_signal(READ_ONCE(foreground), signal);
}

void tty_irq(void)
{
    u64 flags = spin_lock_irq(&input.lock);
    u32 signal = receive();
    spin_unlock_irq(&input.lock, flags);
    send_signal(signal);
}

/* Wait for input and take up to n bytes. Bytes, 0 at the end of input, -EAGAIN, -RESTART_SYS. */
static long take_input(struct file *file, u8 *buf, size_t n)
{
    long ret = 0;
    u32 signal = 0;
    u64 flags = spin_lock_irq(&input.lock);
    while (!line_readable(&console)) {
        if (file->flags & O_NONBLOCK)
            ret = -EAGAIN;
        else if (!wait_sleep_interruptible(&input, &flags))
            ret = -RESTART_SYS;
        if (ret < 0)
            break;
    }
    if (ret == 0) {
        ret = line_take(&console, buf, n);
        signal = receive();
    }
    spin_unlock_irq(&input.lock, flags);
    send_signal(signal);
    return ret;
}

/* One piece of one line: a caller that asked for more reads again. */
static long tty_read(struct file *file, struct io *io, u64 *pos)
{
    u8 buf[PIECE];
    (void)pos;
    if (!io->left)
        return 0;
    long n = take_input(file, buf, min_u64(io->left, sizeof(buf)));
    if (n <= 0)
        return n;
    size_t put = io_put(io, buf, n);
    return put ? (long)put : -EFAULT;
}

static long tty_write(struct file *file, struct io *io, u64 *pos)
{
    u8 buf[PIECE];
    u64 done = 0;
    (void)file, (void)pos;
    while (io->left) {
        size_t want = min_u64(io->left, sizeof(buf)), n = io_get(io, buf, want);
        u64 flags = spin_lock_irq(&out_lock);
        for (size_t i = 0; i < n && present; i++)
            send_cooked(buf[i]);
        spin_unlock_irq(&out_lock, flags);
        done += n;
        if (n < want)
            return io_result(done, -EFAULT);
        sched_yield_point();
    }
    return done;
}

static void set_settings(const struct abi_termios *settings, bool drop_input)
{
    u64 flags = spin_lock_irq(&input.lock);
    console.settings = *settings;
    if (drop_input)
        console.head = console.ready = console.tail;
    else if (!(settings->c_lflag & ICANON))
        console.ready = console.tail;
    u32 signal = receive();
    spin_unlock_irq(&input.lock, flags);
    send_signal(signal);
}

static int tty_ioctl(struct file *file, u32 cmd, void *arg)
{
    (void)file;
    switch (cmd) {
    case TCGETS:
        *(struct abi_termios *)arg = console.settings;
        return 0;
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
        set_settings(arg, cmd == TCSETSF);
        return 0;
    case TIOCGWINSZ:
        *(struct abi_winsize *)arg = (struct abi_winsize){.rows = 24, .cols = 80};
        return 0;
    case TIOCGPGRP:
        *(u32 *)arg = READ_ONCE(foreground);
        return 0;
    case TIOCSPGRP:
        if ((s32) * (u32 *)arg <= 0)
            return -EINVAL;
        WRITE_ONCE(foreground, *(u32 *)arg);
        return 0;
    case FIONREAD: {
        u64 flags = spin_lock_irq(&input.lock);
        *(u32 *)arg = console.ready - console.head;
        spin_unlock_irq(&input.lock, flags);
        return 0;
    }
    }
    return -ENOTTY;
}

static u32 tty_poll(struct file *file)
{
    (void)file;
    u64 flags = spin_lock_irq(&input.lock);
    u32 ready = POLLOUT | (line_readable(&console) ? POLLIN : 0);
    spin_unlock_irq(&input.lock, flags);
    return ready;
}

static const struct file_ops tty_ops = {
    .read = tty_read, .write = tty_write, .ioctl = tty_ioctl, .poll = tty_poll, .stream = true};

void upcall_console_panic(const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            uart_send(UART_COM1, '\r');
        uart_send(UART_COM1, *text);
    }
}

void tty_init(void)
{
    line_init(&console, send_cooked);
    wait_init(&input);
    spin_init(&out_lock, RANK_DEVICE);
    present = uart_init(UART_COM1);
    if (present)
        uart_enable_input_irq(UART_COM1);
    dev_make("console", 5, 1, &tty_ops);
    dev_make("tty", 5, 0, &tty_ops);
}
