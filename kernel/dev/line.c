/*
 * line.c: input and output after the terminal's settings (termios(3)).
 *
 *      byte -> [literal] -> Ctrl-S, Ctrl-Q -> a signal -> CR and NL -> canonical: edit, or end the line
 *                                                                \-> raw: into the ring
 *
 * A line that fills the ring takes no more bytes until it is ended or read: the bell rings. To rub a byte out the screen
 * is told as many backspaces as it took: two for ^X, none for the later bytes of a UTF-8 character, for a tab what it took.
 */
#include "kernel/dev/line.h"

#include "lib/abi/signal.h"

enum { TAB_WIDTH = 8, BELL = 7, BACKSPACE = 8, DELETE = 127 };

#define CTRL(letter) ((letter) - '@')

void line_init(struct line *line, void (*send)(u8 byte))
{
    *line = (struct line){.send = send};
    line->settings = (struct abi_termios){
        .c_iflag = ICRNL | IXON | IMAXBEL | IUTF8,
        .c_oflag = OPOST | ONLCR,
        .c_cflag = B115200 | CS8 | CREAD | HUPCL | CLOCAL,
        .c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN,
        .c_cc = {[VINTR] = CTRL('C'),
                 [VQUIT] = CTRL('\\'),
                 [VERASE] = DELETE,
                 [VKILL] = CTRL('U'),
                 [VEOF] = CTRL('D'),
                 [VMIN] = 1,
                 [VSTART] = CTRL('Q'),
                 [VSTOP] = CTRL('S'),
                 [VSUSP] = CTRL('Z'),
                 [VREPRINT] = CTRL('R'),
                 [VWERASE] = CTRL('W'),
                 [VLNEXT] = CTRL('V')},
    };
}

static bool has(const struct line *line, u32 flag)
{
    return line->settings.c_lflag & flag;
}

/* Is byte the key for an action? A key of 0 is none. */
static bool is_key(const struct line *line, u8 byte, u32 which)
{
    return byte && byte == line->settings.c_cc[which];
}

/* ---- output ---- */

static bool is_utf8_tail(const struct line *line, u16 byte)
{
    return (line->settings.c_iflag & IUTF8) && (byte & 0xc0) == 0x80;
}

static void follow_cursor(struct line *line, u8 byte)
{
    if (byte == '\r')
        line->column = 0;
    else if (byte == BACKSPACE)
        line->column -= line->column > 0;
    else if (byte == '\t')
        line->column += TAB_WIDTH - line->column % TAB_WIDTH;
    else if (byte >= ' ' && byte != DELETE && !is_utf8_tail(line, byte))
        line->column++;
}

static void send(struct line *line, u8 byte)
{
    follow_cursor(line, byte);
    line->send(byte);
}

void line_output(struct line *line, u8 byte)
{
    u32 flags = line->settings.c_oflag;
    if (byte == '\n' && (flags & OPOST) && (flags & ONLCR))
        send(line, '\r');
    else if (byte == '\r' && (flags & OPOST) && (flags & OCRNL))
        byte = '\n';
    send(line, byte);
}

static bool shown_as_control(const struct line *line, u16 byte)
{
    return has(line, ECHOCTL) && ((byte < ' ' && byte != '\n' && byte != '\t') || byte == DELETE);
}

static void echo(struct line *line, u8 byte)
{
    if (!has(line, ECHO) && !(byte == '\n' && has(line, ECHONL) && has(line, ICANON)))
        return;
    if (shown_as_control(line, byte)) {
        line_output(line, '^');
        byte ^= 0x40;
    }
    line_output(line, byte);
}

/* ---- rubbing out ---- */

/* How many columns item took behind column at. */
static u32 width(const struct line *line, u16 item, u32 at)
{
    if (item == '\t')
        return TAB_WIDTH - at % TAB_WIDTH;
    if (shown_as_control(line, item))
        return 2;
    return item < ' ' || is_utf8_tail(line, item) ? 0 : 1;
}

/* The column behind the line being edited. */
static u32 end_column(const struct line *line)
{
    u32 at = line->start_column;
    for (u32 i = line->ready; i != line->tail; i++)
        at += width(line, line->ring[i % LINE_RING], at);
    return at;
}

/* => the line is not empty. */
static void rub_out_byte(struct line *line)
{
    u16 gone = line->ring[--line->tail % LINE_RING];
    if (!has(line, ECHO) || !has(line, ECHOE))
        return;
    for (u32 n = width(line, gone, end_column(line)); n; n--) {
        send(line, BACKSPACE);
        if (gone == '\t') /* is blank already */
            continue;
        send(line, ' ');
        send(line, BACKSPACE);
    }
}

static bool empty(const struct line *line)
{
    return line->tail == line->ready;
}

static u16 last(const struct line *line)
{
    return line->ring[(line->tail - 1) % LINE_RING];
}

static void rub_out_character(struct line *line)
{
    bool tail = true;
    while (tail && !empty(line)) {
        tail = is_utf8_tail(line, last(line));
        rub_out_byte(line);
    }
}

static void rub_out_word(struct line *line)
{
    while (!empty(line) && (last(line) == ' ' || last(line) == '\t'))
        rub_out_byte(line);
    while (!empty(line) && last(line) != ' ' && last(line) != '\t')
        rub_out_byte(line);
}

