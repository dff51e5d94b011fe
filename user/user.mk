# user.mk: the user programs, included by the top Makefile.
#
# They are ordinary static Linux programs, so USER_CC is any compiler that makes x86-64 Linux programs; it has
# nothing to do with CROSS_COMPILE. What comes out:
#
#   build/user/NAME          with symbols, for gdb and for running on the reader's own Linux
#   build/user/root/         the tree that is packed into the initramfs; programs there are stripped
#   build/user/tests/NAME    the guest tests' programs, which the launcher adds to the machine when asked for
#
# Targets: user (programs and tree), user-tests. Lists: USER_ROOT_FILES, USER_TEST_PROGRAMS.
# Segments are aligned to 64 KiB, so that the same file serves layouts with larger pages.

ifeq ($(origin USER_CC),undefined)
USER_CC := $(firstword $(foreach cc,x86_64-linux-gnu-gcc gcc cc, \
	$(if $(filter x86_64%linux-gnu,$(shell $(cc) -dumpmachine 2>/dev/null)),$(cc))))
USER_CC := $(or $(USER_CC),x86_64-linux-gnu-gcc)
endif
USER_STRIP ?= $(or $(shell command -v x86_64-linux-gnu-strip 2>/dev/null),strip)
USER_MUSL_CC ?= $(shell command -v musl-gcc 2>/dev/null)

USER_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -I. -MMD -MP
# The guest tests hand over bad pointers and lengths, and die, on purpose.
GUEST_CFLAGS = -fno-delete-null-pointer-checks -Wno-nonnull -Wno-stringop-overflow \
	-Wno-stringop-overread -Wno-array-bounds -Wno-infinite-recursion -Wno-stringop-truncation
USER_LDFLAGS = -static -Wl,-z,max-page-size=65536

USER_OUT = build/user
USER_ROOT = $(USER_OUT)/root
USER_PROGRAMS = init holt2005 shutemov2015 epler2001

init_SOURCES = user/init/init.c user/init/shell.c user/init/summary.c user/common/vm.c
USER_COMMON = user/common/report.c user/common/vm.c
holt2005_SOURCES = user/mails/holt2005.c user/mails/holt2005_print.c $(USER_COMMON)
shutemov2015_SOURCES = user/mails/shutemov2015.c user/mails/shutemov2015_print.c $(USER_COMMON)
epler2001_SOURCES = user/mails/epler2001.c user/mails/epler2001_print.c $(USER_COMMON)

GUEST_SOURCES = $(wildcard tests/guest/*.c) user/common/vm.c
GUEST_SIMPLE = $(basename $(notdir $(wildcard tests/guest/programs/*.c)))

USER_ROOT_FILES = $(addprefix $(USER_ROOT)/bin/,$(USER_PROGRAMS))
USER_TEST_PROGRAMS = $(addprefix $(USER_OUT)/tests/,guest $(GUEST_SIMPLE) hello-pie shutemov_original_4096 \
	$(if $(USER_MUSL_CC),hello-musl))

.PHONY: user user-tests
user: $(USER_ROOT_FILES)
user-tests: $(USER_TEST_PROGRAMS)

# A changed compiler or flag rebuilds.
USER_FLAGS_NOW = $(USER_CC) $(USER_CFLAGS) $(GUEST_CFLAGS) $(USER_LDFLAGS) $(USER_MUSL_CC)
$(USER_OUT)/flags: user-force
	@mkdir -p $(@D)
	@echo '$(USER_FLAGS_NOW)' | cmp -s - $@ || echo '$(USER_FLAGS_NOW)' >$@
.PHONY: user-force
user-force:

$(USER_OUT)/obj/%.o: %.c $(USER_OUT)/flags
	@mkdir -p $(@D)
	$(call say,USER-CC,$@)
	$(Q)$(USER_CC) $(USER_CFLAGS) -c -o $@ $<

$(USER_OUT)/obj/tests/guest/%.o: USER_CFLAGS += $(GUEST_CFLAGS)

user_objects = $(patsubst %.c,$(USER_OUT)/obj/%.o,$(1))

define user_program
$(USER_OUT)/$(1): $(call user_objects,$($(1)_SOURCES))
	$$(call say,USER-LD,$$@)
	$$(Q)$$(USER_CC) $$(USER_LDFLAGS) -o $$@ $$^
endef
$(foreach program,$(USER_PROGRAMS),$(eval $(call user_program,$(program))))

$(USER_ROOT)/bin/%: $(USER_OUT)/%
	@mkdir -p $(@D)
	$(call say,STRIP,$@)
	$(Q)$(USER_STRIP) -o $@ $<

$(USER_OUT)/tests/guest: $(call user_objects,$(GUEST_SOURCES))
	@mkdir -p $(@D)
	$(call say,USER-LD,$@)
	$(Q)$(USER_CC) $(USER_LDFLAGS) -o $@ $^

$(addprefix $(USER_OUT)/tests/,$(GUEST_SIMPLE)): $(USER_OUT)/tests/%: \
		$(USER_OUT)/obj/tests/guest/programs/%.o
	@mkdir -p $(@D)
	$(call say,USER-LD,$@)
	$(Q)$(USER_CC) $(USER_LDFLAGS) -o $@ $<

# As long as in the mail.
$(USER_OUT)/tests/shutemov_original_4096: tests/guest/programs/shutemov_original.c $(USER_OUT)/flags
	@mkdir -p $(@D)
	$(call say,USER-CC,$@)
	$(Q)$(USER_CC) -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -DMIB=4096 -DPASSES=10 \
		$(USER_LDFLAGS) -o $@ $<

$(USER_OUT)/tests/hello-pie: tests/guest/programs/hello.c $(USER_OUT)/flags
	@mkdir -p $(@D)
	$(call say,USER-CC,$@)
	$(Q)$(USER_CC) -std=gnu11 -O2 -g -Wall -Wextra -fPIE -static-pie \
		-Wl,-z,max-page-size=65536 -o $@ $<

$(USER_OUT)/tests/hello-musl: tests/guest/programs/hello.c $(USER_OUT)/flags
	@mkdir -p $(@D)
	$(call say,USER-CC,$@)
	$(Q)$(USER_MUSL_CC) -std=gnu11 -O2 -g -Wall -Wextra -static -o $@ $<

-include $(shell find $(USER_OUT)/obj -name '*.d' 2>/dev/null)
