/* What queueing theory says of the queues that the pretend service can be.
 *
 * Arrivals are a Poisson process of rate lambda; works are exponential around
 * 1 / mu ("M/M/...") or all alike ("M/D/1"); @load is lambda / mu, the works that
 * would be under way if nobody ever waited (in erlang).
 *
 * Cited by their short names:
 *   [Erlang 1917]  Solution of some problems in the theory of probabilities of
 *                  significance in automatic telephone exchanges
 *   [Pollaczek 1930], [Khintchine 1932]  the mean wait of M/G/1
 *   [Gross]        Gross, Shortle, Thompson, Harris, Fundamentals of Queueing
 *                  Theory, 4th edition, 2008
 *   [Baccelli 1981] Baccelli, Hebuterne, On queues with impatient customers */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* M/M/@slots/@slots, Erlang's B: the share of arrivals that find every slot busy,
 * by the recursion B(0) = 1, B(k) = a B(k-1) / (k + a B(k-1)). [Gross, 2.6] */
double lab_theory_erlang_b (guint slots, double load);

/* M/M/@slots, Erlang's C: the share that have to wait, B / (1 - rho (1 - B)) with
 * rho = load / slots < 1. [Gross, 2.4] */
double lab_theory_erlang_c (guint slots, double load);

/* M/M/@slots, mean time in line: C / (slots mu - lambda). [Gross, 2.4] */
double lab_theory_mean_wait_s (guint slots, double arrivals_rps, double service_s);

/* M/M/@slots/@room: the share of arrivals that find slots and line full,
 * p(room) of the birth-death chain p(k) = p(k-1) a / min (k, slots). [Gross, 2.5] */
double lab_theory_full_share (guint slots, guint room, double load);

/* M/D/1, mean time in line: rho s / (2 (1 - rho)). [Pollaczek 1930, Khintchine 1932] */
double lab_theory_fixed_work_wait_s (double arrivals_rps, double service_s);

/* M/M/@slots + D: whoever has stood in line for @max_wait_s leaves it. The time a
 * newcomer would wait has the density
 *   v(x) = lambda p(slots-1) exp (lambda min (x, max_wait) - slots mu x)
 * beside the chances p(k) = p(0) a^k / k! that k < slots works are under way; all
 * together are 1. [Baccelli 1981, section 4]
 *
 * *share: of arrivals that leave without a slot, the integral of v beyond max_wait.
 * *wait_s: mean time in line of everybody, those who leave included. */
void lab_theory_impatience (guint slots, double arrivals_rps, double service_s, double max_wait_s, double *share,
                            double *wait_s);

G_END_DECLS
