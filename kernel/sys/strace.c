/*
 * strace.c: strace=1 on the command line, or in /proc/sys/strace, logs every system call with decoded arguments, result and error name. The format
 * letters are those of lib/abi/syscall.h. Calls that do not return (exit, a good execve) are logged as they begin.
 * Strings are fetched before the call; a bad pointer prints as an address. No data but the switch.
 */
#include "kernel/core/knob.h"
#include "kernel/core/printk.h"
#include "kernel/core/restart.h"
#include "kernel/sys/sys.h"
#include "lib/abi/mman.h"
#include "lib/errno_name.h"
#include "lib/format.h"

bool strace_on;

struct call_info {
    const char *name, *format;
};

static const struct call_info calls[SYSCALL_MAX] = {
#define X(number, call, arguments) [number] = {#call, arguments},
    SYSCALL_NAMES(X)
#undef X
};

struct bit_name {
    u32 bit;
    const char *name;
};

static const struct bit_name open_bits[] = {
    {O_CREAT, "O_CREAT"},        {O_EXCL, "O_EXCL"},         {O_TRUNC, "O_TRUNC"},
    {O_APPEND, "O_APPEND"},      {O_NONBLOCK, "O_NONBLOCK"}, {O_DIRECTORY, "O_DIRECTORY"},
    {O_CLOEXEC, "O_CLOEXEC"},    {O_NOFOLLOW, "O_NOFOLLOW"}, {O_PATH, "O_PATH"},
    {O_TMPFILE_BIT, "O_TMPFILE"}};
static const struct bit_name prot_bits[] = {
    {PROT_READ, "PROT_READ"}, {PROT_WRITE, "PROT_WRITE"}, {PROT_EXEC, "PROT_EXEC"}};
static const struct bit_name map_bits[] = {{MAP_SHARED, "MAP_SHARED"},
                                           {MAP_PRIVATE, "MAP_PRIVATE"},
                                           {MAP_FIXED, "MAP_FIXED"},
                                           {MAP_ANONYMOUS, "MAP_ANONYMOUS"},
                                           {MAP_GROWSDOWN, "MAP_GROWSDOWN"},
                                           {MAP_NORESERVE, "MAP_NORESERVE"},
                                           {MAP_LOCKED, "MAP_LOCKED"},
                                           {MAP_POPULATE, "MAP_POPULATE"},
                                           {MAP_NONBLOCK, "MAP_NONBLOCK"},
                                           {MAP_STACK, "MAP_STACK"},
                                           {MAP_FIXED_NOREPLACE, "MAP_FIXED_NOREPLACE"}};

static const struct bit_name mremap_bits[] = {{MREMAP_MAYMOVE, "MREMAP_MAYMOVE"},
                                              {MREMAP_FIXED, "MREMAP_FIXED"},
                                              {MREMAP_DONTUNMAP, "MREMAP_DONTUNMAP"}};
static const struct bit_name msync_bits[] = {
    {MS_ASYNC, "MS_ASYNC"}, {MS_INVALIDATE, "MS_INVALIDATE"}, {MS_SYNC, "MS_SYNC"}};
static const struct bit_name mlockall_bits[] = {
    {MCL_CURRENT, "MCL_CURRENT"}, {MCL_FUTURE, "MCL_FUTURE"}, {MCL_ONFAULT, "MCL_ONFAULT"}};

static const char *const advices[] = {[MADV_NORMAL] = "MADV_NORMAL",
                                      [MADV_RANDOM] = "MADV_RANDOM",
                                      [MADV_SEQUENTIAL] = "MADV_SEQUENTIAL",
                                      [MADV_WILLNEED] = "MADV_WILLNEED",
                                      [MADV_DONTNEED] = "MADV_DONTNEED",
                                      [MADV_FREE] = "MADV_FREE",
                                      [MADV_REMOVE] = "MADV_REMOVE",
                                      [MADV_DONTFORK] = "MADV_DONTFORK",
                                      [MADV_DOFORK] = "MADV_DOFORK",
                                      [MADV_DONTDUMP] = "MADV_DONTDUMP",
                                      [MADV_DODUMP] = "MADV_DODUMP",
                                      [MADV_WIPEONFORK] = "MADV_WIPEONFORK",
                                      [MADV_KEEPONFORK] = "MADV_KEEPONFORK",
                                      [MADV_COLD] = "MADV_COLD",
                                      [MADV_PAGEOUT] = "MADV_PAGEOUT",
                                      [MADV_POPULATE_READ] = "MADV_POPULATE_READ",
                                      [MADV_POPULATE_WRITE] = "MADV_POPULATE_WRITE"};

const char *syscall_name(u64 number)
{
    return number < SYSCALL_MAX ? calls[number].name : NULL;
}

/* A text that is cut when it is full. */
struct out {
    char *buf;
    size_t size, at;
};

static void out_text(struct out *o, const char *text)
{
    size_t n = string_copy(o->buf + o->at, text, o->size - o->at);
    o->at += min_u64(n, o->size - o->at - 1);
}

