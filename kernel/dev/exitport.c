/*
 * exitport.c: the machine's last words and its end.
 *
 *      COM4 (0x2e8)     the record: one line of text
 *      port 0xf4        QEMU's isa-debug-exit: the record is complete
 *      port 0x604       ACPI power-off of QEMU's machines without that device (PM1a control: SLP_EN, S5)
 *      else             halt, for ever
 *
 * Takes no locks and uses nothing that may be broken: panics end here.
 */
#include "kernel/core/upcall.h"
#include "kernel/dev/uart.h"
#include "kernel/x86/asm.h"

enum { PORT_DEBUG_EXIT = 0xf4, PORT_ACPI_PM1A = 0x604, ACPI_SLEEP_S5 = 0x2000 };

void upcall_machine_end(const char *record)
{
    irq_disable();
    uart_drain(UART_COM1);
    uart_drain(UART_COM3);
    if (uart_init(UART_COM4)) {
        for (; *record; record++)
            uart_send(UART_COM4, *record == '\n' ? ' ' : *record);
        uart_send(UART_COM4, '\n');
        uart_drain(UART_COM4);
    }
    outl(PORT_DEBUG_EXIT, 0);
    outw(PORT_ACPI_PM1A, ACPI_SLEEP_S5);
    for (;;)
        cpu_halt();
}
