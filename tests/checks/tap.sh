# tap.sh: assertions for the checks, printed as TAP. Sourced by tests/checks/**/*.t; moves to the top of the checkout.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
TOP=$PWD
SCRATCH=$(mktemp -d) || exit 1
trap 'rm -rf "$SCRATCH"' EXIT
PYTHON=${PYTHON:-python3} LAYOUT=${LAYOUT:-x86_64}
KERNEL=build/$LAYOUT/fathom.elf
export PYTHONDONTWRITEBYTECODE=1
if [ -z "${CROSS_COMPILE+set}" ]; then
    CROSS_COMPILE=$(for p in x86_64-elf- x86_64-linux-gnu-; do command -v "${p}gcc" >/dev/null && echo "$p" && break; done)
fi
tests=0 failures=0

# verdict STATUS WHAT: one line of TAP; on failure what the command said (in $SCRATCH/said) follows.
verdict() {
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests - $2"
    else
        failures=$((failures + 1))
        echo "not ok $tests - $2"
        head -n 60 "$SCRATCH/said" | sed 's/^/# /'
    fi
}

# passes WHAT COMMAND...: the command ends with status 0.
passes() {
    local what=$1 status=0
    shift
    "$@" >"$SCRATCH/said" 2>&1 </dev/null || status=$?
    verdict $status "$what"
}

# refuses WHAT TEXT COMMAND...: the command fails, and says TEXT.
refuses() {
    local what=$1 text=$2 status=0
    shift 2
    "$@" >"$SCRATCH/said" 2>&1 </dev/null || status=$?
    if [ $status -ne 0 ] && grep -qF -- "$text" "$SCRATCH/said"; then verdict 0 "$what"; else verdict 1 "$what"; fi
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

finish() {
    echo "1..$tests"
    [ $failures -eq 0 ]
    exit
}
