/*
 * regions.c: memory maps as firmware writes them, made safe: any order, overlaps, empty and
 * wrapping entries.
 *
 * The regions of a boot_info are kept sorted, disjoint and not touching. Adding joins what it
 * meets; removing cuts it out, which can make two of one:
 *
 *      add     ###--####      remove   ########
 *              -####----               --xxx---
 *           => #########            => ##---###
 *
 * Runs on one CPU at boot; pure data, so the host tests run it too.
 */
#include "boot/boot.h"
#include "lib/string.h"

/* Make room at index i; false when the table is full. */
static bool insert(struct boot_info *info, u32 i, u64 start, u64 end)
{
    if (info->regions == BOOT_REGIONS_MAX)
        return false;
    memmove(&info->region[i + 1], &info->region[i], (info->regions - i) * sizeof(info->region[0]));
    info->region[i] = (struct boot_region){{start}, {end}};
    info->regions++;
    return true;
}

static void delete (struct boot_info *info, u32 i, u32 n)
{
    memmove(&info->region[i], &info->region[i + n],
            (info->regions - i - n) * sizeof(info->region[0]));
    info->regions -= n;
}

bool regions_add(struct boot_info *info, u64 start, u64 end)
{
    if (start >= end)
        return true;
    u32 i = 0;
    while (i < info->regions && info->region[i].end.v < start)
        i++;
    u32 last = i; /* [i, last) meet or touch [start, end) */
    while (last < info->regions && info->region[last].start.v <= end)
        last++;
    if (last == i)
        return insert(info, i, start, end);
    info->region[i].start.v = min_u64(info->region[i].start.v, start);
    info->region[i].end.v = max_u64(info->region[last - 1].end.v, end);
    delete (info, i + 1, last - i - 1);
    return true;
}

bool regions_remove(struct boot_info *info, u64 start, u64 end)
{
    if (start >= end)
        return true;
    bool fits = true;
    for (u32 i = 0; i < info->regions;) {
        struct boot_region *r = &info->region[i];
        u64 r_end = r->end.v;
        if (r_end <= start || r->start.v >= end) {
            i++;
        } else if (r->start.v >= start && r_end <= end) {
            delete (info, i, 1);
        } else if (r->start.v < start) {
            r->end.v = start;
            if (r_end > end)
                fits = insert(info, i + 1, end, r_end);
            i++;
        } else {
            r->start.v = end;
            i++;
        }
    }
    return fits;
}
