/* The links of a page, all of which must lead somewhere. */
#pragma once

#include "page.h"

G_BEGIN_DECLS

/* Puts the right line number behind every link to a name in a source. */
void page_fill_lines (Page *page);

/* Files and headings of the tree; other sites are left alone. */
void page_check_links (Page *page);

G_END_DECLS
