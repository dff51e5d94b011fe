/*
 * x86_64.h: 4 KiB pages, four levels of 512 entries, in the format the CPU walks itself.
 *
 *      63      48 47    39 38    30 29    21 20    12 11         0
 *     | sign ext |  pgd   |  pud   |  pmd   |  pte   |  offset    |
 *                 9 bits    9 bits   9 bits   9 bits   12 bits
 *
 * An entry (Intel SDM volume 3, section 4.5.4, tables 4-15 to 4-20):
 *
 *     63   62..52  51 ........ 12  11..9  8 7 6 5 4 3 2 1 0
 *     XD   free    frame           free   G - D A - - U W P
 *
 * This header is the whole layout: its geometry and its entries. Nothing outside it and kernel/x86 knows
 * a shift, a count of entries or a bit. pte_t is an entry of any level.
 */
#ifndef KERNEL_MM_LAYOUT_X86_64_H
#define KERNEL_MM_LAYOUT_X86_64_H

#include "lib/types.h"

#define LAYOUT_NAME "x86_64"
#define LAYOUT_SOFTWARE_WALKED 0

#define PAGE_SHIFT 12
#define PT_LEVEL_BITS 9
#define PT_LEVELS 4

/* Levels count upwards from the leaves; each name exists only where the layout has the level. */
enum pt_level { LEVEL_PTE, LEVEL_PMD, LEVEL_PUD, LEVEL_PGD };

/* Names of the levels with their constants, top first: X(lower-case name, level) */
#define LAYOUT_TABLE_LEVELS(X) X(pgd, LEVEL_PGD) X(pud, LEVEL_PUD) X(pmd, LEVEL_PMD)

#define USER_ADDRESS_BITS 47 /* the other half is the kernel's */

#define PTE_P (1ul << 0)
#define PTE_W (1ul << 1)
#define PTE_U (1ul << 2)
#define PTE_A (1ul << 5)
#define PTE_D (1ul << 6)
#define PTE_XD (1ul << 63)
#define PTE_FRAME 0x000ffffffffff000ul

/* Rights of a leaf entry. */
enum { RIGHT_READ = 1, RIGHT_WRITE = 2, RIGHT_EXEC = 4 };

static inline bool pte_none(pte_t e)
{
    return e.v == 0;
}

static inline bool pte_present(pte_t e)
{
    return e.v & PTE_P;
}

static inline pfn_t pte_pfn(pte_t e)
{
    return (pfn_t){(e.v & PTE_FRAME) >> PAGE_SHIFT};
}

/* A leaf for a user page, accessed already (a fault asked for it); rights are RIGHT_ bits, READ is implied. */
static inline pte_t pte_leaf(pfn_t pfn, unsigned rights)
{
    return (pte_t){pfn.v << PAGE_SHIFT | PTE_P | PTE_U | PTE_A |
                   (rights & RIGHT_WRITE ? PTE_W : 0) | (rights & RIGHT_EXEC ? 0 : PTE_XD)};
}

/* An entry that points to the next lower table; rights are decided at the leaf. */
static inline pte_t pte_table(pfn_t pfn)
{
    return (pte_t){pfn.v << PAGE_SHIFT | PTE_P | PTE_U | PTE_W | PTE_A};
}

/* A page that must stay but that nobody may touch (PROT_NONE): not present, yet not none. */
static inline pte_t pte_no_access(pte_t e)
{
    return (pte_t){(e.v & ~PTE_P) | PTE_U};
}

static inline bool pte_has_page(pte_t e) /* present, or held back by PROT_NONE */
{
    return e.v & (PTE_P | PTE_U);
}

static inline pte_t pte_with_rights(pte_t e, unsigned rights)
{
    pte_t leaf = pte_leaf(pte_pfn(e), rights);
    return (pte_t){leaf.v | (e.v & PTE_D)};
}

static inline bool pte_writable(pte_t e)
{
    return e.v & PTE_W;
}

static inline pte_t pte_no_write(pte_t e)
{
    return (pte_t){e.v & ~PTE_W};
}

static inline bool pte_executable(pte_t e)
{
    return !(e.v & PTE_XD);
}

static inline bool pte_dirty(pte_t e)
{
    return e.v & PTE_D;
}

static inline pte_t pte_make_dirty(pte_t e)
{
    return (pte_t){e.v | PTE_D};
}

static inline pte_t pte_make_clean(pte_t e)
{
    return (pte_t){e.v & ~PTE_D};
}

static inline bool pte_young(pte_t e)
{
    return e.v & PTE_A;
}

#endif
