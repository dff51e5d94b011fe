# host.mk: the host ring. Included by the top Makefile, or alone: make -f tests/host/host.mk host-tests
#
# Every tests/host/test_*.c becomes a program that speaks TAP, linked with the real kernel/mm and lib sources and the
# stand-ins. All are built with ASan and UBSan, except those of HOST_FAST, which count millions of turns. Objects lie in
# build/host/LAYOUT/{san,fast}/. `host-tests` builds, `host-check` runs them.

HOST_LAYOUT ?= $(or $(LAYOUT),x86_64)
HOST_CC ?= gcc
HOST_OUT := build/host/$(HOST_LAYOUT)
HOST_FAST := scenes bench

HOST_FLAGS := -std=gnu11 -g -Wall -Wextra -Wno-unused-parameter -fno-strict-aliasing -fno-omit-frame-pointer -D_GNU_SOURCE \
	-DHOST_RING=1 -DLAYOUT_HEADER='"kernel/mm/layout/$(HOST_LAYOUT).h"' -Itests/host/standin -I. -MMD -MP
HOST_san := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
HOST_fast := -O2

# The libc's string functions stay its own (ASan watches them); lib/string.c gets other names for the same.
HOST_RENAMED := memcpy memmove memset memcmp memchr strlen strnlen strcmp strncmp strchr strrchr
HOST_STRING := -fno-builtin $(foreach f,$(HOST_RENAMED),-D$(f)=lib_$(f))

HOST_KERNEL := $(wildcard kernel/mm/*.c lib/*.c kernel/core/knob.c kernel/core/vmcount.c kernel/core/failpoint.c kernel/core/objects.c) $(filter-out %/fs.c,$(wildcard kernel/fs/*.c)) \
	$(wildcard kernel/proc/elf.c kernel/proc/exec.c kernel/proc/exec_stack.c kernel/proc/table.c kernel/dev/line.c)
HOST_STANDIN := $(wildcard tests/host/standin/*.c)
ifneq ($(wildcard kernel/core/knob.c),)
HOST_STANDIN := $(filter-out %/knob.c,$(HOST_STANDIN))
endif
HOST_TESTS := $(patsubst tests/host/test_%.c,%,$(wildcard tests/host/test_*.c))
HOST_PROGRAMS := $(foreach t,$(HOST_TESTS),$(HOST_OUT)/test_$(t))
HOST_BASE := $(patsubst %.c,%.o,$(HOST_KERNEL) $(HOST_STANDIN))

.PHONY: host-tests host-check
.SECONDARY:
host-tests: $(HOST_PROGRAMS)

host-check: host-tests
	prove -e '' $(HOST_PROGRAMS)

define HOST_RULES
$(HOST_OUT)/$(1)/lib/string.o: HOST_EXTRA := $(HOST_STRING)
$(HOST_OUT)/$(1)/%.o: %.c tests/host/host.mk
	@mkdir -p $$(@D)
	$(HOST_CC) $(HOST_FLAGS) $(HOST_$(1)) $$(HOST_EXTRA) -c -o $$@ $$<
endef
$(foreach kind,san fast,$(eval $(call HOST_RULES,$(kind))))

define HOST_LINK
$(HOST_OUT)/test_$(1): $(addprefix $(HOST_OUT)/$(2)/,$(HOST_BASE) tests/host/test_$(1).o)
	$(HOST_CC) $(HOST_$(2)) -o $$@ $$^
endef
$(foreach t,$(HOST_TESTS),$(eval $(call HOST_LINK,$(t),$(if $(filter $(HOST_FAST),$(t)),fast,san))))

-include $(shell find $(HOST_OUT) -name '*.d' 2>/dev/null)
