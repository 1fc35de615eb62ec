# agsbx - everything that is built goes below $(B).
#   make deps     install the Debian packages that are missing
#   make          build/agsbx, build/agsbx-launcher and build/agsbx-attack
#   make demo     the two programs, what this host can hold, and one job
#   make check    every test, lint and audit
#   make escapes  every attempt to get out, and the page about it
#                 (escapes-guest: in a guest that has all that they need)
#   make fuzz     each fuzz target for FUZZ_TIME seconds
#   make bench    what a launch costs, beside other sandboxes
# Single parts of check: unit cases faults escapes format-check lint audit
# analyze sanitize coverage clang-build repro fuzz-short check-hosts.
.POSIX:
.SUFFIXES:

B = build
CC = cc
PKG_CONFIG = pkg-config
PREFIX = /usr/local
LIBEXECDIR = $(PREFIX)/libexec/agsbx
MANDIR = $(PREFIX)/share/man
DESTDIR =
JOBS = $$(nproc)
FUZZ_TIME = 300
# Empty shows the commands.
Q = @

# Debian 12.  First what builds, then what checks, then the real programs that
# run as jobs in tests/cases.
DEPS = gcc g++ libc6-dev make pkg-config libcap-dev libseccomp-dev \
	libsqlite3-dev libbsd-dev libmd-dev libjansson-dev libinih-dev \
	libcmocka-dev clang clang-format clang-tidy libclang-rt-14-dev \
	cppcheck shellcheck gcovr mandoc procps sqlite3 strace util-linux \
	bash git nodejs perl python3 python3-matplotlib python3-numpy

WARN = -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wcast-qual \
	-Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla \
	-Wimplicit-fallthrough -Wformat=2
WARN_FRAME = -Wframe-larger-than=4096
WERROR =
HARDEN = -D_FORTIFY_SOURCE=3 -fstack-protector-strong \
	-fstack-clash-protection -fPIE $(HARDEN_PROBED)
CFLAGS = -O2 -g
LDFLAGS =
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) $(WARN_FRAME) $(WERROR) \
	$(HARDEN) -ffile-prefix-map=$(CURDIR)=. -MMD -MP $(CFLAGS)
LINK = $(CC) $(CFLAGS) $(LDFLAGS) -Wl,-z,relro,-z,now,-z,noexecstack \
	-Wl,-z,separate-code

# Layers: each directory sees only what it may include.
INC_common = -Icommon -I$(B)/gen
INC_launcher = -Ilauncher $(INC_common)
INC_policy = -Ipolicy $(INC_common) $(PKG_CFLAGS)
INC_broker = -Ibroker $(INC_policy)
INC_tests = -Itests $(INC_broker) -Ilauncher
PKG_CFLAGS = $$($(PKG_CONFIG) --cflags $(BROKER_PKGS) libseccomp)
# The include path of the directory that a source path starts with.
inc = $(INC_$(firstword $(subst /, ,$(1))))

