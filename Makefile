# The overload lab. `make help` says what there is; `make` alone is `make all`.
#
# Written for GNU make 3.81. Variables for the command line: CC, CFLAGS, CPPFLAGS
# and LDFLAGS (appended to the project's own), WERROR= (warnings stay warnings),
# BUILD (another variant beside the first: BUILD=build/O0 CFLAGS=-O0), OUT, V=1.

.DEFAULT_GOAL := all
.SUFFIXES:
.SECONDARY:

# make runs the lines that call make whatever it was asked, so that `make -n` shows
# what those would do. What else stands in such a line is then only said.
ASKED := $(filter-out --%,$(firstword -$(MAKEFLAGS)))
SAY_ONLY := $(if $(or $(findstring n,$(ASKED)),$(findstring q,$(ASKED)),$(findstring t,$(ASKED))),echo)
MAKEFLAGS += --no-print-directory

BUILD = build
OUT = out
SCRIPTS = common/make
PKG_CONFIG = pkg-config
WERROR = -Werror

GOALS := $(or $(MAKECMDGOALS),all)
INSTALLING := $(filter deps check-deps,$(GOALS))
AFTERWARDS := $(filter-out help doctor deps check-deps clean,$(GOALS))

Q = $(if $(V),,@)
say = @printf '  %-4s %s\n' $1 '$2'
# Both cores, unless the caller has already said how many.
CORES = $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$1)
JOBS = $(call jobs,$(CORES))

.PHONY: FORCE
FORCE:

# --- Without any package ------------------------------------------------------

.PHONY: help doctor deps check-deps clean

help:
	@cat $(SCRIPTS)/help.txt

doctor:
	@sh $(SCRIPTS)/doctor.sh

deps:
	@sh $(SCRIPTS)/deps.sh run

check-deps:
	@sh $(SCRIPTS)/deps.sh run check
	@sh $(SCRIPTS)/deps.sh wish || echo 'going on without it: the tests that want it are skipped'

clean:
	@echo 'removing build/ (all that was built) and out/ (all results and charts)'
	$(Q)rm -rf build out

ifneq ($(and $(INSTALLING),$(AFTERWARDS)),)

# `make deps all`: what needs the packages is asked of a second make, once they are there.
.PHONY: $(AFTERWARDS) afterwards
$(AFTERWARDS): afterwards ;
afterwards: $(INSTALLING)
	+@$(MAKE) $(AFTERWARDS)

else ifneq ($(AFTERWARDS),)

# --- The packages -------------------------------------------------------------

PACKAGES := glib-2.0 >= 2.74 gio-2.0 json-glib-1.0
HTTP_PACKAGES := libmicrohttpd libcurl gio-unix-2.0

ifeq ($(shell $(PKG_CONFIG) --exists '$(PACKAGES)' 2>/dev/null && echo yes),)
  $(error GLib 2.74 or newer, or json-glib, is not here; `make deps` installs what is missing, `make doctor` says more)
endif
PACKAGE_CFLAGS := $(shell $(PKG_CONFIG) --cflags '$(PACKAGES)')
PACKAGE_LIBS := $(shell $(PKG_CONFIG) --libs '$(PACKAGES)')

# Step 6 and the load test over HTTP are for Linux.
HTTP := $(shell test "`uname -s`" = Linux && $(PKG_CONFIG) --exists $(HTTP_PACKAGES) 2>/dev/null && echo yes)
ifeq ($(HTTP),yes)
  HTTP_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(HTTP_PACKAGES))
  HTTP_LIBS := $(shell $(PKG_CONFIG) --libs $(HTTP_PACKAGES))
endif

# --- What there is ------------------------------------------------------------

# A program is named by its source. Those over HTTP are apart; some steps have a second one.
HTTP_PROGRAMS := step06_http/main step06_http/service step06_http/flat step09_sweep/loadtest
SECOND_PROGRAMS := step07_retries/retry_storm step09_sweep/tune_wait
SOURCES := $(sort $(filter-out step06_http/main.c,$(wildcard step*/main.c)) $(SECOND_PROGRAMS:%=%.c) \
           common/report/article.c) $(if $(HTTP),$(wildcard $(HTTP_PROGRAMS:%=%.c)))
