#!/bin/sh
# Runs over HTTP that do not come to their end: Ctrl-C and SIGTERM, a service that is
# killed. And step 6 with its peers, which takes as long. All at once: they mostly wait.
cd "$(dirname "$0")/../.." || exit 1
. common/tests/http_common.sh

skip () { # WHAT WHY
  n=$((n + 1))
  echo "ok $n $1 # SKIP $2"
}
children () { # PROCESS: its services, and those of nobody left
  sed -n "s/^\\([0-9]*\\) (service) [^Z] $1 .*/\\1/p" /proc/[0-9]*/stat 2>/dev/null
}
until_children () { # PROCESS COUNT: waits for so many; sets $found
  tries=0
  found=
  while [ "$(echo $found | wc -w)" -lt "$2" ] && [ $tries -lt 500 ]; do
    sleep 0.02
    found=$(children "$1")
    tries=$((tries + 1))
  done
}
until_busy () { # SERVICE...: waits for each to have ten connections, of clients that have begun
  for service in "$@"; do
    tries=0
    while [ "$(ls -l "/proc/$service/fd" 2>/dev/null | grep -c 'socket:')" -le 10 ] && [ $tries -lt 500 ]; do
      sleep 0.02
      tries=$((tries + 1))
    done
  done
}
none_lives () { # PROCESS...: they end, if not at once then soon
  [ -n "$1" ] || return 1
  for moment in 1 2 3 4 5 6 7 8 9 10; do
    alive=
    for process in "$@"; do
      grep -q '^State:.[^Z]' "/proc/$process/status" 2>/dev/null && alive="$alive $process"
    done
    [ -n "$alive" ] || return 0
    sleep 0.1
  done
  return 1
}
step6 () { # NAME OPTION...: in the background, into $work/NAME; sets $run
  name=$1
  shift
  "$bin/step06_http" --out="$work/$name" "$@" >"$work/$name.txt" 2>"$work/$name.log" &
  run=$!
}
interrupted () { # FOLDER PROGRAM: what it leaves is marked, and whole
  grep -q '"interrupted": true' "$work/$1/$2.interrupted.json" && [ "$(tail -n 1 "$work/$1/$2.interrupted.json")" = '}' ]
}

step6 in-run -d 60s
in_run=$run
step6 peers --peers -d 300ms
peers=$run

# --- Ctrl-C in a load test, after a complete run ----------------------------------------

serve --service-time=10ms
for signal in INT TERM; do
  for attempt in 1 2 3 4 5 6; do
    "$bin/loadtest" --out="$work/$signal" --rate=50 -d 100ms "$url/health" >/dev/null 2>&1
    [ $? -eq 3 ] || break
  done
  cp "$work/$signal/loadtest.json" "$work/$signal.json"
  cp "$work/$signal/loadtest.csv" "$work/$signal.csv"
