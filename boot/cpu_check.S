/*
 * cpu_check.S: does this CPU have what the kernel cannot do without? In 32-bit code, since an old
 * CPU has no other.
 *
 * What is missing is named on the console (COM1) and in the log (COM2), and the machine is ended
 * with the record "panic Fathom needs ..." on the result channel (COM4), as any panic is. Ports:
 * docs/memory-map.md.
 */
#define COM1 0x3f8
#define COM2 0x2f8
#define COM4 0x2e8
#define UART_LINE_STATUS 5
#define UART_SENT 0x20
#define EXIT_PORT 0xf4
#define ACPI_POWER_PORT 0x604           /* PM1a control of QEMU's chip sets */
#define ACPI_POWER_OFF 0x2000
#define EFLAGS_ID (1 << 21)

        .section .boot.text, "ax"
        .code32
        .globl boot_check_cpu
/* Returns when all is there. Clobbers all but ESP. */
boot_check_cpu:
        movl    $boot_message_text, %edi
        movl    $boot_text_needs, %esi
        call    append
        xorl    %ebp, %ebp              /* how much is missing */
        movl    $boot_name_cpuid, %esi
        pushfl                          /* a CPU has CPUID if EFLAGS.ID can be changed */
        popl    %eax
        movl    %eax, %ecx
        xorl    $EFLAGS_ID, %eax
        pushl   %eax
        popfl
        pushfl
        popl    %eax
        xorl    %ecx, %eax
        testl   $EFLAGS_ID, %eax
        jz      missing_last

        pushl   %edi
        movl    $1, %eax
        cpuid
        pushl   %edx                    /* features */
        xorl    %edx, %edx
        movl    $0x80000000, %eax
        cpuid
        xorl    %edx, %edx
        cmpl    $0x80000001, %eax
        jb      1f
        movl    $0x80000001, %eax
        cpuid
1:      popl    %eax                    /* EAX: leaf 1, EDX: leaf 0x80000001 */
        popl    %edi
        movl    $boot_needs, %ebx
2:      movl    (%ebx), %ecx            /* bit of leaf 1 */
        andl    %eax, %ecx
        movl    4(%ebx), %esi           /* bit of leaf 0x80000001 */
        andl    %edx, %esi
        orl     %esi, %ecx
        jnz     3f
        movl    8(%ebx), %esi
        incl    %ebp
        call    append
3:      addl    $12, %ebx
        cmpl    $boot_needs_end, %ebx
        jb      2b
        testl   %ebp, %ebp
        jnz     stop
        ret

missing_last:
        call    append
stop:
        movl    $boot_text_end, %esi
        call    append
        movl    $boot_message_text, %esi
        movl    $COM1, %edx
        call    send
        movl    $boot_message_text, %esi
        movl    $COM2, %edx
        call    send
        movl    $boot_message, %esi
        movl    $COM4, %edx
        call    send
        movl    $EXIT_PORT, %edx
        xorl    %eax, %eax
        outl    %eax, %dx
        movl    $ACPI_POWER_PORT, %edx
        movl    $ACPI_POWER_OFF, %eax
        outw    %ax, %dx
4:      hlt
        jmp     4b

/* Append the string at ESI at EDI, and end it there. Clobbers ECX. */
append:
        movb    (%esi), %cl
        movb    %cl, (%edi)
        testb   %cl, %cl
        jz      5f
        incl    %esi
        incl    %edi
        jmp     append
5:      ret

/* Send the string at ESI to the port at EDX, not waiting for ever. Clobbers EAX, ECX, ESI. */
send:
        movl    $0x10000, %ecx
6:      addl    $UART_LINE_STATUS, %edx
        inb     %dx, %al
        subl    $UART_LINE_STATUS, %edx
        testb   $UART_SENT, %al
        jnz     7f
        loop    6b
7:      lodsb
        testb   %al, %al
        jz      8f
        outb    %al, %dx
        jmp     send
8:      ret

        .balign 4
/* bit of CPUID 1.EDX, bit of CPUID 0x80000001.EDX (one of the two), name */
boot_needs:
        .long   1 << 0, 0, boot_name_fpu
        .long   1 << 3, 0, boot_name_pse
        .long   1 << 4, 0, boot_name_tsc
        .long   1 << 5, 0, boot_name_msr
        .long   1 << 6, 0, boot_name_pae
        .long   1 << 8, 0, boot_name_cx8
        .long   1 << 13, 0, boot_name_pge
        .long   1 << 15, 0, boot_name_cmov
        .long   1 << 24, 0, boot_name_fxsr
        .long   1 << 26, 0, boot_name_sse2
        .long   0, 1 << 11, boot_name_syscall
        .long   0, 1 << 20, boot_name_nx
        .long   0, 1 << 29, boot_name_lm
boot_needs_end:
boot_name_cpuid:
        .asciz  " CPUID"
boot_name_fpu:
        .asciz  " FPU"
boot_name_pse:
        .asciz  " PSE"
boot_name_tsc:
        .asciz  " TSC"
boot_name_msr:
        .asciz  " MSR"
boot_name_pae:
        .asciz  " PAE"
boot_name_cx8:
        .asciz  " CMPXCHG8B"
boot_name_pge:
        .asciz  " PGE"
boot_name_cmov:
        .asciz  " CMOV"
boot_name_fxsr:
        .asciz  " FXSR"
boot_name_sse2:
        .asciz  " SSE2"
boot_name_syscall:
        .asciz  " SYSCALL"
boot_name_nx:
        .asciz  " NX"
boot_name_lm:
        .asciz  " LONG-MODE"
boot_text_needs:
        .asciz  "Fathom needs a 64-bit CPU; this one lacks:"
boot_text_end:
        .asciz  "\n"
boot_message:                           /* the record; the text behind "panic " is for people */
        .ascii  "panic "
boot_message_text:
        .skip   160

        .section .note.GNU-stack, "", @progbits
