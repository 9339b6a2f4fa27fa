# The report and what else is made of the results: the page, the two clocks beside
# each other, the line for a shared sheet, and the archive to carry it all away.

REPORT_PROGRAMS := report compare summary
REPORT_SOURCES := $(sort $(wildcard common/report/*.c))
REPORT_TEXTS := $(addprefix common/report/,page.html page.css steps.json printed.json)
REPORT_PARTS := $(call objects,$(filter-out common/report/article.c $(REPORT_PROGRAMS:%=common/report/%.c),$(REPORT_SOURCES))) \
                $(BUILD)/gen/report.o

build: $(REPORT_PROGRAMS:%=$(BUILD)/bin/%)
$(eval $(call parts_rule,report,$(REPORT_PARTS)))
$(REPORT_PROGRAMS:%=$(BUILD)/bin/%): $(BUILD)/bin/%: $(BUILD)/obj/common/report/%.o $(REPORT_PARTS) $(BUILD)/obj/report.parts $(LIBLAB)
	$(link)

$(BUILD)/bin/article: $(BUILD)/obj/common/report/document.o

# The page's skeleton and the book's texts are built in, so that the programs need no other file.
$(BUILD)/gen/report.c: common/report/report.gresource.xml $(REPORT_TEXTS)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)glib-compile-resources --sourcedir=common/report --generate-source --target=$@.part $<
	$(Q)mv $@.part $@

$(BUILD)/gen/report.o: $(BUILD)/gen/report.c $(BUILD)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# With the article's tick, but without judging: that is what `make article` does.
TICKED = OUT=$(OUT)/article OPTIONS=--timer-tick=16.075ms
ALL_RUNS = $(foreach run,$(RUNS),$(call name,$(run)))

.PHONY: report compare summary dist

# What is there of the real clock is shown; a page that costs minutes would be made too seldom.
report:
	+@$(MAKE) $(JOBS) build
	$(without_http)
	+@$(MAKE) -k $(JOBS) in-process; $(if $(OVER_HTTP),$(MAKE) -k over-http;) $(MAKE) -k $(JOBS) $(TICKED) texts; \
	  $(SAY_ONLY) sh $(SCRIPTS)/compared.sh $(OUT) $(BUILD)/bin/compare; \
	  $(SAY_ONLY) sh $(SCRIPTS)/closing.sh $(OUT) $(ALL_RUNS); status=$$?; \
	  $(SAY_ONLY) $(BUILD)/bin/report $(OUT) && exit $$status

# Runs what is missing or older than its program, on both clocks.
compare:
	+@$(MAKE) $(JOBS) build
	+@$(MAKE) -k $(JOBS) texts; $(MAKE) -k OUT=$(OUT)/real texts
	@sh $(SCRIPTS)/compared.sh --print $(OUT) $(BUILD)/bin/compare

# Only the lines themselves on standard output.
summary:
	+@{ $(MAKE) $(JOBS) build; $(MAKE) -k $(JOBS) texts; } >&2
	@$(BUILD)/bin/summary $(OUT)

VERSION = $(shell sed -n 's/^#define LAB_VERSION "\(.*\)"/\1/p' common/lab/results.h)
dist:
	@sh $(SCRIPTS)/dist.sh $(BUILD) $(VERSION)
