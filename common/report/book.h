/* What the report says about each experiment, from common/report/steps.json, which
 * is built into the program. A finding names figures by their address and gets
 * them from the run: "{0.timeout} of {0.offered} clients gave up". */
#pragma once

#include "document.h"

G_BEGIN_DECLS

typedef struct
{
  char *program; /* what the result document is called */
  char *title;
  char *question; /* or NULL */
  char *finding;  /* with figures to be filled in, or NULL */
  char *absent;   /* why it may be missing; NULL: it must be there */
  GStrv figures;  /* the addresses of its main figures, may be empty */
} Chapter;

/* All of them, in the order in which they are shown.
 * Returns: (transfer full) (element-type Chapter) */
GPtrArray *book_chapters (void);

/* One for a result document that the book does not know. Returns: (transfer full) */
Chapter *chapter_new_unknown (const char *program);

void chapter_free (Chapter *chapter);

/* "step 4" of step04_bounded_line; the program's name where it has no number of
 * its own. Returns: (transfer full) */
char *chapter_short_name (const Chapter *chapter);

/* The finding with its figures; NULL where there is none. Returns: (transfer full) */
char *chapter_finding (const Chapter *chapter, const Document *document);

/* A text that is built into the program: "page.html". Returns: (transfer full) */
char *book_text (const char *name);

/* What the article prints. Returns: (transfer full) */
JsonNode *book_printed (void);

G_END_DECLS
