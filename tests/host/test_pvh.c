/*
 * test_pvh.c: what a PVH loader leaves, good and bad: versions, pointers out of reach, memory maps
 * in any order with overlaps, wraps and nonsense, command lines that are missing or too long.
 * "Physical memory" is one mapping at the host ring's direct map.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define printk test_printk
#include "boot/loader.c"
#include "boot/pvh.c"
#include "boot/regions.c"
#include "tests/host/tap.h"

enum {
    BASE = 1 << 20,
    SIZE = 1 << 20,
    INFO = BASE,
    MAP = BASE + 0x1000,
    TEXT = BASE + 0x40000,
    MODULE = BASE + 0x800
};

static char logged[1024];
static struct boot_info out;
static struct start_info *info;
static struct boot_memory_entry *map;

void test_printk(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(logged, sizeof(logged), fmt, ap);
    va_end(ap);
}

u64 boot_kernel_end(void)
{
    return 0x200000;
}

static void *at(u64 pa)
{
    return phys_to_virt((paddr_t){pa});
}

/* A good machine with 64 MiB, which tests then spoil. */
static void reset(void)
{
    memset(&out, 0, sizeof(out));
    logged[0] = '\0';
    memset(at(BASE), 0, SIZE);
    *info = (struct start_info){.magic = START_INFO_MAGIC,
                                .version = 1,
                                .cmdline = TEXT,
                                .rsdp = 0xf0000,
                                .memory_map = MAP,
                                .memory_entries = 1};
    map[0] = (struct boot_memory_entry){0x100000, 0x3f00000, BOOT_MEMORY_RAM, 0};
    strcpy(at(TEXT), "init=/bin/sh");
}

static void test_good(void)
{
    reset();
    *(struct module *)at(MODULE) = (struct module){.address = 0x200000, .size = 12345};
    info->modules = 1;
    info->module_list = MODULE;
    ok(!pvh_read(&out, INFO), "a good machine");
    ok(!strcmp(out.cmdline, "init=/bin/sh"), "its command line");
    is(out.regions, 1, "its memory");
    is(out.region[0].end.v, 0x4000000, "to the end");
    is(out.initramfs.v, 0x200000, "its initramfs");
    is(out.initramfs_length, 12345, "and its length");
    is(out.rsdp.v, 0xf0000, "its RSDP");
    ok(!logged[0], "and nothing to warn of");
}

static void test_refused(void)
{
    static const u64 out_of_reach[] = {0, 1ul << 32, (1ul << 32) - 8, UINT64_MAX, UINT64_MAX - 7};
    reset();
    for (size_t i = 0; i < ARRAY_SIZE(out_of_reach); i++) {
        ok(pvh_read(&out, out_of_reach[i]), "information at %#lx", out_of_reach[i]);
        info->memory_map = out_of_reach[i];
        ok(pvh_read(&out, INFO), "a memory map at %#lx", out_of_reach[i]);
    }
    reset();
    info->magic++;
    ok(pvh_read(&out, INFO), "another magic");
    reset();
    info->version = 0;
    ok(pvh_read(&out, INFO), "version 0, which has no memory map");
    reset();
    info->memory_entries = UINT32_MAX;
    ok(pvh_read(&out, INFO), "four thousand million entries");
}

/* Out of reach, out of memory, or over the kernel. */
static void test_modules(void)
{
    static const struct module bad[] = {
        {.address = 1ul << 32, .size = 1},        {.address = 0x1000, .size = 1ul << 33},
        {.address = UINT64_MAX - 5, .size = 100}, {.address = 0x1000, .size = UINT64_MAX},
        {.address = 0x3f00000, .size = 0x100001}, {.address = 0x1fffff, .size = 1}};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        reset();
        info->modules = 1;
        info->module_list = MODULE;
        *(struct module *)at(MODULE) = bad[i];
        ok(!pvh_read(&out, INFO) && !out.initramfs_length && logged[0],
           "initramfs %zu out of reach", i);
    }
    reset();
    info->modules = 1;
    info->module_list = UINT64_MAX;
    ok(!pvh_read(&out, INFO) && !out.initramfs_length && logged[0], "its list out of reach");
}

static void test_cmdline(void)
{
    reset();
    info->cmdline = 0;
    ok(!pvh_read(&out, INFO) && !strcmp(out.cmdline, ""), "no command line");
    info->cmdline = UINT64_MAX;
    ok(!pvh_read(&out, INFO) && !strcmp(out.cmdline, ""), "one out of reach");
    reset();
    memset(at(TEXT), 'x', 4095);
    ok(!pvh_read(&out, INFO) && strlen(out.cmdline) == 4095 && !logged[0],
       "the longest that QEMU passes on");
    reset();
    memset(at(TEXT), 'x', BOOT_CMDLINE_MAX - 1);
    ok(!pvh_read(&out, INFO) && strlen(out.cmdline) == BOOT_CMDLINE_MAX - 1 &&
           strstr(logged, "QEMU passes on 4095"),
       "the longest: QEMU may have cut it");
    memset(at(TEXT), 'x', BOOT_CMDLINE_MAX + 100);
    ok(!pvh_read(&out, INFO) && strlen(out.cmdline) == BOOT_CMDLINE_MAX - 1 && logged[0],
       "a longer one is cut");
}

/* Sorted, disjoint, not empty, below the direct map's end, and without what is reserved. */
static bool is_sane(const struct boot_info *b)
{
    for (u32 i = 0; i < b->regions; i++) {
        u64 start = b->region[i].start.v, end = b->region[i].end.v;
        if (start >= end || end > DIRECT_MAP_SIZE || (i && start <= b->region[i - 1].end.v))
            return false;
        for (u32 j = 0; j < info->memory_entries; j++) {
            u64 bad = map[j].address, bad_end = bad + map[j].size;
            if (map[j].type != BOOT_MEMORY_RAM && bad < end && (bad_end < bad || bad_end > start) &&
                map[j].size)
                return false;
        }
    }
    return true;
}

static u64 random_u64(void)
{
    static const u64 edges[] = {
        0, 1, 4096, DIRECT_MAP_SIZE - 1, DIRECT_MAP_SIZE, 1ul << 63, UINT64_MAX - 1, UINT64_MAX};
    if (rand() % 4 == 0)
        return edges[rand() % ARRAY_SIZE(edges)];
    return (((u64)rand() << 31 ^ (u64)rand()) << (rand() % 3)) >> (rand() % 60);
}

static void test_garbage(void)
{
    unsigned bad = 0;
    srand(2);
    for (int run = 0; run < 2000; run++) {
        reset();
        info->memory_entries = (u32)rand() % 300;
        for (u32 i = 0; i < info->memory_entries; i++)
            map[i] = (struct boot_memory_entry){random_u64(), random_u64(), (u32)rand() % 4,
                                                (u32)rand()};
        bad += pvh_read(&out, INFO) || !is_sane(&out);
    }
    is(bad, 0, "2000 memory maps of garbage make sane ones");
}

int main(void)
{
    void *memory = mmap(at(BASE), SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (!ok(memory == at(BASE), "a machine's memory"))
        return tap_done();
    info = at(INFO);
    map = at(MAP);
    test_good();
    test_refused();
    test_modules();
    test_cmdline();
    test_garbage();
    return tap_done();
}
