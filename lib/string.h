/* string.h: the memory and string functions of ISO C that the kernel uses, with their usual contracts. */
#ifndef LIB_STRING_H
#define LIB_STRING_H

#include "lib/types.h"

void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *s, int byte, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);

/* Copy src into dst of size bytes, always ended by NUL; returns strlen(src), so >= size: it was cut. */
size_t string_copy(char *dst, const char *src, size_t size);

/* Parse an unsigned number, decimal or 0x hex, with an optional K, M, G, T suffix (powers of 1024), that
 * fills the whole string. Returns false, and leaves *out alone, for anything else or beyond 2^64-1. */
bool parse_u64(const char *s, u64 *out);

#endif