PROGRAMS := $(SOURCES:%.c=%)

# A step's main.c is called as its folder; any other program as its file.
name = $(if $(filter %/main,$1),$(patsubst %/,%,$(dir $1)),$(notdir $1))
chart = $(if $(filter %/main,$1),$(dir $1)chart.gp,$1.gp)

# What `all` runs, in the order in which the results are printed.
RUNS := $(sort $(filter step%/main,$(PROGRAMS)) $(SECOND_PROGRAMS))
IN_PROCESS := $(filter-out step06_http/main,$(RUNS))
OVER_HTTP := $(filter-out $(IN_PROCESS),$(RUNS))
FIRST := step01_calibrate
STEPS := $(sort $(patsubst step%,%,$(foreach run,$(RUNS),$(firstword $(subst _, ,$(run))))))
runs_of = $(filter step$1_%,$(RUNS))

LAB_SOURCES := $(sort $(wildcard $(addsuffix /*.c,$(addprefix common/,time admission loadgen service lab))))
HTTP_SOURCES := $(sort $(if $(HTTP),$(wildcard common/http/*.c)))
TESTS := $(patsubst common/tests/%.c,%,$(wildcard common/tests/test_*.c))
TESTS := $(if $(HTTP),$(TESTS),$(filter-out test_http_%,$(TESTS)))
SHELL_TESTS := $(wildcard common/tests/test_*.sh)

objects = $(patsubst %.c,$(BUILD)/obj/%.o,$1)
outputs = $(foreach run,$1,$(OUT)/$(call name,$(run))$2)
drawings = $(foreach run,$1,$(if $(wildcard $(call chart,$(run))),$(call outputs,$(run),.svg) $(call outputs,$(run),.png)))

# --- Compiling ----------------------------------------------------------------

ALL_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra $(WERROR) -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
             -ffp-contract=off -D_GNU_SOURCE $(PACKAGE_CFLAGS) $(HTTP_CFLAGS) $(CPPFLAGS) $(CFLAGS)
LIBHTTP = $(BUILD)/libhttp.a
LIBLAB = $(BUILD)/liblab.a

.PHONY: build tests
build: $(foreach program,$(PROGRAMS),$(BUILD)/bin/$(call name,$(program)))
tests: $(addprefix $(BUILD)/tests/,$(TESTS)) $(BUILD)/within
build tests: ; @:

# A file that changes only when its text does: what depends on it is made again
# when the compiler, the flags or the list of sources change.
define stamp
$(Q)mkdir -p $(@D)
@printf '%s\n' '$(subst ','\'',$1)' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$1)' > $@
endef

$(BUILD)/flags: FORCE
	$(call stamp,$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(HTTP_LIBS) $(PACKAGE_LIBS))

$(BUILD)/sources: FORCE
	$(call stamp,$(LAB_SOURCES) $(HTTP_SOURCES))

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

define archive
$(call say,AR,$@)
$(Q)rm -f $@
$(Q)$(AR) rcs $@ $(filter %.o,$^)
endef

$(LIBLAB): $(call objects,$(LAB_SOURCES)) $(BUILD)/sources
	$(archive)

$(LIBHTTP): $(call objects,$(HTTP_SOURCES)) $(BUILD)/sources
	$(archive)

define link
$(call say,LD,$@)
$(Q)mkdir -p $(@D)
$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter $(LIBHTTP),$^) $(LIBLAB) \
  $(if $(filter $(LIBHTTP),$^),$(HTTP_LIBS)) $(PACKAGE_LIBS) -lm
endef

# The programs of a step share the sources in its folder that are no programs themselves.
parts = $(if $(filter step%,$1),$(filter-out $(SOURCES) $(HTTP_PROGRAMS:%=%.c),$(sort $(wildcard $(dir $1)*.c))))

# A part whose source is gone is linked no longer.
define parts_rule
$(BUILD)/obj/$1.parts: FORCE
	$$(call stamp,$2)
endef

define program_rule
$(call parts_rule,$1,$(call parts,$1))
$(BUILD)/bin/$(call name,$1): $(call objects,$1.c $(call parts,$1)) $(BUILD)/obj/$1.parts $(if $(filter $1,$(HTTP_PROGRAMS)),$(LIBHTTP)) $(LIBLAB)
	$$(link)
endef
$(foreach program,$(PROGRAMS),$(eval $(call program_rule,$(program))))

$(BUILD)/tests/test_http_%: $(BUILD)/obj/common/tests/test_http_%.o $(LIBHTTP) $(LIBLAB)
	$(link)

$(BUILD)/tests/%: $(BUILD)/obj/common/tests/%.o $(LIBLAB)
	$(link)

# Step 8's leaky controller is the right one with a small change.
$(BUILD)/gen/leaky.c: common/admission/admission.c step08_leak/leaky.patch
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)patch -s -F 0 -o $@.part common/admission/admission.c step08_leak/leaky.patch
	$(Q)mv $@.part $@

$(BUILD)/gen/leaky.o: $(BUILD)/gen/leaky.c step08_leak/leaky_names.h $(BUILD)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -iquote common/admission -include step08_leak/leaky_names.h -MMD -MP -c -o $@ $<

$(BUILD)/bin/step08_leak: $(BUILD)/gen/leaky.o

-include $(patsubst %.o,%.d,$(call objects,$(LAB_SOURCES) $(HTTP_SOURCES) $(wildcard step*/*.c common/report/*.c) \
                                           $(TESTS:%=common/tests/%.c)) $(BUILD)/gen/leaky.o)

# --- Running ------------------------------------------------------------------

# A run leaves what it printed in <program>.txt and, when it did not end well, its
# exit status in <program>.failed. It is made again when its program or step 1's
# reading is newer, when a result is missing, when it failed, and when somebody has
# run the program by hand into the same folder, at who knows which settings.
results = $(OUT)/$1.json $(if $(filter $(FIRST),$1),$(OUT)/capacity.json)
by_hand = $(shell for result in $(call results,$1); do test $$result -nt $(OUT)/$1.txt && echo yes; done)
again = $(if $(and $(wildcard $(OUT)/$1.json),$(if $(wildcard $(OUT)/$1.failed),,here)),$(if $(call by_hand,$1),FORCE),FORCE)
needs_capacity = $(filter-out $(FIRST)/main step06_http/main,$1)

# On the real clock the runs come one after another, so that none disturbs another.
REAL := $(filter real %/real,$(OUT))
OPTIONS = $(if $(REAL),--clock=real)
ifneq ($(REAL),)
.NOTPARALLEL:
endif

define run_rule
$(OUT)/$2.txt: $(BUILD)/bin/$2 $(if $(call needs_capacity,$1),$(OUT)/$(FIRST).txt) $(call again,$2)
	$$(call say,RUN,$2)
	$$(Q)sh $(SCRIPTS)/run-step.sh $(OUT) $$< $(OPTIONS)
$(OUT)/$2.svg $(OUT)/$2.png: $(OUT)/$2.txt $3 common/plot/style.gp
	$$(if $$(filter %.svg,$$@),$$(call say,PLOT,$$@ and .png))
	$$(Q)sh $(SCRIPTS)/plot.sh $$@ $(OUT)/$2 $3
endef
$(foreach run,$(RUNS),$(eval $(call run_rule,$(run),$(call name,$(run)),$(call chart,$(run)))))

$(OUT)/step06_http.txt: $(BUILD)/bin/service

.PHONY: all in-process over-http charts real article texts
texts: $(call outputs,$(IN_PROCESS),.txt)
in-process: texts $(call drawings,$(IN_PROCESS))
over-http: $(call outputs,$(OVER_HTTP),.txt) $(call drawings,$(OVER_HTTP))
charts: $(call drawings,$(RUNS))
texts in-process over-http charts: ; @:

without_http = $(if $(HTTP),,@echo 'Step 6, over real HTTP, is left out: it wants Linux, libmicrohttpd and libcurl.')

# Step 6 measures this machine: it runs by itself, after everything else.
all:
	+@$(MAKE) $(JOBS) build
	$(without_http)
	+@status=0; $(MAKE) -k $(JOBS) in-process || status=2; $(if $(OVER_HTTP),$(MAKE) -k over-http || status=2;) \
	  $(SAY_ONLY) sh $(SCRIPTS)/closing.sh --print $(OUT) $(foreach run,$(RUNS),$(call name,$(run))) && exit $$status

real:
	+@$(MAKE) $(JOBS) build
	$(without_http)
	@rm -f $(OUT)/real/*.txt
	+@status=0; $(MAKE) -k OUT=$(OUT)/real in-process over-http || status=2; \
	  $(SAY_ONLY) sh $(SCRIPTS)/closing.sh --print $(OUT)/real $(foreach run,$(RUNS),$(call name,$(run))) && exit $$status

# The machine that the article was written on rounds every sleep up to its clock's tick.
article:
	+@$(MAKE) $(JOBS) build
	+@$(MAKE) -k $(JOBS) OUT=$(OUT)/article OPTIONS=--timer-tick=16.075ms texts
	@sh $(SCRIPTS)/closing.sh $(OUT)/article $(foreach run,$(IN_PROCESS),$(call name,$(run))); status=$$?; \
	  $(BUILD)/bin/article $(OUT)/article common/report/printed.json && exit $$status

define step_rule
.PHONY: step$1 show-step$1
step$1: $(call outputs,$(call runs_of,$1),.txt) $(call drawings,$(call runs_of,$1))
	@sh $(SCRIPTS)/closing.sh --print $(OUT) $(foreach run,$(call runs_of,$1),$(call name,$(run)))
	$$(AFTER_STEP$1)
show-step$1: $(call outputs,$(call runs_of,$1),.txt)
	@$(foreach run,$(call runs_of,$1),sh $(SCRIPTS)/plot.sh - $(OUT)/$(call name,$(run)) $(call chart,$(run)) &&) :
endef
$(foreach step,$(STEPS),$(eval $(call step_rule,$(step))))

# step1, step10, and step06 where there is none.
NO_STEPS := $(filter-out $(STEPS:%=step%) $(STEPS:%=show-step%),$(foreach goal,$(filter step% show-step%,$(GOALS)),\
              $(if $(findstring /,$(goal)),,$(goal))))
ifneq ($(NO_STEPS),)
.PHONY: $(NO_STEPS)
$(NO_STEPS):
	$(without_http)
	@echo '$@: there is no such step here; there are $(STEPS:%=step%) (see make help)' >&2; exit 2
endif

# --- Checking -----------------------------------------------------------------

# Three times as many jobs as cores: most of the tests wait for something.
.PHONY: check taps both-taps also-taps
check:
	+@$(SAY_ONLY) sh $(SCRIPTS)/check.sh '$(MAKE) $(call jobs,$(shell expr 3 \* $(CORES)))' '$(CC)' $(foreach run,$(IN_PROCESS),$(call name,$(run)))

# Every test's report in $(BUILD)/taps, whatever it says; common/make/check.sh reads them.
# The longest begin first, so that all cores end together.
LONGEST := book report http_loadtest http_probe settings faults http_endings charts http_client http_trial
TAPS := $(TESTS:%=$(BUILD)/taps/%.tap) $(SHELL_TESTS:common/tests/%.sh=$(BUILD)/taps/%.tap)
taps: $(filter $(LONGEST:%=$(BUILD)/taps/test_%.tap),$(TAPS)) $(TAPS)

# And those of another build, ALSO, at the same time.
both-taps: taps also-taps
also-taps:
	+@$(MAKE) $(ALSO) taps

$(BUILD)/within: $(call objects,common/make/within.c)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $<

$(BUILD)/taps/%.tap: $(BUILD)/tests/% $(BUILD)/within FORCE
	@sh $(SCRIPTS)/run-test.sh $@ $(BUILD)/within $<

$(BUILD)/taps/%.tap: common/tests/%.sh build $(BUILD)/within FORCE
	@env BIN=$(BUILD)/bin CC='$(CC)' sh $(SCRIPTS)/run-test.sh $@ $(BUILD)/within sh $<

# --- What a step and the proof bring of their own -------------------------------

include $(sort $(wildcard step*/*.mk common/make/*.mk))

endif
