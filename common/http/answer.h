/* The answer to one request as libcurl delivers it, and what the call ended as. A part
 * of the client. */
#pragma once

#include "client.h"

#include <curl/curl.h>

G_BEGIN_DECLS

typedef struct
{
  CURL *easy;
  LabHttpCounters *counters;
  guint sends;           /* of this request */
  int socket_errno;      /* of a socket that could not be made; 0: none */
  gboolean has_headers;  /* all of them */
  gint64 length;         /* as the headers say; -1: they do not */
  gboolean is_ambiguous; /* they give different lengths, or one that is not a number */
  char complaint[CURL_ERROR_SIZE];
  gsize body_kept; /* bytes; none once the client has seen a 503 */
  char body[LAB_HTTP_FIRST_503_BODY];
} LabHttpAnswer;

/* Sets the callbacks of @easy, once for all its requests. The answer must stay where it is. */
void lab_http_answer_init (LabHttpAnswer *answer, CURL *easy, LabHttpCounters *counters);

/* Before each request. */
void lab_http_answer_begin (LabHttpAnswer *answer);

/* Counts the call and returns what it ended as. */
LabOutcome lab_http_answer_judge (LabHttpAnswer *answer, CURLcode result);

G_END_DECLS
