#!/usr/bin/env bash
# Words that do not belong; and the check notices them.
. "$(dirname "$0")/tap.sh"

passes "no word is out of place" "$PYTHON" tools/checks/words.py .

check() { "$PYTHON" tools/checks/words.py "$SCRATCH"; }
mkdir -p "$SCRATCH"/kernel/{mm,x86}
bad() { # text, what the check says
    echo "$1" >"$SCRATCH/kernel/mm/a.c"
    refuses "$1" "$2" check
}
bad "/* TO""DO: all */" "unfinished"
bad "int x; /* XX""X */" "unfinished"
bad "int x; " "blanks"
bad "	int x;" "tab"
bad 'asm volatile("nop");' "assembly"
bad "u64 n = 4096u;" "layout"
bad "if (x & 0xfff)" "layout"
bad "/* as fs/name""i.c does */" "no file"
bad "/* nam""ei.c */" "no file"
mkdir -p "$SCRATCH/docs"
echo "int x; /* a.c and mm/a.c are here */" >"$SCRATCH/kernel/mm/a.c"
printf 'text\n\nOUTPUT_OF_IT\n' >"$SCRATCH/docs/a.md"
refuses "a place without its text" "still to be put" check
printf 'text with A_NAME in it\n' >"$SCRATCH/docs/a.md"
passes "names of files and words in capitals" check
cat >"$SCRATCH/kernel/mm/a.c" <<'END'
/* 4096 in a comment, asm in a comment */
const char *s = "4096 asm";
END
echo 'asm volatile("nop" : : "r"(4096));' >"$SCRATCH/kernel/x86/a.c"
passes "comments, strings and kernel/x86 are free" check
finish
