#include "client.h"
#include "easy.h"
#include "sockets.h"

static size_t
append_body (char *bytes, size_t size, size_t n, void *data)
{
  g_string_append_len (data, bytes, (gssize) (size * n));
  return size * n;
}

static curl_socket_t
open_loopback_socket (void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
  (void) data, (void) purpose;
  if (!lab_is_loopback (&address->addr))
    return CURL_SOCKET_BAD;
  return socket (address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

typedef struct
{
  LabCondition condition;
  gpointer data;
} GiveUp;

/* Called about once a second, and whenever something comes. */
static int
is_given_up (void *data, curl_off_t to_come, curl_off_t come, curl_off_t to_go, curl_off_t gone)
{
  const GiveUp *give_up = data;

  (void) to_come, (void) come, (void) to_go, (void) gone;
  return give_up->condition != NULL && give_up->condition (give_up->data);
}

char *
lab_http_get (const char *url, LabTime timeout_ns, LabCondition give_up, gpointer data, GError **error)
{
  GiveUp impatience = { give_up, data };
  g_autoptr (GString) body = g_string_new (NULL);
  CURL *easy = lab_http_easy_new (FALSE);
  CURLcode result;
  long status = 0;

  curl_easy_setopt (easy, CURLOPT_URL, url);
  curl_easy_setopt (easy, CURLOPT_TIMEOUT_MS, (long) (timeout_ns / LAB_MS));
  curl_easy_setopt (easy, CURLOPT_WRITEFUNCTION, append_body);
  curl_easy_setopt (easy, CURLOPT_WRITEDATA, body);
  curl_easy_setopt (easy, CURLOPT_OPENSOCKETFUNCTION, open_loopback_socket);
  curl_easy_setopt (easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt (easy, CURLOPT_XFERINFOFUNCTION, is_given_up);
  curl_easy_setopt (easy, CURLOPT_XFERINFODATA, &impatience);
  result = curl_easy_perform (easy);
  curl_easy_getinfo (easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup (easy);
  if (result == CURLE_OK && status >= 200 && status <= 299)
    return g_string_free (g_steal_pointer (&body), FALSE);

  if (result == CURLE_ABORTED_BY_CALLBACK)
    g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED, "%s does not answer in time", url);
  else if (result != CURLE_OK)
    g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED, "%s: %s", url,
                 curl_easy_strerror (result));
  else
    g_set_error (error, LAB_HTTP_CLIENT_ERROR, LAB_HTTP_CLIENT_ERROR_FAILED, "%s: status %ld", url, status);
  return NULL;
}
