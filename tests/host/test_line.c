/*
 * test_line.c: the terminal's line editing: what is typed, what is shown, and what can be read of it.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/dev/line.h"
#include "lib/abi/signal.h"
#include "tests/host/tap.h"

static struct line line;
static char shown[20000];
static size_t shown_count;

static void show(u8 byte)
{
    if (shown_count < sizeof(shown) - 1)
        shown[shown_count++] = (char)byte;
}

static void begin(void)
{
    line_init(&line, show);
    memset(shown, 0, sizeof(shown));
    shown_count = 0;
}

static u32 type(const char *text)
{
    u32 signal = 0;
    for (; *text; text++) {
        u32 asked = line_input(&line, (u8)*text);
        signal = asked ? asked : signal;
    }
    return signal;
}

/* What a read of n bytes gets, as text. */
static const char *taken(size_t n)
{
    static char buf[LINE_RING + 1];
    buf[line_take(&line, (u8 *)buf, n)] = '\0';
    return buf;
}

#define is_text(got, want, what) ok(strcmp(got, want) == 0, "%s", what)

static void test_editing(void)
{
    begin();
    type("helx\177lo\r");
    is_text(taken(100), "hello\n", "erase");
    is_text(shown, "helx\b \blo\r\n", "and on the screen");
    begin();
    type("gone\25kept\r");
    is_text(taken(100), "kept\n", "kill");
    begin();
    type("one two  \27three\n");
    is_text(taken(100), "one three\n", "a word goes, with the blanks behind it");
    begin();
    type("a\303\244\177b\r");
    is_text(taken(100), "ab\n", "a UTF-8 character goes as one");
    is_text(shown, "a\303\244\b \bb\r\n", "and took one column");
    begin();
    type("a\26\3\177b\r");
    is_text(taken(100), "ab\n", "a literal Ctrl-C");
    is_text(shown, "a^C\b \b\b \bb\r\n", "took two");
    begin();
    type("ab\t\177c\r");
    is_text(shown, "ab\t\b\b\b\b\b\bc\r\n", "a tab took what was left to the next stop");
    begin();
    type("abc\22d\r");
    is_text(shown, "abc^R\r\nabcd\r\n", "Ctrl-R shows the line again");
    begin();
    type("\177\25\27x\r");
    is_text(taken(100), "x\n", "nothing to rub out is no harm");
}

static void test_ends(void)
{
    begin();
    type("part\4");
    is(line_ready(&line), 5, "Ctrl-D ends an unfinished line");
    is_text(taken(4), "part", "a read of just as much");
    is(line_ready(&line), 0, "takes the mark along");
    type("\4");
    is(line_ready(&line), 1, "alone");
    is_text(taken(4), "", "it is the end of input");
    type("abc\n\4");
    is_text(taken(4), "abc\n", "behind a whole line");
    is_text(taken(4), "", "too");
    type("two\nlines\n");
    is_text(taken(100), "two\n", "a read takes one line");
    is_text(taken(3), "lin", "or a piece of it");
    is_text(taken(100), "es\n", "and then the rest");
}

static void test_signals(void)
{
    begin();
    type("ready\nlost");
    is(type("\3"), SIGINT, "Ctrl-C");
    is(line_ready(&line), 0, "drops all input");
    is(type("\34"), SIGQUIT, "Ctrl-\\");
    is(type("\32"), SIGTSTP, "Ctrl-Z");
    line.settings.c_lflag |= NOFLSH;
    type("kept");
    type("\3");
    is_text((type("\n"), taken(100)), "kept\n", "with NOFLSH it stays");
    line.settings.c_lflag &= ~ISIG;
    is(type("\3\n"), 0, "without ISIG none");
    is_text(taken(100), "\3\n", "but a byte");
}

static void test_modes(void)
{
    begin();
    struct abi_termios raw = line.settings;
    type("edit");
    raw.c_lflag &= ~(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~(ICRNL | IXON);
    line_set(&line, &raw);
    is_text(taken(100), "edit", "raw: what was being edited can be read");
    type("\3\r\4\177\23");
    is_text(taken(100), "\3\r\4\177\23", "raw: no key is special");
    begin();
    line.settings.c_lflag &= ~ECHO;
    type("secret\n");
    is_text(shown, "", "no echo");
    line.settings.c_lflag |= ECHONL;
    type("secret\n");
    is_text(shown, "\r\n", "but the new line, with ECHONL");
    begin();
    line.settings.c_iflag = INLCR | IGNCR;
    type("a\rb\4");
    is_text(taken(100), "ab", "IGNCR");
    begin();
    type("\23");
    ok(line.held, "Ctrl-S holds output");
    type("x");
    ok(line.held, "another key does not end that");
    type("\21");
    ok(!line.held, "Ctrl-Q does");
    type("\23\3");
    ok(!line.held, "and so does Ctrl-C");
}

static void test_full(void)
{
    begin();
    for (int i = 0; i < LINE_RING + 100; i++)
        line_input(&line, 'x');
    is(shown[shown_count - 1], 7, "a full line rings the bell");
    line_input(&line, '\n');
    is(line_ready(&line), LINE_RING, "and can be ended");
    is(strlen(taken(LINE_RING)), LINE_RING, "all of it is there");
    begin();
    srand(1);
    for (int i = 0; i < 200000; i++) {
        line_input(&line, (u8)rand());
        if (rand() % 50 == 0)
            taken((size_t)(rand() % 100));
        if (rand() % 5000 == 0) {
            line.settings.c_lflag = (u32)rand();
            line.settings.c_iflag = (u32)rand();
            line_set(&line, &line.settings);
        }
        if (line.tail - line.head > LINE_RING || line.ready - line.head > line.tail - line.head)
            break;
        shown_count = 0;
    }
    ok(line.tail - line.head <= LINE_RING, "anything typed in any mode leaves a sound ring");
}

int main(void)
{
    test_editing();
    test_ends();
    test_signals();
    test_modes();
    test_full();
    return tap_done();
}
