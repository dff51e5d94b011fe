/*
 * types.h: the words every room speaks.
 *
 * An address is never "just a number" here. Physical addresses, page frame numbers and table entries
 * are one-member structs, so that handing one where another is wanted does not compile. A virtual
 * address stays an integer, since the whole subject is arithmetic on it, but under a name of its own.
 */
#ifndef LIB_TYPES_H
#define LIB_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

typedef u64 vaddr_t; /* a virtual address, bytes */
typedef u64 pgoff_t; /* an offset into a file, in pages of the layout */

typedef struct {
    u64 v;
} paddr_t; /* a physical address, bytes */

typedef struct {
    u64 v;
} pfn_t; /* a page frame number: physical address / PAGE_SIZE */

typedef struct {
    u64 v;
} pte_t; /* one entry of a page table, at any level; only the layout header looks inside */

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define NORETURN __attribute__((noreturn))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val) (*(volatile __typeof__(x) *)&(x) = (val))

/* align must be a power of two; align_up of a value near 2^64 wraps to 0, which callers check. */
static inline u64 align_down(u64 x, u64 align)
{
    return x & ~(align - 1);
}

static inline u64 align_up(u64 x, u64 align)
{
    return (x + align - 1) & ~(align - 1);
}

static inline u64 min_u64(u64 a, u64 b)
{
    return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
    return a > b ? a : b;
}

#endif
