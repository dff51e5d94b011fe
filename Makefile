# Makefile: builds, runs and checks Fathom. `make help` lists what it can do.
#
#   make [LAYOUT=x86_64] [BOOT=grub] [UEFI=0] [CONFIG_CHECK=1] [WERROR=1] [V=1] [CROSS_COMPILE=x86_64-elf-] [USER_CC=...]
#
# Everything made goes below build/: the kernel of each layout in build/$(LAYOUT)/, user programs in
# build/user/, host tests in build/host/. All paths are relative to here, so the checkout may lie in
# a directory with spaces in its name. Header dependencies come from the compiler (-MMD -MP); the
# flags and the list of sources are kept in stamp files, so changing either rebuilds what it touches.
#
# The user programs' rules are in user/user.mk, those of the host tests in tests/host/host.mk.

ifeq ($(filter output-sync,$(.FEATURES)),)
$(error GNU make 4.2 or newer is needed; on macOS: brew install make, then gmake)
endif

MAKEFLAGS += --no-builtin-rules --no-builtin-variables
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# ---- What to build ------------------------------------------------------------------------------

LAYOUT ?= x86_64
CONFIG_CHECK ?= 1
WERROR ?= 0
BOOT ?= grub
UEFI ?= 0
PYTHON ?= python3

B := build/$(LAYOUT)
KERNEL := $(B)/fathom.elf
INITRAMFS := build/initramfs.cpio

