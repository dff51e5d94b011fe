#!/usr/bin/env bash
# Includes and calls go only rightwards; and the check that says so notices when they do not.
. "$(dirname "$0")/tap.sh"

passes "no include goes against the layers" "$PYTHON" tools/checks/layers.py .
if [ -f "$KERNEL" ]; then
    passes "no symbol is used against the layers" "$PYTHON" tools/checks/layers.py . "build/$LAYOUT" "${CROSS_COMPILE}nm"
fi

mkdir -p "$SCRATCH"/kernel/{mm,fs,core} "$SCRATCH"/user "$SCRATCH"/{boot,lib}
touch "$SCRATCH"/kernel/fs/file.h "$SCRATCH"/kernel/mm/{vma,pt}.h
check() { "$PYTHON" tools/checks/layers.py "$@"; }
echo '#include "kernel/fs/file.h"' >"$SCRATCH"/kernel/mm/a.c
refuses "mm may not include fs" "mm may not use fs" check "$SCRATCH"
echo '#include "kernel/mm/vma.h"' >"$SCRATCH"/kernel/mm/pt.c
refuses "the walk may not know the store" "do not know each other" check "$SCRATCH"
echo '#include "kernel/mm/pt.h"' >"$SCRATCH"/user/a.c
refuses "a program may not include the kernel's headers" "user/a.c" check "$SCRATCH"
echo '#include "pt.h"' >"$SCRATCH"/kernel/mm/b.c
refuses "an include is from the top" "kernel/mm/b.c includes pt.h: is not a path" check "$SCRATCH"

rm "$SCRATCH"/kernel/mm/*.c "$SCRATCH"/user/a.c
echo 'int file_open(void); int go(void); int go(void) { return file_open(); }' >"$SCRATCH"/kernel/mm/a.c
echo 'int file_open(void); int file_open(void) { return 1; }' >"$SCRATCH"/kernel/fs/f.c
for file in mm/a fs/f; do
    mkdir -p "$SCRATCH/out/kernel/${file%/*}"
    "${CROSS_COMPILE}gcc" -c -o "$SCRATCH/out/kernel/$file.c.o" "$SCRATCH/kernel/$file.c"
done
passes "a declaration by hand gets past the includes" check "$SCRATCH"
refuses "but not past the symbols" "uses file_open" check "$SCRATCH" "$SCRATCH/out" "${CROSS_COMPILE}nm"
finish
