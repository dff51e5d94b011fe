/*
 * tty.c: the console terminal on COM1: /dev/console, and /dev/tty for those whose session has it.
 *
 *      IRQ 4 -> line_input -> (Ctrl-C: the foreground group's signal) -> wake readers
 *      a full ring leaves the rest in the port, which makes the host wait; readers fetch it when they have made room
 *      read: may we (job_check)? sleep until there is enough, take a piece of it, hand it to the caller without the lock
 *      write: NL becomes CR NL, polled out, a piece at a time; waits while Ctrl-S holds it
 *
 * Lock: input.lock of the wait queue, with interrupts off, guards the line; below it out_lock keeps pieces of output
 * whole. The size of the window is two knobs: the launcher says it on the command line, and a change tells the foreground.
 */
#include "kernel/core/knob.h"
#include "kernel/core/restart.h"
#include "kernel/core/time.h"
#include "kernel/core/upcall.h"
#include "kernel/dev/dev.h"
#include "kernel/dev/job.h"
#include "kernel/dev/line.h"
#include "kernel/dev/uart.h"
#include "kernel/sched/thread.h"
#include "lib/abi/signal.h"

enum { PIECE = 256, FLUSH_INPUT = 0, FLUSH_OUTPUT = 1, FLUSH_BOTH = 2 };
enum { OUTPUT_OFF = 0, OUTPUT_ON = 1, INPUT_ON = 3 }; /* TCXONC */

static struct line console;
static struct wait_queue input; /* who waits for input, or for Ctrl-Q */
static struct spinlock out_lock;
static bool present;

/* ---- bytes out, gathered for the port ---- */

static u8 gathered[16]; /* out_lock */
static size_t gathered_count;

static void send_gathered(void)
{
    if (present)
        uart_send_bytes(UART_COM1, gathered, gathered_count);
    gathered_count = 0;
}

static void gather(u8 byte)
{
    gathered[gathered_count++] = byte;
    if (gathered_count == sizeof(gathered))
        send_gathered();
}

/* ---- the interrupt ---- */

/* What the port has, as far as there is room. The signal that was asked for last, or 0. => input.lock held. */
static u32 receive(void)
{
    u8 byte;
    u32 signal = 0;
    if (!present)
        return 0;
    u64 out_flags = spin_lock_irq(&out_lock);
    while (line_has_room(&console) && uart_receive(UART_COM1, &byte)) {
        u32 asked = line_input(&console, byte);
        signal = asked ? asked : signal;
    }
    send_gathered();
    spin_unlock_irq(&out_lock, out_flags);
    wait_wake_all_locked(&input);
    return signal;
}

/* Input is let go: with it goes the signal that fresh bytes asked for. => input.lock held; let go. */
static void receive_and_unlock(u64 flags)
{
    u32 signal = receive();
    spin_unlock_irq(&input.lock, flags);
    if (signal)
        job_signal_soon(signal);
}

void tty_irq(void)
{
    receive_and_unlock(spin_lock_irq(&input.lock));
}

/* ---- reading ---- */

/* How much a read has to wait for, and until when: VMIN and VTIME of termios(3). */
struct patience {
    u32 least;
    u64 pause;    /* ns without a byte after which it ends; 0: none */
    u64 deadline; /* ~0: none */
};

static struct patience patience_of(size_t n)
{
    const struct abi_termios *settings = &console.settings;
    struct patience p = {.least = 1, .deadline = ~0ul};
    if (settings->c_lflag & ICANON)
        return p;
    u64 pause = settings->c_cc[VTIME] * 100000000ul;
    p.least = min_u64(settings->c_cc[VMIN], n);
    if (p.least) {
        p.pause = pause; /* from the first byte on */
    } else {
        p.deadline = time_ns() + pause;
        p.least = pause ? 1 : 0;
    }
    return p;
}

