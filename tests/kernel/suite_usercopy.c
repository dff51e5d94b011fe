/*
 * suite_usercopy.c: copies to and from user memory, exact to the byte at the end of what is mapped.
 *
 *      AT                      + 2 pages
 *      | page | page (present) | nothing
 *                        ^^^^^^^^^^ copies across this border
 *
 * Faults are not repaired here (in_usercopy_atomic), so each ends its copy; the guest tests see the
 * repaired ones.
 */
#include "kernel/x86/usercopy.h"

#include "kernel/mm/mm.h"
#include "kernel/sched/thread.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "lib/abi/errno.h"
#include "lib/abi/mman.h"
#include "lib/string.h"
#include "tests/kernel/kernel_test.h"

enum { SPAN = 2 * PAGE_SIZE };
#define AT 0x10000000ul

static u8 pattern[SPAN], seen[SPAN];

static size_t left_over(size_t before_end, size_t n)
{
    return n > before_end ? n - before_end : 0;
}

/* All three operations, n bytes from before_end bytes before the border. */
static bool copies_exactly(size_t before_end, size_t n)
{
    vaddr_t addr = AT + SPAN - before_end;
    size_t want = left_over(before_end, n), done = n - want;
    bool good = true;
    memset(seen, 0xee, 128);
    good &= copy_from_user(seen, addr, n) == want;
    good &= !memcmp(seen, pattern + SPAN - before_end, done) && seen[done] == 0xee;
    good &= clear_user(addr, n) == want;
    good &= copy_from_user(seen, addr - 1, 1) == 0 && seen[0] == pattern[SPAN - before_end - 1];
    good &= copy_from_user(seen, addr, done) == 0;
    for (size_t i = 0; i < done; i++)
        good &= seen[i] == 0;
    good &= copy_to_user(addr, pattern + SPAN - before_end, n) == want;
    good &=
        copy_from_user(seen, addr, done) == 0 && !memcmp(seen, pattern + SPAN - before_end, done);
    return good;
}

static void test_border(void)
{
    unsigned bad = 0;
    for (size_t before = 1; before < 40; before++)
        for (size_t n = 0; n < before + 20; n++)
            bad += !copies_exactly(before, n);
    ok(bad == 0, "copies end at the first byte that is not there");
}

static void test_limits(void)
{
    ok(copy_from_user(seen, USER_END - 8, 9) == 9, "a range over the end of user space");
    ok(copy_from_user(seen, USER_END, 0) == 0, "nothing, at the end");
    ok(copy_from_user(seen, DIRECT_MAP_BASE, 1) == 1, "the direct map is not the user's");
    ok(copy_to_user((vaddr_t)seen, pattern, 1) == 1, "nor is the kernel");
    ok(clear_user(1ul << 63, 8) == 8, "nor what is not canonical");
    ok(copy_from_user(seen, UINT64_MAX, 2) == 2, "a range that wraps");
    ok(copy_from_user(seen, 0, 1) == 1, "the null page");
}

static void test_strings(void)
{
    char text[64];
    copy_to_user(AT, "hello", 6);
    ok(copy_string_from_user(text, AT, 6) == 5 && !strcmp(text, "hello"),
       "a string that just fits");
    ok(copy_string_from_user(text, AT, 64) == 5, "with room to spare");
    ok(copy_string_from_user(text, AT, 5) == -ENAMETOOLONG, "too long by its NUL");
    ok(copy_string_from_user(text, AT, 0) == -ENAMETOOLONG, "no room at all");
    copy_to_user(AT + SPAN - 3, "abc", 3);
    ok(copy_string_from_user(text, AT + SPAN - 3, 64) == -EFAULT,
       "a string that runs into nothing");
    copy_to_user(AT + SPAN - 3, "ab", 3);
    ok(copy_string_from_user(text, AT + SPAN - 3, 64) == 2, "one that ends on the last byte");
    ok(copy_string_from_user(text, USER_END, 64) == -EFAULT, "at the end of user space");
    ok(copy_string_from_user(text, (vaddr_t)pattern, 64) == -EFAULT, "in the kernel");
}

static bool access_open(void)
{
    u64 flags = irq_save();
    irq_restore(flags);
    return flags & RFLAGS_AC;
}

static void test_copies(struct mm *mm)
{
    struct thread *t = thread_current();
    t->space = &mm->pt.hw;
    mmu_switch(t->space);
    this_cpu()->in_usercopy_atomic = true;
    test_border();
    test_limits();
    test_strings();
    ok(!access_open(), "user pages are closed again after all of this");
    this_cpu()->in_usercopy_atomic = false;
    t->space = NULL;
    mmu_switch(NULL);
}

void suite_usercopy(void)
{
    struct mmap_request request = {
        .addr = AT,
        .length = SPAN,
        .prot = PROT_READ | PROT_WRITE,
        .flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
    };
    for (size_t i = 0; i < SPAN; i++)
        pattern[i] = (u8)(i * 7 + i / 256 + 1);
    struct mm *mm = mm_create();
    if (!ok(mm, "an address space"))
        return;
    mmu_check(&mm->pt.hw);
    ok(mm_mmap(mm, &request) == (long)AT, "two pages");
    ok(mm_write(mm, AT, pattern, SPAN) == 0, "with a pattern");
    test_copies(mm);
    mm_put(mm);
}
