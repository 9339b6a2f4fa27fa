#include "summary.h"

struct _LabSummary
{
  LabTime duration_ns;
  LabTime last_start_ns;
  guint64 counts[LAB_N_OUTCOMES];
  guint64 steady_ok;
  guint64 late;
  LabHistogram *latency[LAB_N_OUTCOMES];
  LabHistogram *lateness;
  GArray *by_second; /* of LabSecond */
};

LabSummary *
lab_summary_new (LabTime duration_ns)
{
  LabSummary *summary = g_new0 (LabSummary, 1);

  summary->duration_ns = duration_ns;
  for (guint i = 0; i < LAB_N_OUTCOMES; i++)
    summary->latency[i] = lab_histogram_new ();
  summary->lateness = lab_histogram_new ();
  summary->by_second = g_array_new (FALSE, TRUE, sizeof (LabSecond));
  return summary;
}

void
lab_summary_free (LabSummary *summary)
{
  for (guint i = 0; i < LAB_N_OUTCOMES; i++)
    lab_histogram_free (summary->latency[i]);
  lab_histogram_free (summary->lateness);
  g_array_unref (summary->by_second);
  g_free (summary);
}

void
lab_summary_add (LabSummary *summary, LabTime arrival_ns, LabOutcome outcome, LabTime latency_ns)
{
  guint second = (guint) (arrival_ns / LAB_S);
  LabSecond *in_second;

  if (second >= summary->by_second->len)
    g_array_set_size (summary->by_second, second + 1);
  in_second = &g_array_index (summary->by_second, LabSecond, second);
  in_second->arrived++;
  if (outcome == LAB_OK)
    {
      in_second->ok++;
      summary->steady_ok += second >= LAB_STEADY_FROM_S;
    }
  summary->counts[outcome]++;
  lab_histogram_add (summary->latency[outcome], latency_ns);
}

void
lab_summary_add_lateness (LabSummary *summary, LabTime arrival_ns, LabTime lateness_ns)
{
  lab_histogram_add (summary->lateness, lateness_ns);
  summary->late += lateness_ns > LAB_LATE_NS;
  summary->last_start_ns = MAX (summary->last_start_ns, arrival_ns + lateness_ns);
}

void
lab_summary_cut (LabSummary *summary, LabTime elapsed_ns)
{
  summary->duration_ns = MIN (summary->duration_ns, elapsed_ns);
}

guint64
lab_summary_offered (const LabSummary *summary)
{
  guint64 offered = 0;

  for (guint i = 0; i < LAB_N_OUTCOMES; i++)
    offered += summary->counts[i];
  return offered;
}

guint64
lab_summary_count (const LabSummary *summary, LabOutcome outcome)
{
  return summary->counts[outcome];
}

guint64
lab_summary_steady_ok (const LabSummary *summary)
{
  return summary->steady_ok;
}

LabTime
lab_summary_steady_ns (const LabSummary *summary)
{
  return MAX (0, summary->duration_ns - LAB_STEADY_FROM_S * LAB_S);
}

LabTime
lab_summary_duration (const LabSummary *summary)
{
  return summary->duration_ns;
}

LabTime
lab_summary_sending_ns (const LabSummary *summary)
{
  return MAX (summary->duration_ns, summary->last_start_ns);
}

const LabHistogram *
lab_summary_latency (const LabSummary *summary, LabOutcome outcome)
{
  return summary->latency[outcome];
}

const LabHistogram *
lab_summary_lateness (const LabSummary *summary)
{
  return summary->lateness;
}

gboolean
lab_summary_was_late (const LabSummary *summary)
{
  return summary->late * 100 > lab_histogram_count (summary->lateness);
}

const LabSecond *
lab_summary_by_second (const LabSummary *summary, guint *n_seconds)
{
  *n_seconds = summary->by_second->len;
  return (const LabSecond *) (gpointer) summary->by_second->data;
}
