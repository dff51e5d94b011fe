/*
 * suite_paging.c: what is mapped in the kernel half, with which rights; and what is not.
 */
#include "kernel/mm/page.h"
#include "kernel/sched/thread.h"
#include "kernel/x86/hwpt.h"
#include "kernel/x86/memory_map.h"
#include "kernel/x86/paging.h"
#include "kernel/x86/stack.h"
#include "tests/kernel/kernel_test.h"

extern u8 kernel_text_start[], kernel_rodata_start[], kernel_data_start[], kernel_data_end[];
extern u8 boot_stack_guard[], boot_stack[];

enum { NONE = 0, READ = 1, WRITE = 2, EXEC = 4 };

static unsigned rights(vaddr_t addr)
{
    int level;
    u64 entry = paging_lookup(addr, &level);
    if (!entry)
        return NONE;
    return READ | (entry & HW_W ? WRITE : 0) | (entry & HW_XD ? 0 : EXEC);
}

static vaddr_t direct(const void *image)
{
    return (u64)image - KERNEL_BASE + DIRECT_MAP_BASE;
}

void suite_paging(void)
{
    paging_check(); /* panics */
    ok(rights((u64)kernel_text_start) == (READ | EXEC), "text is read and executed");
    ok(rights((u64)kernel_rodata_start) == READ, "constants are only read");
    ok(rights((u64)kernel_data_start) == (READ | WRITE), "data is read and written");
    ok(rights((u64)kernel_data_end - 1) == (READ | WRITE), "to its end");
    ok(rights((u64)kernel_data_end) == NONE, "and nothing is behind it");
    ok(rights(direct(kernel_text_start)) == READ, "text cannot be written through the direct map");
    ok(rights(direct(kernel_rodata_start)) == READ, "nor can constants");
    ok(rights((u64)boot_stack_guard) == NONE, "the boot stack has a guard");
    ok(rights((u64)boot_stack) == (READ | WRITE), "right below it");
    ok(rights(1 << 20) == NONE, "the early mapping of low addresses is gone");
    ok(rights(KERNEL_BASE + (1 << 20)) == NONE, "and so is the boot code");

    struct page *page = page_alloc(0, PAGE_KERNEL);
    ok(page && rights((u64)page_to_virt(page)) == (READ | WRITE), "a page in the direct map");
    ok(page && rights((u64)page) == (READ | WRITE), "its struct page");
    if (page)
        page_free(page);
    ok(rights((u64)(PAGE_ARRAY + (1ul << 32))) == NONE, "no struct page where there is no memory");

    u64 stack = (u64)thread_current()->stack;
    ok(rights(stack) == (READ | WRITE), "this thread's stack");
    ok(rights(stack - 1) == NONE && stack_is_guard(stack - 1), "its guard");
    ok(!stack_is_guard(stack) && !stack_is_guard(stack + THREAD_STACK_SIZE - 1),
       "which ends where the stack begins");
}
