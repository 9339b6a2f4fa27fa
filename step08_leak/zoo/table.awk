# Prints the verdicts of try.sh as a table, or with tap=1 as the report of a test.
# Fails when a mutant survives.

function report (    survives)
{
  n++
  survives = value["Caught"] != "yes" || value["Simulation"] == "never"
  survivors += survives
  if (tap)
  {
    line[n] = sprintf("%s %d - zoo/%s", survives ? "not ok" : "ok", n, value["Name"])
    return
  }
  if (value["Source"] != source)
  {
    source = value["Source"]
    printf "%s%s\n", (n > 1 ? "\n" : ""), source
  }
  sub(/^[^ ]* \//, "", value["Test"])
  printf "\n  %s: %s\n", value["Name"], value["Fault"]
  printf "      what a user sees    %s\n", value["Seen"]
  printf "      where it was met    %s\n", value["Met"]
  printf "      caught              %s, by %s\n", value["Caught"], value["Test"]
  if (value["Simulation"] == "never")
    printf "      by the simulation   never\n"
  else if (value["Simulation"] != "")
    printf "      by the simulation   after %d events\n", value["Simulation"]
}

FNR == 1 && NR > 1 { report() }
FNR == 1 { split("", value) }
{ value[substr($0, 1, index($0, ": ") - 1)] = substr($0, index($0, ": ") + 2) }

END {
  report()
  if (tap)
  {
    print "1.." n
    for (i = 1; i <= n; i++)
      print line[i]
  }
  else
    printf "\n%d faults, %d caught%s\n", n, n - survivors, (survivors ? ", " survivors " SURVIVED" : "")
  exit survivors > 0
}
