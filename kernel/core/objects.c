/*
 * objects.c: cutting a block of memory into objects; see objects.h.
 */
#include "kernel/core/objects.h"

#include "kernel/core/panic.h"
#include "kernel/core/poison.h"

enum { LINK_SIZE = sizeof(void *), OBJECT_MIN = 2 * LINK_SIZE };

u32 object_size(u32 size, u32 align)
{
    ASSERT((align & (align - 1)) == 0, "size %u, align %u", size, align);
    return align_up(max_u64(size, OBJECT_MIN), max_u64(align, LINK_SIZE));
}

static void push(struct object_block *block, const struct object_kind *kind, void *object)
{
    poison_fill(object, align_down(kind->size, LINK_SIZE));
    poison_link_set(object, block->free);
    block->free = object;
}

void object_cut(struct object_block *block, const struct object_kind *kind, void *memory)
{
    *block = (struct object_block){0};
    for (u32 i = kind->per_block; i-- > 0;)
        push(block, kind, memory + (size_t)i * kind->size);
}

void *object_take(struct object_block *block, const struct object_kind *kind)
{
    void *object = block->free;

    block->free = poison_link_get(object);
    poison_lift(object, kind->size);
    if (CONFIG_CHECK) {
        size_t at = poison_intact(object + LINK_SIZE, kind->size - LINK_SIZE);
        ASSERT(at == kind->size - LINK_SIZE,
               "%s: object %p was written after it was freed, at offset %lu: %lx", kind->name,
               object, at + LINK_SIZE, *(u64 *)(object + LINK_SIZE + at));
    }
    block->used++;
    return object;
}

static bool is_free(const struct object_block *block, const void *object)
{
    void *other = block->free;

    while (other && other != object)
        other = poison_link_get(other);
    return other;
}

void object_give(struct object_block *block, const struct object_kind *kind, void *memory,
                 void *object)
{
    size_t offset = object - memory;

    ASSERT(offset % kind->size == 0 && offset / kind->size < kind->per_block,
           "%s: %p is inside an object (offset %lu)", kind->name, object, offset);
    /* Only an object that looks free is searched for among the free ones. */
    if (CONFIG_CHECK && poison_intact(object + LINK_SIZE, LINK_SIZE) == LINK_SIZE)
        ASSERT(!is_free(block, object), "%s: object %p is freed twice", kind->name, object);
    push(block, kind, object);
    block->used--;
}
