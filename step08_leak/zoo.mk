# The tests of step 8, the simulation of the controller, and the bug zoo.
# Included by the Makefile, whose variables and rules it uses.

# --- The tests of step 8, and of step 6's service ------------------------------

STEP8 = step08_leak/tests
STEP8_TESTS = test_step08 $(if $(HTTP),test_service_http)
STEP8_HTTP = $(call objects,$(STEP8)/http.c $(if $(HTTP),step06_http/log.c)) $(if $(HTTP),$(LIBHTTP))
parts_of_test_step08 = $(call objects,$(STEP8)/test_step08.c step08_leak/controller.c) $(BUILD)/gen/leaky.o $(STEP8_HTTP)
parts_of_test_service_http = $(call objects,$(STEP8)/test_service_http.c) $(STEP8_HTTP)

$(BUILD)/tests/test_step08: $(parts_of_test_step08) $(LIBLAB)
	$(link)

$(BUILD)/tests/test_service_http: $(parts_of_test_service_http) $(LIBLAB)
	$(link)

# It includes step 6's service as a source; the service's log is linked.
HTTP_TEST_CFLAGS = $(if $(HTTP),-DWITH_HTTP -iquote step06_http)

$(BUILD)/obj/$(STEP8)/http.o: $(STEP8)/http.c $(BUILD)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(HTTP_TEST_CFLAGS) -MMD -MP -c -o $@ $<

tests: $(STEP8_TESTS:%=$(BUILD)/tests/%)
taps: $(STEP8_TESTS:%=$(BUILD)/taps/%.tap)

# `make step08` shows the table first, and then these.
step08: $(BUILD)/tests/test_step08
AFTER_STEP08 = @sh $(STEP8)/show.sh $(BUILD)/tests/test_step08

# --- The simulation of the controller ------------------------------------------

SIMULATION = $(call objects,common/tests/simulation.c common/tests/schedule.c)
parts_of_test_simulation = $(call objects,common/tests/test_simulation.c) $(SIMULATION)

$(BUILD)/tests/test_simulation: $(SIMULATION)

# `make soak`, until it is stopped, or `make soak EVENTS=1000000000`.
.PHONY: soak
soak: $(BUILD)/tests/test_simulation
	$(Q)$< --soak $(if $(EVENTS),--events=$(EVENTS))

# Step 7's users are no library.
parts_of_test_users = $(call objects,common/tests/test_users.c step07_retries/users.c)
$(BUILD)/tests/test_users: $(call objects,step07_retries/users.c)

# --- The bug zoo ---------------------------------------------------------------

# A mutant is a patch in step08_leak/zoo. Above the change stand the fault, what a
# user sees of it, where it was met, and the test that is to catch it. Here they
# are as "source:name:program", where the program is the one that has the test:
ZOO = step08_leak/zoo
MUTANTS := $(sort $(shell awk '/^Test: / { program = $$2 } \
  /^--- / { name = FILENAME; gsub(/.*\/|\.patch$$/, "", name); print $$2 ":" name ":" program; nextfile }' \
  $(ZOO)/*.patch))
MUTANTS := $(if $(HTTP),$(MUTANTS),$(foreach mutant,$(MUTANTS),$(if $(findstring http,$(mutant)),,$(mutant))))
part = $(word $1,$(subst :, ,$2))
VERDICTS = $(foreach mutant,$(MUTANTS),$(BUILD)/zoo/$(call part,2,$(mutant))/verdict)

# A mutant stands before the libraries and so takes the place of the right code.
# Step 6's service is no library, but a part of the test that includes it. A fault
# may leave something unused: no warnings.
parts_of = $(or $(parts_of_$1),$(call objects,common/tests/$1.c))
compiled = $(if $(filter step06_http/%,$1),$(STEP8)/http.c,$(BUILD)/zoo/$2/$(notdir $1))

define mutant_rule
$(BUILD)/zoo/$2/$(notdir $1): $1 $(ZOO)/$2.patch
	$$(Q)mkdir -p $$(@D)
	$$(Q)patch -s -F 0 -o $$@ $1 $(ZOO)/$2.patch

$(BUILD)/zoo/$2/mutant.o: $(BUILD)/zoo/$2/$(notdir $1) $(BUILD)/flags
	$$(Q)$$(CC) $$(ALL_CFLAGS) -w -iquote $$(@D) -iquote $(dir $1) $$(HTTP_TEST_CFLAGS) -MMD -MP -c -o $$@ $(call compiled,$1,$2)

$(BUILD)/zoo/$2/$3: $(BUILD)/zoo/$2/mutant.o $(filter-out $(call objects,$1 $(call compiled,$1,$2)),$(call parts_of,$3)) $(LIBLAB)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(filter $$(LIBHTTP),$$^) $$(LIBLAB) \
	  $$(if $$(filter $$(LIBHTTP),$$^),$$(HTTP_LIBS)) $$(PACKAGE_LIBS) -lm

# One that survives is tried again the next time.
$(BUILD)/zoo/$2/verdict: $(BUILD)/zoo/$2/$3 $(BUILD)/tests/$3 $(BUILD)/within $(ZOO)/try.sh
	$$(call say,TRY,$2)
	$$(Q)sh $(ZOO)/try.sh $(ZOO)/$2.patch $(BUILD)/tests $$(@D) >$$@
	$$(Q)! grep -qE '^Caught: no|^Simulation: never' $$@ || touch -t 197001010000 $$@

-include $(BUILD)/zoo/$2/mutant.d
endef
$(foreach mutant,$(MUTANTS),$(eval $(call mutant_rule,$(call part,1,$(mutant)),$(call part,2,$(mutant)),$(call part,3,$(mutant)))))

# Those of the controller are put to the simulation, too.
define simulated_rule
$(BUILD)/zoo/$1/verdict: $(BUILD)/zoo/$1/test_simulation
$(BUILD)/zoo/$1/test_simulation: $(BUILD)/zoo/$1/mutant.o $(parts_of_test_simulation) $(LIBLAB)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(LIBLAB) $$(PACKAGE_LIBS) -lm
endef
$(foreach mutant,$(MUTANTS),$(if $(filter %/admission.c,$(call part,1,$(mutant))),\
  $(eval $(call simulated_rule,$(call part,2,$(mutant))))))

# The table. A mutant that survives makes it fail.
.PHONY: zoo verdicts
zoo:
	+@$(MAKE) $(JOBS) verdicts
	@awk -f $(ZOO)/table.awk $(VERDICTS)
	@echo 'what the simulation found is told, step by step, in $(BUILD)/zoo/*/simulation'

verdicts: $(VERDICTS)

# The same as the report of a test; the faults must be seen without a sanitizer's help.
taps: $(if $(findstring sanitize,$(CFLAGS)),,$(BUILD)/taps/zoo.tap)
$(BUILD)/taps/zoo.tap: $(VERDICTS) FORCE
	$(Q)mkdir -p $(@D)
	$(Q)awk -v tap=1 -f $(ZOO)/table.awk $(VERDICTS) >$@; echo "# exit $$?" >>$@

-include $(patsubst %.o,%.d,$(call objects,$(wildcard $(STEP8)/*.c) common/tests/simulation.c common/tests/schedule.c))
