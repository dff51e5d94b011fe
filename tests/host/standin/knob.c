/*
 * knob.c (host): as much of the registry of knobs as tests need, for trees that have no
 * kernel/core/knob.c.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/core/knob.h"
#include "lib/abi/errno.h"

static struct list_head registry = {&registry, &registry};

void knob_register(struct knob *knob)
{
    list_add_tail(&registry, &knob->link);
}

struct knob *knob_next(struct knob *knob)
{
    struct list_head *next = knob ? knob->link.next : registry.next;

    return next == &registry ? NULL : list_entry(next, struct knob, link);
}

struct knob *knob_find(const char *name)
{
    struct knob *knob = NULL;

    while ((knob = knob_next(knob)) && strcmp(knob->name, name))
        ;
    return knob;
}

static int parse(const struct knob *knob, const char *text, u64 *value)
{
    char *rest;

    for (u64 i = 0; knob->words && knob->words[i]; i++)
        if (strcmp(knob->words[i], text) == 0) {
            *value = i;
            return 0;
        }
    *value = strtoul(text, &rest, 0);
    return knob->words || *rest || *value < knob->min || *value > knob->max ? -EINVAL : 0;
}

int knob_set(struct knob *knob, const char *text)
{
    u64 value;

    if (parse(knob, text, &value))
        return -EINVAL;
    knob->value = value;
    if (knob->changed)
        knob->changed(knob);
    return 0;
}
