#!/bin/sh
# What a probe of capacity can see, and step 6 far from its usual settings.
cd "$(dirname "$0")/../.." || exit 1
. common/tests/http_common.sh

# A probe that does not fill the service, and one that fills it too much.
serve --slots=100
test_load --multiples=1 -d 300ms "$url/work"
verdict 'too few workers are no overload' '^SKIP  the highest load was an overload .*--workers than 16'
test_load --multiples=1 --workers=200 -d 300ms "$url/work"
result 'more of them find more capacity' "$(field capacity_rps | awk '{ exit !($1 > 400) }'; echo $?)"
kill -9 "$pid"
serve --slots=1 --service-time=300ms
test_load --probe-only -t 1s "$url/work"
result 'answers that come too late are no capacity' "$(field capacity_rps | awk '{ exit !($1 <= 1.01) }'; echo $?)"
expect 'and that is said' "$(cat "$work/text")" '[0-9]+ answers came after the client timeout and are not counted'
kill -9 "$pid"
serve --slots=1 --service-time=60s
test_load --probe-only -t 100ms "$url/work"
result 'no answer in time is no capacity' "$([ $? -eq 2 ]; echo $?)"
expect 'and that is said, too' "$(cat "$work/log")" 'within the client timeout of 0.1 s'
kill -9 "$pid"
serve --max-waiting=0 --limit-concurrency=1
test_load --probe-only "$url/work"
result 'nothing but refusals are no capacity' "$([ $? -eq 2 ]; echo $?)"
has 'and that is said' "$(cat "$work/log")" '^loadtest: no request of the probe was answered well: [1-9][0-9]* were refused with 503 or 429$' 1
kill -9 "$pid"
serve
test_load --workers=3 --rate=10 "$url/work"
result 'workers are for the probe' "$([ $? -eq 2 ]; echo $?)"

"$bin/step06_http" --out="$work/out" --slots=100 -d 100ms >"$work/text" 2>"$work/log"
result 'step 6 fills all its slots' "$(awk '/^capacity over HTTP/ { found = $4 > 400 } END { exit !found }' "$work/text"; echo $?)"

result 'and does not judge what is not the service' "$([ "$(grep -c '^SKIP' "$work/text")" -eq 6 ]; echo $?)"
for settings in -d=100ms '-d=500ms -t=200ms' '-d=3s -t=250ms'; do
  "$bin/step06_http" --out="$work/out" $(echo "$settings" | tr = ' ') >"$work/text" 2>"$work/log"
  status=$?
  [ $status -eq 3 ] && status=0
  result "step 6 fails no claim that cannot be judged ($settings)" $status
  expect 'but skips it' "$(cat "$work/text")" '^SKIP  noticing hang-ups alone rescues no goodput'
done
for run in 'step06_http --service-time=70s -d 1s' 'flat --service-time=4s -d 1s' 'flat -d 1ms' 'flat -d 864000s'; do
  timeout 20 "$bin"/$run --out="$work/out" >"$work/text" 2>"$work/log"
  result "senseless: $run" "$([ $? -eq 2 ]; echo $?)"
  has 'and that is said' "$(cat "$work/log")" '^(step06_http|flat): .*; allowed (is|are) ' 1
done

"$bin/step06_http" --out="$work/out" --arrivals=poisson --seed=3 -d 100ms >"$work/text" 2>"$work/log"
has 'step 6 takes random arrivals' "$(cat "$work/out/step06_http.json")" '"arrivals": "poisson"' 1

# A load test that loses every tenth outcome: only one that counts apart from its
# schedule would not see it.
awk '{ print } /^lab_summary_add \(/ { in_it = 1 }
     in_it && /^{/ { print "  static unsigned n;\n  if (++n % 10 == 0) return;"; in_it = 0 }' \
  common/loadgen/summary.c >"$work/summary.c"
: >"$work/text"
if compile -iquote common/loadgen -o "$work/loses" "$work/summary.c" step09_sweep/loadtest.c; then
  tries=0
  status=3 # the generator was late, and so nothing is judged
  while [ $status -eq 3 ] && [ $tries -lt 10 ]; do
    "$work/loses" --out="$work/out" --rate=100 -d 500ms "$url/health" >"$work/text" 2>"$work/log"
    status=$?
    tries=$((tries + 1))
  done
fi
expect 'a lost outcome is seen' "$(cat "$work/text")" '^FAIL  every request has exactly one outcome \(45 of 50\)$'
kill -9 "$pid"

echo "1..$n"
