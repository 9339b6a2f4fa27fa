#include "answer.h"

#include "../admission/retry_after.h"

#include <errno.h>
#include <string.h>

const char *
lab_http_error_name (LabHttpError error)
{
  static const char *const names[LAB_HTTP_N_ERRORS] = {
    [LAB_HTTP_NO_ERROR] = "none",
    [LAB_HTTP_CONNECT_REFUSED] = "connect_refused",
    [LAB_HTTP_CONNECT_FAILED] = "connect_failed",
    [LAB_HTTP_RESET] = "reset",
    [LAB_HTTP_CLOSED] = "closed",
    [LAB_HTTP_INCOMPLETE] = "incomplete",
    [LAB_HTTP_MALFORMED] = "malformed",
    [LAB_HTTP_TOO_LARGE] = "too_large",
    [LAB_HTTP_TLS_CERTIFICATE] = "tls_certificate",
    [LAB_HTTP_TLS_HANDSHAKE] = "tls_handshake",
    [LAB_HTTP_REDIRECT] = "redirect",
    [LAB_HTTP_STATUS] = "status",
    [LAB_HTTP_OTHER] = "other",
    [LAB_HTTP_OUT_OF_PORTS] = "out_of_ports",
    [LAB_HTTP_OUT_OF_FILES] = "out_of_files",
    [LAB_HTTP_OUT_OF_MEMORY] = "out_of_memory",
    [LAB_HTTP_OVER_MAX_INFLIGHT] = "over_max_inflight",
  };

  g_return_val_if_fail (error < LAB_HTTP_N_ERRORS, NULL);
  return names[error];
}

/* Naming what became of a call. */

static LabHttpError
error_of_errno (int number, LabHttpError otherwise)
{
  switch (number)
    {
    case ECONNREFUSED:
      return LAB_HTTP_CONNECT_REFUSED;
    case EADDRNOTAVAIL:
      return LAB_HTTP_OUT_OF_PORTS;
    case EMFILE:
    case ENFILE:
      return LAB_HTTP_OUT_OF_FILES;
    case ENOBUFS:
    case ENOMEM:
      return LAB_HTTP_OUT_OF_MEMORY;
    default:
      return otherwise;
    }
}

static LabHttpError
error_of_connecting (LabHttpAnswer *answer)
{
  long number = 0;

  if (answer->socket_errno != 0)
    return error_of_errno (answer->socket_errno, LAB_HTTP_CONNECT_FAILED);
  curl_easy_getinfo (answer->easy, CURLINFO_OS_ERRNO, &number);
  return error_of_errno ((int) number, LAB_HTTP_CONNECT_FAILED);
}

static LabHttpError
error_of_result (LabHttpAnswer *answer, CURLcode result)
{
  switch (result)
    {
    case CURLE_OK:
      /* libcurl accepts an answer whose headers break off. */
      if (!answer->has_headers)
        return LAB_HTTP_INCOMPLETE;
      return answer->is_ambiguous ? LAB_HTTP_MALFORMED : LAB_HTTP_NO_ERROR;
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT: /* libcurl waits 5 minutes for a connection, and no longer */
      return error_of_connecting (answer);
    case CURLE_GOT_NOTHING:
    case CURLE_ABORTED_BY_CALLBACK: /* by may_send(): the connection was closed under it twice */
      return LAB_HTTP_CLOSED;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      /* Two faults have no code of their own. */
      if (strstr (answer->complaint, "chunked-encoding") != NULL)
        return LAB_HTTP_MALFORMED;
      return strstr (answer->complaint, "Too large response headers") != NULL ? LAB_HTTP_TOO_LARGE : LAB_HTTP_RESET;
    case CURLE_PARTIAL_FILE:
      return LAB_HTTP_INCOMPLETE;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_FILESIZE_EXCEEDED:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return LAB_HTTP_MALFORMED;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return LAB_HTTP_TLS_CERTIFICATE;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER:
      return LAB_HTTP_TLS_HANDSHAKE;
    case CURLE_OUT_OF_MEMORY:
      /* Also what libcurl says to a line of the answer that is too long for it. */
      return answer->sends > 0 ? LAB_HTTP_TOO_LARGE : LAB_HTTP_OUT_OF_MEMORY;
    default:
      return LAB_HTTP_OTHER;
    }
}

static LabHttpError
error_of_status (LabHttpAnswer *answer, long status)
{
  if (status >= 200 && status <= 299)
    return LAB_HTTP_NO_ERROR;
  if (status >= 300 && status <= 399)
    return LAB_HTTP_REDIRECT;
  if (status < 0 || status >= (long) G_N_ELEMENTS (answer->counters->statuses))
    return LAB_HTTP_MALFORMED;
  answer->counters->statuses[status]++;
  return LAB_HTTP_STATUS;
}

