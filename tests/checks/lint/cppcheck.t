#!/usr/bin/env bash
# cppcheck finds no mistake in the kernel and the programs.
. "$(dirname "$0")/../tap.sh"
command -v cppcheck >/dev/null || skip_all "cppcheck is not installed"

# Findings of style are left out: clang-format and the reader judge that. Suppressed are what GNU C allows (arithmetic
# on void *), what linker.ld makes true (the begin and the end of a section are one object), and a list of names
# that cppcheck does not expand; and what it takes for reading what memcpy and radix.c are about to write.
check() {
    cppcheck --quiet --error-exitcode=1 --std=c11 --platform=unix64 --enable=warning,portability --inline-suppr \
        --suppress=missingInclude --suppress=missingIncludeSystem --suppress=unknownMacro \
        --suppress=comparePointers --suppress=arithOperationsOnVoidPointer --suppress=syntaxError:lib/abi/signal.h --suppress=ctuuninitvar --suppress=uninitvar:lib/radix.c -I. \
        -DCONFIG_CHECK=1 "-DLAYOUT_HEADER=\"kernel/mm/layout/$LAYOUT.h\"" -D__x86_64__ "$@"
}
passes "boot, lib and kernel" check boot lib kernel
passes "user" check user
finish
