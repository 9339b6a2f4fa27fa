# What proves that the lab is right, beyond the tests of its parts.

# --- Queueing theory as an oracle -----------------------------------------------

THEORY_SOURCES := $(sort $(wildcard common/theory/*.c))

build: $(BUILD)/bin/theory
$(BUILD)/bin/theory: $(call objects,$(THEORY_SOURCES)) $(LIBLAB)
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
