# The book: the pages, what keeps them true, and the exercises.

PAGES = README.md $(sort $(wildcard step*/README.md step*/answers.md common/book/*.md))
BOOK = $(BUILD)/bin/book
BOOK_OBJECTS := $(call objects,$(sort $(wildcard common/book/*.c)))

$(eval $(call parts_rule,book,$(BOOK_OBJECTS)))
$(BOOK): $(BOOK_OBJECTS) $(BUILD)/obj/book.parts $(LIBLAB)
	$(link)
build: $(BOOK)

-include $(BOOK_OBJECTS:.o=.d)

# Writes what the programs print now into the pages, and draws their charts anew.
.PHONY: book
book: build
	@sh common/book/charts.sh --write
	@$(BOOK) --write --bin=$(BUILD)/bin $(PAGES)

# Is the third exercise of step 4 done? make exercise-04.3
exercise-%: build
	@sh common/book/exercise.sh $(BUILD)/bin $*