# What both programs link.
COMMON_SRC = $(sort $(wildcard common/*.c))
LAUNCHER_SRC = $(sort $(wildcard launcher/*.c))
# Programs and tables of the build itself, not linked into agsbx.
POLICY_GEN_SRC = policy/genfilter.c policy/policy_seccomp.c policy/bpf_tree.c
POLICY_SRC = $(filter-out $(POLICY_GEN_SRC),$(sort $(wildcard policy/*.c)))
BROKER_SRC = $(sort $(wildcard broker/*.c))
PRODUCT_SRC = $(COMMON_SRC) $(LAUNCHER_SRC) \
	$(POLICY_SRC) $(POLICY_GEN_SRC) $(BROKER_SRC)
UNIT_SRC = $(sort $(wildcard tests/unit/test_*.c))
LAUNCH_SRC = $(sort $(wildcard tests/launcher/test_*.c))
# What jobs of the host matrix try; a program by itself.
ATTEMPT_SRC = $(sort $(wildcard tests/hosts/*.c))
# The escape suite: ablate* is what the test launcher and the test broker link
# besides the shipped objects, attack* the probes, hostile* a launcher that lies,
# test_* cmocka programs, all else the runner.
ESCAPES_ABLATE = $(filter-out tests/escapes/ablate_broker%, \
	$(sort $(wildcard tests/escapes/ablate*.c)))
ESCAPES_BROKER = tests/escapes/ablate.c \
	$(sort $(wildcard tests/escapes/ablate_broker*.c))
ESCAPES_HOSTILE = $(sort $(wildcard tests/escapes/hostile*.c))
ESCAPES_ATTACK = $(sort $(wildcard tests/escapes/attack*.c))
ESCAPES_TESTS = $(sort $(wildcard tests/escapes/test_*.c))
ESCAPES_RUN = tests/escapes/ablate.c $(filter-out $(ESCAPES_ATTACK) \
	$(ESCAPES_HOSTILE) $(ESCAPES_TESTS) tests/escapes/ablate%,$(sort $(wildcard tests/escapes/*.c)))
# Programs of tests/faults: two drivers, and the job that they run.
FAULT_MAINS = $(sort $(wildcard tests/faults/*_main.c))
FAULT_LIB = $(filter-out $(FAULT_MAINS) tests/faults/probe.c, \
	$(sort $(wildcard tests/faults/*.c)))
# What several test programs share.
TESTLIB_SRC = $(filter-out $(UNIT_SRC) $(LAUNCH_SRC), \
	$(sort $(wildcard tests/unit/*.c tests/launcher/*.c)))
ALL_C = $(sort $(wildcard */*.[ch] tests/*/*.[ch]))
SCRIPTS = .ci/run $(sort $(wildcard tests/*.sh tests/*/*.sh))

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
UNIT_PROGS = $(patsubst tests/%.c,$(B)/%,$(UNIT_SRC))
LAUNCH_PROGS = $(patsubst tests/%.c,$(B)/%,$(LAUNCH_SRC) $(ESCAPES_TESTS))
FAULT_PROGS = $(B)/faults/calls $(B)/faults/kills $(B)/faults/probe
FUZZ_PROGS = $(patsubst tests/%.c,$(B)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
ESCAPES_PROGS = $(B)/agsbx-test $(B)/agsbx-launcher-test $(B)/agsbx-attack \
	$(B)/agsbx-launcher-hostile $(B)/escapes/run

BROKER_PKGS = sqlite3 jansson libbsd-overlay libmd inih
GEN_FLOOR = $(B)/gen/filter_floor.c
GEN_POLICY = $(B)/gen/filters_policy.c
FLOOR_OBJ = $(B)/obj/gen/filter_floor.o
POLICY_GEN_OBJ = $(B)/obj/gen/filters_policy.o
LAUNCHER_OBJ = $(call obj,$(LAUNCHER_SRC) $(COMMON_SRC)) $(FLOOR_OBJ)
LIBS = $(B)/libbroker.a $(B)/libpolicy.a $(B)/liblauncher.a $(B)/libcommon.a

all: $(B)/agsbx $(B)/agsbx-launcher $(B)/agsbx-attack

# ---- what is built ----

# Flags that not every compiler has: asked once for each.
PROBE = -ftrivial-auto-var-init=zero -fzero-call-used-regs=used-gpr \
	-fstrict-flex-arrays=3 -fcf-protection
PROBED = $(B)/gen/probed-$(subst /,-,$(firstword $(CC))).mk
$(PROBED):
	@mkdir -p $(@D) && command -v $(CC) > $@.tmp
	@for f in $(PROBE); do if $(CC) -Werror $$f -x c -c -o $@.o /dev/null \
	    2> $@.tmp; then printf ' %s' $$f; fi; done > $@.list; \
	    echo "HARDEN_PROBED =$$(cat $@.list)" > $@.tmp; \
	    rm -f $@.list $@.o; mv $@.tmp $@
ifneq ($(filter-out deps clean install uninstall,$(or $(MAKECMDGOALS),all)),)
-include $(PROBED)
endif

# Changes when the commands do, so that no object of other flags is linked.
$(B)/gen/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(CC) $(ALL_CFLAGS) $(INC_broker) $(LDFLAGS))' \
	    > $@.tmp; if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi
