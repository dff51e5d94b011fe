#!/usr/bin/env bash
# Every header compiles alone, and twice, with the kernel's flags.
. "$(dirname "$0")/tap.sh"

flags=(-std=gnu11 -ffreestanding -mgeneral-regs-only -mcmodel=kernel -fno-pic -Wall -Wextra -Werror -I.
    -DCONFIG_CHECK=1 "-DLAYOUT_HEADER=\"kernel/mm/layout/$LAYOUT.h\"")
# A header of assembler macros is read as assembly, once.
alone() {
    local text="#include \"$1\"" language=(-fsyntax-only -xc)
    if grep -qE '^[[:space:]]*\.macro' "$1"; then
        language=(-c -o "$SCRATCH/alone.o" -xassembler-with-cpp)
    else
        text+=$'\n'$text
    fi
    "${CROSS_COMPILE}gcc" "${flags[@]}" "${language[@]}" - <<<"$text" >"$SCRATCH/said" 2>&1
}

for header in $(find boot lib kernel -name '*.h' | sort); do
    alone "$header"
    verdict $? "$header"
done
finish
