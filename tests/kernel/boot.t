#!/usr/bin/env bash
# Machines that the launcher does not make: CPUs that will not do or lack protections, too little memory, no port for
# the log. QEMU is run by hand here, the channels are files.
. "$(dirname "$0")/../checks/tap.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not there"
[ -f "$KERNEL" ] || skip_all "$KERNEL is not built"

# boot APPEND OPTION...: $SCRATCH/{console,log,record} afterwards.
boot() {
    local append=$1
    shift
    rm -f "$SCRATCH"/{console,log,record}
    timeout 60 qemu-system-x86_64 -machine pc -m 128M -display none -no-reboot -nodefaults -kernel "$KERNEL" \
        -append "$append" -serial "file:$SCRATCH/console" -serial "file:$SCRATCH/log" -serial null \
        -serial "file:$SCRATCH/record" -device isa-debug-exit,iobase=0xf4,iosize=4 "$@" \
        >"$SCRATCH/said" 2>&1 </dev/null
}

# refused WHAT TEXT OPTION...: the machine ends at once and says TEXT on console, log and result channel.
refused() {
    local what=$1 text=$2 status=0
    shift 2
    boot selftest "$@"
    [ "$(cat "$SCRATCH/record")" = "panic $text" ] && grep -qF "$text" "$SCRATCH/console" "$SCRATCH/log" &&
        [ "$(grep -cF "$text" "$SCRATCH/console")" = 1 ] && ! grep -q '#0' "$SCRATCH/log"
    verdict $? "$what: $text"
}

# runs WHAT OPTION...: the kernel's own suites pass.
runs() {
    local what=$1
    shift
    boot selftest "$@"
    [ "$(cat "$SCRATCH/record")" = "exit 0" ]
    verdict $? "$what"
}

lacks="Fathom needs a 64-bit CPU; this one lacks:"
refused "32-bit CPU" "$lacks SYSCALL NX LONG-MODE" -cpu qemu32
refused "Pentium III" "$lacks SSE2 SYSCALL NX LONG-MODE" -cpu pentium3
refused "no NX" "$lacks NX" -cpu qemu64,nx=off
refused "no SSE2" "$lacks SSE2" -cpu qemu64,sse2=off
refused "32 MiB" "Fathom needs 64 MiB of memory; this machine has 32 MiB" -m 32M
refused "63 MiB" "Fathom needs 64 MiB of memory; this machine has 63 MiB" -m 63M

runs "64 MiB" -m 64M
runs "5 GiB, with a hole below 4 GiB" -m 5G
runs "the oldest 64-bit CPU, without SMEP, SMAP and UMIP" -cpu qemu64
[ "$(grep -cE 'warning: this CPU has no (SMEP|SMAP|UMIP); going on without' "$SCRATCH/log")" = 3 ]
verdict $? "which are reported"
runs "every feature that QEMU has, 1 GiB pages too" -cpu max
! grep -q warning "$SCRATCH/log"
verdict $? "and nothing to warn of"
runs "another chip set" -machine q35
runs "a second CPU, which stays parked" -smp 2

# Only the result channel: no console, no log.
rm -f "$SCRATCH/record"
timeout 60 qemu-system-x86_64 -machine pc -m 128M -display none -no-reboot -nodefaults -kernel "$KERNEL" -append selftest \
    -chardev "file,id=r,path=$SCRATCH/record" -device isa-serial,chardev=r,iobase=0x2e8,irq=3 \
    -device isa-debug-exit,iobase=0xf4,iosize=4 >"$SCRATCH/said" 2>&1 </dev/null
[ "$(cat "$SCRATCH/record")" = "exit 0" ]
verdict $? "no serial port for the log"

boot "debug.crash=nonsense selftest"
grep -qF "debug.crash=nonsense refused: give one of: none assert" "$SCRATCH/log"
verdict $? "a bad value of a knob is refused, and the good ones are listed"
boot "no.such=1 selftest"
[ "$(grep -c 'unknown option no.such=1' "$SCRATCH/log")" = 1 ]
verdict $? "an unknown option is reported once"

finish
