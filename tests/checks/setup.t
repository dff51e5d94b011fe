#!/usr/bin/env bash
# The set-up: what is missing is named with a reason and installed, or listed where that cannot be done.
. "$(dirname "$0")/tap.sh"

# A system in a directory: only the commands that are linked here exist.
bin=$SCRATCH/bin
mkdir "$bin"
for command in sh env sed sort head uname cat cut grep id printf test echo dirname; do
    path=$(type -P "$command") && ln -s "$path" "$bin/$command"
done
fake() { # NAME, with its shell script on stdin
    { echo '#!/bin/sh'; cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}
setup() { env -i PATH="$bin" HOME="$SCRATCH" SCRATCH="$SCRATCH" BOOT="${BOOT:-}" sh tools/setup "$@"; }

compiler() { echo 'case $1 in -print-file-name=*) echo "/lib/${1#*=}" ;; -dumpfullversion) echo 12.2.0 ;; -dumpmachine) echo x86_64-linux-gnu ;; esac'; }
tool() { echo "echo '$1 (of a kind) version $2'"; }
compiler | fake gcc
compiler | fake x86_64-linux-gnu-gcc
tool "GNU Make" 4.3 | fake make
tool Python 3.11.2 | fake python3
tool "QEMU emulator" 7.2.0 | fake qemu-system-x86_64
for name in prove perl musl-gcc clang-format cppcheck xorriso mformat busybox bash-static; do tool $name 20 | fake $name; done
tool "grub-mkrescue (GRUB)" 2.06-13 | fake grub-mkrescue
for platform in i386-pc x86_64-efi; do
    mkdir -p "$SCRATCH/lib/grub/$platform"
    : >"$SCRATCH/lib/grub/$platform/multiboot2.mod"
done

passes "nothing is missing: status 0" setup check
verdict "$([ ! -s "$SCRATCH/said" ]; echo $?)" "and not a word"
passes "doctor: status 0" setup doctor
verdict "$(grep -q '^QEMU .*7\.2\.0 .*7\.2 .*qemu-system-x86 .*ok' "$SCRATCH/said"; echo $?)" "doctor shows versions and packages"
verdict "$(grep -q '^GRUB .*2\.06 .*grub-common .*ok' "$SCRATCH/said"; echo $?)" "GRUB too"
tool "QEMU emulator" 6.2.0 | fake qemu-system-x86_64
refuses "doctor: a version that is too old" "too old" setup doctor

rm "$bin/qemu-system-x86_64" "$bin/cppcheck"
refuses "doctor: a tool that is missing" "missing" setup doctor
refuses "without apt-get: the list, and status 1" "qemu-system-x86: QEMU (is the machine that Fathom runs on)" setup run
verdict "$(! grep -q cppcheck "$SCRATCH/said"; echo $?)" "only what this target needs"
refuses "lint needs cppcheck" "cppcheck" setup lint

# Without GRUB there is still something to do.
mv "$bin/mformat" "$SCRATCH/mformat"
tool "QEMU emulator" 7.2.0 | fake qemu-system-x86_64
tool cppcheck 20 | fake cppcheck
refuses "without mtools: run names the package" "mtools: mtools" setup run
verdict "$(grep -q 'make run BOOT=pvh' "$SCRATCH/said"; echo $?)" "and what to do without it"
passes "check goes on" setup check
verdict "$(grep -q 'tests that need them are skipped' "$SCRATCH/said"; echo $?)" "and says what is skipped"
export BOOT=pvh
passes "BOOT=pvh does not need it" setup run
verdict "$([ ! -s "$SCRATCH/said" ]; echo $?)" "and does not speak of it"
unset BOOT
passes "doctor: status 0" setup doctor
verdict "$(grep -q '^mtools .*missing' "$SCRATCH/said" && grep -q 'BOOT=pvh does without' "$SCRATCH/said"; echo $?)" \
    "but it is shown"
rm "$bin/qemu-system-x86_64"

# An apt-get that knows QEMU's package only after an update, and writes down what it was asked.
fake apt-get <<'END'
echo "$*" >>"$SCRATCH/asked"
case "$*" in
update*) : >"$SCRATCH/updated" ;;
*install*)
    [ -f "$SCRATCH/updated" ] || exit 100
    case " $* " in *" -s "*) exit 0 ;; esac
    printf '#!/bin/sh\necho "QEMU emulator version 7.2.0"\n' >"${0%/*}/qemu-system-x86_64"
    /bin/chmod +x "${0%/*}/qemu-system-x86_64" ;;
esac
END
echo 'echo 1000' | { rm "$bin/id"; fake id; }
refuses "neither root nor sudo: the command to type, and status 1" "apt-get install qemu-system-x86" setup run
verdict "$([ ! -f "$SCRATCH/asked" ]; echo $?)" "and nothing is tried"

mv "$SCRATCH/mformat" "$bin/mformat"
fake sudo <<'END'
case $1 in -n) exit 0 ;; esac
echo "as root" >>"$SCRATCH/asked"
exec "$@"
END
passes "with sudo it is installed" setup run
verdict "$(grep -q 'is the machine that Fathom runs on' "$SCRATCH/said"; echo $?)" "it says what and why"
verdict "$(grep -q 'update' "$SCRATCH/asked"; echo $?)" "the list of packages was fetched, because it was needed"
verdict "$(grep -q 'install.* -y.* qemu-system-x86$' "$SCRATCH/asked"; echo $?)" "without questions"

rm "$SCRATCH/asked" "$bin/sudo" "$bin/qemu-system-x86_64"
echo 'echo 0' | fake id
passes "as root it is installed" setup run
verdict "$(! grep -q update "$SCRATCH/asked"; echo $?)" "the list of packages was not fetched again"
rm "$bin/qemu-system-x86_64" "$bin/gcc" "$bin/x86_64-linux-gnu-gcc"
compiler >"$SCRATCH/gcc"
fake apt-get <<'END'
case " $* " in *" -s "*) exit 0 ;; esac
for tool in gcc qemu-system-x86_64; do
    { echo '#!/bin/sh'; /bin/cat "$SCRATCH/gcc"; } >"${0%/*}/$tool"
    /bin/chmod +x "${0%/*}/$tool"
done
END
passes "a system without any compiler: what was installed is found" setup run
rm "$bin/qemu-system-x86_64" "$bin/mformat"
fake apt-get <<'END'
case " $* " in
*mtools*) exit 100 ;;
*" -s "*) exit 0 ;;
*install*)
    printf '#!/bin/sh\necho "QEMU emulator version 7.2.0"\n' >"${0%/*}/qemu-system-x86_64"
    /bin/chmod +x "${0%/*}/qemu-system-x86_64" ;;
esac
END
passes "a system that has no mtools: check installs the rest" setup check
verdict "$([ -x "$bin/qemu-system-x86_64" ] && grep -q 'are skipped' "$SCRATCH/said"; echo $?)" "and says what is skipped"
refuses "but run refuses" "make run BOOT=pvh" setup run
mv "$bin/xorriso" "$bin/mformat"
tool xorriso 1 | fake xorriso
rm "$bin/qemu-system-x86_64"
fake apt-get <<<'exit 100'
refuses "an installation that fails: status 1" "Install by hand: apt-get install qemu-system-x86" setup run
refuses "an unknown target" "tools/setup run|iso|check|lint" setup dance
finish
