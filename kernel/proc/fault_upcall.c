/*
 * fault_upcall.c: page faults and other exceptions of user programs, turned over to mm and, where mm says no, into the end of
 * the program with one line in the log that says what happened where.
 *
 *      crash (process 1): SIGSEGV at 0x0 (write, no mapping), ip 0x401136; above it: 00400000-00401000 r--p ... /bin/crash
 */
#include "kernel/core/printk.h"
#include "kernel/core/upcall.h"
#include "kernel/fs/proc_maps.h"
#include "kernel/proc/proc.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/context.h"
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
    int n = proc_maps_line(mm, &at, buf, size);
    if (n <= 0)
        return "no mapping there or above";
    size_t length = strnlen(buf, size);
    if (length && buf[length - 1] == '\n')
        buf[length - 1] = '\0';
    return buf;
}

static void record(u32 vector, u64 error, vaddr_t addr)
{
    struct signals *s = &proc_current()->signals;
    s->fault_vector = vector;
    s->fault_error = error;
    s->fault_addr = addr;
}

/* Why a program is about to end: an access to memory. */
static void log_fault(u32 signal, vaddr_t addr, const char *access, const char *why, vaddr_t ip)
{
    struct proc *proc = proc_current();
    char line[256];
    const char *vma = describe_vma(proc->mm, addr, line, sizeof(line));
    printk("%s (process %u): %s at %#lx (%s, %s), ip %#lx; mapping there or next above: %s\n",
           proc->name, proc->pid, signal_name((int)signal), (unsigned long)addr, access, why,
           (unsigned long)ip, vma);
}

static void refuse_fault(enum fault_result result, struct trap_frame *frame, vaddr_t addr,
                         enum fault_access access)
{
    static const char *const access_names[] = {"read", "write", "fetch"};
    struct abi_siginfo info = {.signo = SIGSEGV, .code = SEGV_MAPERR, .addr = addr};
    const char *why = "no mapping";
    /* A program may not learn what the kernel has mapped. */
    u64 hide = addr >= USER_END ? FAULT_CODE_PRESENT : 0;
    record(TRAP_PAGE_FAULT, frame->error | hide, addr);
    switch (result) {
    case FAULT_ACCERR:
        info.code = SEGV_ACCERR;
        why = "the mapping does not allow it";
        break;
    case FAULT_BUSERR:
        info.signo = SIGBUS;
        info.code = BUS_ADRERR;
        why = "past the end of the file";
        break;
    case FAULT_OOM:
        signal_send(proc_current(), SIGKILL);
        return;
    case FAULT_ALLOWED:
        info.code = SEGV_ACCERR;
        why = "allowed, but the CPU refuses it for ever";
        break;
    default:
        break;
    }
    if (signal_force(&info))
        log_fault((u32)info.signo, addr, access_names[access], why, frame->rip);
}

bool upcall_user_fault(struct trap_frame *frame, vaddr_t addr, u32 error_code)
{
    struct proc *proc = proc_current();
    enum fault_access access = fault_access(error_code);
    enum fault_result result = FAULT_MAPERR;
    if (proc && proc->mm && addr < USER_END) {
        result = mm_fault(proc->mm, addr, access);
        if (unlikely(result == FAULT_OOM))
            result = oom_fault(proc->mm, addr, access);
        proc->usage.faults++;
    }
    bool stuck = proc && fault_watch(&proc->signals.fault_watch, frame->rip, addr, access,
                                     result == FAULT_ALLOWED);
    if (result == FAULT_DONE || result == FAULT_RETRY || (result == FAULT_ALLOWED && !stuck))
        return true;
    if (trap_from_user_mode(frame)) {
        refuse_fault(result, frame, addr, access);
        return true;
    }
    if (result ==
        FAULT_OOM) /* the copy fails with EFAULT, and the program ends before it could see that */
        signal_send(proc, SIGKILL);
    return false;
}

/* Which floating-point exception it was; the first of Linux's order counts. */
static s32 fpe_code(bool simd)
{
    enum { INVALID = 1, DENORMAL = 2, DIVISION = 4, OVERFLOW = 8, UNDERFLOW = 16, PRECISION = 32 };
    u32 raised = fpu_exceptions(simd);
    if (raised & INVALID)
        return FPE_FLTINV;
    if (raised & DIVISION)
        return FPE_FLTDIV;
    if (raised & OVERFLOW)
        return FPE_FLTOVF;
    if (raised & (DENORMAL | UNDERFLOW))
        return FPE_FLTUND;
    return raised & PRECISION ? FPE_FLTRES : SI_KERNEL;
}

/* signo, code and address of an exception, as Linux tells them. */
static struct abi_siginfo exception_info(const struct trap_frame *frame, u32 vector)
{
    u64 ip = frame->rip;
    switch (vector) {
    case TRAP_DIVIDE:
        return (struct abi_siginfo){.signo = SIGFPE, .code = FPE_INTDIV, .addr = ip};
    case TRAP_X87:
    case TRAP_SIMD:
        return (struct abi_siginfo){
            .signo = SIGFPE, .code = fpe_code(vector == TRAP_SIMD), .addr = ip};
    case TRAP_DEBUG: /* the trace flag, or INT1 */
        return (struct abi_siginfo){.signo = SIGTRAP,
                                    .code = frame->rflags & RFLAGS_TF ? TRAP_TRACE : TRAP_HWBKPT,
                                    .addr = ip};
    case TRAP_BREAKPOINT:
        return (struct abi_siginfo){.signo = SIGTRAP, .code = SI_KERNEL};
    case TRAP_INVALID_OPCODE:
        return (struct abi_siginfo){.signo = SIGILL, .code = ILL_ILLOPN, .addr = ip};
    case TRAP_ALIGNMENT:
        return (struct abi_siginfo){.signo = SIGBUS, .code = BUS_ADRALN};
    case TRAP_NO_SEGMENT:
    case TRAP_STACK_SEGMENT: /* a stack address that is not canonical */
        return (struct abi_siginfo){.signo = SIGBUS, .code = SI_KERNEL};
    default: /* general protection: a privileged instruction, an address that is not canonical */
        return (struct abi_siginfo){.signo = SIGSEGV, .code = SI_KERNEL};
    }
}

void upcall_user_exception(struct trap_frame *frame, u32 vector)
{
    struct abi_siginfo info = exception_info(frame, vector);
    record(vector, frame->error, proc_current()->signals.fault_addr);
    struct proc *proc = proc_current();
    if (signal_force(&info))
        printk("%s (process %u): %s (%s), ip %#lx\n", proc->name, proc->pid,
               signal_name(info.signo), trap_name(vector), (unsigned long)frame->rip);
}
