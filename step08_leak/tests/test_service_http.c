/* Step 6's service over real HTTP: what becomes of slots and places when clients
 * leave, works end and servers stop. */
#include "http.h"

#include <glib.h>

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(test) g_test_add_func ("/service_http/" #test, test)
  ADD (a_waiting_client_that_hangs_up_gives_back_its_place);
  ADD (a_client_that_dawdles_holds_no_slot);
  ADD (a_slot_is_free_as_soon_as_the_work_is_over);
  ADD (a_client_that_leaves_during_its_work_costs_no_slot);
  ADD (a_server_that_is_freed_gives_back_what_it_held);
  ADD (a_shed_is_seen_as_a_shed);
  ADD (a_service_that_stops_takes_no_new_work);
#undef ADD
  return g_test_run ();
}
