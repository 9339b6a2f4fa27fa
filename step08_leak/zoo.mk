# The tests of step 8, the bug zoo, and the simulation of the controller.
# Included by the Makefile, whose variables and rules it uses.

# --- The tests of step 8 and of step 6's service -------------------------------

STEP8 = step08_leak/tests
STEP8_HTTP = $(call objects,$(STEP8)/http.c) $(if $(HTTP),$(LIBHTTP))
STEP8_TESTS = test_step08 $(if $(HTTP),test_service_http)

$(BUILD)/tests/test_step08: $(call objects,$(STEP8)/test_step08.c step08_leak/controller.c) $(BUILD)/gen/leaky.o \
                            $(STEP8_HTTP) $(LIBLAB)
	$(link)

$(BUILD)/tests/test_service_http: $(call objects,$(STEP8)/test_service_http.c) $(STEP8_HTTP) $(LIBLAB)
	$(link)

# It includes step 6's service as a source.
$(BUILD)/obj/$(STEP8)/http.o: $(STEP8)/http.c $(BUILD)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(HTTP),-DWITH_HTTP -iquote step06_http) -MMD -MP -c -o $@ $<

# `make step08` shows the table first, and then these.
step08: $(BUILD)/tests/test_step08
AFTER_STEP08 = @sh $(STEP8)/show.sh $(BUILD)/tests/test_step08

tests: $(addprefix $(BUILD)/tests/,$(STEP8_TESTS))
taps: $(STEP8_TESTS:%=$(BUILD)/taps/%.tap)

# --- The simulation of the controller --------------------------------------------

SIMULATION = $(call objects,common/tests/simulation.c common/tests/schedule.c)

$(BUILD)/tests/test_simulation: $(SIMULATION)

# make soak, until stopped; make soak EVENTS=1000000000
.PHONY: soak
soak: $(BUILD)/tests/test_simulation
	$(Q)$< --soak $(if $(EVENTS),--events=$(EVENTS))

-include $(patsubst %.o,%.d,$(call objects,$(wildcard $(STEP8)/*.c) common/tests/simulation.c common/tests/schedule.c))
