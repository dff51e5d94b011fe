#!/usr/bin/env bash
# What changes is made again, and nothing else: headers, flags, the list of sources; also where paths have spaces.
. "$(dirname "$0")/tap.sh"

# A small kernel beside the real Makefile, so that this takes seconds.
tree="$SCRATCH/a tree"
mkdir -p "$tree"/{boot,lib,kernel/core,kernel/mm/layout,tools}
cp Makefile "$tree"
cp tools/cpio.py "$tree/tools"
cd "$tree" || exit 1
echo '#define LAYOUT_NUMBER 1' | tee kernel/mm/layout/x86_64.h >kernel/mm/layout/other.h
echo '#include "lib/b.h"' >lib/a.h
echo '#define B 1' >lib/b.h
printf '#include "lib/a.h"\nint main_a(void);\nint main_a(void) { return B + CONFIG_CHECK; }\n' >kernel/core/a.c
printf '#include LAYOUT_HEADER\nint main_b(void);\nint main_b(void) { return LAYOUT_NUMBER; }\n' >kernel/core/b.c
printf '#include "lib/b.h"\n.globl start\nstart: .long B\n' >boot/s.S
echo 'SECTIONS {
    . = 1M;
    .all : { *(.text*) *(.data*) *(.bss*) *(.rodata*) }
    .rest 0 : { *(.debug*) *(.got*) *(.igot*) *(.iplt*) *(.rel*) *(.comment) *(.note*) }
}' >linker.ld

# builds WHAT EXPECTED [ARGUMENT...]: `make kernel ARGUMENT...` makes exactly the EXPECTED steps.
builds() {
    local what=$1 expected=$2
    shift 2
    make -j3 kernel "$@" >"$SCRATCH/said" 2>&1
    local status=$? steps
    steps=$(awk '$1 ~ /^(CC|AS|LINK)$/ { print $2 }' "$SCRATCH/said" | sed 's,.*/,,' | sort | tr '\n' ' ')
    echo "steps: $steps expected: $expected" >>"$SCRATCH/said"
    [ $status -eq 0 ] && [ "$steps" = "${expected:+$expected }" ]
    verdict $? "$what"
    sleep 0.05
}

unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES CONFIG_CHECK WERROR LAYOUT
builds "the first time all" "a.c b.c fathom.elf s.S"
builds "then nothing" ""
touch lib/a.h
builds "a header's user" "a.c fathom.elf"
touch lib/b.h
builds "a header's users by way of another header, also in assembly" "a.c fathom.elf s.S"
touch kernel/mm/layout/x86_64.h
builds "the layout's users" "b.c fathom.elf"
touch kernel/core/b.c
builds "a source" "b.c fathom.elf"
touch linker.ld
builds "the linker script" "fathom.elf"
builds "a changed flag" "a.c b.c fathom.elf s.S" CONFIG_CHECK=0
builds "a changed flag, again nothing" "" CONFIG_CHECK=0
builds "and back" "a.c b.c fathom.elf s.S"
builds "WERROR" "a.c b.c fathom.elf s.S" WERROR=1
builds "another layout has a place of its own" "a.c b.c fathom.elf s.S" LAYOUT=other WERROR=1
builds "and leaves the first alone" "" WERROR=1
cp kernel/core/a.c kernel/core/c.c && sed -i s/main_a/main_c/g kernel/core/c.c
builds "a new source" "c.c fathom.elf" WERROR=1
rm kernel/core/c.c
builds "a source that went" "fathom.elf" WERROR=1
sed -i 's,"lib/b.h","lib/c.h",' lib/a.h boot/s.S && mv lib/b.h lib/c.h
builds "a header that went" "a.c fathom.elf s.S" WERROR=1
refuses "a layout that is not there" 'no layout "vax"' make kernel LAYOUT=vax
refuses "a compiler that is not there" "nowhere-gcc is missing" make kernel CROSS_COMPILE=nowhere-
finish
