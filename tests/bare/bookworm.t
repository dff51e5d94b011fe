#!/usr/bin/env bash
# Debian 12, the oldest system that is looked after.
. "$(dirname "$0")/bare.sh"
tools_or_skip
bare bookworm
