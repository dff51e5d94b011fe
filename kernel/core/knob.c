/*
 * knob.c: the registry of knobs, and the text form of their values.
 *
 * The registry is a list in order of registration. It only grows, on one CPU before the first
 * process, so reading it takes no lock. A value is set whole or not at all: parse, check, then one
 * WRITE_ONCE.
 */
#include "kernel/core/knob.h"

#include "kernel/core/panic.h"
#include "lib/abi/errno.h"
#include "lib/format.h"
#include "lib/string.h"

enum { KNOB_TEXT_MAX = 64 }; /* longer than any word or number that could be right */

static struct list_head knobs = {&knobs, &knobs};

/* Enter knob, which must stay for ever, with a value that its own rules allow. => Boot only. */
void knob_register(struct knob *knob)
{
    ASSERT(!knob_find(knob->name), "knob %s registered twice", knob->name);
    u64 choices = 0;
    while (knob->words && knob->words[choices])
        choices++;
    if (knob->words) {
        knob->min = 0;
        knob->max = choices - 1;
    }
    ASSERT(knob->min <= knob->value && knob->value <= knob->max, "knob %s: %lu", knob->name,
           knob->value);
    list_add_tail(&knobs, &knob->link);
}

struct knob *knob_find(const char *name)
{
    struct list_head *pos;
    list_for_each (pos, &knobs) {
        struct knob *knob = list_entry(pos, struct knob, link);
        if (!strcmp(knob->name, name))
            return knob;
    }
    return NULL;
}

struct knob *knob_next(struct knob *knob)
{
    struct list_head *next = knob ? knob->link.next : knobs.next;
    return next == &knobs ? NULL : list_entry(next, struct knob, link);
}

int knob_show(const struct knob *knob, char *buf, size_t size)
{
    u64 value = knob_value(knob);
    if (knob->words)
        return format_to(buf, size, "%s", knob->words[value]);
    return format_to(buf, size, "%lu", value);
}

/* The value that text (no white space at its end) stands for; false when it is none. */
static bool knob_parse(const struct knob *knob, const char *text, u64 *value)
{
    if (!knob->words)
        return parse_u64(text, value) && *value >= knob->min && *value <= knob->max;
    for (u64 i = 0; knob->words[i]; i++) {
        if (!strcmp(knob->words[i], text)) {
            *value = i;
            return true;
        }
    }
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int knob_set(struct knob *knob, const char *text)
{
    char word[KNOB_TEXT_MAX];
    size_t n = strlen(text);
    while (n && is_space(text[n - 1]))
        n--;
    if (n >= sizeof(word))
        return -EINVAL;
    memcpy(word, text, n);
    word[n] = '\0';
    u64 value;
    if (!knob_parse(knob, word, &value))
        return -EINVAL;
    WRITE_ONCE(knob->value, value);
    if (knob->changed)
        knob->changed(knob);
    return 0;
}
