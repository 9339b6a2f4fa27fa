# Over real HTTP, beyond step 6: the flat line, the load test for one's own service,
# and what wants a quiet machine.

.PHONY: flat loadtest check-load

ifeq ($(HTTP),yes)

draw = for image in svg png; do sh $(SCRIPTS)/plot.sh $(OUT)/$1.$$image $(OUT)/$1 $2 || exit 2; done

# Ends with the program's status; after 3 it says what to do.
ended = test $$status -ne 3 || echo 'The machine was busy with something else, so these numbers are worth nothing: run it again.'; exit $$status

flat: $(BUILD)/bin/flat $(BUILD)/bin/service
	$(Q)$< --out=$(OUT); status=$$?; $(call draw,flat,step06_http/flat.gp); $(ended)
	@echo 'results and chart are in $(OUT)/: flat.json, flat.csv, flat.svg, flat.png'

loadtest: $(BUILD)/bin/loadtest
	@test -n '$(URL)' || { echo 'make loadtest URL=http://127.0.0.1:8000/work [ARGS="--duration=3s"]' >&2; exit 2; }
	$(Q)$< --out=$(OUT) $(ARGS) '$(URL)'; status=$$?; $(call draw,loadtest,step09_sweep/loadtest.gp); $(ended)
	@echo 'results and chart are in $(OUT)/: loadtest.json, loadtest.csv, loadtest.svg, loadtest.png'

check-load: build tests
	@BIN=$(BUILD)/bin TESTS=$(BUILD)/tests sh common/tests/http_load.sh

else

flat loadtest check-load:
	@echo '$@ is left out: it wants Linux, libmicrohttpd and libcurl (make doctor says more)'

endif
