/*
 * clock.c: time from the TSC, which is measured once against the 8254 timer (PIT), and the tick
 * from the PIT.
 *
 *      ns since boot = (TSC - first TSC) * ns_per_cycle >> 32
 *
 * PIT channel 2 counts once down from a start value and its output can be read at port 0x61, so no
 * interrupt is needed to measure. Channel 0 gives the tick. The wall clock is read from the CMOS
 * once; it is taken to run in UTC, as QEMU's does. Intel 8254 and Motorola MC146818 data sheets.
 */
#include "kernel/x86/clock.h"

#include "kernel/core/printk.h"
#include "kernel/core/time.h"
#include "kernel/x86/asm.h"
#include "kernel/x86/cpu.h"
#include "kernel/x86/irq.h"

enum {
    PIT_HZ = 1193182,
    PIT_CHANNEL0 = 0x40,
    PIT_CHANNEL2 = 0x42,
    PIT_COMMAND = 0x43,
    PIT_CHANNEL0_RATE = 0x34,     /* channel 0, two bytes, mode 2 */
    PIT_CHANNEL2_ONE_SHOT = 0xb0, /* channel 2, two bytes, mode 0 */
    SPEAKER = 0x61, /* bit 0: gate of channel 2, 1: loudspeaker, 5: output of channel 2 */
    MEASURE_COUNT = PIT_HZ / 100,
    MEASURE_RUNS = 3,
    CMOS_INDEX = 0x70,
    CMOS_DATA = 0x71,
};

static const u64 NS = 1000000000ul;

static u64 first_tsc;
static u64 ns_per_cycle; /* times 2^32; 0: not measured yet */
static u64 wall_at_boot;
static u32 khz;

u64 time_ns(void)
{
    if (!ns_per_cycle)
        return 0;
    return (u64)((unsigned __int128)(rdtsc() - first_tsc) * ns_per_cycle >> 32);
}

u64 time_wall_ns(void)
{
    return wall_at_boot + time_ns();
}

/* TSC cycles while channel 2 counts MEASURE_COUNT; 0 when it never ends. */
static u64 measure(void)
{
    outb(SPEAKER, (u8)((inb(SPEAKER) & ~2u) | 1));
    outb(PIT_COMMAND, PIT_CHANNEL2_ONE_SHOT);
    outb(PIT_CHANNEL2, MEASURE_COUNT & 0xff);
    outb(PIT_CHANNEL2, MEASURE_COUNT >> 8);
    u64 start = rdtsc();
    for (u32 tries = 0; !(inb(SPEAKER) & 0x20); tries++) {
        if (tries == 100000000)
            return 0;
    }
    return rdtsc() - start;
}

static u8 cmos(u8 index)
{
    outb(CMOS_INDEX, index);
    return inb(CMOS_DATA);
}

/* Second, minute, hour, day, month, year as the chip has them. */
static void cmos_read(u8 out[6])
{
    static const u8 index[6] = {0, 2, 4, 7, 8, 9};
    for (u32 tries = 0; (cmos(10) & 0x80) && tries < 100000; tries++) /* an update is going on */
        cpu_relax();
    for (int i = 0; i < 6; i++)
        out[i] = cmos(index[i]);
}

/* Days from 1970-01-01 to a day of the proleptic Gregorian calendar; years from March, so leap days
 * come last. */
static u64 days_since_1970(u64 year, u64 month, u64 day)
{
    u64 y = month <= 2 ? year - 1 : year;
    u64 m = (month + 9) % 12;
    u64 day_of_year = (153 * m + 2) / 5 + day - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

static u64 wall_clock_ns(void)
{
    u8 a[6], b[6];
    bool same = false;
    for (int tries = 0; !same && tries < 10;
         tries++) { /* until it did not change while it was read */
        cmos_read(a);
        cmos_read(b);
        same = true;
        for (int i = 0; i < 6; i++)
            same &= a[i] == b[i];
    }
    u8 format = cmos(11);
    bool pm = a[2] & 0x80;
    a[2] &= 0x7f;
    for (int i = 0; i < 6 && !(format & 4); i++)
        a[i] = (u8)((a[i] >> 4) * 10 + (a[i] & 15));
    if (!(format & 2)) /* 12 hours */
        a[2] = (u8)(a[2] % 12 + (pm ? 12 : 0));
    u64 days = days_since_1970(2000 + a[5], a[4], a[3]);
    return (((days * 24 + a[2]) * 60 + a[1]) * 60 + a[0]) * NS;
}

void clock_init(void)
{
    u64 best = 0; /* the shortest run is the one that was least disturbed */
    first_tsc = rdtsc();
    for (int i = 0; i < MEASURE_RUNS; i++) {
        u64 cycles = measure();
        if (cycles && (!best || cycles < best))
            best = cycles;
    }
    if (!best) {
        printk("warning: the timer does not count; taking the TSC for 1 GHz\n");
        best = NS * MEASURE_COUNT / PIT_HZ;
    }
    u64 hz = best * PIT_HZ / MEASURE_COUNT;
    ns_per_cycle = (NS << 32) / hz;
    wall_at_boot = wall_clock_ns() - time_ns();
    khz = (u32)(hz / 1000);
    printk("clock: TSC %u kHz\n", khz);
}

u32 clock_khz(void)
{
    return khz;
}

void clock_start_tick(void)
{
    u32 count = PIT_HZ / TICK_HZ;
    outb(PIT_COMMAND, PIT_CHANNEL0_RATE);
    outb(PIT_CHANNEL0, (u8)count);
    outb(PIT_CHANNEL0, (u8)(count >> 8));
    irq_line_enable(IRQ_TIMER);
}
