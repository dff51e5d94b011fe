/*
 * symbols.c: looking an address up in the symbol table. The table is empty in a kernel that was
 * linked only once.
 *
 *      .ksyms:  u32 count; { u32 address, u32 name } * count, by address; names, each with its NUL
 *
 * An address is kept as its lower half: the kernel lies in the last 2 GiB. name is an offset from
 * the section's start.
 */
#include "kernel/core/symbols.h"

struct symbol {
    u32 address, name;
};

struct symbol_table {
    u32 count;
    struct symbol symbol[];
};

extern const struct symbol_table ksyms_start;
extern const u8 ksyms_end[], kernel_text_start[], kernel_text_end[];

const char *symbol_find(u64 addr, u64 *offset)
{
    const struct symbol_table *table = &ksyms_start;
    if ((u64)ksyms_end - (u64)table < sizeof(*table))
        return NULL;
    if (addr < (u64)kernel_text_start || addr >= (u64)kernel_text_end)
        return NULL;
    u32 low = 0, high = table->count; /* symbol[low - 1] is not above addr, symbol[high] is */
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (table->symbol[middle].address <= (u32)addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    *offset = (u32)addr - table->symbol[low - 1].address;
    return (const char *)table + table->symbol[low - 1].name;
}
