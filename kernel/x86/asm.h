/*
 * asm.h: one-instruction wrappers, and the registers they reach. For kernel/x86 and port I/O
 * elsewhere.
 */
#ifndef KERNEL_X86_ASM_H
#define KERNEL_X86_ASM_H

#include "lib/types.h"

enum {
    MSR_EFER = 0xc0000080,
    MSR_STAR = 0xc0000081,
    MSR_LSTAR = 0xc0000082,
    MSR_CSTAR = 0xc0000083,
    MSR_FMASK = 0xc0000084,
    MSR_FS_BASE = 0xc0000100,
    MSR_GS_BASE = 0xc0000101,        /* the running GS: this_cpu() in the kernel */
    MSR_KERNEL_GS_BASE = 0xc0000102, /* what SWAPGS brings: the user's GS in the kernel */
};

enum {
    CR0_MP = 1 << 1,
    CR0_EM = 1 << 2,
    CR0_TS = 1 << 3,
    CR0_NE = 1 << 5,
    CR0_WP = 1 << 16,
    CR0_AM = 1 << 18,
};

enum {
    CR4_TSD = 1 << 2,
    CR4_MCE = 1 << 6, /* without it a machine check resets the machine in silence */
    CR4_PGE = 1 << 7,
    CR4_OSFXSR = 1 << 9,
    CR4_OSXMMEXCPT = 1 << 10,
    CR4_UMIP = 1 << 11,
    CR4_FSGSBASE = 1 << 16,
    CR4_OSXSAVE = 1 << 18,
    CR4_SMEP = 1 << 20,
    CR4_SMAP = 1 << 21,
};

enum {
    RFLAGS_FIXED = 1 << 1, /* reads as 1 always */
    RFLAGS_TF = 1 << 8,
    RFLAGS_IF = 1 << 9,
    RFLAGS_DF = 1 << 10,
    RFLAGS_IOPL = 3 << 12,
    RFLAGS_NT = 1 << 14,
    RFLAGS_RF = 1 << 16,
    RFLAGS_AC = 1 << 18,
    /* what a program may have set: CF PF AF ZF SF TF DF OF NT RF AC ID */
    RFLAGS_USER = 0x254dd5,
    RFLAGS_SIGRETURN = 0x50dd5, /* and what a signal's frame may set: the same but NT and ID */
};

static inline void outb(u16 port, u8 value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline u8 inb(u16 port)
{
    u8 value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

/* n bytes to one port, by a string instruction: a single exit to a hypervisor. */
static inline void outb_string(u16 port, const void *bytes, u64 n)
{
    __asm__ volatile("rep outsb" : "+S"(bytes), "+c"(n) : "d"(port) : "memory");
}

static inline void outl(u16 port, u32 value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static inline void outw(u16 port, u16 value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

/* n bytes to one port, one after the other. */
static inline void outsb(u16 port, const void *bytes, size_t n)
{
    __asm__ volatile("rep outsb" : "+S"(bytes), "+c"(n) : "d"(port) : "memory");
}

static inline u64 rdmsr(u32 msr)
{
    u32 low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (u64)high << 32 | low;
}

static inline void wrmsr(u32 msr, u64 value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((u32)value), "d"((u32)(value >> 32)) : "memory");
}

struct cpuid {
    u32 eax, ebx, ecx, edx;
};

static inline struct cpuid cpuid(u32 leaf, u32 subleaf)
{
    struct cpuid r;
    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}

static inline u64 rdtsc(void)
{
    u32 low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (u64)high << 32 | low;
}

static inline u64 read_cr0(void)
{
    u64 value;
    __asm__ volatile("movq %%cr0, %0" : "=r"(value));
    return value;
}

static inline void write_cr0(u64 value)
{
    __asm__ volatile("movq %0, %%cr0" : : "r"(value) : "memory");
}

static inline u64 read_cr2(void)
{
    u64 value;
    __asm__ volatile("movq %%cr2, %0" : "=r"(value));
    return value;
}

static inline u64 read_cr3(void)
{
    u64 value;
    __asm__ volatile("movq %%cr3, %0" : "=r"(value) : : "memory");
    return value;
}

static inline void write_cr3(u64 value)
{
    __asm__ volatile("movq %0, %%cr3" : : "r"(value) : "memory");
}

static inline u64 read_cr4(void)
{
    u64 value;
    __asm__ volatile("movq %%cr4, %0" : "=r"(value));
    return value;
}

static inline void write_cr4(u64 value)
{
    __asm__ volatile("movq %0, %%cr4" : : "r"(value) : "memory");
}

static inline void invlpg(vaddr_t addr)
{
    __asm__ volatile("invlpg (%0)" : : "r"(addr) : "memory");
}

static inline void irq_enable(void)
{
    __asm__ volatile("sti" : : : "memory");
}

static inline void irq_disable(void)
{
    __asm__ volatile("cli" : : : "memory");
}

static inline bool irq_enabled(void)
{
    u64 flags;
    __asm__ volatile("pushfq; popq %0" : "=r"(flags));
    return flags & RFLAGS_IF;
}

/* Sleep until the next interrupt: STI takes effect after HLT has begun, so none is missed. */
static inline void irq_wait(void)
{
    __asm__ volatile("sti; hlt" : : : "memory");
}

/* Stop this CPU for good. */
static inline NORETURN void cpu_halt(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}

#endif
