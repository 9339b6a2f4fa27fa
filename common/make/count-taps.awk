# Reads reports of run-test.sh: one line a test program, the whole report of one
# that failed, and at the end "passed failed" alone on a line for check.sh.
#
# A program that crashed, fell silent or ended before its plan was done is a
# failure of its own, and so is a sanitizer's finding in any program that a test ran;
# a skipped test is neither passed nor failed.

function finish (    problem, i)
{
  if (name == "")
    return
  if (bailed || (status != 0 && !failed))
    problem = "ended with status " status
  else if (plan == "")
    problem = "printed no plan"
  else if (passed + failed + skipped < plan)
    problem = "ended after " passed + failed + skipped " of " plan " tests"
  else if (plan == 0 && !skipped_all)
    problem = "has no tests"
  else if (crashed)
    problem = "ran a program that crashed or that a sanitizer stopped"
  if (problem != "")
    failed++

  printf "  %-4s %s: %d passed", failed ? "FAIL" : "ok", name, passed
  if (failed)
    printf ", %d failed", failed
  if (skipped || skipped_all)
    printf ", %s skipped", skipped_all ? "all" : skipped
  print problem != "" ? " (it " problem ")" : ""
  if (failed)
    for (i = 1; i <= lines; i++)
      print "       | " line[i]
  else
    for (i = 1; i <= lines; i++)
      if (line[i] ~ /^ok.*# *SKIP/)
        print "       | " line[i]
  all_passed += passed
  all_failed += failed
}

FNR == 1 {
  finish()
  name = FILENAME
  sub(/.*\//, "", name)
  sub(/\.tap$/, "", name)
  passed = failed = skipped = bailed = skipped_all = crashed = lines = 0
  plan = ""
  status = "unknown"
}

{ line[++lines] = $0 }

/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; if (plan == 0 && /# *[Ss][Kk][Ii][Pp]/) skipped_all = 1 }
/^ok/ { if (/# *SKIP/) skipped++; else passed++ }
/^not ok/ { failed++ }
/^Bail out!/ { bailed = 1 }
/^# stderr: .*(Sanitizer|runtime error:|a service crashed)/ { crashed = 1 }
/^# exit / { status = $3 }

END {
  finish()
  print all_passed + 0, all_failed + 0
}
