/*
 * test_multiboot2.c: what a Multiboot2 loader leaves, good and bad. The information ends where the
 * readable memory does, so a byte read too far is a fault; then every byte of it is changed, to
 * every value that matters, and many at once at random. Whatever comes of it is either refused or a
 * sane machine. Also where a loader may put the initramfs.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define printk test_printk
#include "boot/loader.c"
#include "boot/multiboot2.c"
#include "boot/regions.c"
#include "tests/host/tap.h"

enum { BASE = 1 << 20, SIZE = 1 << 20, HALF = BASE + SIZE / 2, KERNEL_END = 0x280000 };

static char logged[1024];
static unsigned warnings;
static struct boot_info out;
static u8 good[1024]; /* the information being made */
static u32 used;

void test_printk(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(logged, sizeof(logged), fmt, ap);
    va_end(ap);
    warnings++;
}

u64 boot_kernel_end(void)
{
    return KERNEL_END;
}

static void *at(u64 pa)
{
    return phys_to_virt((paddr_t){pa});
}

static void begin(void)
{
    memset(good, 0, sizeof(good));
    used = sizeof(struct info_head);
}

static void add(u32 type, const void *data, u32 size)
{
    struct tag tag = {type, sizeof(tag) + size};
    memcpy(good + used, &tag, sizeof(tag));
    if (size)
        memcpy(good + used + sizeof(tag), data, size);
    used += (u32)align_up(sizeof(tag) + size, 8);
}

/* One entry of a memory map that has entries of stride bytes. */
struct map {
    u32 stride, version;
    u64 words[30];
};

static void add_memory(u32 stride, const struct boot_memory_entry *entry, u32 n)
{
    struct map map = {stride, 0, {0}};
    for (u32 i = 0; i < n; i++)
        memcpy((u8 *)map.words + i * stride, &entry[i], sizeof(*entry));
    add(TAG_MEMORY, &map, 8 + n * stride);
}

static void add_module(u32 start, u32 end)
{
    struct {
        u32 start, end;
        char name[8];
    } module = {start, end, "initrd"};
    add(TAG_MODULE, &module, sizeof(module));
}

/* The end tag and the length; the address at which the information now lies, ending at HALF. */
static u64 finish(void)
{
    add(TAG_END, NULL, 0);
    ((struct info_head *)good)->size = used;
    memset(&out, 0, sizeof(out));
    warnings = 0;
    memcpy(at(HALF - used), good, used);
    return HALF - used;
}

static const struct boot_memory_entry ram[] = {{0, 0x9fc00, 1, 0},
                                               {0x9fc00, 0x400, 2, 0},
                                               {0x100000, 0x3ee0000, 1, 0},
                                               {0x3fe0000, 0x20000, 3, 0}};

/* What GRUB leaves on a machine with 64 MiB. */
static void begin_good(void)
{
    static const u32 basic[] = {639, 64384};
    begin();
    add(TAG_CMDLINE, "stdio=link init=/bin/sh", 24);
    add(2, "GRUB 2.06", 10);
    add_module(0x400000, 0x412345);
    add(4, basic, 8);
    add_memory(24, ram, 4);
    add(TAG_RSDP_1, "RSD PTR 12345678901234567890", RSDP_SIZE_1);
    add(TAG_RSDP_2, "RSD PTR abcdefghijklmnopqrstuvwxyz0123456789", RSDP_SIZE_2);
}

static void test_good(void)
{
    begin_good();
    ok(!multiboot2_read(&out, finish()), "a good machine");
    ok(!strcmp(out.cmdline, "stdio=link init=/bin/sh"), "its command line");
    is(out.regions, 2, "its memory");
    is(out.region[1].end.v, 0x3fe0000, "to the end");
    is(out.initramfs.v, 0x400000, "its initramfs");
    is(out.initramfs_length, 0x12345, "and its length");
    is(out.rsdp.v + BOOT_KERNEL_BASE, (u64)rsdp, "its RSDP is a copy in the kernel");
    ok(!memcmp(rsdp, "RSD PTR abcdefghijklmnopqrstuvwxyz01", RSDP_SIZE_2), "of the newer kind");
    is(warnings, 0, "and nothing to warn of");

    begin();
    add(TAG_RSDP_1, "RSD PTR 12345678901234567890", RSDP_SIZE_1);
    add_memory(40, ram, 4);
    ok(!multiboot2_read(&out, finish()), "longer entries, and only what must be there");
    is(out.regions, 2, "its memory");
    ok(!strcmp(out.cmdline, ""), "no command line");
    is(out.initramfs_length, 0, "no initramfs");
    ok(!memcmp(rsdp, "RSD PTR 123456789012\0\0\0\0", 24), "the older RSDP");
}

static void test_refused(void)
{
    static const u64 out_of_reach[] = {0, HALF + 4, 1ul << 32, 1ul << 40, UINT64_MAX - 7};
    for (size_t i = 0; i < ARRAY_SIZE(out_of_reach); i++)
        ok(multiboot2_read(&out, out_of_reach[i]), "information at %#lx", out_of_reach[i]);
    begin();
    ok(multiboot2_read(&out, finish()), "no memory map");
    begin_good();
    u64 pa = finish();
    memset(at(HALF - 8), 0x7f, 8);
    ok(multiboot2_read(&out, pa), "a tag that is longer than all of them");
    ((struct info_head *)at(pa))->size -= 8;
    ok(multiboot2_read(&out, pa), "no end");
    ((struct info_head *)at(pa))->size = 7;
    ok(multiboot2_read(&out, pa), "shorter than its head");
    ((struct info_head *)at(pa))->size = INFO_SIZE_MAX + 8;
    ok(multiboot2_read(&out, pa), "too long");
    begin();
    add_memory(16, ram, 4);
    ok(multiboot2_read(&out, finish()), "entries that are too short");
    begin();
    add_memory(28, ram, 4);
    ok(multiboot2_read(&out, finish()), "entries at odd places");
}

