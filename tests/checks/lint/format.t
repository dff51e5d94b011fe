#!/usr/bin/env bash
# The layout of the code is clang-format's.
. "$(dirname "$0")/../tap.sh"
command -v clang-format >/dev/null || skip_all "clang-format is not installed"

while read -r file; do
    passes "$file" clang-format --dry-run -Werror "$file"
done < <(find boot lib kernel user tests -name '*.[ch]' | sort)
finish
