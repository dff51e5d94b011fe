/*
 * list.h: the doubly linked ring. A head is an entry that belongs to no object; an empty ring points
 * at itself. Nothing here allocates or locks; the owner of the head says which lock guards it.
 */
#ifndef LIB_LIST_H
#define LIB_LIST_H

#include "lib/types.h"

struct list_head {
    struct list_head *next, *prev;
};

static inline void list_init(struct list_head *head)
{
    head->next = head;
    head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
    return head->next == head;
}

static inline void list_insert_between(struct list_head *entry, struct list_head *prev,
                                       struct list_head *next)
{
    entry->prev = prev;
    entry->next = next;
    prev->next = entry;
    next->prev = entry;
}

static inline void list_add(struct list_head *head, struct list_head *entry)
{
    list_insert_between(entry, head, head->next);
}

static inline void list_add_tail(struct list_head *head, struct list_head *entry)
{
    list_insert_between(entry, head->prev, head);
}

static inline void list_del(struct list_head *entry)
{
    entry->prev->next = entry->next;
    entry->next->prev = entry->prev;
    entry->next = entry->prev = NULL;
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)
#define list_for_each_safe(pos, tmp, head)                                                         \
    for (pos = (head)->next, tmp = pos->next; pos != (head); pos = tmp, tmp = pos->next)

#endif
