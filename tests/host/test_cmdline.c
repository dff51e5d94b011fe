/*
 * test_cmdline.c: cutting up the command line: quotes, backslashes, "--", empty and very many
 * words, what is known and what is reported. cmdline.c is compiled into this program, with printk
 * caught.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/tap.h"

#define printk test_printk
#include "kernel/core/cmdline.c"

static char logged[4096];

void test_printk(const char *fmt, ...)
{
    va_list ap;
    size_t n = strlen(logged);
    va_start(ap, fmt);
    vsnprintf(logged + n, sizeof(logged) - n, fmt, ap);
    va_end(ap);
}

/* Parse a copy that ASan guards to the byte. It stays till the next one: words point into it. */
static void parse(const char *text)
{
    static char *copy;
    free(copy);
    copy = text ? strdup(text) : NULL;
    logged[0] = '\0';
    if (!copy)
        return;
    cmdline_parse(copy);
}

static void test_args(const char *text, u32 n, const char *const *want)
{
    u32 count;
    parse(text);
    char *const *args = cmdline_init_args(&count);
    is(count, n, "arguments of: %s", text);
    bool same = count == n && !args[n];
    for (u32 i = 0; same && i < n; i++)
        same = !strcmp(args[i], want[i]);
    ok(same, "and their text");
}

static void test_option(const char *text, const char *name, const char *want)
{
    parse(text);
    const char *value = cmdline_option(name);
    if (!ok(want ? value && !strcmp(value, want) : !value, "%s in: %s", name, text))
        diag("%s", value ? value : "NULL");
}

static void test_words(void)
{
    test_args("", 0, NULL);
    test_args("   ", 0, NULL);
    test_args("a b", 0, NULL);
    test_args("--", 0, NULL);
    test_args("-- a", 1, (const char *const[]){"a"});
    test_args("x=1 --  a\tb ", 2, (const char *const[]){"a", "b"});
    test_args("-- -- a", 2, (const char *const[]){"--", "a"});
    test_args("-- \"a b\" c", 2, (const char *const[]){"a b", "c"});
    test_args("-- \"\" x", 2, (const char *const[]){"", "x"});
    test_args("-- a\"b c\"d", 1, (const char *const[]){"ab cd"});
    test_args("-- a\\ b \\\" \\\\", 3, (const char *const[]){"a b", "\"", "\\"});
    test_args("-- \"a\\\"b\\\\\"", 1, (const char *const[]){"a\"b\\"});
    test_args("-- end\\", 1, (const char *const[]){"end\\"});
    test_args("-- \"open end", 1, (const char *const[]){"open end"});
    test_args("-- x=1 init=2", 2, (const char *const[]){"x=1", "init=2"});
}

static void test_options(void)
{
    test_option("init=/bin/sh", "init", "/bin/sh");
    test_option("init=/a init=/b", "init", "/b");
    test_option("quiet", "quiet", "");
    test_option("quiet=", "quiet", "");
    test_option("initx=1", "init", NULL);
    test_option("ini=1", "init", NULL);
    test_option("", "init", NULL);
    test_option("-- init=1", "init", NULL);
    test_option("init=\"a b\"c", "init", "a bc");
    test_option("init=a=b", "init", "a=b");
}

static const char *const words_of_knob[] = {"one", "two", NULL};
static struct knob word_knob = {.name = "t.word", .words = words_of_knob};
static struct knob number_knob = {.name = "t.number", .value = 5, .min = 1, .max = 9};

static void test_knobs(void)
{
    knob_register(&word_knob);
    knob_register(&number_knob);
    parse("t.word=two t.number=7 t.number=3 t.word=three t.number=10 t.number");
    cmdline_apply_knobs();
    is(knob_value(&word_knob), 1, "the last good word");
    is(knob_value(&number_knob), 3, "the last good number");
    ok(strstr(logged, "t.word=three refused: give one of: one two\n"),
       "a bad word lists the good ones");
    ok(strstr(logged, "t.number=10 refused: give a number from 1 to 9\n"),
       "a bad number says the range");
    logged[0] = '\0';
    cmdline_report_unknown();
    is(strlen(logged), 0, "knobs are known, even with bad values");
}

static void test_report(void)
{
    parse("known=1 unknown=2 alone -- arg");
    cmdline_option("known");
    cmdline_report_unknown();
    ok(!strcmp(logged, "warning: unknown option unknown=2\nwarning: unknown option alone\n"),
       "what is unknown, and nothing else");
    parse("a=\"b");
    cmdline_option("a");
    cmdline_report_unknown();
    ok(strstr(logged, "inside quotes"), "an open quote is reported");
}

/* The longest line there is, all one-letter words: every one is kept. */
static void test_longest(void)
{
    char *text = malloc(BOOT_CMDLINE_MAX);
    u32 count;
    for (u32 i = 0; i < BOOT_CMDLINE_MAX; i++)
        text[i] = i % 2 ? ' ' : 'x';
    text[BOOT_CMDLINE_MAX - 1] = '\0';
    cmdline_parse(text);
    cmdline_init_args(&count);
    is(count, 0, "no arguments");
    is(options, BOOT_CMDLINE_MAX / 2, "as many options as can be");
    free(text);
}

int main(void)
{
    test_words();
    test_options();
    test_knobs();
    test_report();
    test_longest();
    parse(NULL);
    return tap_done();
}
