#!/usr/bin/env bash
# The kernel uses no SSE, MMX, x87 and no red zone; and the check notices each.
. "$(dirname "$0")/tap.sh"
[ -f "$KERNEL" ] || skip_all "$KERNEL is not built"

check() { "$PYTHON" tools/checks/instructions.py "$1" "${CROSS_COMPILE}objdump"; }
passes "$KERNEL is clean" check "$KERNEL"

compile() { # FLAGS... with the source on stdin: an object with enough harmless instructions beside it
    { cat; echo 'int many(volatile int *p); int many(volatile int *p) {'; for ((i = 0; i < 100; i++)); do echo '*p = *p + 1;'; done
        echo 'return *p; }'; } >"$SCRATCH/a.c"
    "${CROSS_COMPILE}gcc" -g -O1 -c -o "$SCRATCH/a.o" "$@" "$SCRATCH/a.c"
}
good=(-mno-red-zone -mcmodel=kernel -fno-pic)
compile "${good[@]}" -mgeneral-regs-only </dev/null
passes "harmless code passes" check "$SCRATCH/a.o"
echo 'double sse(double a); double sse(double a) { return a * a; }' | compile "${good[@]}"
refuses "SSE" "sse: mul" check "$SCRATCH/a.o"
echo 'long double x87(long double a); long double x87(long double a) { return a * a; }' | compile "${good[@]}"
refuses "x87" "x87: f" check "$SCRATCH/a.o"
echo 'void mmx(void); void mmx(void) { asm("paddb %mm0, %mm1"); }' | compile "${good[@]}" -mgeneral-regs-only
refuses "MMX" "mmx: paddb" check "$SCRATCH/a.o"
echo 'void fpu_save(void *p); void fpu_save(void *p) { asm("fxsave (%0)" : : "r"(p)); }' |
    compile "${good[@]}" -mgeneral-regs-only
passes "the switch of the state is free to" check "$SCRATCH/a.o"
echo 'int leaf(int a); int leaf(int a) { volatile int b[4]; b[a & 3] = a; return b[1]; }' |
    compile -mcmodel=kernel -fno-pic -mgeneral-regs-only -fomit-frame-pointer
refuses "a red zone" "leaf: mov" check "$SCRATCH/a.o"
compile -mcmodel=kernel -fno-pic -mgeneral-regs-only </dev/null
refuses "a file that was compiled with a red zone" "compiled without -mno-red-zone" check "$SCRATCH/a.o"
finish
