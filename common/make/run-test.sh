#!/bin/sh
# run-test.sh REPORT WITHIN COMMAND...: runs one test program, and lets nothing that it
# starts outlive it. REPORT gets its TAP, then "# stderr: " lines with its complaints,
# then "# exit N". Always ends with 0; count-taps.awk is the judge.
report=$1
within=$2
shift 2

# A test that limits the number of open files counts its own: none but the three streams
# reach it, whatever make or the terminal has open.
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-

mkdir -p "$(dirname "$report")"
trap 'kill $! 2>/dev/null || exit 2' HUP INT TERM # by make, which knows of us alone
"$within" "${TEST_LIMIT_S:-300}" "$@" </dev/null >"$report.out" 2>"$report.err" &
wait $!
status=$?

{
  cat "$report.out"
  echo
  sed 's/^/# stderr: /' "$report.err"
  echo "# exit $status"
} >"$report"
rm -f "$report.out" "$report.err"
