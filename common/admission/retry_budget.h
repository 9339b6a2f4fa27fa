/* A retry budget: retries at most a fraction of first attempts, plus a burst.
 *
 * A small bank account: every first attempt pays in @ratio of a token, up to
 * @burst; every retry takes one whole token out, and is refused when there is
 * none. Over any run: retries <= ratio * first attempts + burst.
 *
 * Finagle's RetryBudget is of this kind; there a deposit expires after a while, and a
 * few retries a second are granted besides. gRPC's retry throttling (gRFC A6) is not
 * quite: failures take tokens out, successes pay a fraction in, and there are no retries
 * while the account is not more than half full. So when everything fails it comes down
 * to no retries at all; this one goes on granting its ratio of the first attempts.
 *
 *   LabRetryBudget budget;
 *   lab_retry_budget_init (&budget, 0.1, 10);
 *   lab_retry_budget_first_attempt (&budget);
 *   if (was_turned_away && lab_retry_budget_take (&budget))
 *     try_again ();
 *
 * Tokens are counted in millionths, as integers: ten tenths are exactly one, and @ratio is
 * held to a millionth (to the nearest: the bound above is of the ratio as held). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  /*< private >*/
  gint64 ratio_millionths;
  gint64 burst_millionths;
  gint64 tokens_millionths;
} LabRetryBudget;

/* @ratio from 0 to 1, @burst at least 0; the account starts full. It never holds
 * more than the burst: with 0 there is no retry at all, and with 1 what is paid in
 * beyond a whole token is lost; from 2 on, the bound above is reached when all fails. */
void lab_retry_budget_init (LabRetryBudget *budget, double ratio, guint burst);

void lab_retry_budget_first_attempt (LabRetryBudget *budget);

/* TRUE: one retry may be made, and a token is gone for it. */
gboolean lab_retry_budget_take (LabRetryBudget *budget);

/* The balance, from 0 to the burst. */
double lab_retry_budget_tokens (const LabRetryBudget *budget);

G_END_DECLS