done
"$bin/loadtest" --out="$work/INT" --rate=40 -d 30s "$url/work" >"$work/INT.txt" 2>"$work/INT.log" &
by_int=$!
"$bin/loadtest" --out="$work/TERM" --rate=40 -d 30s "$url/work" >"$work/TERM.txt" 2>"$work/TERM.log" &
by_term=$!
until_at_least admitted 120 # some 1.5 s
kill -INT "$by_int"
kill -TERM "$by_term"
for signal in INT:130:"$by_int" TERM:143:"$by_term"; do
  process=${signal##*:}
  expected=${signal%:*}
  expected=${expected#*:}
  signal=${signal%%:*}
  wait "$process"
  status=$?
  result "SIG$signal ends a load test with $expected ($status)" "$([ $status -eq $expected ]; echo $?)"
  has "SIG$signal: what was measured is printed" "$(cat "$work/$signal.txt")" '^ *- +40\.0 +[0-9.-]+ +[1-9][0-9]* ' 1
  interrupted "$signal" loadtest
  result "SIG$signal: and written, marked as interrupted" $?
  cp "$work/$signal/loadtest.interrupted.json" "$work/out.json"
  for key in sent_rps goodput_rps; do
    rate=$(sed -n "s/.*\"$key\": \\([0-9.]*\\).*/\\1/p" "$work/out.json" | head -n 1)
    result "SIG$signal: $key is of the time it had, not of the time asked for ($rate)" \
      "$(awk -v rate="$rate" 'BEGIN { exit !(rate > 20 && rate < 60) }'; echo $?)"
  done
  cmp "$work/$signal.json" "$work/$signal/loadtest.json" >&2 && cmp "$work/$signal.csv" "$work/$signal/loadtest.csv" >&2
  result "SIG$signal: the complete run before it is left alone" $?
done

# --- Step 6 --------------------------------------------------------------------------------

# Its probe takes 3 s; then there are four services, and a run.
step6 in-probe
in_probe=$run
until_children $in_probe 1
until_busy $found
kill -INT $in_probe
wait $in_probe
result "Ctrl-C in the probe of step 6 ends it with 130" "$([ $? -eq 130 ]; echo $?)"
none_lives $found
result 'and its service with it' $?
interrupted in-probe step06_http && [ ! -e "$work/in-probe/step06_http.json" ]
result 'what it leaves is marked as interrupted' $?

step6 killed -d 10s -t 300ms
killed=$run
until_children $in_run 4
services_in_run=$found
until_children $killed 4
result 'a run of step 6 has four services' "$([ "$(echo $services_in_run | wc -w)" -eq 4 ] && [ "$(echo $found | wc -w)" -eq 4 ]; echo $?)"
until_busy $services_in_run $found
sleep 0.5 # so that there is something to count
[ -n "$found" ] && kill -9 "${found##*[!0-9]}" # the last of them
kill -INT $in_run
wait $in_run
result 'Ctrl-C in the run ends it with 130' "$([ $? -eq 130 ]; echo $?)"
none_lives $services_in_run
result 'and its services with it' $?
interrupted in-run step06_http && [ ! -e "$work/in-run/step06_http.json" ]
result 'what it leaves is marked as interrupted' $?
has 'and has all four rows' "$(cat "$work/in-run/step06_http.interrupted.csv")" '^"?(no limits|cap|limit of)' 4
goodput=$(sed -n 's/^cap [^,]*,[^,]*,\([0-9.]*\),.*/\1/p' "$work/in-run/step06_http.interrupted.csv")
result "whose goodput is of the time it had, not of the time asked for ($goodput)" \
  "$(awk -v rate="$goodput" 'BEGIN { exit !(rate > 20) }'; echo $?)"

wait $killed
result 'a service that is killed in the run ends it with 2' "$([ $? -eq 2 ]; echo $?)"
has 'with one sentence, that says how the service has ended' "$(cat "$work/killed.log")" '^step06_http: .*service was ended by signal 9 ' 1
[ "$(wc -l <"$work/killed.log")" -eq 1 ] && [ -z "$(ls "$work/killed" 2>/dev/null)" ]
result 'without another, and without results' $?
none_lives $found
result 'and with it go the other services' $?

# --- Its peers --------------------------------------------------------------------------------

wait $peers
status=$?
result "step 6 runs with its peers ($status)" "$([ $status -eq 0 ] || [ $status -eq 1 ] || [ $status -eq 3 ]; echo $?)"
for each in nginx:'nginx limit_conn' haproxy:'HAProxy maxconn' uvicorn:'uvicorn --limit-concurrency 36'; do
  program=${each%%:*}
  label=${each#*:}
  if grep -q "^($program is not installed here: no row for it)$" "$work/peers.txt"; then
    skip "$program has its row" 'it is not installed'
  elif grep -qE "warning: .*$program.* did not start" "$work/peers.log"; then
    skip "$program has its row" "it does not start: $(grep "$program" "$work/peers.log" | head -n 1)"
  else
    has "$program has its row" "$(cat "$work/peers/step06_http.csv")" "^\"?$label" 1
  fi
done

echo "1..$n"