FORCE:

# The build id ties the two programs together: a hash of what both must agree on.
$(B)/gen/build_id.h: $(sort $(wildcard common/*.[ch] common/*.def \
    launcher/*.[ch] policy/syscall*.def))
	@mkdir -p $(@D)
	@printf '#define AGSBX_BUILD_ID "%.39s"\n' \
	    "$$(cat $^ | sha256sum)" > $@

# Where an installed agsbx finds its launcher; another PREFIX, another file.
$(B)/gen/libexecdir.h: FORCE
	@mkdir -p $(@D)
	@echo '#define AGSBX_LIBEXECDIR "$(LIBEXECDIR)"' > $@.tmp; \
	    if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi

$(B)/obj/gen/%.o: $(B)/gen/%.c $(B)/gen/flags
	@mkdir -p $(@D)
	@echo 'CC $@'
	$(Q)$(CC) $(ALL_CFLAGS) $(INC_policy) -c -o $@ $<
# A test may keep whole jobs and plans on its stack; the programs may not.
$(B)/obj/tests/%.o: WARN_FRAME =
$(B)/obj/%.o: %.c $(B)/gen/build_id.h $(B)/gen/flags | $(B)/gen/libexecdir.h
	@mkdir -p $(@D)
	@echo 'CC $@'
	$(Q)$(CC) $(ALL_CFLAGS) $(call inc,$*) -c -o $@ $<

$(B)/genfilter: $(call obj,$(POLICY_GEN_SRC))
	@echo 'LD $@'
	$(Q)$(LINK) -pie -o $@ $^ $$($(PKG_CONFIG) --libs libseccomp libmd)
$(GEN_FLOOR): $(B)/genfilter
	$(B)/genfilter floor > $@.tmp && mv $@.tmp $@
$(GEN_POLICY): $(B)/genfilter
	$(B)/genfilter policy > $@.tmp && mv $@.tmp $@

$(B)/libcommon.a: $(call obj,$(COMMON_SRC)) $(FLOOR_OBJ)
	@echo 'AR $@'
	$(Q)rm -f $@ && ar rcD $@ $^
$(B)/libpolicy.a: $(call obj,$(POLICY_SRC)) $(POLICY_GEN_OBJ)
	@echo 'AR $@'
	$(Q)rm -f $@ && ar rcD $@ $^
$(B)/libbroker.a: $(call obj,$(filter-out broker/main.c,$(BROKER_SRC)))
	@echo 'AR $@'
	$(Q)rm -f $@ && ar rcD $@ $^
$(B)/liblauncher.a: $(call obj,$(filter-out launcher/serve.c,$(LAUNCHER_SRC)))
	@echo 'AR $@'
	$(Q)rm -f $@ && ar rcD $@ $^
$(B)/libtests.a: $(call obj,$(TESTLIB_SRC))
	@echo 'AR $@'
	$(Q)rm -f $@ && ar rcD $@ $^

$(B)/agsbx-launcher: $(LAUNCHER_OBJ)
	@echo 'LD $@'
	$(Q)$(LINK) -static-pie -o $@ $^ $$($(PKG_CONFIG) --static --libs libcap)
$(B)/agsbx: $(B)/obj/broker/main.o $(COV_OBJ) $(B)/libbroker.a \
    $(B)/libpolicy.a $(B)/libcommon.a
	@echo 'LD $@'
	$(Q)$(LINK) -pie $(LINK_COV) -o $@ $^ \
	    $$($(PKG_CONFIG) --libs $(BROKER_PKGS))

# One program for each test file; it may use every library.
$(UNIT_PROGS) $(LAUNCH_PROGS): $(B)/%: $(B)/obj/tests/%.o $(B)/libtests.a $(LIBS)
	@mkdir -p $(@D)
	@echo 'LD $@'
	$(Q)$(LINK) -pie -o $@ $< $(B)/libtests.a $(LIBS) \
	    $$($(PKG_CONFIG) --libs cmocka $(BROKER_PKGS) libcap)
# Static: the guests run it from wherever they are shown it.
$(B)/attempt: $(call obj,$(ATTEMPT_SRC))
	@echo 'LD $@'
	$(Q)$(LINK) -static-pie -o $@ $^
tests: $(UNIT_PROGS) $(LAUNCH_PROGS) $(FAULT_PROGS)
# Not of tests: two are static, which no sanitizer can be.
escapes-programs: $(ESCAPES_PROGS)

# The shipped objects once more, with the functions that escapes/ablate* wraps:
# all that they define as __wrap_, and both functions of each control.
wraps = $$(sed -nE 's/^.*__wrap_([a-z0-9_]+)\(.*/-Wl,--wrap=\1/p' $(1) | sort -u)
WRAP_CONTROLS = $$(sed -nE 's/^CONTROL\([A-Z_0-9]+, *([a-z_0-9]+),.*/-Wl,--wrap=\1_apply,--wrap=\1_verify/p' \
	common/controls.def)
$(B)/agsbx-launcher-test: $(LAUNCHER_OBJ) $(call obj,$(ESCAPES_ABLATE)) \
    common/controls.def
	@echo 'LD $@'
	$(Q)$(LINK) -static-pie -o $@ $(call wraps,$(ESCAPES_ABLATE)) \
	    $(WRAP_CONTROLS) $(filter %.o,$^) \
	    $$($(PKG_CONFIG) --static --libs libcap)
$(B)/agsbx-test: $(B)/obj/broker/main.o $(call obj,$(ESCAPES_BROKER)) \
    $(B)/libbroker.a $(B)/libpolicy.a $(B)/libcommon.a
	@echo 'LD $@'
	$(Q)$(LINK) -pie -o $@ $(call wraps,$(ESCAPES_BROKER)) $^ \
	    $$($(PKG_CONFIG) --libs $(BROKER_PKGS))
$(B)/agsbx-launcher-hostile: $(call obj,$(ESCAPES_HOSTILE)) $(B)/libcommon.a
	@echo 'LD $@'
	$(Q)$(LINK) -static-pie -o $@ $^
# Static and without any library: it runs wherever a job does.
$(B)/agsbx-attack: $(call obj,$(ESCAPES_ATTACK))
	@echo 'LD $@'
	$(Q)$(LINK) -static-pie -o $@ $^
$(B)/escapes/run: $(call obj,$(ESCAPES_RUN)) $(B)/libcommon.a
	@mkdir -p $(@D)
	@echo 'LD $@'
	$(Q)$(LINK) -pie -o $@ $^ $$($(PKG_CONFIG) --libs jansson libbsd-overlay)
$(B)/faults/calls $(B)/faults/kills: $(B)/%: $(B)/obj/tests/%_main.o \
    $(call obj,$(FAULT_LIB))
	@mkdir -p $(@D)
	@echo 'LD $@'
	$(Q)$(LINK) -pie -o $@ $^ $$($(PKG_CONFIG) --libs jansson sqlite3)
$(B)/faults/probe: $(B)/obj/tests/faults/probe.o
	@mkdir -p $(@D)
	@echo 'LD $@'
	$(Q)$(LINK) -pie -o $@ $<

# libFuzzer brings main() with it; only in the build of FUZZ below.
$(FUZZ_PROGS): LINK_FUZZ = -fsanitize=fuzzer
$(FUZZ_PROGS) $(B)/fuzz/seeds: $(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(LIBS)
	@mkdir -p $(@D)
	@echo 'LD $@'
	$(Q)$(LINK) -pie $(LINK_FUZZ) -o $@ $< $(LIBS) \
	    $$($(PKG_CONFIG) --libs $(BROKER_PKGS) libcap)
$(B)/bench/launches: $(B)/obj/tests/bench/launches.o
	@mkdir -p $(@D)
	@echo 'LD $@'
	$(Q)$(LINK) -pie -o $@ $<
fuzz-targets: $(FUZZ_PROGS) $(B)/fuzz/seeds

-include $(wildcard $(B)/obj/*/*.d $(B)/obj/tests/*/*.d)

# ---- what is checked ----

SAN = B=$(B)/san CFLAGS='-O1 -g -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all' \
	HARDEN=-fPIE WARN_FRAME=
COV = B=$(B)/cov CFLAGS='-O0 -g --coverage -fprofile-update=atomic' \
	HARDEN=-fPIE WARN_FRAME= LINK_COV=-Wl,--wrap=raise,--wrap=execveat \
	COV_OBJ=$(B)/cov/obj/tests/coverage/flush.o
FUZZ = B=$(B)/fuzzed CC=clang CFLAGS='-O1 -g -fno-omit-frame-pointer \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
	HARDEN=-fPIE WARN_FRAME=
SUB = $(MAKE) $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS)) \
	WERROR=-Werror

# The packages first, then everything else: a make that runs in parallel would
# compile beside apt.  The tests come last, so that their total ends the output.
check: deps
	+$(SUB) all tests escapes-programs $(B)/attempt
	+$(SUB) format-check lint audit
	+$(SUB) analyze
	+$(SUB) clang-build
	+$(SUB) repro
	+$(SUB) coverage
	+$(SUB) $(SAN) tests
	+$(SUB) $(FUZZ) fuzz-targets
	B=$(B) bash tests/run.sh hosts escapes-guest unit launcher sanitize fuzz cli \
	    cases escapes faults root-unit root-cli root-cases

unit: tests
	B=$(B) bash tests/run.sh unit launcher
cli: all
	B=$(B) bash tests/run.sh cli
# FULL=1: each call with each fault, which takes an hour.
faults: all $(FAULT_PROGS)
	B=$(B) FULL=$(FULL) LIMIT=$(if $(FULL),14400,300) \
	    bash tests/run.sh faults
load: all
	B=$(B) FULL=1 LIMIT=3600 bash tests/run.sh load && \
	    cat $(B)/log/load.load.log
cases: all
	B=$(B) bash tests/run.sh cases root-cases
check-hosts: all $(B)/attempt
	B=$(B) bash tests/run.sh hosts
# Case scripts from elsewhere: make cases-guest CASES=DIR
cases-guest: all
	B=$(B) bash tests/hosts/cases.sh '$(CASES)'
# Leaves $(B)/report/escapes.md and .html: attempt by attempt, what refused it,
# on this host and, once that has run, in the guest.
escapes: all tests escapes-programs
	B=$(B) bash tests/run.sh escapes; rc=$$?; \
	    python3 tests/escapes/render.py $(B)/report && exit $$rc
# Faults and kills in that guest: each job's leaf must be gone as well.
faults-guest: all $(FAULT_PROGS)
	B=$(B) bash tests/hosts/faults.sh
# All of them, as the ordinary user of a guest with a delegated cgroup.
escapes-guest: all escapes-programs
	B=$(B) FULL=1 LIMIT=7200 bash tests/run.sh escapes-guest; rc=$$?; \
	    python3 tests/escapes/render.py $(B)/report && exit $$rc
sanitize:
	+$(SUB) $(SAN) tests
	B=$(B) bash tests/run.sh sanitize
fuzz-short:
	+$(SUB) $(FUZZ) fuzz-targets
	B=$(B) bash tests/run.sh fuzz
fuzz:
	+$(SUB) $(FUZZ) fuzz-targets
	B=$(B) bash tests/fuzz/fuzz.sh $(FUZZ_TIME)
bench: all $(B)/bench/launches
	B=$(B) bash tests/bench/bench.sh
coverage:
	+$(SUB) $(COV) all tests
	B=$(B)/cov bash tests/coverage/coverage.sh
clang-build:
	+$(SUB) B=$(B)/clang CC=clang all tests escapes-programs
repro:
	MAKEFLAGS= bash tests/lint/repro.sh

format-check:
	clang-format --dry-run -Werror $(ALL_C)
lint: all $(B)/agsbx-test $(B)/agsbx-launcher-test
	bash tests/lint/layers.sh
	CC='$(CC)' B=$(B) bash tests/lint/headers.sh
	B=$(B) bash tests/lint/docs.sh
	MAKEFLAGS= bash tests/lint/install.sh
	B=$(B) bash tests/lint/ablation.sh
	CC='$(CC)' B=$(B) bash tests/lint/linkrule.sh
	mandoc -Tlint -W warning man/agsbx.1 man/agsbx-launcher.8
audit: $(B)/agsbx-launcher
	B=$(B) bash tests/lint/audit.sh $(LAUNCHER_OBJ)

# gcc 12 forgets a pointer that is stored in an array or struct, and takes
# reallocarray() for a free() even when it fails: LeakSanitizer and
# AddressSanitizer (make sanitize) are the judges of both.
ANALYZER = -fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-double-free
ANALYZED = $(patsubst %.c,$(B)/analyze/%.ok,$(PRODUCT_SRC))
# varFuncNullUB: NULL is a pointer in C as glibc has it.
analyze: $(ANALYZED)
	cppcheck -j $(JOBS) --quiet --std=c11 --enable=warning,portability,performance \
	    --error-exitcode=1 --inline-suppr --suppress=varFuncNullUB \
	    -D_GNU_SOURCE $(INC_tests) common policy launcher broker tests
	shellcheck -x $(SCRIPTS)
$(B)/analyze/%.ok: %.c $(B)/gen/build_id.h $(B)/gen/flags .clang-tidy \
    | $(B)/gen/libexecdir.h
	@mkdir -p $(@D)
	@echo 'ANALYZE $<'
	$(Q)$(CC) $(ALL_CFLAGS) -Werror $(ANALYZER) -MF $(B)/analyze/$*.d \
	    $(call inc,$*) -c -o $(B)/analyze/$*.o $<
	$(Q)clang-tidy --quiet --warnings-as-errors='*' $< -- -std=c11 \
	    -D_GNU_SOURCE $(call inc,$*) 2> $(B)/analyze/$*.err || \
	    { cat $(B)/analyze/$*.err; exit 1; }
	@touch $@
-include $(wildcard $(B)/analyze/*/*.d)

# ---- what a host needs, a newcomer sees and an operator installs ----

deps:
	@missing=; for p in $(DEPS); do \
	    dpkg-query -W -f='$${Status}' $$p 2>&1 | grep -q 'ok installed' || \
	    missing="$$missing $$p"; done; \
	    if [ -z "$$missing" ]; then exit 0; fi; \
	    if [ "$$(id -u)" -ne 0 ]; then echo "agsbx: these packages are" \
	    "missing; as root: apt-get install$$missing" >&2; exit 1; fi; \
	    export DEBIAN_FRONTEND=noninteractive; apt-get -q update && \
	    apt-get -q -y install --no-install-recommends $$missing

demo: deps
	@$(MAKE) -j$(JOBS) all
	@B=$(B) bash tests/demo.sh

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBEXECDIR) \
	    $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man8
	install -m 755 $(B)/agsbx $(DESTDIR)$(PREFIX)/bin/agsbx
	install -m 755 $(B)/agsbx-launcher \
	    $(DESTDIR)$(LIBEXECDIR)/agsbx-launcher
	install -m 755 $(B)/agsbx-attack $(DESTDIR)$(LIBEXECDIR)/agsbx-attack
	install -m 644 man/agsbx.1 $(DESTDIR)$(MANDIR)/man1/agsbx.1
	install -m 644 man/agsbx-launcher.8 \
	    $(DESTDIR)$(MANDIR)/man8/agsbx-launcher.8
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/agsbx \
	    $(DESTDIR)$(LIBEXECDIR)/agsbx-launcher \
	    $(DESTDIR)$(LIBEXECDIR)/agsbx-attack \
	    $(DESTDIR)$(MANDIR)/man1/agsbx.1 \
	    $(DESTDIR)$(MANDIR)/man8/agsbx-launcher.8

clean:
	rm -rf $(B)

.PHONY: all tests check unit cli load faults cases escapes escapes-programs \
	check-hosts cases-guest escapes-guest \
	faults-guest \
	sanitize coverage clang-build repro fuzz fuzz-short fuzz-targets bench format-check \
	lint audit analyze deps demo install uninstall clean FORCE
.SECONDARY:
