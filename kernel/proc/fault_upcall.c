/*
 * fault_upcall.c: page faults and other exceptions of user programs, turned over to mm and, where mm says no, into the end of
 * the program with one line in the log that says what happened where.
 *
 *      crash (process 1): SIGSEGV at 0x0 (write, no mapping), ip 0x401136; above it: 00400000-00401000 r--p ... /bin/crash
 */
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/proc/proc.h"
#include "kernel/x86/trap.h"
#include "lib/errno_name.h"

static enum fault_access fault_access(u32 code)
{
    if (code & FAULT_CODE_WRITE)
        return FAULT_WRITE;
    return code & FAULT_CODE_FETCH ? FAULT_EXEC : FAULT_READ;
}

/* The mapping at or above addr, for the log line; "" when there is none. */
static const char *describe_vma(struct mm *mm, vaddr_t addr, char *buf, size_t size)
{
    vaddr_t at = addr;
    int n = mm_maps_line(mm, &at, buf, size);
    if (n <= 0)
        return "no mapping there or above";
    size_t length = strnlen(buf, size);
    if (length && buf[length - 1] == '\n')
        buf[length - 1] = '\0';
    return buf;
}

NORETURN static void end_by_fault(u32 signal, vaddr_t addr, const char *access, const char *why,
                                  vaddr_t ip)
{
    struct proc *proc = proc_current();
    char line[256];
    const char *vma = describe_vma(proc->mm, addr, line, sizeof(line));
    printk("%s (process %u): %s at %#lx (%s, %s), ip %#lx; mapping there or next above: %s\n",
           proc->name, proc->pid, signal_name(signal), (unsigned long)addr, access, why,
           (unsigned long)ip, vma);
    proc_exit_signal(signal);
}

static void refuse_fault(enum fault_result result, struct trap_frame *frame, vaddr_t addr,
                         enum fault_access access)
{
    static const char *const access_names[] = {"read", "write", "fetch"};
    const char *name = access_names[access];
    switch (result) {
    case FAULT_ACCERR:
        end_by_fault(SIGSEGV, addr, name, "the mapping does not allow it", frame->rip);
    case FAULT_BUSERR:
        end_by_fault(SIGBUS, addr, name, "past the end of the file", frame->rip);
    case FAULT_OOM:
        end_by_fault(SIGKILL, addr, name, "out of memory", frame->rip);
    default:
        end_by_fault(SIGSEGV, addr, name, "no mapping", frame->rip);
    }
}

bool upcall_user_fault(struct trap_frame *frame, vaddr_t addr, u32 error_code)
{
    struct proc *proc = proc_current();
    enum fault_access access = fault_access(error_code);
    enum fault_result result = FAULT_MAPERR;
    if (proc && proc->mm && addr < USER_END) {
        result = mm_fault(proc->mm, addr, access);
        proc->usage.faults++;
    }
    if (result == FAULT_DONE || result == FAULT_RETRY)
        return true;
    if (trap_from_user_mode(frame))
        refuse_fault(result, frame, addr, access);
    if (result ==
        FAULT_OOM) { /* the copy fails with EFAULT, and the program ends before it could see that */
        printk("%s (process %u): out of memory in a system call at %#lx\n", proc->name, proc->pid,
               (unsigned long)addr);
        signal_send(proc, SIGKILL);
    }
    return false;
}

void upcall_user_exception(struct trap_frame *frame, u32 vector)
{
    u32 signal;
    switch (vector) {
    case TRAP_DIVIDE:
    case TRAP_X87:
    case TRAP_SIMD:
        signal = SIGFPE;
        break;
    case TRAP_DEBUG:
    case TRAP_BREAKPOINT:
        signal = SIGTRAP;
        break;
    case TRAP_INVALID_OPCODE:
        signal = SIGILL;
        break;
    case TRAP_ALIGNMENT:
    case 11: /* segment not present */
    case 12: /* stack segment: a non-canonical stack address */
        signal = SIGBUS;
        break;
    default: /* general protection: a privileged instruction, a non-canonical address */
        signal = SIGSEGV;
    }
    vaddr_t addr = signal == SIGSEGV || signal == SIGBUS ? 0 : frame->rip;
    end_by_fault(signal, addr, "exception", trap_name(vector), frame->rip);
}
