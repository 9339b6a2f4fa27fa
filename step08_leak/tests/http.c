/* Step 6's own service and the lab's own client in one process: real loopback
 * sockets, and a virtual clock. Time stands still while requests travel, and the
 * work takes its time when the test lets the clock run. So nothing here waits,
 * and nothing can come too late. */
#include "http.h"

#include <glib.h>

#ifdef WITH_HTTP

#include <gio/gio.h>
#include <string.h>

#include "../../common/http/client.h"

int service_main (int argc, char *argv[]);
#define main service_main
#include "service.c"
#undef main

/* With the machine, for what happens at once unless there is a fault. For those
 * who know that there is one, PATIENCE_S in the environment shortens it. */
#define PATIENCE_S 20

typedef struct
{
  Service service;
  LabClock *clock;
  LabAdmission *admission;
} House;

/* One request from a client of its own. */
typedef struct
{
  LabHttpClient *client;
  gboolean is_over;
  LabOutcome outcome;
  LabCall call; /* last: the target's block goes on behind it */
} Visit;

static House *
house_new (const Settings *settings)
{
  House *house = g_new0 (House, 1);
  Service *service = &house->service;
  const LabLimits limits = { .slots = 1,
                             .max_waiting = { settings->has_max_waiting, settings->max_waiting },
                             .max_wait = { settings->has_max_wait, settings->max_wait_ns },
                             .retry_after_s = (guint) settings->retry_after_s };
  g_autoptr (GError) error = NULL;

  service->settings = *settings;
  service->settings.slots = 1;
  service->settings.service_time_ns = 50 * LAB_MS;
  service->clock = house->clock = lab_clock_new_virtual (0);
  service->admission = house->admission = lab_admission_new (house->clock, &limits);
  make_responses (service);
  listen_on_port (service, &error);
  g_assert_no_error (error);
  return house;
}

static void
house_close_server (House *house)
{
  g_clear_pointer (&house->service.server, lab_http_server_free);
}

