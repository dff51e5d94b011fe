/*
 * cpu.c: what this CPU has, and switching on what the kernel uses.
 *
 * What the kernel cannot do without was checked in boot/cpu_check.S. SMEP, SMAP and UMIP protect
 * the kernel from its own mistakes; without them it warns and goes on. XSAVE stays off (OSXSAVE
 * clear), so programs see no AVX and FXSAVE holds all of their state. FSGSBASE stays off: then a
 * user can never have a negative GS base (traps.S).
 */
#include "kernel/x86/cpu.h"

#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/x86/asm.h"
#include "lib/string.h"

struct smap_site {
    u64 address, opcode;
};

extern const struct smap_site smap_sites_start[], smap_sites_end[];

struct cpu cpu_boot = {.self = &cpu_boot, .thread_name = "boot"};

/* A bit of CPUID leaf 7, register EBX or ECX. */
struct feature {
    const char *name;
    u32 ebx, ecx;
    u32 cr4;
};

static const struct feature features[] = {
    {"SMEP", 1u << 7, 0, CR4_SMEP},
    {"SMAP", 1u << 20, 0, CR4_SMAP},
    {"UMIP", 0, 1u << 2, CR4_UMIP},
};

/* Put the STAC and CLAC instructions where user_access.S and traps.S left room for them. */
static void patch_smap_sites(void)
{
    for (const struct smap_site *site = smap_sites_start; (u64)site < (u64)smap_sites_end; site++) {
        const u8 code[3] = {0x0f, 0x01, (u8)site->opcode};
        memcpy((void *)site->address, code, sizeof(code));
    }
    cpuid(0, 0); /* serialises: no stale instruction runs */
}

void cpu_init_features(void)
{
    struct cpuid leaf7 = {0};
    if (cpuid(0, 0).eax >= 7)
        leaf7 = cpuid(7, 0);
    u64 cr4 = read_cr4() & ~(u64)(CR4_TSD | CR4_OSXSAVE | CR4_FSGSBASE);
    cr4 |= CR4_PGE | CR4_OSFXSR | CR4_OSXMMEXCPT;
    if (cpuid(1, 0).edx & (1u << 7))
        cr4 |= CR4_MCE;
    for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
        const struct feature *f = &features[i];
        if ((leaf7.ebx & f->ebx) | (leaf7.ecx & f->ecx))
            cr4 |= f->cr4;
        else
            printk("warning: this CPU has no %s; going on without\n", f->name);
    }
    if (cr4 & CR4_SMAP)
        patch_smap_sites();
    write_cr4(cr4);
    write_cr0((read_cr0() & ~(u64)(CR0_EM | CR0_TS)) | CR0_MP | CR0_NE | CR0_WP | CR0_AM);
}

bool cpu_has_huge_pages(void)
{
    return cpuid(0x80000001, 0).edx >> 26 & 1;
}