static void out_number(struct out *o, const char *fmt, u64 value)
{
    char text[32];
    format_to(text, sizeof(text), fmt, (unsigned long)value);
    out_text(o, text);
}

static void out_bits(struct out *o, u64 value, const char *first, const struct bit_name *names,
                     size_t n)
{
    out_text(o, first);
    bool any = *first;
    for (size_t i = 0; i < n; i++) {
        if (!(value & names[i].bit))
            continue;
        out_text(o, any ? "|" : "");
        out_text(o, names[i].name);
        value &= ~(u64)names[i].bit;
        any = true;
    }
    if (value || !any) {
        out_text(o, any ? "|" : "");
        out_number(o, "%#lx", value);
    }
}

static void out_string(struct out *o, vaddr_t addr)
{
    char text[64], shown[2] = {0};
    size_t left = copy_from_user(text, addr, sizeof(text)), n = sizeof(text) - left;
    if (!n) {
        out_number(o, "%#lx", addr);
        return;
    }
    out_text(o, "\"");
    size_t i;
    for (i = 0; i < n && text[i] && i < 60; i++) {
        shown[0] = text[i] >= ' ' && text[i] < 127 ? text[i] : '?';
        out_text(o, shown);
    }
    out_text(o, i < n && !text[i] ? "\"" : "\"...");
}

/* The letters that mean a set of bits; any other is a plain number. */
static void out_flags(struct out *o, char letter, u64 value)
{
    static const struct {
        char letter;
        const struct bit_name *names;
        size_t n;
    } sets[] = {{'P', prot_bits, ARRAY_SIZE(prot_bits)},
                {'M', map_bits, ARRAY_SIZE(map_bits)},
                {'R', mremap_bits, ARRAY_SIZE(mremap_bits)},
                {'Y', msync_bits, ARRAY_SIZE(msync_bits)},
                {'L', mlockall_bits, ARRAY_SIZE(mlockall_bits)}};

    for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
        if (sets[i].letter == letter) {
            out_bits(o, value, "", sets[i].names, sets[i].n);
            return;
        }
    out_number(o, "%#lx", value);
}

static void out_argument(struct out *o, char letter, u64 value)
{
    static const char *const access[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
    switch (letter) {
    case 's':
        out_string(o, value);
        break;
    case 'f':
        if ((int)value == AT_FDCWD)
            out_text(o, "AT_FDCWD");
        else
            out_number(o, "%ld", (int)value);
        break;
    case 'd':
        out_number(o, "%ld", (int)value);
        break;
    case 'l':
        out_number(o, "%ld", value);
        break;
    case 'u':
        out_number(o, "%lu", value);
        break;
    case 'o':
        out_number(o, "%#lo", value);
        break;
    case 'p':
        if (value)
            out_number(o, "%#lx", value);
        else
            out_text(o, "NULL");
        break;
    case 'S':
        out_text(o, signal_name(value));
        break;
    case 'O':
        out_bits(o, value & ~(u64)O_ACCMODE & 0xffffffff, access[value & O_ACCMODE], open_bits,
                 ARRAY_SIZE(open_bits));
        break;
    case 'A':
        if (value < ARRAY_SIZE(advices) && advices[value])
            out_text(o, advices[value]);
        else
            out_number(o, "%ld", (int)value);
        break;
    default:
        out_flags(o, letter, value);
    }
}

void strace_enter(struct strace_line *line, u64 number, const u64 *arg)
{
    struct out o = {line->text, sizeof(line->text), 0};
    const char *name = syscall_name(number);
    if (name)
        out_text(&o, name);
    else
        out_number(&o, "syscall_%lu", number);
    out_text(&o, "(");
    for (u32 i = 0; name && calls[number].format[i]; i++) {
        out_text(&o, i ? ", " : "");
        out_argument(&o, calls[number].format[i], arg[i]);
    }
    out_text(&o, ")");
    if (number == SYS_exit || number == SYS_exit_group || number == SYS_execve)
        printk("strace: %s ...\n", line->text);
}

void strace_leave(const struct strace_line *line, long result)
{
    if (result <= -RESTART_SYS && result >= -RESTART_BLOCK)
        printk("strace: %s = ? (a signal came)\n", line->text);
    else if (result < 0 && result > -4096)
        printk("strace: %s = -1 %s\n", line->text, errno_name(-result));
    else if (result >= 0 && result < 65536)
        printk("strace: %s = %ld\n", line->text, result);
    else
        printk("strace: %s = %#lx\n", line->text, (unsigned long)result);
}

static void strace_changed(struct knob *knob)
{
    WRITE_ONCE(strace_on, knob_value(knob) != 0);
}

static const char *const strace_words[] = {"0", "1", NULL};
static struct knob strace_knob = {.name = "strace",
                                  .help = "log every system call: 1 or 0",
                                  .words = strace_words,
                                  .changed = strace_changed};

void sys_init(void)
{
    knob_register(&strace_knob);
    proc_wake_futex = futex_word_changed;
}