ifeq ($(wildcard kernel/mm/layout/$(LAYOUT).h),)
$(error There is no layout "$(LAYOUT)": kernel/mm/layout/ has $(patsubst kernel/mm/layout/%.h,%,$(wildcard kernel/mm/layout/*.h)))
endif

ifeq ($(filter grub pvh,$(BOOT)),)
$(error BOOT is grub or pvh, not "$(BOOT)")
endif

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),@:,@printf '  %-8s %s\n' '$(1)' '$(2)')

# ---- Tools --------------------------------------------------------------------------------------

# Any x86_64 ELF toolchain will do for the kernel. The last resort is the native gcc of an amd64 Linux.
find_prefix = $(firstword $(foreach p,x86_64-elf- x86_64-linux-gnu-,$(if $(shell command -v $(p)gcc),$(p))))
ifeq ($(origin CROSS_COMPILE),undefined)
CROSS_COMPILE := $(find_prefix)
endif
KCC := $(CROSS_COMPILE)gcc
LD := $(CROSS_COMPILE)ld
NM := $(CROSS_COMPILE)nm
OBJCOPY := $(CROSS_COMPILE)objcopy
OBJDUMP := $(CROSS_COMPILE)objdump
READELF := $(CROSS_COMPILE)readelf

# User programs are static glibc programs for Linux: x86_64-elf-gcc, which has no libc, cannot make them.
ifeq ($(origin USER_CC),undefined)
USER_CC := $(if $(shell command -v x86_64-linux-gnu-gcc),x86_64-linux-gnu-gcc,gcc)
endif

# The compiler of the tests that run on this system, whatever it is.
ifeq ($(origin HOST_CC),undefined)
HOST_CC := $(if $(shell command -v gcc),gcc,cc)
endif

# What was found is told to the tests only: a make after an installation has to look again.
export LAYOUT CONFIG_CHECK PYTHON BOOT UEFI
check-now check-all-now lint-now: export CROSS_COMPILE := $(CROSS_COMPILE)
check-now check-all-now lint-now: export USER_CC := $(USER_CC)
check-now check-all-now lint-now: export HOST_CC := $(HOST_CC)

# ---- Kernel -------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror)
KERNEL_FLAGS := -std=gnu11 -ffreestanding -nostdlib -mno-red-zone -mgeneral-regs-only -mcmodel=kernel \
	-fno-pic -fno-pie -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables \
	-fno-strict-aliasing -fno-omit-frame-pointer -fno-optimize-sibling-calls -O2 -g3 $(WARNINGS) -I. \
	-DCONFIG_CHECK=$(CONFIG_CHECK) '-DLAYOUT_HEADER="kernel/mm/layout/$(LAYOUT).h"' $(EXTRA_CFLAGS)
LINK_FLAGS := -m elf_x86_64 -nostdlib -static -z max-page-size=4096 -z noexecstack --build-id=none \
	--orphan-handling=error --no-undefined -T linker.ld

# Checking kernels carry suites of their own (tests/kernel), which run on demand.
SOURCES := $(sort $(wildcard boot/*.c boot/*.S lib/*.c kernel/*/*.c kernel/*/*.S) \
	$(if $(filter 1,$(CONFIG_CHECK)),$(wildcard tests/kernel/*.c)))
OBJECTS := $(SOURCES:%=$(B)/%.o)

# The symbol table for backtraces needs the final addresses: link once, make the table, link again.
KSYMS := $(wildcard tools/ksyms.py)

.PHONY: all kernel
all: kernel

kernel: $(KERNEL)

$(B)/%.c.o: %.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(KCC) $(KERNEL_FLAGS) -MMD -MP -c -o $@ $<

$(B)/%.S.o: %.S $(B)/flags
	$(call say,AS,$<)
	@mkdir -p $(@D)
	$(Q)$(KCC) $(KERNEL_FLAGS) -MMD -MP -Wa,--noexecstack -c -o $@ $<

ifeq ($(KSYMS),)
$(KERNEL): $(OBJECTS) linker.ld $(B)/link-flags
	$(call say,LINK,$@)
	$(Q)$(LD) $(LINK_FLAGS) -o $@ $(OBJECTS)
else
$(B)/fathom.pre.elf: $(OBJECTS) linker.ld $(B)/link-flags
	$(call say,LINK,$@)
	$(Q)$(LD) $(LINK_FLAGS) -o $@ $(OBJECTS)

$(B)/ksyms.S: $(B)/fathom.pre.elf tools/ksyms.py
	$(call say,KSYMS,$@)
	$(Q)$(NM) -n $< | $(PYTHON) tools/ksyms.py > $@

$(B)/ksyms.S.o: $(B)/ksyms.S
	$(Q)$(KCC) $(KERNEL_FLAGS) -Wa,--noexecstack -c -o $@ $<

$(KERNEL): $(B)/ksyms.S.o $(OBJECTS) linker.ld $(B)/link-flags
	$(call say,LINK,$@)
	$(Q)$(LD) $(LINK_FLAGS) -o $@ $(OBJECTS) $(B)/ksyms.S.o
	$(Q)$(NM) -n $@ | $(PYTHON) tools/ksyms.py --check $(B)/ksyms.S
endif

-include $(OBJECTS:.o=.d)

# A stamp is rewritten only when its text changes, and whatever depends on it is then made again.
.PHONY: FORCE
FORCE:

define stamp
@mkdir -p $(@D)
@printf '%s\n' "$$STAMP_TEXT" | cmp -s - $@ || printf '%s\n' "$$STAMP_TEXT" > $@
endef

$(B)/flags: export STAMP_TEXT = $(KCC) $(shell $(KCC) --version | head -n 1) $(KERNEL_FLAGS)
$(B)/flags: FORCE
	@command -v $(KCC) >/dev/null || { echo "$(KCC) is missing: see make doctor" >&2; exit 1; }
	$(stamp)

$(B)/link-flags: export STAMP_TEXT = $(LD) $(LINK_FLAGS) $(OBJECTS) $(KSYMS)
$(B)/link-flags: FORCE
	$(stamp)

# ---- User programs, initramfs, host tests -------------------------------------------------------

# musl-gcc makes programs for the machine it runs on, so it is of use on amd64 only.
USER_MUSL_CC := $(if $(filter x86_64,$(shell uname -m)),$(shell command -v musl-gcc))

-include user/user.mk
-include tests/host/host.mk

.PHONY: initramfs user user-tests host-tests
initramfs: $(INITRAMFS)
all: initramfs

# The shell is the distribution's busybox-static, unmodified: BUSYBOX=/path/to/another. Without it there is none.
BUSYBOX ?=
USER_ETC := $(wildcard user/etc/*)

$(INITRAMFS): $(USER_ROOT_FILES) $(USER_ETC) $(BUSYBOX) tools/cpio.py build/initramfs-shell build/initramfs-list
	$(call say,CPIO,$@)
	$(Q)$(PYTHON) tools/cpio.py $@ @build/initramfs-shell $(foreach f,$(USER_ETC),file:/$(f:user/%=%)=$(f)) \
		$(foreach f,$(USER_ROOT_FILES),file:$(f:$(USER_ROOT)/%=/%)=$(f))

build/initramfs-shell: FORCE
	@mkdir -p $(@D)
	@$(PYTHON) tools/busybox.py user/busybox-applets $(if $(BUSYBOX),'$(BUSYBOX)') >$@.new
	@cmp -s $@.new $@ || mv $@.new $@; rm -f $@.new

build/initramfs-list: export STAMP_TEXT = $(USER_ROOT_FILES) $(USER_ETC)
build/initramfs-list: FORCE
	$(stamp)

# ---- The disk image for GRUB --------------------------------------------------------------------

# It holds the kernel of every layout, without what only a debugger reads. Each layout's kernel is made by
# a make of its own, except the one that this make is for.
ISO := build/fathom.iso
LAYOUTS := $(patsubst kernel/mm/layout/%.h,%,$(wildcard kernel/mm/layout/*.h))
ISO_KERNELS := $(LAYOUTS:%=build/%/fathom.iso.elf)
OTHER_LAYOUTS := $(filter-out $(LAYOUT),$(LAYOUTS))

.PHONY: $(OTHER_LAYOUTS:%=build/%/fathom.elf)
$(OTHER_LAYOUTS:%=build/%/fathom.elf): build/%/fathom.elf:
	@$(MAKE) --no-print-directory LAYOUT=$* kernel

build/%/fathom.iso.elf: build/%/fathom.elf
	$(call say,STRIP,$@)
	$(Q)$(OBJCOPY) --strip-debug $< $@

$(ISO): $(ISO_KERNELS) $(INITRAMFS) boot/grub.cfg tools/iso
	$(call say,ISO,$@)
	$(Q)tools/iso $@ boot/grub.cfg $(INITRAMFS) $(foreach l,$(LAYOUTS),$(l)=build/$(l)/fathom.iso.elf)

# ---- Run and check ------------------------------------------------------------------------------

# Targets that may install packages come in two parts: the second make finds what the first installed.
.PHONY: run iso check check-all lint debug help doctor clean run-now iso-now check-now check-all-now lint-now
run iso check lint:
	@tools/setup $@
	@$(MAKE) --no-print-directory $@-now

check-all:
	@tools/setup check
	@$(MAKE) --no-print-directory check-all-now

ifeq ($(BOOT),pvh)
run-now: all
	@$(PYTHON) tools/run --layout $(LAYOUT) $(RUN_FLAGS) -- /bin/init
else
run-now: all iso-now
	@$(PYTHON) tools/run --iso $(ISO) $(if $(filter 1,$(UEFI)),--uefi) --layout $(LAYOUT) $(RUN_FLAGS) -- /bin/init
endif

iso-now: $(ISO)

# The tests of the disk image skip themselves when there is none.
.PHONY: iso-if-possible
iso-if-possible: all
	@if tools/iso --check 2>/dev/null; then $(MAKE) --no-print-directory iso-now; else rm -f $(ISO); fi

check-now: all user-tests host-tests iso-if-possible
	@tests/run

check-all-now: all user-tests host-tests iso-if-possible
	@tests/run --all

lint-now: kernel
	@tests/run --lint

debug: all
	@echo 'gdb $(KERNEL) -ex "target remote build/gdb"'
	@$(PYTHON) tools/run --layout $(LAYOUT) --gdb build/gdb $(RUN_FLAGS) -- $(or $(PROG),/bin/init)

doctor:
	@tools/setup doctor

define HELP
make             build the kernel, the user programs and the initramfs
make run         boot Fathom in this terminal (leave with Ctrl-A x); installs what is missing
make iso         build/fathom.iso, for BIOS and UEFI, as a CD or USB stick
make check       all tests, in less than a quarter of an hour; installs what is missing
make check-all   the tests that take longer, too
make lint        layout of the code, cppcheck, layers, sizes, instructions
make debug       boot and wait for gdb [PROG=/bin/NAME]
make doctor      show the tools that are needed and those that were found
make clean       remove build/

tools/run -- PROG ARG...     run one program in Fathom; tools/run --help

BOOT=pvh             make run without GRUB    UEFI=1                     make run with UEFI firmware
LAYOUT=x86_64        page-table layout        CROSS_COMPILE=x86_64-elf-  compiler of the kernel
CONFIG_CHECK=1       checks in the kernel     USER_CC=gcc                compiler of the user programs
WERROR=1             warnings are errors      HOST_CC=gcc                compiler of the host tests
RUN_FLAGS="--smp 2"  options for tools/run    V=1                        show the commands
endef
export HELP
help:
	@printf '%s\n' "$$HELP"

clean:
	rm -rf build
