/* One page of the book, with what the tool puts into it.
 *
 * What comes from a run stands between markers, which a reader does not see:
 *
 *   <!-- run: build/bin/step03_no_limits -->
 *   ```text
 *   (what the command prints)
 *   ```
 *   <!-- end -->
 *
 *   Of 827 requests 679 timed out.
 *   <!-- numbers: build/bin/step03_no_limits; 827=offered; 679=timeout -->
 *
 * A `numbers` marker speaks of the paragraph that it ends; expression.h says what
 * may stand behind the `=`. A number keeps as many decimals as it is written with.
 *
 * A link such as [`lab_admission_ask`](../common/admission/admission.c#L139) leads
 * to the line where the name is defined. Every other link into the tree leads to a
 * file that is there, and to a heading that is there. */
#pragma once

#include "runs.h"

G_BEGIN_DECLS

typedef struct
{
  const char *path; /* from the top */
  char *text;       /* as it should be, as far as the tool knows */
  guint changed;    /* what differed from what it should be */
  guint broken;     /* what only a person can mend */
} Page;

/* Puts in what @command printed, for every `run` marker. */
void page_fill_runs (Page *page, Runs *runs);

/* Puts in what stands in the file (Markdown, found from the top), for every `file`
 * marker. */
void page_fill_files (Page *page);
void page_fill_numbers (Page *page, Runs *runs);

/* Every number of a `run` block that the prose repeats must be in a marker. */
void page_check_unmarked (Page *page);

/* Says what is the matter at @offset of the text. */
void page_complain (const Page *page, gsize offset, const char *format, ...) G_GNUC_PRINTF (3, 4);

G_END_DECLS
