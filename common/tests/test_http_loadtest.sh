#!/bin/sh
# The check by hand, and the load test as a user meets it.
cd "$(dirname "$0")/../.." || exit 1
. common/tests/http_common.sh

# The check by hand.
http_proxy=http://127.0.0.1:9 no_proxy= BIN=$bin sh step06_http/try_it.sh >"$work/tried"
result 'try_it.sh' $?
expect 'four are answered' "$(cat "$work/tried")" '^ *4 HTTP/1.1 200 OK$'
expect 'sixteen are told when to come back' "$(cat "$work/tried")" '^ *16 Retry-After: 1$'
mkdir "$work/bin"
printf '#!/bin/sh\nshift\nexec %s --port=0 --max-waiting=20\n' "$(realpath "$bin/service")" >"$work/bin/service"
chmod +x "$work/bin/service"
BIN=$work/bin sh step06_http/try_it.sh >"$work/tried" 2>&1
result 'twenty that are served are not as they should be' "$([ $? -eq 1 ]; echo $?)"
expect 'and that is said' "$(cat "$work/tried")" '^try_it.sh: that is not four served and sixteen turned away'

# The load test.
serve --max-waiting=41 --max-wait=0.3
test_load --rate=400 -d 500ms "$url/work"
status=$?
[ $status -eq 3 ] && status=0 # this machine was busy: not what is tested here
result 'the load test runs' $status
result 'each request has its outcome' "$([ "$(field offered)" = 200 ] && [ $(($(field ok) + $(field shed) + $(field timeout) + $(field error) + $(field unsent))) -eq 200 ]; echo $?)"
expect 'what the service wastes is unknown' "$(field wasted)" '^null$'
test_load --probe-only "$url/work"
expect 'a probe gives the capacity' "$(field capacity_rps)" '^[0-9]+\.[0-9]+$'
test_load --rate=100 -d 500ms -c 1 "$url/work"
verdict 'what --max-inflight holds back is said' \
  '^SKIP  every request could be sent \(--max-inflight held back [0-9]+ of 50: the load was not open\)$'
(
  ulimit -n 20
  test_load --rate=600 -d 500ms "$url/work"
)
status=$?
[ $status -eq 3 ] && status=1 # busy, too
result 'what there is no file for makes the run worthless' "$([ $status -eq 1 ]; echo $?)"
verdict 'and that is said' '^FAIL  every request could be sent \([0-9]+ of 300 could not'
test_load --multiples=4 -d 500ms "$url/work"
verdict 'four times the capacity is an overload' '^PASS  the highest load was an overload \(at 4x'
expect 'each outcome has its latency' "$(field shed_max_ms)" '^[0-9.]+$'
expect 'each second its count' "$(cat "$work/out/loadtest_by_second.csv")" '^[0-9.]+,0,[0-9]+,[0-9]+$'
expect 'a row says whether the generator kept its schedule' "$(field valid)" '^(true|false)$'
expect 'those without a time have none' "$(field error_max_ms)" '^null$'
test_load --rate=50 -d 200ms "$url/nowhere"
result 'a service that answers nobody well is no success' "$(status=$?; [ $status -eq 1 ] || [ $status -eq 3 ]; echo $?)"
expect 'a status is counted by its number' "$(cat "$work/out/loadtest.json")" '"status_404": 10'
verdict 'and that is said' '^FAIL  some requests were answered in time \(0 of 10\)$'
kill -9 "$pid"
wait "$pid" 2>/dev/null

test_load --rate=100 -d 60s "$url/work"
status=$?
[ $status -eq 3 ] && status=1 # busy again
result 'it stops when nobody listens' "$([ $status -eq 1 ]; echo $?)"
verdict 'and says why' 'every connection of a whole second was refused'
offered=$(field offered)
result "after one second of the 60 ($offered of 6000 requests)" "$([ "$offered" -ge 50 ] && [ "$offered" -lt 500 ]; echo $?)"
test_load --probe-only "$url/work"
result 'in the probe, too' "$([ $? -eq 2 ]; echo $?)"
test_load http://192.0.2.1/
result 'it does not go to other machines' "$([ $? -eq 2 ]; echo $?)"
expect 'and says how to' "$(cat "$work/log")" '--allow-remote'

