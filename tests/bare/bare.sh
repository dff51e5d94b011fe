# bare.sh: a system with nothing on it, made by debootstrap in a directory: clone, `make run </dev/null`, `make check`,
# nothing else. Sourced by tests/bare/*.t, which then call `bare SUITE`. Minutes, network and root are needed, so it
# is part of make check-all only.
#
# The system lives in namespaces of its own: whatever ends this script, its mounts and processes are gone with it.
# FATHOM_MIRROR is the mirror to use. FATHOM_BARE=DIR copies the system in DIR in place of making one.
. "$(dirname "${BASH_SOURCE[0]}")/../checks/tap.sh"
MIRROR=${FATHOM_MIRROR:-http://deb.debian.org/debian}
RUN_SECONDS=300 CHECK_SECONDS=2700

tools_or_skip() {
    [ "${FATHOM_LONG:-}" = 1 ] || skip_all "takes minutes: make check-all"
    [ "$(id -u)" = 0 ] || skip_all "needs root"
    local tool
    for tool in debootstrap unshare chroot git python3; do
        command -v $tool >/dev/null || skip_all "needs $tool"
    done
    unshare --mount --pid --fork true 2>/dev/null || skip_all "this system does not allow namespaces"
    fetch "$MIRROR/dists/bookworm/Release" >/dev/null || skip_all "cannot reach $MIRROR"
}

fetch() { # URL
    timeout 60 "$PYTHON" -c 'import sys, urllib.request
sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1], timeout=30).read())' "$1" 2>/dev/null
}

# The release that the mirror calls stable.
newest_suite() { fetch "$MIRROR/dists/stable/Release" | sed -n 's/^Codename: *//p'; }

# Run a command for at most SECONDS, so that a signal to this script is acted on at once. A shell that waits for a
# command in the foreground acts on no signal; and timeout moves it out of reach of the terminal's Ctrl-C.
CHILD=
limited() { # SECONDS COMMAND...
    timeout --kill-after=5 "$@" </dev/null &
    CHILD=$!
    local status=0
    wait $CHILD || status=$?
    CHILD=
    return $status
}

make_system() { # SUITE: in $ROOT
    if [ -n "${FATHOM_BARE:-}" ]; then
        cp -a "$FATHOM_BARE/." "$ROOT"
        return
    fi
    local script=/usr/share/debootstrap/scripts/$1
    [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
    limited 900 debootstrap --variant=minbase "$1" "$ROOT" "$MIRROR" "$script"
}

# What this system needs to reach the mirror, the other one needs as well.
share_network() {
    cp -L /etc/resolv.conf /etc/hosts "$ROOT/etc/" 2>/dev/null
    grep -l '^ *Acquire' /etc/apt/apt.conf.d/* 2>/dev/null | while read -r file; do
        cp "$file" "$ROOT/etc/apt/apt.conf.d/"
    done
}

clone() { # as a user would; whoever owns this checkout
    printf '[safe]\n\tdirectory = *\n' >"$SCRATCH/.gitconfig"
    HOME=$SCRATCH git clone -q --no-hardlinks "$TOP" "$ROOT/root/fathom here"
}

# enter SECONDS COMMAND: in the system, in the checkout. It is killed with all that it started when it does not end.
enter() {
    limited "$1" unshare --mount --pid --fork --kill-child bash -c '
        mount --make-rprivate / && mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
            mount -t tmpfs tmpfs "$0/tmp" &&
            exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb DEBIAN_FRONTEND=noninteractive \
                ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
                chroot "$0" bash -c "cd \"/root/fathom here\" && $1"' "$ROOT" "$2"
}

shows_table() {
    local start=$SECONDS
    enter $RUN_SECONDS "make run" || return
    local mail
    for mail in "Holt, 2005 .* 536,870,816" "Shutemov, 2015" "Epler, 2001"; do
        grep -q "^$mail" "$SCRATCH/said" || return
    done
    echo "# make run took $((SECONDS - start)) s"
}

# What matters of a long output is its end.
end_of() { # COMMAND...
    local status=0
    "$@" >"$SCRATCH/all" 2>&1 || status=$?
    tail -n 60 "$SCRATCH/all"
    return $status
}

# Nothing may be removed while something of this system is mounted below it; the namespaces see to that, this makes sure.
remove_system() {
    if [ -n "$CHILD" ]; then
        kill "$CHILD"
        wait "$CHILD"
    fi
    if grep -q " $ROOT/" /proc/self/mounts; then
        echo "# $ROOT has mounts and is left" >&2
    else
        rm -rf --one-file-system "$ROOT"
    fi
}

bare() { # SUITE
    ROOT=$(mktemp -d) || exit 1
    trap 'remove_system; rm -rf "$SCRATCH"' EXIT
    trap 'exit 1' INT TERM HUP
    chmod 755 "$ROOT"
    passes "$1: a system with nothing on it" make_system "$1"
    share_network
    passes "$1: a clone, in a directory with a blank in its name" clone
    passes "$1: make is all that is installed" end_of enter 300 "apt-get update -qq && apt-get install -y -qq make"
    passes "$1: make run shows the table within five minutes" shows_table
    grep '^# make run took' "$SCRATCH/said"
    passes "$1: make check" end_of enter $CHECK_SECONDS "make check"
    finish
}
