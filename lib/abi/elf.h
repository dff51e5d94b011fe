/* elf.h: the 64-bit ELF file header and program headers (System V ABI, "Object Files"; x86-64 psABI 4.1). */
#ifndef LIB_ABI_ELF_H
#define LIB_ABI_ELF_H

#include "lib/types.h"

struct elf64_header {
    u8 e_ident[16];
    u16 e_type;
    u16 e_machine;
    u32 e_version;
    u64 e_entry;
    u64 e_phoff;
    u64 e_shoff;
    u32 e_flags;
    u16 e_ehsize;
    u16 e_phentsize;
    u16 e_phnum;
    u16 e_shentsize;
    u16 e_shnum;
    u16 e_shstrndx;
};
_Static_assert(sizeof(struct elf64_header) == 64, "ELF64 file header");

struct elf64_program {
    u32 p_type;
    u32 p_flags;
    u64 p_offset;
    u64 p_vaddr;
    u64 p_paddr;
    u64 p_filesz;
    u64 p_memsz;
    u64 p_align;
};
_Static_assert(sizeof(struct elf64_program) == 56, "ELF64 program header");

#define EI_CLASS 4
#define EI_DATA 5
#define ELFCLASS64 2
#define ELFDATA2LSB 1
#define ET_EXEC 2
#define ET_DYN 3
#define EM_X86_64 62
#define PT_LOAD 1
#define PT_INTERP 3
#define PT_PHDR 6
#define PT_GNU_STACK 0x6474e551
#define PF_X 1
#define PF_W 2
#define PF_R 4

#endif
