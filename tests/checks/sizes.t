#!/usr/bin/env bash
# Files, functions, kernel/mm and the reading path stay small; and the check notices when they do not.
. "$(dirname "$0")/tap.sh"

passes "everything is small" "$PYTHON" tools/checks/sizes.py .

check() { "$PYTHON" tools/checks/sizes.py "$SCRATCH"; }
lines() { for ((i = 0; i < $1; i++)); do echo "    x();"; done; }
mkdir -p "$SCRATCH"/{kernel/mm,boot}
{ echo "static int longest(int a,"; echo "    int b)"; echo "{"; lines 58; echo "}"; } >"$SCRATCH/boot/a.c"
passes "60 lines are enough for a function" check
{ echo "void longest(void)"; echo "{"; lines 59; echo "}"; } >"$SCRATCH/boot/a.c"
refuses "61 are not" "longest has 61 lines" check
lines 451 >"$SCRATCH/boot/a.c"
refuses "a file of 451 lines" "boot/a.c has 451 lines" check
rm "$SCRATCH/boot/a.c"
for ((n = 0; n < 14; n++)); do lines 440 >"$SCRATCH/kernel/mm/f$n.c"; done
refuses "kernel/mm of more than 6,000 lines" "kernel/mm has 6160 lines" check
rm "$SCRATCH"/kernel/mm/*
for n in fault mmap munmap walk zap; do lines 440 >"$SCRATCH/kernel/mm/$n.c"; done
refuses "a reading path of more than 2,000 lines" "the reading path has 2200 lines" check
finish
