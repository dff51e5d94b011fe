#!/usr/bin/env bash
# The newest release of Debian that the mirror has.
. "$(dirname "$0")/bare.sh"
tools_or_skip
suite=$(newest_suite)
[ -n "$suite" ] || skip_all "the mirror does not say what is newest"
[ "$suite" != bookworm ] || skip_all "the newest is bookworm, which has a test of its own"
bare "$suite"
