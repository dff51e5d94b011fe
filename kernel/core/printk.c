/*
 * printk.c: the kernel log: a ring in memory, and the serial port COM2.
 *
 * A message is formatted in one buffer under the lock, gets the time in front of each line, and
 * goes byte by byte to both. The port is polled, so it works with interrupts off and before
 * anything is set up; a port that is not there, or stops taking bytes, is given up, and the ring
 * remains:
 *
 *      (gdb) x/s printk_ring
 *
 * Lock: log_lock, the innermost of all. A panic does not wait for it.
 */
#include "kernel/core/printk.h"

#include "kernel/core/spinlock.h"
#include "kernel/core/time.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "lib/format.h"

enum { RING_SIZE = 1 << 16, MESSAGE_MAX = 1024 };

enum {
    COM2 = 0x2f8,
    UART_DATA = 0,
    UART_IRQ_ENABLE = 1,
    UART_FIFO = 2,
    UART_LINE = 3,
    UART_MODEM = 4,
    UART_STATUS = 5,
    UART_SCRATCH = 7,
    STATUS_CAN_SEND = 0x20,
    SEND_TRIES = 1000000,
};

enum port_state { PORT_UNKNOWN, PORT_ABSENT, PORT_READY };

static struct spinlock log_lock = {.rank = RANK_PRINTK};
char printk_ring[RING_SIZE]; /* wraps around; for debuggers */
u64 printk_ring_written;     /* bytes ever */
static char message[MESSAGE_MAX];
static bool line_begun;
static bool panicking;
static enum port_state port;

static void port_probe(void)
{
    port = PORT_ABSENT;
    outb(COM2 + UART_SCRATCH, 0xa5);
    if (inb(COM2 + UART_SCRATCH) != 0xa5)
        return;
    outb(COM2 + UART_IRQ_ENABLE, 0);
    outb(COM2 + UART_LINE, 0x80); /* the next two are the divisor */
    outb(COM2 + UART_DATA, 1);    /* 115200 baud */
    outb(COM2 + UART_IRQ_ENABLE, 0);
    outb(COM2 + UART_LINE, 3);  /* 8 bits, no parity, 1 stop bit */
    outb(COM2 + UART_FIFO, 7);  /* on, and empty */
    outb(COM2 + UART_MODEM, 3); /* DTR, RTS */
    port = PORT_READY;
}

static void port_send(char c)
{
    if (port == PORT_UNKNOWN)
        port_probe();
    if (port != PORT_READY)
        return;
    for (u32 tries = 0; !(inb(COM2 + UART_STATUS) & STATUS_CAN_SEND); tries++) {
        if (tries == SEND_TRIES) {
            port = PORT_ABSENT;
            return;
        }
    }
    outb(COM2 + UART_DATA, (u8)c);
}

static void log_byte(char c)
{
    printk_ring[printk_ring_written++ % RING_SIZE] = c;
    port_send(c);
}

static void log_time(void)
{
    char stamp[32];
    u64 us = time_ns() / 1000;
    format_to(stamp, sizeof(stamp), "[%5lu.%06lu] ", us / 1000000, us % 1000000);
    for (const char *s = stamp; *s; s++)
        log_byte(*s);
}

static void log_text(const char *text)
{
    for (; *text; text++) {
        if (!line_begun)
            log_time();
        line_begun = *text != '\n';
        log_byte(*text);
    }
}

void printk_v(const char *fmt, va_list ap)
{
    u64 flags = 0;
    if (!panicking)
        flags = spin_lock_irq(&log_lock);
    bool cut = format_to_v(message, sizeof(message), fmt, ap) >= MESSAGE_MAX;
    log_text(message);
    if (cut)
        log_text(" ...\n");
    if (!panicking)
        spin_unlock_irq(&log_lock, flags);
}

void printk(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printk_v(fmt, ap);
    va_end(ap);
}

u64 printk_end(u64 *start)
{
    u64 flags = spin_lock_irq(&log_lock);
    u64 end = printk_ring_written;
    spin_unlock_irq(&log_lock, flags);
    *start = max_u64(*start, end - min_u64(end, RING_SIZE));
    return end;
}

void printk_copy(char *buf, size_t n, u64 start)
{
    u64 flags = spin_lock_irq(&log_lock);
    for (size_t i = 0; i < n; i++)
        buf[i] = printk_ring[(start + i) % RING_SIZE];
    spin_unlock_irq(&log_lock, flags);
}

void printk_enter_panic(void)
{
    panicking = true;
}
