#!/bin/sh
# run-test.sh REPORT COMMAND...: runs one test program. REPORT gets its TAP, then
# "# stderr: " lines with its complaints, then "# exit N". Always ends with 0;
# count-taps.awk is the judge.
report=$1
shift
limit_s=${TEST_LIMIT_S:-300}

# A test that limits the number of open files counts its own: none but the three streams
# reach it, whatever make or the terminal has open.
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-

mkdir -p "$(dirname "$report")"
"$@" </dev/null >"$report.out" 2>"$report.err" &
test=$!
(
  sleep "$limit_s" &
  sleep=$!
  trap 'kill $sleep; exit' TERM
  wait $sleep
  echo "stopped: it took longer than $limit_s s" >>"$report.err"
  kill -9 $test
) 2>/dev/null &
watch=$!
wait $test
status=$?
kill $watch 2>/dev/null

{
  cat "$report.out"
  echo
  sed 's/^/# stderr: /' "$report.err"
  echo "# exit $status"
} >"$report"
rm -f "$report.out" "$report.err"
