/*
 * usercopy.c: the range checks in front of user_access.S. Contract in usercopy.h.
 *
 * The check comes first and covers the whole range, so the instructions behind it can only meet
 * user addresses: a fault of theirs is either repaired by upcall_user_fault or ends the copy.
 */
#include "kernel/x86/usercopy.h"

#include "kernel/core/panic.h"
#include "kernel/mm/layout.h"
#include "kernel/x86/cpu.h"
#include "lib/abi/errno.h"

size_t user_access_copy(void *dst, const void *src, size_t n);
size_t user_access_clear(void *dst, size_t n);
long user_access_string(char *dst, const char *src, size_t n);

/* A copy may sleep in a page fault, whether it does this time or not. */
static void assert_may_fault(void)
{
    CHECK(this_cpu()->preempt_depth == 0, "user copy with %u spin locks held",
          this_cpu()->preempt_depth);
}

size_t copy_from_user(void *dst, vaddr_t src, size_t n)
{
    assert_may_fault();
    return user_range_ok(src, n) ? user_access_copy(dst, (const void *)src, n) : n;
}

size_t copy_to_user(vaddr_t dst, const void *src, size_t n)
{
    assert_may_fault();
    return user_range_ok(dst, n) ? user_access_copy((void *)dst, src, n) : n;
}

size_t clear_user(vaddr_t dst, size_t n)
{
    assert_may_fault();
    return user_range_ok(dst, n) ? user_access_clear((void *)dst, n) : n;
}

long copy_string_from_user(char *dst, vaddr_t src, size_t size)
{
    assert_may_fault();
    if (src >= USER_END)
        return -EFAULT;
    size_t max = min_u64(size, USER_END - src);
    long length = user_access_string(dst, (const char *)src, max);
    if (length < 0)
        return -EFAULT;
    if ((size_t)length < max)
        return length;
    return max == size ? -ENAMETOOLONG
                       : -EFAULT; /* cut by size, or ran into the end of user space */
}