static void
note_shed (LabHttpAnswer *answer, long status)
{
  LabHttpCounters *counters = answer->counters;
  struct curl_header *header = NULL;
  const char *value = NULL;

  if (curl_easy_header (answer->easy, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
    value = header->value;
  if (lab_retry_after_parse (value, g_get_real_time () / G_USEC_PER_SEC) >= 0)
    counters->retry_after++;
  else if (value != NULL)
    counters->retry_after_ignored++;

  if (status == 503 && !counters->saw_503)
    {
      counters->saw_503 = TRUE;
      counters->first_503_retry_after = g_strdup (value);
      memcpy (counters->first_503_body, answer->body, answer->body_kept);
    }
}

LabOutcome
lab_http_answer_judge (LabHttpAnswer *answer, CURLcode result)
{
  LabHttpCounters *counters = answer->counters;
  LabHttpError error = error_of_result (answer, result);
  long status = 0;

  if (error == LAB_HTTP_NO_ERROR)
    {
      counters->answered++;
      curl_easy_getinfo (answer->easy, CURLINFO_RESPONSE_CODE, &status);
      if (status == 503 || status == 429)
        {
          note_shed (answer, status);
          return LAB_SHED;
        }
      error = error_of_status (answer, status);
      if (error == LAB_HTTP_NO_ERROR)
        return LAB_OK;
    }
  counters->errors[error]++;
  return error >= LAB_HTTP_OUT_OF_PORTS ? LAB_UNSENT : LAB_ERROR;
}

/* libcurl's callbacks for one request. */

/* Called each time a request is about to be sent. libcurl itself sends a request again
 * when its kept connection was closed under it, up to five times; we allow that once. */
static int
may_send (void *data, char *their_ip, char *our_ip, int their_port, int our_port)
{
  LabHttpAnswer *answer = data;

  (void) their_ip, (void) our_ip, (void) their_port, (void) our_port;
  if (answer->sends++ == 1)
    answer->counters->resent++;
  return answer->sends <= 2 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static void
forget_headers (LabHttpAnswer *answer)
{
  answer->has_headers = FALSE;
  answer->is_ambiguous = FALSE;
  answer->length = -1;
}

/* libcurl ignores a length that is not a number, and of two it takes the last. But nobody
 * can tell where such an answer ends (RFC 9112, section 6.3). */
static void
take_length (LabHttpAnswer *answer, const char *value, gsize n)
{
  guint64 length = 0;
  gsize i = 0;
  gsize digits;

  while (i < n && (value[i] == ' ' || value[i] == '\t'))
    i++;
  for (digits = i; i < n && g_ascii_isdigit (value[i]); i++)
    if (!g_uint64_checked_mul (&length, length, 10)
        || !g_uint64_checked_add (&length, length, (guint64) g_ascii_digit_value (value[i])))
      answer->is_ambiguous = TRUE;
  digits = i - digits;
  while (i < n && g_ascii_isspace (value[i]))
    i++;
  if (digits == 0 || i < n || length > G_MAXINT64 || (answer->length >= 0 && answer->length != (gint64) length))
    answer->is_ambiguous = TRUE;
  answer->length = (gint64) length;
}

/* Called for each line. An answer may have several heads ("100 Continue"), each of which
 * ends with an empty line, and trailer lines after its body. */
static size_t
take_header (char *line, size_t size, size_t n, void *data)
{
  static const char length[] = "Content-Length:";
  LabHttpAnswer *answer = data;

  (void) size;
  if (n <= 2 && (*line == '\r' || *line == '\n'))
    answer->has_headers = TRUE;
  else if (n >= 5 && memcmp (line, "HTTP/", 5) == 0)
    forget_headers (answer);
  else if (!answer->has_headers && n >= sizeof length - 1 && g_ascii_strncasecmp (line, length, sizeof length - 1) == 0)
    take_length (answer, line + sizeof length - 1, n - (sizeof length - 1));
  return n;
}

static size_t
take_body (char *bytes, size_t size, size_t n, void *data)
{
  LabHttpAnswer *answer = data;

  if (!answer->counters->saw_503 && answer->body_kept < LAB_HTTP_FIRST_503_BODY)
    {
      gsize kept = MIN (size * n, LAB_HTTP_FIRST_503_BODY - answer->body_kept);

      memcpy (answer->body + answer->body_kept, bytes, kept);
      answer->body_kept += kept;
    }
  return size * n;
}

void
lab_http_answer_init (LabHttpAnswer *answer, CURL *easy, LabHttpCounters *counters)
{
  answer->easy = easy;
  answer->counters = counters;
  curl_easy_setopt (easy, CURLOPT_PREREQFUNCTION, may_send);
  curl_easy_setopt (easy, CURLOPT_PREREQDATA, answer);
  curl_easy_setopt (easy, CURLOPT_ERRORBUFFER, answer->complaint);
  curl_easy_setopt (easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt (easy, CURLOPT_HEADERDATA, answer);
  curl_easy_setopt (easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt (easy, CURLOPT_WRITEDATA, answer);
}

void
lab_http_answer_begin (LabHttpAnswer *answer)
{
  answer->sends = 0;
  answer->socket_errno = 0;
  answer->body_kept = 0;
  answer->complaint[0] = '\0';
  forget_headers (answer);
}
