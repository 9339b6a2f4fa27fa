# What proves that the lab is right, beyond the tests of its parts.

# --- Queueing theory as an oracle -----------------------------------------------

THEORY_SOURCES := $(sort $(wildcard common/theory/*.c))

build: $(BUILD)/bin/theory
$(eval $(call parts_rule,theory,$(THEORY_SOURCES)))
$(BUILD)/bin/theory: $(call objects,$(THEORY_SOURCES)) $(BUILD)/obj/theory.parts $(LIBLAB)
	$(link)

$(BUILD)/tests/test_theory: $(call objects,common/theory/formulas.c common/theory/queue.c)

.PHONY: theory
theory: $(BUILD)/bin/theory
	$(Q)$< --out=$(OUT); status=$$?; \
	  for image in svg png; do \
	    sh $(SCRIPTS)/plot.sh $(OUT)/theory.$$image $(OUT)/theory common/theory/theory.gp || status=2; \
	  done; exit $$status

-include $(patsubst %.o,%.d,$(call objects,$(THEORY_SOURCES)))

# --- The expected results beside each step ---------------------------------------

# After a change that is meant to change them; the check compares them byte for byte.
.PHONY: expected
expected: build
	$(Q)sh $(SCRIPTS)/expected.sh $(BUILD)/bin update $(foreach run,$(IN_PROCESS),$(call name,$(run)))
	@git --no-pager diff --stat -- 'step*/expected' 2>/dev/null || :

# --- Fuzzing -----------------------------------------------------------------------

FUZZ_TARGETS := duration retry_after capacity document $(if $(HTTP),http)
FUZZ_SECONDS = 60
# With libFuzzer the engine is the compiler's; without it the corpus is replayed.
FUZZ_ENGINE =
FUZZ_CFLAGS = -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: fuzz fuzzers
fuzzers: $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%)
fuzzers: ; @:

$(BUILD)/fuzz/http: $(LIBHTTP)
$(BUILD)/fuzz/document: $(call objects,common/report/document.c)
$(BUILD)/fuzz/%: $(BUILD)/obj/common/fuzz/fuzz_%.o $(if $(FUZZ_ENGINE),,$(BUILD)/obj/common/fuzz/replay.o) $(LIBLAB)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(FUZZ_ENGINE) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter $(LIBHTTP),$^) $(LIBLAB) \
	  $(HTTP_LIBS) $(PACKAGE_LIBS) -lm

$(BUILD)/taps/test_fuzz.tap: fuzzers

fuzz:
	+$(Q)$(MAKE) $(JOBS) BUILD=$(BUILD)/fuzzing CC=clang CFLAGS='$(FUZZ_CFLAGS)' FUZZ_ENGINE=-fsanitize=fuzzer fuzzers
	$(Q)sh $(SCRIPTS)/fuzz.sh $(BUILD)/fuzzing/fuzz $(BUILD)/fuzzing/found -max_total_time=$(FUZZ_SECONDS) $(FUZZ_TARGETS)

-include $(patsubst %,$(BUILD)/obj/common/fuzz/fuzz_%.d,$(FUZZ_TARGETS)) $(BUILD)/obj/common/fuzz/replay.d

# --- Coverage ------------------------------------------------------------------------

.PHONY: coverage unit-taps
unit-taps: $(TESTS:%=$(BUILD)/taps/%.tap)

coverage:
	+@$(SAY_ONLY) sh $(SCRIPTS)/coverage.sh '$(MAKE) $(JOBS)' $(BUILD)/coverage

# --- The bench -----------------------------------------------------------------------

BENCH_PROGRAMS := $(BUILD)/bench/bench $(BUILD)/bench/part $(BUILD)/bench/heap

$(BUILD)/bench/bench: $(call objects,common/bench/bench.c common/bench/web.c) $(LIBHTTP) $(LIBLAB)
	$(link)

$(BUILD)/bench/part: $(call objects,common/bench/part.c) $(LIBLAB)
	$(link)

# Linked to nothing but the C library.
$(BUILD)/bench/heap: $(call objects,common/bench/heap.c)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $<

.PHONY: bench
ifeq ($(HTTP),yes)
bench: build $(BENCH_PROGRAMS)
	$(Q)$(BUILD)/bench/bench --out=$(OUT)
else
bench:
	@echo '$@ is left out: it wants Linux, libmicrohttpd and libcurl (make doctor says more)'
endif

-include $(patsubst %.o,%.d,$(call objects,$(wildcard common/bench/*.c)))
