/*
 * main.c: the kernel's first C function, and the order in which the rooms are opened.
 *
 *      exceptions, log        from here on nothing dies silently
 *      boot_info, CPU         what the loader said; what this CPU has
 *      memory                 direct map, struct page array, page allocator, slabs
 *      mm, sched, fs, dev     the rooms, each registering its knobs
 *      proc                   the first program, in a thread of its own
 *      idle                   this flow of control becomes the idle thread
 *
 * The only file that may include every room's header.
 */
#include "boot/boot.h"
#include "kernel/core/cmdline.h"
#include "kernel/core/crash.h"
#include "kernel/core/panic.h"
#include "kernel/core/printk.h"
#include "kernel/core/rooms.h"
#include "kernel/mm/mm.h"
#include "kernel/mm/page.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/thread.h"
#include "kernel/x86/clock.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/early_memory.h"
#include "kernel/x86/irq.h"
#include "kernel/x86/paging.h"
#include "kernel/x86/stack.h"
#include "kernel/x86/trap.h"

void kernel_main(u32 magic, u64 loader_info);

static struct boot_info info;

const struct boot_info *boot_info(void)
{
    return &info;
}

static void read_boot_info(u32 magic, u64 loader_info)
{
    bool multiboot2 = magic == BOOT_MULTIBOOT2_MAGIC;
    const char *wrong = (multiboot2 ? multiboot2_read : pvh_read)(&info, loader_info);
    if (wrong)
        panic_refuse("Fathom cannot start: %s (magic %#x)", wrong, magic);
    printk("boot: %s, command line: %s\n", info.loader, info.cmdline);
    for (u32 i = 0; i < info.regions; i++)
        printk("boot: memory 0x%010lx to 0x%010lx\n", info.region[i].start.v, info.region[i].end.v);
    if (info.initramfs_length)
        printk("boot: initramfs at %#lx, %lu bytes\n", info.initramfs.v, info.initramfs_length);
    cmdline_parse(info.cmdline);
}

static void init_memory(void)
{
    early_memory_init(&info);
    paging_init(&info);
    early_memory_hand_over();
    stack_init();
    printk("memory: %lu MiB free\n", page_free_count() * PAGE_SIZE >> 20);
}

/* debug.crash=live: a table that claims an entry it does not have. */
static void break_live(void)
{
    struct mm *mm = mm_create();
    ASSERT(mm, "no memory to break");
    mm->pt.root->live++;
    pt_check(&mm->pt);
    mm_put(mm);
}

void kernel_main(u32 magic, u64 loader_info)
{
    trap_init();
    printk("Fathom, layout " LAYOUT_NAME "\n");
    clock_init();
    read_boot_info(magic, loader_info);
    cpu_init_features();
    syscall_init();
    init_memory();
    irq_init();
    crash_register_knob(break_live);
    mm_init_once();
    sched_init();
    clock_start_tick();
    fs_init();
    dev_init();
    sys_init();
    if (!kernel_test_start || !kernel_test_start())
        proc_init();
    cmdline_apply_knobs();
    cmdline_report_unknown();
    sched_idle();
}
