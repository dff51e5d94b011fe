/*
 * line.c: canonical and raw input after the terminal's settings (termios(3)): erase, kill, end of file, interrupt, CR to NL,
 * echo. A line that fills the ring but for one place takes no more bytes, until it is ended. When finished lines fill it, line_has_room
 * says so, and what is typed waits.
 */
#include "kernel/dev/line.h"

#include "lib/abi/signal.h"

enum {
    CTRL_C = 3,
    CTRL_D = 4,
    BACKSPACE = 8,
    CTRL_U = 21,
    CTRL_Z = 26,
    CTRL_BACKSLASH = 28,
    DELETE = 127
};

void line_init(struct line *line, void (*echo)(u8 byte))
{
    *line = (struct line){.echo = echo};
    line->settings = (struct abi_termios){
        .c_iflag = ICRNL,
        .c_oflag = OPOST | ONLCR,
        .c_cflag = 0xbf | 0x1000,                 /* 8N1, CREAD, 115200 */
        .c_lflag = ISIG | ICANON | ECHO | 0x8a30, /* and ECHOE, ECHOK, ECHOCTL, ECHOKE, IEXTEN */
    };
    u8 *cc = line->settings.c_cc;
    cc[VINTR] = CTRL_C;
    cc[VQUIT] = CTRL_BACKSLASH;
    cc[VSUSP] = CTRL_Z;
    cc[VERASE] = DELETE;
    cc[VKILL] = CTRL_U;
    cc[VEOF] = CTRL_D;
    cc[VMIN] = 1;
}

static bool has(const struct line *line, u32 flag)
{
    return line->settings.c_lflag & flag;
}

static void echo(struct line *line, u8 byte)
{
    if (!has(line, ECHO))
        return;
    if (byte < ' ' && byte != '\n' && byte != '\t') {
        line->echo('^');
        byte += '@';
    }
    line->echo(byte);
}

static void push(struct line *line, u16 item)
{
    line->ring[line->tail++ % LINE_RING] = item;
}

static void erase_one(struct line *line)
{
    if (line->tail == line->ready)
        return;
    u16 gone = line->ring[--line->tail % LINE_RING];
    if (!has(line, ECHO))
        return;
    for (int columns = gone < ' ' ? 2 : 1; columns; columns--) {
        line->echo(BACKSPACE);
        line->echo(' ');
        line->echo(BACKSPACE);
    }
}

/* The signal that a key stands for, 0: none. The line is dropped then. */
static u32 input_signal(struct line *line, u8 byte)
{
    const u8 *cc = line->settings.c_cc;
    u32 signal = byte == cc[VINTR]   ? SIGINT
                 : byte == cc[VQUIT] ? SIGQUIT
                 : byte == cc[VSUSP] ? SIGTSTP
                                     : 0;
    if (!signal || !byte || !has(line, ISIG))
        return 0;
    line->tail = line->ready;
    echo(line, byte);
    return signal;
}

static void input_canonical(struct line *line, u8 byte)
{
    const u8 *cc = line->settings.c_cc;
    bool full =
        line->tail - line->head >= LINE_RING - 1; /* one place stays for the end of the line */
    if (byte == cc[VERASE] || byte == BACKSPACE) {
        erase_one(line);
    } else if (byte == cc[VKILL]) {
        while (line->tail != line->ready)
            erase_one(line);
    } else if (byte == cc[VEOF] || byte == '\n') {
        if (!line_has_room(line))
            return;
        push(line, byte == '\n' ? '\n' : LINE_EOF);
        if (byte == '\n')
            echo(line, '\n');
        line->ready = line->tail;
    } else if (!full) {
        push(line, byte);
        echo(line, byte);
    }
}

bool line_has_room(const struct line *line)
{
    return line->tail - line->head < LINE_RING;
}

u32 line_input(struct line *line, u8 byte)
{
    u32 signal = input_signal(line, byte);
    if (signal)
        return signal;
    if (byte == '\r' && (line->settings.c_iflag & ICRNL))
        byte = '\n';
    if (has(line, ICANON)) {
        input_canonical(line, byte);
    } else if (line_has_room(line)) {
        push(line, byte);
        echo(line, byte);
        line->ready = line->tail;
    }
    return 0;
}

bool line_readable(const struct line *line)
{
    return line->head != line->ready;
}

size_t line_take(struct line *line, u8 *buf, size_t n)
{
    size_t done = 0;
    while (done < n && line->head != line->ready) {
        u16 item = line->ring[line->head % LINE_RING];
        if (item == LINE_EOF) {
            /* After bytes it only ends them; alone it is the end of input. */
            line->head++;
            break;
        }
        line->head++;
        buf[done++] = item;
        if (item == '\n' && has(line, ICANON))
            break;
    }
    return done;
}