/* Wait for input. 0, -EAGAIN, -RESTART_SYS. => input.lock held, and let go meanwhile. */
static long wait_input(const struct file *file, size_t n, u64 *flags)
{
    struct patience p = patience_of(n);
    u32 seen = 0, there;
    while ((there = line_ready(&console)) < p.least && time_ns() < p.deadline) {
        if (file->flags & O_NONBLOCK)
            return there ? 0 : -EAGAIN;
        if (there > seen && p.pause)
            p.deadline = time_ns() + p.pause;
        seen = there;
        bool slept = p.deadline == ~0ul ? wait_sleep_interruptible(&input, flags)
                                        : wait_sleep_until(&input, flags, p.deadline);
        if (!slept)
            return line_ready(&console) && !(console.settings.c_lflag & ICANON) ? 0 : -RESTART_SYS;
    }
    return 0;
}

/* One piece of one line: a caller that asked for more reads again. */
static long tty_read(struct file *file, struct io *io, u64 *pos)
{
    u8 buf[PIECE];
    (void)pos;
    if (!io->left)
        return 0;
    long ret = job_check(SIGTTIN);
    if (ret < 0)
        return ret;
    size_t want = min_u64(io->left, sizeof(buf));
    u64 flags = spin_lock_irq(&input.lock);
    ret = wait_input(file, want, &flags);
    if (ret == 0)
        ret = line_take(&console, buf, want);
    receive_and_unlock(flags);
    if (ret <= 0)
        return ret;
    size_t put = io_put(io, buf, ret);
    return put ? (long)put : -EFAULT;
}

/* ---- writing ---- */

/* While Ctrl-S holds the output. 0, -EAGAIN, -RESTART_SYS. */
static long wait_output(const struct file *file)
{
    long ret = 0;
    u64 flags = spin_lock_irq(&input.lock);
    while (console.held && ret == 0) {
        if (file->flags & O_NONBLOCK)
            ret = -EAGAIN;
        else if (!wait_sleep_interruptible(&input, &flags))
            ret = -RESTART_SYS;
    }
    spin_unlock_irq(&input.lock, flags);
    return ret;
}

static void write_piece(const u8 *bytes, size_t n)
{
    u64 flags = spin_lock_irq(&out_lock);
    for (size_t i = 0; i < n; i++)
        line_output(&console, bytes[i]);
    send_gathered();
    spin_unlock_irq(&out_lock, flags);
}

static long tty_write(struct file *file, struct io *io, u64 *pos)
{
    u8 buf[PIECE];
    u64 done = 0;
    (void)pos;
    long ret = console.settings.c_lflag & TOSTOP ? job_check(SIGTTOU) : 0;
    while (io->left && ret == 0) {
        ret = wait_output(file);
        if (ret < 0)
            break;
        size_t want = min_u64(io->left, sizeof(buf)), n = io_get(io, buf, want);
        write_piece(buf, n);
        done += n;
        if (n < want)
            ret = -EFAULT;
        sched_yield_point();
        if (fs_interrupted() && io->left && ret == 0)
            ret = -RESTART_SYS; /* done, if there is some, is the answer */
    }
    return io_result(done, ret);
}

/* ---- settings ---- */

static void set_settings(const struct abi_termios *settings, bool drop_input)
{
    u64 flags = spin_lock_irq(&input.lock);
    if (drop_input)
        line_flush(&console);
    line_set(&console, settings);
    receive_and_unlock(flags);
}

static void hold(bool on)
{
    u64 flags = spin_lock_irq(&input.lock);
    console.held = on;
    wait_wake_all_locked(&input);
    spin_unlock_irq(&input.lock, flags);
}

static int flush(u32 which)
{
    if (which > FLUSH_BOTH)
        return -EINVAL;
    if (which != FLUSH_OUTPUT) { /* of output nothing waits */
        u64 flags = spin_lock_irq(&input.lock);
        line_flush(&console);
        receive_and_unlock(flags);
    }
    return 0;
}

static int flow(u32 action)
{
    if (action > INPUT_ON)
        return -EINVAL;
    if (action <= OUTPUT_ON)
        hold(action == OUTPUT_OFF);
    return 0;
}

/* ---- the window ---- */

