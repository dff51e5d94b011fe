/*
 * uart.h: the 8250 family of serial ports (National Semiconductor PC16550D data sheet), as the PC has them.
 */
#ifndef KERNEL_DEV_UART_H
#define KERNEL_DEV_UART_H

#include "lib/types.h"

enum { UART_COM1 = 0x3f8, UART_COM3 = 0x3e8, UART_COM4 = 0x2e8 };

/* 115200 baud 8N1, FIFO on, interrupts off. False: there is no such port. */
bool uart_init(u16 port);
void uart_enable_input_irq(u16 port);
/* Send a byte, waiting for room. Gives up after a while on a port that never gets ready. No locks: usable in panic. */
void uart_send(u16 port, u8 byte);
void uart_send_bytes(u16 port, const u8 *bytes, size_t n);
void uart_drain(u16 port);             /* until the last byte has left */
bool uart_receive(u16 port, u8 *byte); /* false: nothing there */

#endif
