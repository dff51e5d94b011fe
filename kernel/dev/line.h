/*
 * line.h: a terminal's line editing and what it does to output, apart from the port it sits on: bytes as typed go in, finished
 * lines come out (termios(3)).
 *
 * Pure: no port, no lock. The ring holds finished input up to `ready` and the line being edited behind it. In raw mode all
 * input is finished at once.
 *
 *      head ........ ready ........ tail
 *      | may be read | being edited |
 */
#ifndef KERNEL_DEV_LINE_H
#define KERNEL_DEV_LINE_H

#include "lib/abi/system.h"

enum {
    LINE_RING = 4096,
    LINE_EOF = 0x100, /* an item of the ring that is no byte: a read stops there */
    LINE_END = 0x200, /* a bit of the byte that ends a line */
};

struct line {
    u16 ring[LINE_RING];
    u32 head, ready, tail; /* ever growing */
    u32 column;            /* of the cursor, as far as one can tell */
    u32 start_column;      /* where the line being edited begins */
    bool literal;          /* the next byte means nothing special (Ctrl-V) */
    bool held;             /* output waits (Ctrl-S) */
    struct abi_termios settings;
    void (*send)(u8 byte);
};

void line_init(struct line *line, void (*send)(u8 byte));
/* Is there room for the end of a line? If not, bytes have to wait where they are until some were taken. */
bool line_has_room(const struct line *line);
/* Take a byte as typed. The signal that it asks for, or 0. => room, or the byte may be lost */
u32 line_input(struct line *line, u8 byte);
/* Send a byte as the settings for output want it. */
void line_output(struct line *line, u8 byte);
/* What can be read, in bytes (and marks). */
static inline u32 line_ready(const struct line *line)
{
    return line->ready - line->head;
}
/* Up to n bytes, in canonical mode of one line, into buf; 0 at an end of input, which is used up. */
size_t line_take(struct line *line, u8 *buf, size_t n);
/* Forget all input. */
void line_flush(struct line *line);
void line_set(struct line *line, const struct abi_termios *settings);

#endif
