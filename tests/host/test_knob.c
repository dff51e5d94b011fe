/*
 * test_knob.c: the registry of knobs: what is accepted, what is refused and then changes nothing,
 * and the order.
 */
#include <string.h>

#include "kernel/core/knob.h"
#include "lib/abi/errno.h"
#include "tests/host/tap.h"

static unsigned changes;

static void count_change(struct knob *knob)
{
    (void)knob;
    changes++;
}

static const char *const words[] = {"live", "work", "block", NULL};
static struct knob word_knob = {
    .name = "test.word", .help = "w", .words = words, .value = 1, .changed = count_change};
static struct knob number_knob = {
    .name = "test.number", .help = "n", .value = 8, .min = 2, .max = 4096};

static void test_set(struct knob *knob, const char *text, int want, u64 value)
{
    int length = (int)strcspn(text, "\n"); /* a newline would end the line of TAP */
    is(knob_set(knob, text), want, "%s = \"%.*s\"", knob->name, length, text);
    is(knob_value(knob), value, "is then %lu", value);
}

static void test_words(void)
{
    test_set(&word_knob, "block", 0, 2);
    test_set(&word_knob, "live", 0, 0);
    test_set(&word_knob, "work \n", 0, 1);
    is(changes, 3, "changed was called for each");
    test_set(&word_knob, "wor", -EINVAL, 1);
    test_set(&word_knob, "works", -EINVAL, 1);
    test_set(&word_knob, " work", -EINVAL, 1);
    test_set(&word_knob, "1", -EINVAL, 1);
    test_set(&word_knob, "", -EINVAL, 1);
    is(changes, 3, "and for no refused one");
}

static void test_numbers(void)
{
    char longest[200];
    test_set(&number_knob, "2", 0, 2);
    test_set(&number_knob, "4K\n", 0, 4096);
    test_set(&number_knob, "0x10", 0, 16);
    test_set(&number_knob, "1", -EINVAL, 16);
    test_set(&number_knob, "4097", -EINVAL, 16);
    test_set(&number_knob, "-3", -EINVAL, 16);
    test_set(&number_knob, "", -EINVAL, 16);
    test_set(&number_knob, "\n", -EINVAL, 16);
    memset(longest, '0', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    test_set(&number_knob, longest, -EINVAL, 16);
    memset(longest + 1, ' ', sizeof(longest) - 2);
    longest[0] = '9';
    test_set(&number_knob, longest, 0, 9);
}

static void test_show(void)
{
    char buf[16];
    is(knob_show(&word_knob, buf, sizeof(buf)), 4, "length of a word");
    ok(!strcmp(buf, "work"), "the word: %s", buf);
    is(knob_show(&number_knob, buf, sizeof(buf)), 1, "length of a number");
    ok(!strcmp(buf, "9"), "the number: %s", buf);
}

static void test_registry(void)
{
    ok(knob_find("test.word") == &word_knob, "found");
    ok(!knob_find("test.wor") && !knob_find("test.words") && !knob_find(""),
       "no half name is found");
    struct knob *knob = knob_next(NULL);
    while (knob && knob != &word_knob)
        knob = knob_next(knob);
    ok(knob && knob_next(knob) == &number_knob, "in the order of registration");
    ok(!knob_next(&number_knob), "which ends");
    is(word_knob.max, 2, "the largest word's index");
}

int main(void)
{
    knob_register(&word_knob);
    knob_register(&number_knob);
    test_words();
    test_numbers();
    test_show();
    test_registry();
    return tap_done();
}
