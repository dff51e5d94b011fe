/*
 * cmdline.c: cutting up the kernel command line, and remembering which words somebody knew.
 *
 * The text is cut in place: quotes and backslashes vanish and each word gets its NUL, so words only
 * ever move to the left. word[] points at them: options first, then, after "--", the first
 * program's arguments.
 *
 *      init=/bin/sh  debug.crash="no ne"  --  a "b c"
 *      ^word[0]      ^word[1]                 ^word[2] = word[options]
 *
 * Runs on one CPU at boot; nothing changes afterwards but the known bits.
 */
#include "kernel/core/cmdline.h"

#include "kernel/core/boot_info.h"
#include "kernel/core/knob.h"
#include "kernel/core/printk.h"
#include "lib/bitmap.h"
#include "lib/string.h"

enum { WORDS_MAX = BOOT_CMDLINE_MAX / 2 }; /* the shortest word and its blank are two bytes */

static char *word[WORDS_MAX + 1]; /* NULL after the last: what a program gets as argv */
static u64 known[BITMAP_WORDS(WORDS_MAX)];
static u32 options, words;
static bool bad_quote;

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Move one word from *from to the left to *to, without its quoting, and end it. */
static void cut_word(char **from, char **to)
{
    char *in = *from, *out = *to;
    bool quoted = false;
    for (; *in && (quoted || !is_blank(*in)); in++) {
        if (*in == '"') {
            quoted = !quoted;
            continue;
        }
        if (*in == '\\' && in[1])
            in++;
        *out++ = *in;
    }
    bad_quote |= quoted;
    *from = *in ? in + 1 : in; /* before the NUL below can overwrite it: out <= in */
    *out++ = '\0';
    *to = out;
}

void cmdline_parse(char *text)
{
    char *to = text;
    bool program = false;
    options = words = 0;
    bad_quote = false;
    memset(known, 0, sizeof(known));
    for (;;) {
        while (is_blank(*text))
            text++;
        if (!*text || words == WORDS_MAX)
            break;
        char *start = to;
        cut_word(&text, &to);
        if (!program && !strcmp(start, "--")) {
            program = true;
            continue;
        }
        word[words++] = start;
        options += !program;
    }
    word[words] = NULL;
}

/* The value in option w if its name is name: "" for a bare NAME; NULL: another name. */
static const char *word_value(const char *w, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(w, name, n))
        return NULL;
    if (w[n] == '=')
        return w + n + 1;
    return w[n] ? NULL : w + n;
}

const char *cmdline_option(const char *name)
{
    const char *found = NULL;
    for (u32 i = 0; i < options; i++) {
        const char *value = word_value(word[i], name);
        if (value) {
            found = value;
            bitmap_set(known, i);
        }
    }
    return found;
}

static void report_bad_value(const struct knob *knob, const char *value)
{
    if (!knob->words) {
        printk("warning: %s=%s refused: give a number from %lu to %lu\n", knob->name, value,
               knob->min, knob->max);
        return;
    }
    char list[256];
    size_t n = 0;
    list[0] = '\0';
    for (const char *const *w = knob->words; *w && n < sizeof(list); w++) {
        n += string_copy(list + n, w == knob->words ? "" : " ", sizeof(list) - n);
        if (n < sizeof(list))
            n += string_copy(list + n, *w, sizeof(list) - n);
    }
    printk("warning: %s=%s refused: give one of: %s\n", knob->name, value, list);
}

void cmdline_apply_knobs(void)
{
    for (u32 i = 0; i < options; i++) {
        for (struct knob *knob = knob_next(NULL); knob; knob = knob_next(knob)) {
            const char *value = word_value(word[i], knob->name);
            if (!value)
                continue;
            bitmap_set(known, i);
            if (knob_set(knob, value) < 0)
                report_bad_value(knob, value);
        }
    }
}

void cmdline_report_unknown(void)
{
    if (bad_quote)
        printk("warning: the command line ends inside quotes\n");
    for (u32 i = 0; i < options; i++) {
        if (!bitmap_test(known, i))
            printk("warning: unknown option %s\n", word[i]);
    }
}

char *const *cmdline_init_args(u32 *count)
{
    *count = words - options;
    return word + options;
}