test_load --rate=100 -d 300ms "$url/work"
status=$?
[ $status -eq 3 ] && status=1
result 'a run in which nobody listens is no good run, however short' "$([ $status -eq 1 ]; echo $?)"
verdict 'and says why, too' '^FAIL  somebody listened throughout \(every connection was refused\)$'

# A generator that stands still is not the service's fault.
serve --service-time=5ms
"$bin/loadtest" --out="$work/out" --rate=50 -d 2s -t 200ms "$url/work" >"$work/text" 2>"$work/log" &
load=$!
until_at_least admitted 5
kill -STOP $load
sleep 1
kill -CONT $load
wait $load
result 'a generator that stood still is said to be late' "$([ $? -eq 3 ]; echo $?)"
expect 'what it came to too late was not sent' "$(field too_late)" '^[1-9][0-9]*$'
expect 'and the row is not valid' "$(field valid)" '^false$'
result 'and less was sent than asked for' "$(awk -v rate="$(field sent_rps)" 'BEGIN { exit !(rate > 0 && rate < 49) }'; echo $?)"
kill "$pid"

# What cannot be sent, and what can.
test_load -m "$(printf 'GET / HTTP/1.1\r\nX: y\r\n\r\nGET')" "$url/work"
result 'a method is one word' "$([ $? -eq 2 ]; echo $?)"
has 'and that is said' "$(cat "$work/log")" '^loadtest: --method=GET .* makes no sense' 1
test_load -H 'X Y: a' "$url/work"
result 'so is the name of a header' "$([ $? -eq 2 ]; echo $?)"
expect 'and that is said' "$(cat "$work/log")" '^loadtest: --header=X Y: a makes no sense'
serve
"$bin/loadtest" --out="$work/out" --rate=10 -d 500ms --method=GET --body --quiet=1 "http://user:secret@${url#http://}/health" >"$work/text" 2>"$work/log"
status=$?
[ $status -eq 3 ] && status=0
result 'a body may begin with a dash' $status
expect 'what the URL says of its user is not shown' "$(grep -o '"url": "[^"]*"' "$work/out/loadtest.json")" "\"$url/health\""
result 'nowhere' "$(grep -q secret "$work/text" "$work/log" "$work"/out/loadtest.*; [ $? -eq 1 ]; echo $?)"
test_load --multiples=1000000000 -d 1ms "$url/work"
result 'more than can be sent is refused' "$([ $? -eq 2 ]; echo $?)"
expect 'and that is said' "$(cat "$work/log")" 'makes no sense at .* requests per second; allowed is'
kill -9 "$pid"

# Between two rows the service comes to rest, or it is said that it did not.
serve
test_load --multiples=4,0.5 -d 1s "$url/work"
verdict 'a row does not have the line of the one before' '^ *0\.50x +[0-9.]+ +- +[0-9]+ +0 +0 '
kill -9 "$pid"
serve --slots=16 --service-time=400ms
# It must be stopped after the first row and before it has answered again, which is a
# matter of milliseconds: it is tried until that was met.
for attempt in 1 2 3 4 5 6; do
  : >"$work/text"
  "$bin/loadtest" --out="$work/out" --multiples=1,1 -d 500ms "$url/work" >"$work/text" 2>"$work/log" &
  load=$!
  until grep -q 1.00x "$work/text" || ! kill -0 $load; do sleep 0.02; done
  kill -STOP "$pid"
  until [ -s "$work/log" ] || ! kill -0 $load; do sleep 0.02; done
  kill -CONT "$pid"
  wait $load
  grep -q 'does not answer' "$work/log" && break
done
expect 'a service that has no rest is named' "$(cat "$work/log")" '^loadtest: warning: 1.5 s after 1x the service does not answer'
kill -9 "$pid"

echo "1..$n"
