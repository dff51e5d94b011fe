/*
 * uart.c: polled output, and input that an interrupt announces. Owns no data; the users lock.
 *
 *      port+0  data (divisor low when DLAB)     port+3  line control: 8N1, DLAB
 *      port+1  interrupt enable (divisor high)  port+4  modem control: DTR, RTS, OUT2 (the interrupt line)
 *      port+2  FIFO control                     port+5  line status     port+7  scratch
 */
#include "kernel/dev/uart.h"

#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"

enum { DATA, IER, FCR, LCR, MCR, LSR, SCRATCH = 7 };
enum { LSR_DATA = 0x01, LSR_ROOM = 0x20, LSR_EMPTY = 0x40 };
enum { FIFO_SIZE = 16 };
enum { PATIENCE = 1000000 }; /* polls before a dead port is given up */

bool uart_init(u16 port)
{
    outb(port + SCRATCH, 0x5a);
    if (inb(port + SCRATCH) != 0x5a)
        return false;
    outb(port + IER, 0);
    outb(port + LCR, 0x80);
    outb(port + DATA, 1); /* 115200 / 1 */
    outb(port + IER, 0);
    outb(port + LCR, 0x03);
    outb(port + FCR, 0xc7); /* interrupt at 14 bytes, or when fewer have waited for a while */
    outb(port + MCR, 0x0b);
    return true;
}

void uart_enable_input_irq(u16 port)
{
    outb(port + IER, 1);
}

static void uart_wait(u16 port, u8 bit)
{
    for (u32 i = 0; i < PATIENCE && !(inb(port + LSR) & bit); i++)
        cpu_relax();
}

void uart_send(u16 port, u8 byte)
{
    uart_wait(port, LSR_ROOM);
    outb(port + DATA, byte);
}

/* Once there is room the FIFO is empty and takes 16 bytes; one string instruction is one exit to the host for all. */
void uart_send_bytes(u16 port, const u8 *bytes, size_t n)
{
    while (n) {
        u64 part = min_u64(n, FIFO_SIZE);
        uart_wait(port, LSR_ROOM);
        outb_string(port, bytes, part);
        bytes += part;
        n -= part;
    }
}

void uart_drain(u16 port)
{
    uart_wait(port, LSR_EMPTY);
}

bool uart_receive(u16 port, u8 *byte)
{
    u8 status = inb(port + LSR);
    if (!(status & LSR_DATA) || status == 0xff)
        return false;
    *byte = inb(port + DATA);
    return true;
}