static void window_changed(struct knob *knob)
{
    (void)knob;
    job_signal(SIGWINCH);
}

static struct knob rows = {.name = "tty.rows",
                           .help = "lines of the terminal's window",
                           .value = 24,
                           .max = 65535,
                           .changed = window_changed};
static struct knob columns = {.name = "tty.cols",
                              .help = "columns of the terminal's window",
                              .value = 80,
                              .max = 65535,
                              .changed = window_changed};

static void set_window(const struct abi_winsize *size)
{
    bool changed = size->rows != knob_value(&rows) || size->cols != knob_value(&columns);
    WRITE_ONCE(rows.value, size->rows);
    WRITE_ONCE(columns.value, size->cols);
    if (changed)
        job_signal(SIGWINCH);
}

/* ---- ioctl ---- */

/* Those that change what others see: not from the background. */
static int tty_change(u32 cmd, void *arg)
{
    long ret = job_check(SIGTTOU);
    if (ret < 0)
        return ret;
    switch (cmd) {
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
    case TCSETS2:
    case TCSETSW2:
    case TCSETSF2:
        set_settings(arg, cmd == TCSETSF || cmd == TCSETSF2);
        return 0;
    case TCFLSH:
        return flush(*(u32 *)arg);
    case TCXONC:
        return flow(*(u32 *)arg);
    }
    return 0; /* TCSBRK, TCSBRKP: all output has left, and a break means nothing here */
}

static int tty_ioctl(struct file *file, u32 cmd, void *arg)
{
    (void)file;
    switch (cmd) {
    case TCGETS:
        *(struct abi_termios *)arg = console.settings;
        return 0;
    case TCGETS2:
        *(struct abi_termios2 *)arg = (struct abi_termios2){console.settings, 115200, 115200};
        return 0;
    case TCSETS:
    case TCSETSW:
    case TCSETSF:
    case TCSETS2:
    case TCSETSW2:
    case TCSETSF2:
    case TCFLSH:
    case TCXONC:
    case TCSBRK:
    case TCSBRKP:
        return tty_change(cmd, arg);
    case TIOCGWINSZ:
        *(struct abi_winsize *)arg =
            (struct abi_winsize){.rows = knob_value(&rows), .cols = knob_value(&columns)};
        return 0;
    case TIOCSWINSZ:
        set_window(arg);
        return 0;
    case FIONREAD:
        *(u32 *)arg = line_ready(&console);
        return 0;
    case TIOCOUTQ:
        *(u32 *)arg = 0;
        return 0;
    }
    return job_ioctl(cmd, arg);
}

static u32 tty_poll(struct file *file)
{
    const struct abi_termios *settings = &console.settings;
    u32 least = 1;
    (void)file;
    if (!(settings->c_lflag & ICANON) && !settings->c_cc[VTIME])
        least = max_u64(settings->c_cc[VMIN], 1);
    u64 flags = spin_lock_irq(&input.lock);
    u32 ready = (console.held ? 0 : POLLOUT) | (line_ready(&console) >= least ? POLLIN : 0);
    spin_unlock_irq(&input.lock, flags);
    return ready;
}

static int tty_open_mine(struct file *file)
{
    (void)file;
    return job_is_mine() ? 0 : -ENXIO;
}

static const struct file_ops console_ops = {
    .read = tty_read, .write = tty_write, .ioctl = tty_ioctl, .poll = tty_poll, .stream = true};
static const struct file_ops tty_ops = {.open = tty_open_mine,
                                        .read = tty_read,
                                        .write = tty_write,
                                        .ioctl = tty_ioctl,
                                        .poll = tty_poll,
                                        .stream = true};

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
    line_init(&console, gather);
    wait_init(&input);
    spin_init(&out_lock, RANK_DEVICE);
    job_init();
    knob_register(&rows);
    knob_register(&columns);
    present = uart_init(UART_COM1);
    if (present)
        uart_enable_input_irq(UART_COM1);
    dev_make("console", 5, 1, &console_ops);
    dev_make("tty", 5, 0, &tty_ops);
}
