/*
 * format.h: printf's formatting without a libc. %d %i %u %x %X %o %c %s %p %% with flags "-0 +#",
 * width, precision (also *), and lengths hh h l ll z t j. No floating point.
 */
#ifndef LIB_FORMAT_H
#define LIB_FORMAT_H

#include <stdarg.h>

#include "lib/types.h"

/* As ISO C's vsnprintf: at most size bytes with the NUL; returns the length it would have had. */
int format_to_v(char *buf, size_t size, const char *fmt, va_list ap);
int format_to(char *buf, size_t size, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
