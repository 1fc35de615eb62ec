# agsbx - everything that is built goes below $(B).
#   make deps     install the Debian packages that are missing (root)
#   make          build/agsbx and build/agsbx-launcher
#   make check    every test, lint and audit
.POSIX:
.SUFFIXES:

B = build
CC = cc
PKG_CONFIG = pkg-config
PREFIX = /usr/local
LIBEXECDIR = $(PREFIX)/libexec/agsbx

WARN = -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wcast-qual \
	-Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla \
	-Wimplicit-fallthrough -Wformat=2 -Wframe-larger-than=4096
HARDEN = -D_FORTIFY_SOURCE=3 -fstack-protector-strong \
	-fstack-clash-protection -fcf-protection -fPIE
CFLAGS = -O2 -g
LDFLAGS =
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) $(HARDEN) \
	-ffile-prefix-map=$(CURDIR)=. -MMD -MP $(CFLAGS)
LINK_HARDEN = -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code

# Layers: each directory sees only what it may include.
INC_common = -Icommon -I$(B)/gen
INC_policy = -Ipolicy -Icommon -I$(B)/gen
INC_launcher = -Ilauncher -Icommon -I$(B)/gen
INC_broker = -Ibroker -Ipolicy -Icommon -I$(B)/gen
INC_tests = -Itests -Ibroker -Ipolicy -Icommon -Ilauncher -I$(B)/gen

# Objects of common that only the broker side links.
COMMON_BROKER_SRC = common/plan_encode.c
COMMON_SRC = $(filter-out $(COMMON_BROKER_SRC),$(sort $(wildcard common/*.c)))
LAUNCHER_SRC = $(sort $(wildcard launcher/*.c))
# Programs and tables of the build itself, not linked into agsbx.
POLICY_GEN_SRC = policy/genfilter.c policy/policy_seccomp.c
POLICY_SRC = $(filter-out $(POLICY_GEN_SRC),$(sort $(wildcard policy/*.c)))
BROKER_SRC = $(sort $(wildcard broker/*.c))
TEST_SRC = $(sort $(wildcard tests/unit/test_*.c))

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))

BROKER_PKGS = sqlite3 jansson libbsd-overlay libmd inih
GEN_FLOOR = $(B)/gen/filter_floor.c
GEN_POLICY = $(B)/gen/filters_policy.c
FLOOR_OBJ = $(B)/obj/gen/filter_floor.o
POLICY_GEN_OBJ = $(B)/obj/gen/filters_policy.o

all: $(B)/agsbx $(B)/agsbx-launcher

# The build id ties the two programs together: a hash of what both must agree on.
$(B)/gen/build_id.h: $(sort $(wildcard common/*.[ch] common/*.def launcher/*.[ch] policy/syscalls.def))
	@mkdir -p $(@D)
	@printf '#define AGSBX_BUILD_ID "%.39s"\n' \
	    "$$(cat $^ | sha256sum)" > $@

$(B)/genfilter: $(call obj,$(POLICY_GEN_SRC))
	$(CC) -pie $(LDFLAGS) $(LINK_HARDEN) -o $@ $^ \
	    $$($(PKG_CONFIG) --libs libseccomp libmd)

$(GEN_FLOOR): $(B)/genfilter
	@mkdir -p $(@D)
	$(B)/genfilter floor > $@.tmp && mv $@.tmp $@
$(GEN_POLICY): $(B)/genfilter
	@mkdir -p $(@D)
	$(B)/genfilter policy > $@.tmp && mv $@.tmp $@
$(B)/obj/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Ipolicy $(INC_common) -c -o $@ $<

$(B)/obj/common/%.o: common/%.c $(B)/gen/build_id.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(INC_common) -c -o $@ $<
$(B)/obj/policy/%.o: policy/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(INC_policy) -c -o $@ $<
$(B)/obj/launcher/%.o: launcher/%.c $(B)/gen/build_id.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(INC_launcher) -c -o $@ $<
$(B)/obj/broker/%.o: broker/%.c $(B)/gen/build_id.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(INC_broker) -DAGSBX_LIBEXECDIR='"$(LIBEXECDIR)"' \
	    -c -o $@ $<

$(B)/libcommon.a: $(call obj,$(COMMON_SRC) $(COMMON_BROKER_SRC)) $(FLOOR_OBJ)
	rm -f $@ && ar rcD $@ $^
$(B)/libpolicy.a: $(call obj,$(POLICY_SRC)) $(POLICY_GEN_OBJ)
	rm -f $@ && ar rcD $@ $^
$(B)/libbroker.a: $(call obj,$(filter-out broker/main.c,$(BROKER_SRC)))
	rm -f $@ && ar rcD $@ $^
$(B)/liblauncher.a: $(call obj,$(filter-out launcher/main.c,$(LAUNCHER_SRC)))
	rm -f $@ && ar rcD $@ $^

$(B)/agsbx-launcher: $(call obj,$(LAUNCHER_SRC) $(COMMON_SRC)) $(FLOOR_OBJ)
	$(CC) -static-pie $(LDFLAGS) $(LINK_HARDEN) -o $@ $^ \
	    $$($(PKG_CONFIG) --static --libs libcap)

$(B)/agsbx: $(B)/obj/broker/main.o $(B)/libbroker.a $(B)/libpolicy.a $(B)/libcommon.a
	$(CC) -pie $(LDFLAGS) $(LINK_HARDEN) -o $@ $^ \
	    $$($(PKG_CONFIG) --libs $(BROKER_PKGS))

# Unit tests: one program a file, each may use every library.
$(B)/unit/%: tests/unit/%.c $(B)/libbroker.a $(B)/libpolicy.a $(B)/liblauncher.a $(B)/libcommon.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(INC_tests) -o $@ $< $(B)/libbroker.a \
	    $(B)/libpolicy.a $(B)/liblauncher.a $(B)/libcommon.a \
	    $$($(PKG_CONFIG) --libs cmocka $(BROKER_PKGS) libcap)

unit: $(patsubst tests/unit/%.c,$(B)/unit/%,$(TEST_SRC))

clean:
	rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
