/*
 * cpu_describe.c: CPUID in words, for /proc/cpuinfo (Intel SDM volume 2A, CPUID; AMD volume 3, appendix E). No data.
 */
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "lib/string.h"

enum cpuid_word { LEAF1_EDX, LEAF1_ECX, LEAF7_EBX, LEAF7_ECX, EXTENDED_EDX, EXTENDED_ECX, WORDS };

/* Linux's names of the bits, in its order of words; only those that tell about memory, protection and old favourites. */
static const struct {
    u8 word, bit;
    char name[12];
} flags[] = {
    {LEAF1_EDX, 0, "fpu"},     {LEAF1_EDX, 1, "vme"},         {LEAF1_EDX, 2, "de"},
    {LEAF1_EDX, 3, "pse"},     {LEAF1_EDX, 4, "tsc"},         {LEAF1_EDX, 5, "msr"},
    {LEAF1_EDX, 6, "pae"},     {LEAF1_EDX, 7, "mce"},         {LEAF1_EDX, 8, "cx8"},
    {LEAF1_EDX, 9, "apic"},    {LEAF1_EDX, 11, "sep"},        {LEAF1_EDX, 12, "mtrr"},
    {LEAF1_EDX, 13, "pge"},    {LEAF1_EDX, 14, "mca"},        {LEAF1_EDX, 15, "cmov"},
    {LEAF1_EDX, 16, "pat"},    {LEAF1_EDX, 17, "pse36"},      {LEAF1_EDX, 19, "clflush"},
    {LEAF1_EDX, 23, "mmx"},    {LEAF1_EDX, 24, "fxsr"},       {LEAF1_EDX, 25, "sse"},
    {LEAF1_EDX, 26, "sse2"},   {LEAF1_EDX, 28, "ht"},         {EXTENDED_EDX, 11, "syscall"},
    {EXTENDED_EDX, 20, "nx"},  {EXTENDED_EDX, 26, "pdpe1gb"}, {EXTENDED_EDX, 27, "rdtscp"},
    {EXTENDED_EDX, 29, "lm"},  {LEAF1_ECX, 0, "pni"},         {LEAF1_ECX, 9, "ssse3"},
    {LEAF1_ECX, 13, "cx16"},   {LEAF1_ECX, 19, "sse4_1"},     {LEAF1_ECX, 20, "sse4_2"},
    {LEAF1_ECX, 23, "popcnt"}, {LEAF1_ECX, 31, "hypervisor"}, {EXTENDED_ECX, 0, "lahf_lm"},
    {EXTENDED_ECX, 2, "svm"},  {LEAF7_EBX, 0, "fsgsbase"},    {LEAF7_EBX, 7, "smep"},
    {LEAF7_EBX, 20, "smap"},   {LEAF7_ECX, 2, "umip"},        {LEAF7_ECX, 16, "la57"},
};

static void describe_flags(struct cpu_description *out)
{
    struct cpuid one = cpuid(1, 0), seven = {0}, extended = cpuid(0x80000001, 0);
    if (out->level >= 7)
        seven = cpuid(7, 0);
    const u32 word[WORDS] = {one.edx, one.ecx, seven.ebx, seven.ecx, extended.edx, extended.ecx};
    size_t at = 0;
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        if (!(word[flags[i].word] >> flags[i].bit & 1))
            continue;
        out->flags[at++] = ' ';
        at += string_copy(out->flags + at, flags[i].name, sizeof(out->flags) - at);
    }
}

static void describe_name(struct cpu_description *out)
{
    for (u32 i = 0; i < 3; i++) {
        struct cpuid part = cpuid(0x80000002 + i, 0);
        memcpy(out->name + i * sizeof(part), &part, sizeof(part));
    }
}

void cpu_describe(struct cpu_description *out)
{
    struct cpuid zero = cpuid(0, 0), one = cpuid(1, 0), most = cpuid(0x80000000, 0);
    *out = (struct cpu_description){.level = zero.eax, .physical_bits = 36, .virtual_bits = 48};
    memcpy(out->vendor, &zero.ebx, 4);
    memcpy(out->vendor + 4, &zero.edx, 4);
    memcpy(out->vendor + 8, &zero.ecx, 4);
    u32 family = one.eax >> 8 & 15;
    out->stepping = one.eax & 15;
    out->model = (one.eax >> 4 & 15) | (family >= 6 ? one.eax >> 12 & 0xf0 : 0);
    out->family = family == 15 ? family + (one.eax >> 20 & 0xff) : family;
    out->line_size = (one.ebx >> 8 & 0xff) * 8;
    if (most.eax >= 0x80000004)
        describe_name(out);
    if (most.eax >= 0x80000008) {
        u32 sizes = cpuid(0x80000008, 0).eax;
        out->physical_bits = sizes & 0xff;
        out->virtual_bits = sizes >> 8 & 0xff;
    }
    describe_flags(out);
}
