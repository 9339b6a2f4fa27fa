#include "easy.h"

void
lab_http_curl_init (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once))
    {
      curl_global_init (CURL_GLOBAL_DEFAULT);
      g_once_init_leave (&once, 1);
    }
}

CURL *
lab_http_easy_new (gboolean insecure)
{
  CURL *easy;

  lab_http_curl_init ();
  easy = curl_easy_init ();
  if (easy == NULL)
    g_error ("no memory for a request");
  curl_easy_setopt (easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt (easy, CURLOPT_PROXY, ""); /* whatever the environment says */
  curl_easy_setopt (easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt (easy, CURLOPT_CAPATH, NULL); /* otherwise the CA certificates are read for each connection */
  curl_easy_setopt (easy, CURLOPT_SSL_VERIFYPEER, insecure ? 0L : 1L);
  curl_easy_setopt (easy, CURLOPT_SSL_VERIFYHOST, insecure ? 0L : 2L);
  return easy;
}
