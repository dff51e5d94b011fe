/*
 * line.h: a terminal's line editing, apart from the port it sits on: bytes go in, finished lines come out.
 *
 * Pure: no port, no lock. The ring holds finished input up to `ready` and the line being edited behind it.
 *
 *      head ........ ready ........ tail
 *      | may be read | being edited |
 */
#ifndef KERNEL_DEV_LINE_H
#define KERNEL_DEV_LINE_H

#include "lib/abi/system.h"

enum { LINE_RING = 4096, LINE_EOF = 0x100 }; /* LINE_EOF: a mark in the ring; read stops there */

struct line {
    u16 ring[LINE_RING];
    u32 head, ready, tail; /* ever growing */
    struct abi_termios settings;
    void (*echo)(u8 byte);
};

void line_init(struct line *line, void (*echo)(u8 byte));
/* Is there room for the end of a line? If not, bytes have to wait where they are until some were taken. */
bool line_has_room(const struct line *line);
/* Take a byte as typed. The signal that it asks for, or 0. => room, or the byte may be lost */
u32 line_input(struct line *line, u8 byte);
bool line_readable(const struct line *line);
/* Up to n bytes of one line into buf; 0 at an end of input, which is used up. => readable */
size_t line_take(struct line *line, u8 *buf, size_t n);

#endif
