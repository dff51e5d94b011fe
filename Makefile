# Makefile: builds, runs and checks Fathom. `make help` lists what it can do.
#
#   make [LAYOUT=x86_64] [CONFIG_CHECK=1] [WERROR=1] [V=1] [CROSS_COMPILE=x86_64-elf-] [USER_CC=...]
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
BOOT ?= pvh
PYTHON ?= python3
HOST_CC ?= $(if $(shell command -v gcc),gcc,cc)

B := build/$(LAYOUT)
KERNEL := $(B)/fathom.elf
INITRAMFS := build/initramfs.cpio

ifeq ($(wildcard kernel/mm/layout/$(LAYOUT).h),)
$(error There is no layout "$(LAYOUT)": kernel/mm/layout/ has $(patsubst kernel/mm/layout/%.h,%,$(wildcard kernel/mm/layout/*.h)))
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
OBJDUMP := $(CROSS_COMPILE)objdump
READELF := $(CROSS_COMPILE)readelf

# User programs are static glibc programs for Linux: x86_64-elf-gcc, which has no libc, cannot make them.
ifeq ($(origin USER_CC),undefined)
USER_CC := $(if $(shell command -v x86_64-linux-gnu-gcc),x86_64-linux-gnu-gcc,gcc)
endif

export LAYOUT CONFIG_CHECK CROSS_COMPILE USER_CC HOST_CC PYTHON

# ---- Kernel -------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror)
KERNEL_FLAGS := -std=gnu11 -ffreestanding -nostdlib -mno-red-zone -mgeneral-regs-only -mcmodel=kernel \
	-fno-pic -fno-pie -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables \
	-fno-strict-aliasing -fno-omit-frame-pointer -fno-optimize-sibling-calls -O2 -g3 $(WARNINGS) -I. \
	-DCONFIG_CHECK=$(CONFIG_CHECK) '-DLAYOUT_HEADER="kernel/mm/layout/$(LAYOUT).h"' $(EXTRA_CFLAGS)
LINK_FLAGS := -m elf_x86_64 -nostdlib -static -z max-page-size=4096 -z noexecstack --build-id=none \
	--orphan-handling=error --no-undefined -T linker.ld

SOURCES := $(sort $(wildcard boot/*.c boot/*.S lib/*.c kernel/*/*.c kernel/*/*.S))
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
	$(stamp)

$(B)/link-flags: export STAMP_TEXT = $(LD) $(LINK_FLAGS) $(OBJECTS) $(KSYMS)
$(B)/link-flags: FORCE
	$(stamp)

# ---- User programs and the initramfs ------------------------------------------------------------

-include user/user.mk
-include tests/host/host.mk

.PHONY: clean
clean:
	rm -rf build
