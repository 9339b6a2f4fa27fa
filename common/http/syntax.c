#include "syntax.h"

#include <string.h>

gboolean
lab_http_is_token (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (text[i] == '\0' || (!g_ascii_isalnum (text[i]) && strchr ("!#$%&'*+-.^_`|~", text[i]) == NULL))
      return FALSE;
  return length > 0;
}

gboolean
lab_http_is_field_value (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (g_ascii_iscntrl (text[i]) && text[i] != '\t')
      return FALSE;
  return TRUE;
}

/* User and password end at the last "@" of the authority, which itself ends where the
 * path, the query or the fragment begins (RFC 3986, section 3.2). */
char *
lab_http_url_to_show (const char *url)
{
  gsize scheme = strcspn (url, ":/?#@");
  const char *authority = g_str_has_prefix (url + scheme, "://") ? url + scheme + strlen ("://") : url;
  const char *at = g_strrstr_len (authority, (gssize) strcspn (authority, "/?#"), "@");

  if (at == NULL)
    return g_strdup (url);
  return g_strdup_printf ("%.*s%s", (int) (authority - url), url, at + 1);
}
