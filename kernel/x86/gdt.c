/*
 * gdt.c: the little that 64-bit mode has left of segments: selectors with a privilege level, and
 * the TSS.
 *
 * There is no segment of 32-bit code: a program that goes there by a far return gets #GP. SYSRET to 64-bit
 * mode only counts from its selector.
 *
 * The TSS (Intel SDM volume 3, section 7.7) names the stack for entries from user mode (rsp0) and
 * the stacks of the exceptions that cannot trust the one they interrupt (gdt_ist). One set for each
 * CPU; now there is one CPU.
 */
#include "kernel/x86/gdt.h"

#include "boot/boot.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/trap.h"

enum { IST_STACK_SIZE = 8192 };

/* Type 9/B with P, S, DPL and, for code, L; accessed bits set so the CPU need not write them. */
#define DESCRIPTOR_KERNEL_CODE 0x00af9b000000fffful
#define DESCRIPTOR_KERNEL_DATA 0x00cf93000000fffful
#define DESCRIPTOR_USER_DATA 0x00cff3000000fffful
#define DESCRIPTOR_USER_CODE 0x00affb000000fffful
#define DESCRIPTOR_TSS 0x0000890000000000ul

struct tss {
    u32 reserved0;
    u64 rsp[3];
    u64 ist[8]; /* ist[0] is reserved, so numbers are as in the IDT */
    u64 reserved1;
    u16 reserved2, io_map;
} __attribute__((packed));
_Static_assert(sizeof(struct tss) == 104, "TSS");

struct table_pointer {
    u16 limit;
    u64 base;
} __attribute__((packed));

static u64 gdt[SELECTOR_TSS / 8 + 2] __attribute__((aligned(8)));
static struct tss tss;
static u8 ist_stacks[IST_COUNT - 1][IST_STACK_SIZE] __attribute__((aligned(16)));

extern u8 boot_stack_top[];

static void load_tables(void)
{
    struct table_pointer pointer = {sizeof(gdt) - 1, (u64)gdt};
    __asm__ volatile("lgdt %0" : : "m"(pointer));
    /* CS is reloaded by a far return; the data segments are null and stay so. */
    __asm__ volatile("pushq %0; leaq 1f(%%rip), %%rax; pushq %%rax; lretq; 1:"
                     :
                     : "i"(SELECTOR_KERNEL_CODE)
                     : "rax", "memory");
    __asm__ volatile("ltr %w0" : : "r"(SELECTOR_TSS));
}

void gdt_init(void)
{
    u64 base = (u64)&tss, limit = sizeof(tss) - 1;
    gdt[SELECTOR_KERNEL_CODE / 8] = DESCRIPTOR_KERNEL_CODE;
    gdt[SELECTOR_KERNEL_DATA / 8] = DESCRIPTOR_KERNEL_DATA;
    gdt[SELECTOR_USER_DATA / 8] = DESCRIPTOR_USER_DATA;
    gdt[SELECTOR_USER_CODE / 8] = DESCRIPTOR_USER_CODE;
    gdt[SELECTOR_TSS / 8] =
        DESCRIPTOR_TSS | limit | (base & 0xffffff) << 16 | (base >> 24 & 0xff) << 56;
    gdt[SELECTOR_TSS / 8 + 1] = base >> 32;
    for (int i = 1; i < IST_COUNT; i++)
        tss.ist[i] = (u64)ist_stacks[i - 1] + IST_STACK_SIZE;
    tss.io_map = sizeof(tss); /* beyond the limit: no port is open to user mode */
    tss.rsp[0] = (u64)boot_stack_top;
    load_tables();
}

void gdt_set_kernel_stack(u64 stack_top)
{
    tss.rsp[0] = stack_top;
}
