#include "retry_budget.h"

#define TOKEN G_GINT64_CONSTANT (1000000)

void
lab_retry_budget_init (LabRetryBudget *budget, double ratio, guint burst)
{
  g_return_if_fail (ratio >= 0 && ratio <= 1);

  budget->ratio_millionths = (gint64) (ratio * TOKEN + 0.5);
  budget->burst_millionths = burst * TOKEN;
  budget->tokens_millionths = budget->burst_millionths;
}

void
lab_retry_budget_first_attempt (LabRetryBudget *budget)
{
  budget->tokens_millionths = MIN (budget->burst_millionths, budget->tokens_millionths + budget->ratio_millionths);
}

gboolean
lab_retry_budget_take (LabRetryBudget *budget)
{
  if (budget->tokens_millionths < TOKEN)
    return FALSE;
  budget->tokens_millionths -= TOKEN;
  return TRUE;
}

double
lab_retry_budget_tokens (const LabRetryBudget *budget)
{
  return (double) budget->tokens_millionths / TOKEN;
}