static void rub_out_line(struct line *line)
{
    bool erases = has(line, ECHOKE) && has(line, ECHOE);
    while (erases && !empty(line))
        rub_out_byte(line);
    line->tail = line->ready;
    if (!erases && has(line, ECHOK))
        echo(line, '\n');
}

static void show_again(struct line *line)
{
    echo(line, line->settings.c_cc[VREPRINT]);
    echo(line, '\n');
    line->start_column = line->column;
    for (u32 i = line->ready; i != line->tail; i++)
        echo(line, (u8)line->ring[i % LINE_RING]);
}

/* ---- input ---- */

void line_flush(struct line *line)
{
    line->head = line->ready = line->tail;
    line->literal = false;
}

/* Ctrl-S and Ctrl-Q. True: byte was one. */
static bool flow_control(struct line *line, u8 byte)
{
    u32 flags = line->settings.c_iflag;
    if (!(flags & IXON))
        return false;
    bool stop = is_key(line, byte, VSTOP), start = is_key(line, byte, VSTART);
    if (stop || start || (flags & IXANY))
        line->held = stop;
    return stop || start;
}

/* The signal that a key stands for, 0: none. */
static u32 input_signal(struct line *line, u8 byte)
{
    u32 signal = is_key(line, byte, VINTR)   ? SIGINT
                 : is_key(line, byte, VQUIT) ? SIGQUIT
                 : is_key(line, byte, VSUSP) ? SIGTSTP
                                             : 0;
    if (!signal || !has(line, ISIG))
        return 0;
    if (!has(line, NOFLSH))
        line_flush(line);
    line->held = false;
    echo(line, byte);
    return signal;
}

static bool room(const struct line *line, u32 spare)
{
    return line->tail - line->head + spare < LINE_RING;
}

static void push(struct line *line, u16 item)
{
    line->ring[line->tail++ % LINE_RING] = item;
}

/* A byte of the line; one place stays for its end. */
static void edit(struct line *line, u8 byte)
{
    if (!room(line, 1)) {
        if (line->settings.c_iflag & IMAXBEL)
            line->send(BELL);
        return;
    }
    if (empty(line))
        line->start_column = line->column;
    push(line, byte);
    echo(line, byte);
}

static bool ends_line(const struct line *line, u8 byte)
{
    return byte == '\n' || is_key(line, byte, VEOL) ||
           (has(line, IEXTEN) && is_key(line, byte, VEOL2));
}

static void finish_line(struct line *line, u16 item)
{
    if (!room(line, 0))
        return;
    push(line, item);
    line->ready = line->tail;
}

static void input_canonical(struct line *line, u8 byte)
{
    bool extended = has(line, IEXTEN);
    if (is_key(line, byte, VERASE) || byte == BACKSPACE) {
        rub_out_character(line);
    } else if (is_key(line, byte, VKILL)) {
        rub_out_line(line);
    } else if (extended && is_key(line, byte, VWERASE)) {
        rub_out_word(line);
    } else if (extended && is_key(line, byte, VREPRINT)) {
        show_again(line);
    } else if (extended && is_key(line, byte, VLNEXT)) {
        line->literal = true;
    } else if (is_key(line, byte, VEOF)) {
        finish_line(line, LINE_EOF);
    } else if (ends_line(line, byte)) {
        echo(line, byte);
        finish_line(line, byte | LINE_END);
    } else {
        edit(line, byte);
    }
}

static void input_raw(struct line *line, u8 byte)
{
    if (!room(line, 0))
        return;
    push(line, byte);
    line->ready = line->tail;
    echo(line, byte);
}

bool line_has_room(const struct line *line)
{
    return room(line, 0);
}

u32 line_input(struct line *line, u8 byte)
{
    u32 flags = line->settings.c_iflag;
    bool canonical = has(line, ICANON);
    if (line->literal && canonical) {
        line->literal = false;
        edit(line, byte);
        return 0;
    }
    if (flow_control(line, byte))
        return 0;
    u32 signal = input_signal(line, byte);
    if (signal || (byte == '\r' && (flags & IGNCR)))
        return signal;
    if (byte == '\r' && (flags & ICRNL))
        byte = '\n';
    else if (byte == '\n' && (flags & INLCR))
        byte = '\r';
    if (canonical)
        input_canonical(line, byte);
    else
        input_raw(line, byte);
    return 0;
}

/* ---- reading ---- */

static u16 next_item(const struct line *line)
{
    return line_ready(line) ? line->ring[line->head % LINE_RING] : 0;
}

size_t line_take(struct line *line, u8 *buf, size_t n)
{
    size_t done = 0;
    bool ended = false;
    while (done < n && !ended && line_ready(line) && next_item(line) != LINE_EOF) {
        u16 item = line->ring[line->head++ % LINE_RING];
        buf[done++] = (u8)item;
        ended = (item & LINE_END) && has(line, ICANON);
    }
    /* After bytes the mark only ends them, even if the caller had no room for more; alone it is the end of input. */
    if (!ended && next_item(line) == LINE_EOF)
        line->head++;
    return done;
}

void line_set(struct line *line, const struct abi_termios *settings)
{
    line->settings = *settings;
    if (!has(line, ICANON)) { /* what was being edited can be read now */
        line->ready = line->tail;
        line->literal = false;
    }
    if (!(settings->c_iflag & IXON))
        line->held = false;
}
