/* random.h: numbers that look random and are not secret. */
#ifndef KERNEL_CORE_RANDOM_H
#define KERNEL_CORE_RANDOM_H

#include "lib/types.h"

void random_fill(void *buf, size_t size); /* => any context */

#endif
