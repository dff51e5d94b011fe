/*
 * multiboot2.c: the information a Multiboot2 loader (GRUB) leaves: a length, then tags.
 *
 *      | total size, 0 | type, size, data | pad to 8 | type, size, data | ... | 0, 8 |
 *
 * After the Multiboot2 specification 2.0, section 3.6. The tags used are the command line, the first
 * module (the initramfs), the memory map, and the copy of ACPI's RSDP, of which the newer kind wins.
 * The EFI memory map is not looked at: GRUB ends the boot services and gives the same in the memory
 * map's tag. A tag that does not fit into the whole is refused, since nothing behind it can be
 * believed; one that is too short for its kind is passed over.
 */
#include "boot/boot.h"
#include "kernel/core/printk.h"
#include "kernel/x86/memory_map.h"
#include "lib/string.h"

enum {
    INFO_SIZE_MAX = 1 << 20,
    ENTRIES_MAX = 4096,
    RSDP_SIZE_1 = 20,
    RSDP_SIZE_2 = 36,
    TAG_END = 0,
    TAG_CMDLINE = 1,
    TAG_MODULE = 3,
    TAG_MEMORY = 6,
    TAG_RSDP_1 = 14,
    TAG_RSDP_2 = 15,
    TAGS = 16, /* kinds below this are remembered, the first of each */
};

struct info_head {
    u32 size, reserved;
};

struct tag {
    u32 type, size;
};

struct module_tag {
    struct tag tag;
    u32 start, end; /* then its command line, which is not used */
};

struct memory_tag {
    struct tag tag;
    u32 entry_size, entry_version; /* then entries, struct boot_memory_entry or longer */
};

static u8 rsdp[RSDP_SIZE_2]; /* a copy: the loader's memory is used for other things soon */

/* Find the first tag of each kind that is at least as long as its head. NULL, or what is wrong. */
static const char *find_tags(const u8 *info, u32 size, const struct tag *found[TAGS])
{
    static const u32 least[TAGS] = {[TAG_MODULE] = sizeof(struct module_tag),
                                    [TAG_MEMORY] = sizeof(struct memory_tag),
                                    [TAG_RSDP_1] = sizeof(struct tag) + RSDP_SIZE_1,
                                    [TAG_RSDP_2] = sizeof(struct tag) + RSDP_SIZE_2};
    u32 modules = 0;
    for (u32 at = sizeof(struct info_head); size - at >= sizeof(struct tag);) {
        const struct tag *tag = (const struct tag *)(info + at);
        if (tag->size < sizeof(*tag) || tag->size > size - at)
            return "a tag of the Multiboot2 information has an impossible size";
        if (tag->type == TAG_END) {
            if (modules > 1)
                printk("warning: the loader brought %u modules; the first is used\n", modules);
            return NULL;
        }
        modules += tag->type == TAG_MODULE;
        if (tag->type < TAGS && !found[tag->type] && tag->size >= least[tag->type])
            found[tag->type] = tag;
        at += min_u64(align_up(tag->size, 8), size - at);
    }
    return "the Multiboot2 information has no end";
}

static const char *take_memory(struct boot_info *out, const struct memory_tag *tag)
{
    if (!tag)
        return "the Multiboot2 loader gives no memory map";
    if (tag->entry_size < sizeof(struct boot_memory_entry) || tag->entry_size % 8)
        return "the Multiboot2 memory map has entries of an impossible size";
    u32 n = (tag->tag.size - sizeof(*tag)) / tag->entry_size;
    if (n > ENTRIES_MAX)
        return "the Multiboot2 memory map has too many entries";
    boot_take_memory(out, tag + 1, n, tag->entry_size);
    return NULL;
}

static void take_module(struct boot_info *out, const struct module_tag *tag)
{
    if (tag && tag->end > tag->start)
        boot_take_initramfs(out, tag->start, tag->end - tag->start);
}

static void take_rsdp(struct boot_info *out, const struct tag *old, const struct tag *new)
{
    const struct tag *tag = new ? new : old;
    if (!tag)
        return;
    memset(rsdp, 0, sizeof(rsdp));
    memcpy(rsdp, tag + 1, new ? RSDP_SIZE_2 : RSDP_SIZE_1);
    out->rsdp.v = (u64)rsdp - BOOT_KERNEL_BASE;
}

const char *multiboot2_read(struct boot_info *out, u64 pa)
{
    const struct tag *found[TAGS] = {NULL};
    const struct info_head *head = pa % 8 ? NULL : boot_view(pa, sizeof(*head));
    u32 size = head ? head->size : 0;
    if (size < sizeof(*head) || size > INFO_SIZE_MAX || !boot_view(pa, size))
        return "the Multiboot2 information is out of reach or has an impossible size";
    out->loader = "Multiboot2";
    boot_take_cmdline(out, 0, 0);
    const char *wrong = find_tags((const u8 *)head, size, found);
    if (wrong)
        return wrong;
    const struct tag *text = found[TAG_CMDLINE];
    if (text)
        boot_take_cmdline(out, (u64)(text + 1) - DIRECT_MAP_BASE, text->size - sizeof(*text));
    wrong = take_memory(out, (const struct memory_tag *)found[TAG_MEMORY]);
    if (wrong)
        return wrong;
    take_module(out, (const struct module_tag *)found[TAG_MODULE]);
    take_rsdp(out, found[TAG_RSDP_1], found[TAG_RSDP_2]);
    return NULL;
}
