#!/usr/bin/env bash
# The suites inside the kernel, whose TAP is in the kernel's log; and every way to die on purpose.
. "$(dirname "$0")/../checks/tap.sh"

# Lines of TAP out of the log of one boot, numbered on.
suites() {
    local what=$1 status=0
    shift
    timeout 60 tools/run --timeout 50 --append selftest --log "$SCRATCH/log" "$@" -- /bin/init \
        >"$SCRATCH/said" 2>&1 </dev/null || status=$?
    sed 's/^\[[^]]*\] //' "$SCRATCH/log" >"$SCRATCH/tap"
    grep -q '^1\.\.' "$SCRATCH/tap"
    verdict $? "$what: the suites ran to their end"
    [ $status -eq 0 ]
    verdict $? "$what: status $status"
    grep -q '^ok ' "$SCRATCH/tap" && ! grep -A1 '^not ok' "$SCRATCH/tap" >"$SCRATCH/said"
    verdict $? "$what: $(grep -c '^ok ' "$SCRATCH/tap") tests passed"
}

suites "256 MiB"
suites "64 MiB" --mem 64M

# Every way to die ends in a panic that names the function, and status 126.
crash() {
    local word=$1 text=$2 function=$3 status=0
    timeout 60 tools/run --timeout 50 --append "debug.crash=$word" --log "$SCRATCH/log" -- /bin/init \
        >"$SCRATCH/said" 2>&1 </dev/null || status=$?
    [ $status -eq 126 ] && grep -qF "$text" "$SCRATCH/log" && grep -q "#[0-9 ]* $function+0x" "$SCRATCH/log"
    verdict $? "debug.crash=$word: $text, in $function"
}

crash assert "asked for by debug.crash" crash_now
crash null "write 0 (null pointer)" crash_null
crash stack "kernel stack overflow in thread" crash_recurse
crash divide "divide error in the kernel" crash_divide
crash text "(not writable)" crash_text
crash exec "(not executable)" crash_exec
crash live "live" pt_check

finish
