#!/bin/sh
# The example in the header of the admission controller, built from the files that
# the header names, alone, and run on the real clock.
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc}

echo 1..2

# The lines of the header's first comment that are indented as code.
{
  cat <<'PRELUDE'
#include "admission.h"

static GString *told;
static void start_work (gpointer request);
static void reply_503 (gpointer request, const char *reason);

PRELUDE
  awk '/^#pragma once/ { exit } /^ \*   / || /^ \*$/ { print substr ($0, 4) }' common/admission/admission.h
  cat <<'MAIN'

static void
start_work (gpointer request)
{
  g_string_append_printf (told, "%d runs. ", ((Request *) request)->socket);
}

static void
reply_503 (gpointer request, const char *reason)
{
  g_string_append_printf (told, "%d: %s. ", ((Request *) request)->socket, reason);
}

int
main (void)
{
  LabClock *clock = lab_clock_new_real ();
  LabAdmission *admission = lab_admission_new (
      clock, &(LabLimits) { .slots = 1, .max_waiting = LAB_AT_MOST (2), .max_wait = LAB_AT_MOST (5 * LAB_MS) });
  Request requests[] = { { .socket = 1 }, { .socket = 2 }, { .socket = 3 }, { .socket = 4 } };

  told = g_string_new (NULL);
  for (int i = 0; i < 4; i++)
    request_arrives (admission, &requests[i]);
  request_ends (admission, &requests[0]);
  lab_clock_run_until (clock, NULL, NULL);
  for (int i = 0; i < 4; i++)
    request_ends (admission, &requests[i]);
  g_print ("%s\n", told->str);
  g_string_free (told, TRUE);
  lab_admission_free (admission);
  lab_clock_free (clock);
  return 0;
}
MAIN
} > "$work/example.c"

mkdir "$work/admission" "$work/time"
cp common/admission/admission.[ch] "$work/admission/"
cp common/time/clock.[ch] common/time/timer_queue.[ch] common/time/duration.h "$work/time/"
mv "$work/example.c" "$work/admission/"

# shellcheck disable=SC2046
if $CC -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE $CFLAGS -o "$work/example" "$work"/*/*.c \
  $(pkg-config --cflags --libs glib-2.0) 2> "$work/complaints"; then
  echo 'ok 1 - the example builds from the files it names, alone'
else
  sed 's/^/# /' "$work/complaints"
  echo 'not ok 1 - the example builds from the files it names, alone'
fi

expected='1 runs. 4: line_full. 2 runs. 3: waited_too_long. '
got=$("$work/example" 2>&1)
if [ "$got" = "$expected" ]; then
  echo 'ok 2 - it runs, waits and turns away'
else
  echo "# expected: $expected"
  echo "# got:      $got"
  echo 'not ok 2 - it runs, waits and turns away'
fi
