/* Tests of step 6's service over real HTTP; without HTTP they say that they are
 * left out. The first is the eighth of step 8. */
#pragma once

void http_503_carries_retry_after_and_health_stays_up (void);

void a_waiting_client_that_hangs_up_gives_back_its_place (void);
void a_client_that_dawdles_holds_no_slot (void);
void a_slot_is_free_as_soon_as_the_work_is_over (void);
void a_client_that_leaves_during_its_work_costs_no_slot (void);
void a_server_that_is_freed_gives_back_what_it_held (void);
void a_shed_is_seen_as_a_shed (void);
void a_service_that_stops_takes_no_new_work (void);