static void
house_free (House *house)
{
  house_close_server (house);
  free_responses (&house->service);
  lab_admission_free (house->admission);
  lab_clock_free (house->clock);
  g_free (house);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (House, house_free)

static gboolean
out_of_patience (gpointer what)
{
  g_error ("waited in vain for: %s", (const char *) what);
  return G_SOURCE_REMOVE;
}

static guint
patience_s (void)
{
  const char *text = g_getenv ("PATIENCE_S");

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : PATIENCE_S;
}

/* Lets the sockets do their work until @condition holds; time stands still. */
#define AWAIT(condition)                                                                         \
  G_STMT_START                                                                                   \
  {                                                                                              \
    guint guard = g_timeout_add_seconds (patience_s (), out_of_patience, (gpointer) #condition); \
                                                                                                 \
    while (!(condition))                                                                         \
      g_main_context_iteration (NULL, TRUE);                                                     \
    g_source_remove (guard);                                                                     \
  }                                                                                              \
  G_STMT_END

static void
let_works_end (House *house)
{
  g_assert_true (lab_clock_run_until (house->clock, NULL, NULL));
}

static const LabAdmissionCounters *
counters (const House *house)
{
  return lab_admission_counters (house->admission);
}

static void
finished (LabCall *call, LabOutcome outcome)
{
  Visit *visit = LAB_OWNER_OF (call, Visit, call);

  visit->is_over = TRUE;
  visit->outcome = outcome;
}

static Visit *
visit_new (const House *house, const char *path)
{
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u%s", lab_http_server_port (house->service.server), path);
  g_autoptr (GError) error = NULL;
  LabHttpClient *client = lab_http_client_new (&(LabHttpClientOptions) { .url = url }, &error);
  LabTarget *target;
  Visit *visit;

  g_assert_no_error (error);
  target = lab_http_client_target (client);
  visit = g_malloc0 (G_STRUCT_OFFSET (Visit, call) + target->call_size);
  visit->client = client;
  visit->call.finished = finished;
  target->prepare (target, &visit->call);
  target->start (target, &visit->call);
  return visit;
}

static void
visit_again (Visit *visit)
{
  LabTarget *target = lab_http_client_target (visit->client);

  visit->is_over = FALSE;
  target->start (target, &visit->call);
}

static void
visit_hang_up (Visit *visit)
{
  LabTarget *target = lab_http_client_target (visit->client);

  if (!visit->is_over)
    target->abandon (target, &visit->call);
}

static void
visit_free (Visit *visit)
{
  LabTarget *target = lab_http_client_target (visit->client);

  visit_hang_up (visit);
  target->dispose (target, &visit->call);
  lab_http_client_free (visit->client);
  g_free (visit);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Visit, visit_free)

void
http_503_carries_retry_after_and_health_stays_up (void)
{
  g_autoptr (House) house = house_new (&(Settings) { .has_max_waiting = TRUE, .retry_after_s = 3 });
  g_autoptr (Visit) first = visit_new (house, "/work");
  g_autoptr (Visit) second = NULL;
  g_autoptr (Visit) health = NULL;
  const LabHttpCounters *seen;

  AWAIT (counters (house)->running == 1);
  second = visit_new (house, "/work");
  AWAIT (second->is_over);
  health = visit_new (house, "/health");
  AWAIT (health->is_over);
  let_works_end (house);
  AWAIT (first->is_over);

  g_assert_cmpint (first->outcome, ==, LAB_OK);
  seen = lab_http_client_counters (second->client);
  g_assert_true (seen->saw_503);
  g_assert_cmpstr (seen->first_503_retry_after, ==, "3");
  g_assert_cmpstr (seen->first_503_body, ==, "{\"error\":\"overloaded\",\"reason\":\"line_full\"}");
  g_assert_cmpint (health->outcome, ==, LAB_OK);
}

void
a_waiting_client_that_hangs_up_gives_back_its_place (void)
{
  g_autoptr (House) house = house_new (&(Settings) { .watch_hangups = TRUE });
  g_autoptr (Visit) holder = visit_new (house, "/work");
  g_autoptr (Visit) waiter = NULL;

  AWAIT (counters (house)->running == 1);
  waiter = visit_new (house, "/work");
  AWAIT (counters (house)->waiting == 1);
  visit_hang_up (waiter);
  AWAIT (counters (house)->waiting == 0);
  g_assert_cmpuint (counters (house)->cancelled, ==, 1);
  let_works_end (house);
  AWAIT (holder->is_over);
  g_assert_cmpint (holder->outcome, ==, LAB_OK);
}

/* The headers are there, but the body never comes: not yet a request. */
void
a_client_that_dawdles_holds_no_slot (void)
{
  static const char *const half = "GET /work HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n";
  g_autoptr (House) house = house_new (&(Settings) { .retry_after_s = 1 });
  g_autoptr (GSocketClient) dialler = g_socket_client_new ();
  g_autoptr (GSocketConnection) dawdler = NULL;
  g_autoptr (GError) error = NULL;

  dawdler = g_socket_client_connect_to_host (dialler, "127.0.0.1", lab_http_server_port (house->service.server), NULL,
                                             &error);
  g_assert_no_error (error);
  g_output_stream_write_all (g_io_stream_get_output_stream (G_IO_STREAM (dawdler)), half, strlen (half), NULL, NULL,
                             &error);
  g_assert_no_error (error);
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (Visit) health = visit_new (house, "/health");

      AWAIT (health->is_over);
    }
  g_assert_cmpuint (lab_http_server_connections (house->service.server), >=, 1);
  g_assert_cmpuint (counters (house)->running, ==, 0);
}

void
a_slot_is_free_as_soon_as_the_work_is_over (void)
{
  g_autoptr (House) house = house_new (&(Settings) { .retry_after_s = 1 });
  g_autoptr (Visit) visit = visit_new (house, "/work");

  AWAIT (counters (house)->running == 1);
  let_works_end (house); /* and its answer is still on our side of the socket */
  g_assert_cmpuint (counters (house)->running, ==, 0);
  AWAIT (visit->is_over);
}

void
a_client_that_leaves_during_its_work_costs_no_slot (void)
{
  g_autoptr (House) house = house_new (&(Settings) { .has_max_waiting = TRUE });
  g_autoptr (Visit) leaver = visit_new (house, "/work");
  g_autoptr (Visit) next = NULL;

  AWAIT (counters (house)->running == 1);
  visit_hang_up (leaver);
  let_works_end (house);
  AWAIT (lab_http_server_connections (house->service.server) == 0);
  g_assert_cmpuint (counters (house)->running, ==, 0);
  next = visit_new (house, "/work");
  AWAIT (counters (house)->admitted == 2);
  let_works_end (house);
  AWAIT (next->is_over);
  g_assert_cmpint (next->outcome, ==, LAB_OK);
}

void
a_server_that_is_freed_gives_back_what_it_held (void)
{
  g_autoptr (House) house = house_new (&(Settings) { .retry_after_s = 1 });
  g_autoptr (Visit) holder = visit_new (house, "/work");
  g_autoptr (Visit) waiter = NULL;

  AWAIT (counters (house)->running == 1);
  waiter = visit_new (house, "/work");
  AWAIT (counters (house)->waiting == 1);
  house_close_server (house);
  g_assert_cmpuint (counters (house)->running, ==, 0);
  g_assert_cmpuint (counters (house)->waiting, ==, 0);
  AWAIT (holder->is_over && waiter->is_over);
  g_assert_cmpint (holder->outcome, ==, LAB_ERROR);
  g_assert_cmpint (waiter->outcome, ==, LAB_ERROR);
}

void
a_shed_is_seen_as_a_shed (void)
{
  g_autoptr (House) house
      = house_new (&(Settings) { .has_max_wait = TRUE, .max_wait_ns = 20 * LAB_MS, .retry_after_s = 2 });
  g_autoptr (Visit) holder = visit_new (house, "/work");
  g_autoptr (Visit) waiter = NULL;
  const LabHttpCounters *seen;

  AWAIT (counters (house)->running == 1);
  waiter = visit_new (house, "/work");
  AWAIT (counters (house)->waiting == 1);
  let_works_end (house);
  AWAIT (holder->is_over && waiter->is_over);
  seen = lab_http_client_counters (waiter->client);
  g_assert_cmpint (holder->outcome, ==, LAB_OK);
  g_assert_cmpint (waiter->outcome, ==, LAB_SHED);
  g_assert_cmpuint (seen->retry_after, ==, 1);
  g_assert_cmpstr (seen->first_503_retry_after, ==, "2");
  g_assert_cmpstr (seen->first_503_body, ==, "{\"error\":\"overloaded\",\"reason\":\"waited_too_long\"}");
}

/* On a connection that was open already: there are no new ones any more. */
void
a_service_that_stops_takes_no_new_work (void)
{
  g_autoptr (House) house = house_new (&(Settings) { .retry_after_s = 1 });
  g_autoptr (Visit) kept = visit_new (house, "/work");
  g_autoptr (Visit) holder = NULL;

  AWAIT (counters (house)->running == 1);
  let_works_end (house);
  AWAIT (kept->is_over);
  holder = visit_new (house, "/work");
  AWAIT (counters (house)->running == 1);
  lab_timer_init (&house->service.finish, house->clock, finish_now);
  stop (&house->service);

  visit_again (kept);
  AWAIT (kept->is_over);
  g_assert_cmpint (kept->outcome, ==, LAB_SHED);
  AWAIT (lab_http_server_connections (house->service.server) == 1);
  g_assert_false (has_finished (&house->service));
  g_assert_true (lab_clock_run_until (house->clock, has_finished, &house->service));
  AWAIT (holder->is_over);
  g_assert_cmpint (holder->outcome, ==, LAB_OK);
}

#else

#define WITHOUT_HTTP(test)                                       \
  void test (void)                                               \
  {                                                              \
    g_test_skip ("HTTP wants Linux, libmicrohttpd and libcurl"); \
  }

WITHOUT_HTTP (http_503_carries_retry_after_and_health_stays_up)
WITHOUT_HTTP (a_waiting_client_that_hangs_up_gives_back_its_place)
WITHOUT_HTTP (a_client_that_dawdles_holds_no_slot)
WITHOUT_HTTP (a_slot_is_free_as_soon_as_the_work_is_over)
WITHOUT_HTTP (a_client_that_leaves_during_its_work_costs_no_slot)
WITHOUT_HTTP (a_server_that_is_freed_gives_back_what_it_held)
WITHOUT_HTTP (a_shed_is_seen_as_a_shed)
WITHOUT_HTTP (a_service_that_stops_takes_no_new_work)

#endif
