/*
 * usercopy.h: the only code that touches user memory.
 *
 * The range is checked against the user limit first; a fault inside goes to upcall_user_fault and,
 * when that fails, ends the copy. => May sleep; holds no spin lock and no mm.lock. Returns the
 * number of bytes NOT copied: 0 when all went well. A copy goes forward byte-exactly up to the
 * first bad byte.
 */
#ifndef KERNEL_X86_USERCOPY_H
#define KERNEL_X86_USERCOPY_H

#include "lib/types.h"

size_t copy_from_user(void *dst, vaddr_t src, size_t n);
size_t copy_to_user(vaddr_t dst, const void *src, size_t n);
size_t clear_user(vaddr_t dst, size_t n);
/* Copy a string with its NUL; returns its length without it, -EFAULT, or -ENAMETOOLONG when no NUL
 * is within size bytes. */
long copy_string_from_user(char *dst, vaddr_t src, size_t size);

#endif