/* A machine of which the initramfs lies in [start, end): is it taken? */
static bool takes(u32 start, u32 end)
{
    begin();
    add_module(start, end);
    add_memory(24, ram, 4);
    if (multiboot2_read(&out, finish()))
        return false;
    return out.initramfs_length == end - start && out.initramfs.v == start && !warnings;
}

static void test_initramfs(void)
{
    ok(takes(KERNEL_END, KERNEL_END + 1), "right behind the kernel");
    ok(takes(0x3fdffff, 0x3fe0000), "the last byte of memory");
    ok(takes(0x1001, 0x9fc00), "in low memory, to its end, at an odd byte");
    ok(takes(KERNEL_END, 0x3fe0000), "all there is");
    ok(!takes(KERNEL_END - 1, KERNEL_END + 1) && warnings == 1, "over the kernel's last byte");
    ok(!takes(0x100000, 0x100001) && warnings == 1, "over its first");
    ok(!takes(0x9fbff, 0x9fc01) && warnings == 1, "half in reserved memory");
    ok(!takes(0x3fdffff, 0x3fe0001) && warnings == 1, "one byte too far");
    ok(!takes(0xf0000000, 0xf0001000) && warnings == 1, "where no memory is");
    ok(!takes(0x500000, 0x500000) && !warnings, "empty: none");
    ok(!takes(0x500000, 0x400000) && !out.initramfs_length, "with its end before its start: none");
    begin();
    add_module(0x400000, 0x401000);
    add_module(0x500000, 0x501000);
    add_memory(24, ram, 4);
    ok(!multiboot2_read(&out, finish()) && out.initramfs.v == 0x400000 && warnings == 1,
       "of two modules the first is taken, with a warning");
}

static bool is_sane(void)
{
    u64 end = 0;
    for (u32 i = 0; i < out.regions; i++) {
        if (out.region[i].start.v >= out.region[i].end.v || out.region[i].end.v > DIRECT_MAP_SIZE ||
            (i && out.region[i].start.v <= end))
            return false;
        end = out.region[i].end.v;
    }
    return strlen(out.cmdline) < BOOT_CMDLINE_MAX &&
           (!out.initramfs_length ||
            is_memory(&out, out.initramfs.v, out.initramfs.v + out.initramfs_length));
}

/* Read what lies at pa: refused or sane. */
static bool survives(u64 pa)
{
    memset(&out, 0, sizeof(out));
    return multiboot2_read(&out, pa) || is_sane();
}

static void test_changed(void)
{
    static const u8 values[] = {0, 1, 2, 3, 6, 7, 8, 9, 14, 15, 16, 24, 0x7f, 0x80, 0xfe, 0xff};
    unsigned bad = 0;
    begin_good();
    u64 pa = finish();
    u8 *bytes = at(pa);
    for (u32 i = 0; i < used; i++) {
        if (i == 4) /* from here on the length is right, and nothing behind it may be read */
            mprotect(at(HALF), SIZE / 2, PROT_NONE);
        for (size_t v = 0; v < ARRAY_SIZE(values) + 8; v++) {
            bool flip = v >= ARRAY_SIZE(values);
            bytes[i] = flip ? (u8)(good[i] ^ (1u << (v - ARRAY_SIZE(values)))) : values[v];
            bad += !survives(pa);
        }
        bytes[i] = good[i];
    }
    is(bad, 0, "each of %u bytes changed to %zu values", used, ARRAY_SIZE(values) + 8);
    srand(3);
    for (int run = 0; run < 20000; run++) {
        memcpy(bytes, good, used);
        for (int n = rand() % 8; n >= 0; n--)
            bytes[4 + (u32)rand() % (used - 4)] = values[(size_t)rand() % ARRAY_SIZE(values)];
        bad += !survives(pa);
    }
    is(bad, 0, "20000 times up to 8 bytes changed at random");
    for (u32 size = 0; size < used; size++) { /* cut short, and the rest unreadable */
        memcpy(at(HALF - align_up(size, 8)), good, size);
        if (size >= 4)
            *(u32 *)at(HALF - align_up(size, 8)) = (u32)align_up(size, 8);
        bad += size >= 8 && !survives(HALF - align_up(size, 8));
    }
    is(bad, 0, "cut short at each byte");
    mprotect(at(HALF), SIZE / 2, PROT_READ | PROT_WRITE);
}

static void test_cmdline(void)
{
    static char text[400];
    memset(text, 'x', sizeof(text));
    begin();
    add(TAG_CMDLINE, text, sizeof(text));
    add_memory(24, ram, 4);
    u64 pa = finish();
    mprotect(at(HALF), SIZE / 2, PROT_NONE);
    ok(!multiboot2_read(&out, pa) && strlen(out.cmdline) == sizeof(text),
       "a command line without its zero byte ends with its tag");
    mprotect(at(HALF), SIZE / 2, PROT_READ | PROT_WRITE);
}

int main(void)
{
    void *memory = mmap(at(BASE), SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (!ok(memory == at(BASE), "a machine's memory"))
        return tap_done();
    test_good();
    test_refused();
    test_initramfs();
    test_cmdline();
    test_changed();
    return tap_done();
}
