/*
 * panic.h: what happens when the kernel finds that it is wrong.
 *
 * panic() prints the message and a symbolised backtrace to the log and the console, sends the
 * record "panic" on the result channel and ends the machine. ASSERT states an invariant of the
 * kernel, never something a user program can bring about, and prints the values that show what
 * broke. CHECK is an ASSERT that only checking builds (CONFIG_CHECK=1, the default) pay for.
 */
#ifndef KERNEL_CORE_PANIC_H
#define KERNEL_CORE_PANIC_H

#include "lib/types.h"

#ifndef CONFIG_CHECK
#define CONFIG_CHECK 1
#endif

struct trap_frame; /* kernel/x86/trap.h */

NORETURN void panic(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The same for a trap: prints its registers, and the backtrace of where it struck. */
NORETURN void panic_trap(const struct trap_frame *frame, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The machine cannot run this kernel, and nothing is wrong with the kernel: message, record, end;
 * no backtrace. */
NORETURN void panic_refuse(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* More text of a panic under way, to the log and the console. */
void panic_print(const char *fmt, ...) PRINTF_LIKE(1, 2);

#define ASSERT(cond, fmt, ...)                                                                     \
    do {                                                                                           \
        if (unlikely(!(cond)))                                                                     \
            panic("%s:%d: %s: !(%s): " fmt, __FILE__, __LINE__, __func__, #cond, ##__VA_ARGS__);   \
    } while (0)

#define CHECK(cond, fmt, ...)                                                                      \
    do {                                                                                           \
        if (CONFIG_CHECK)                                                                          \
            ASSERT(cond, fmt, ##__VA_ARGS__);                                                      \
    } while (0)

#endif
