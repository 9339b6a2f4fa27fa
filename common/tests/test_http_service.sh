#!/bin/sh
# The service as a user meets it: requests, refusals, signals, options, its log.
cd "$(dirname "$0")/../.." || exit 1
. common/tests/http_common.sh

ends_within () { # SECONDS: far more than it should take
  timeout "$1" sh -c "while kill -0 $pid 2>/dev/null && ! grep -q 'State:.Z' /proc/$pid/status 2>/dev/null; do sleep 0.02; done"
}

# The service.
serve --slots=1 --service-time=20ms
expect 'work is answered' "$(get /work)" '^\{"ok":true\}$'
expect 'health is up' "$(get /health)" '^\{"status":"up"\}$'
expect 'the counters' "$(get /stats)" \
  '^\{"work_done":1,"peak_line":0,"admitted":1,"shed_line_full":0,"shed_waited_too_long":0,"abandoned_in_line":0,"waiting":0,"running":0\}$'
expect 'the counters for Prometheus' "$(get /metrics)" '^overload_work_done 1$'
if command -v promtool >/dev/null; then
  curl -s "$url/metrics" | promtool check metrics >/dev/null
  result 'Prometheus reads them' $?
else
  n=$((n + 1))
  echo "ok $n Prometheus reads them # SKIP promtool is not installed"
fi
expect 'anything else is not found' "$(get /)" '^HTTP/1.1 404 '
kill -TERM "$pid"
wait "$pid"
result 'SIGTERM ends it well' $?

# A work of a minute holds the only slot for as long as a test needs it.
serve --slots=1 --service-time=60s --max-waiting=0 --retry-after=3
curl -s "$url/work" >/dev/null &
holder=$!
until_stat running 1
answer=$(get /work)
expect 'a refusal is a 503' "$answer" '^HTTP/1.1 503 '
expect 'it says when to come back' "$answer" '^Retry-After: 3$'
expect 'it says why' "$answer" '^\{"error":"overloaded","reason":"line_full"\}$'
expect 'health stays up' "$(get /health)" '^HTTP/1.1 200 '
kill "$pid"
ends_within 20
result 'SIGTERM waits for what runs, but not for ever' $?
wait "$pid"
result 'and ends it well' $?
expect 'and that is said' "$(cat "$work/log")" '^service: requests dropped because they were not done in time: 1$'
wait "$holder"

# Ctrl-C does the same, and its exit status says so.
serve --slots=1 --service-time=300ms
curl -s "$url/work" >"$work/running" &
running=$!
until_stat running 1
kill -INT "$pid"
wait "$pid"
result 'SIGINT ends it with 130' "$([ $? -eq 130 ]; echo $?)"
wait "$running"
expect 'when what runs is finished' "$(cat "$work/running")" '^\{"ok":true\}$'

# A second signal does not wait for the patience of 3 s. (Tried again where the machine
# is too busy to tell.)
for signals in 'TERM TERM 0' 'TERM INT 130' 'INT TERM 130' 'INT INT 130'; do
  set -- $signals
  for attempt in 1 2 3; do
    serve --slots=1 --service-time=60s
    curl -s "$url/work" >/dev/null &
    until_stat running 1
    begun=$(date +%s%N)
    kill -"$1" "$pid"
    while curl -s "$url/health" >/dev/null; do :; done
    kill -"$2" "$pid"
    wait "$pid"
    status=$?
    took=$((($(date +%s%N) - begun) / 1000000))
    [ $took -ge 2500 ] || break
  done
  result "SIG$1 and SIG$2: ends with $3" "$([ $status = "$3" ]; echo $?)"
  result 'at once' "$([ $took -lt 2500 ]; echo $?)"
  expect 'and says what it drops' "$(cat "$work/log")" '^service: requests dropped because they were not done in time: 1$'
done

serve --slots=1 --service-time=60s --max-wait=0
curl -s "$url/work" >/dev/null &
until_stat running 1
expect 'a wait limit of 0 never lets wait' "$(get /work)" '^\{"error":"overloaded","reason":"waited_too_long"\}$'
kill -9 "$pid"

serve --slots=1 --service-time=60s --max-wait=30ms
curl -s "$url/work" >/dev/null &
until_stat running 1
expect 'a wait that is too long is refused' "$(get /work)" '"reason":"waited_too_long"'
result 'and counted' "$([ "$(stat shed_waited_too_long)" = 1 ]; echo $?)"
kill -9 "$pid"

# SIGTERM while some wait: they are sent away, what runs is finished.
serve --slots=1 --service-time=500ms
curl -s "$url/work" >"$work/running" &
running=$!
until_stat running 1
curl -si "$url/work" >"$work/waiting" &
waiting=$!
until_stat waiting 1
kill -TERM "$pid"
wait "$pid"
result 'SIGTERM with a line' $?
wait "$running" "$waiting"
expect 'what runs is finished' "$(cat "$work/running")" '^\{"ok":true\}$'
expect 'who waits is sent away' "$(cat "$work/waiting")" '^HTTP/1.1 503 '

# SIGTERM while clients ask on and on, on the connections that they have.
for round in 1 2 3 4 5; do
  serve --slots=4 --service-time=5ms --max-waiting=41
  for client in 1 2 3 4 5 6 7 8; do
    curl -s --fail-early "$url/work?[1-1000000]" >/dev/null &
    services="$services $!"
  done
  tries=0
  while [ "$(stat work_done)" -lt 20 ] && [ $tries -lt 500 ]; do tries=$((tries + 1)); done
  kill -TERM "$pid"
  wait "$pid"
  result "SIGTERM under load, $round" $?
  result 'and every work that ran is finished' "$([ ! -s "$work/log" ]; echo $?)"
done

# Hang-ups.
serve --slots=1 --service-time=60s --watch-hangups
curl -s "$url/work" >/dev/null &
until_stat running 1
curl -s "$url/work" >/dev/null &
waiting=$!
until_stat waiting 1
kill "$waiting"
until_stat waiting 0
result 'a watched client that hangs up leaves the line' $?
result 'and is counted' "$([ "$(stat abandoned_in_line)" = 1 ]; echo $?)"
kill -9 "$pid"

serve --slots=1 --service-time=500ms --watch-hangups
curl -s "$url/work" >/dev/null &
until_stat running 1
curl -s "$url/work" >/dev/null &
waiting=$!
until_stat waiting 1
until_stat waiting 0
kill "$waiting"
until_stat running 0
result 'work that has started runs on when its client leaves' \
  "$([ "$(stat work_done)" = 2 ] && [ "$(stat abandoned_in_line)" = 0 ]; echo $?)"
kill -9 "$pid"

serve --slots=1 --service-time=60s
curl -s "$url/work" >/dev/null &
until_stat running 1
curl -s "$url/work" >/dev/null &
waiting=$!
until_stat waiting 1
kill "$waiting"
wait "$waiting" 2>/dev/null
get /health >/dev/null
result 'by default nobody notices' "$([ "$(stat waiting)" = 1 ]; echo $?)"
kill -9 "$pid"

# The server's own limit.
serve --slots=1 --service-time=60s --limit-concurrency=2
holder=
tries=0
answer=
# The one connection that may be open: whoever comes first, it may have to come again.
while ! printf '%s' "$answer" | grep -q '^HTTP/1.1 503 ' && [ $tries -lt 500 ]; do
  if [ -z "$holder" ] || ! kill -0 "$holder" 2>/dev/null; then
    curl -s "$url/work" >/dev/null &
    holder=$!
  fi
  answer=$(get /health)
  tries=$((tries + 1))
done
expect 'a limit on connections refuses everything' "$answer" '^HTTP/1.1 503 '
expect 'it closes' "$answer" '^Connection: close$'
expect 'it says why in plain text' "$answer" '^Service Unavailable$'
result 'it does not say when to come back' "$(printf '%s' "$answer" | grep -qi '^Retry-After'; [ $? -eq 1 ]; echo $?)"
expect 'it logs a line' "$(cat "$work/log")" '^Exceeded concurrency limit\.$'
kill -9 "$pid"

# Options and the environment.
"$bin/service" --slots=0 2>"$work/log"
result 'a slot is the least' "$([ $? -eq 2 ]; echo $?)"
expect 'and that is said' "$(cat "$work/log")" 'slots'
MAX_WAITING=-1 "$bin/service" --port=0 2>"$work/log"
result 'the environment is checked, too' "$([ $? -eq 2 ]; echo $?)"
expect 'by name' "$(cat "$work/log")" 'MAX_WAITING'
serve
"$bin/service" --port="${url##*:}" 2>"$work/log"
result 'a port that is taken is an error' "$([ $? -eq 2 ]; echo $?)"
expect 'and that is said' "$(cat "$work/log")" "port ${url##*:}"
kill "$pid"

# Standard streams that are not as they should be.
timeout 5 "$bin/service" --port=0 >/dev/full 2>"$work/log"
result 'a port that cannot be said is an error' "$([ $? -eq 2 ]; echo $?)"
expect 'and that is said' "$(cat "$work/log")" '^service: cannot write standard output: '
timeout 5 "$bin/service" --port=0 2>"$work/log" >&-
result 'nor can it be said where there is no standard output' "$([ $? -eq 2 ]; echo $?)"
expect 'and that is said' "$(cat "$work/log")" '^service: cannot write standard output: '
"$bin/service" --version >/dev/full 2>"$work/log"
result 'a version, likewise' "$([ $? -eq 2 ]; echo $?)"
"$bin/service" "$(printf '\033[31m\nfoo')" 2>"$work/log"
has 'a complaint is one line without control characters' "$(cat "$work/log")" '^service: \?\[31m\?foo is too much' 1
MAX_WAIT_S=$(printf '\033[31m\nfoo') "$bin/service" 2>"$work/log"
has 'of the environment, too' "$(cat "$work/log")" '^service: MAX_WAIT_S=\?\[31m\?foo makes no sense' 1
for limit in 5 8 11; do
  (
    ulimit -n $limit
    exec timeout 5 "$bin/service" --port=0
  ) >/dev/null 2>"$work/log"
  result "room for $limit files is too little" "$([ $? -eq 2 ]; echo $?)"
  expect 'and that is said' "$(cat "$work/log")" "^service: needs room for [0-9]+ open files.*the limit is $limit "
done

# A log that nobody reads: lines are dropped, and nothing waits for it.
refuse () { # HOW MANY
  timeout 20 curl -s -o /dev/null -w '%{http_code}\n' "$url/work?[1-$1]" | grep -c '^503$'
}
mkfifo "$work/unread"
exec 5<>"$work/unread"
"$bin/service" --port=0 --limit-concurrency=1 >"$work/line" 2>"$work/unread" 5<&- &
pid=$!
services="$services $pid"
read -r line <"$work/line"
url=${line##* }
result 'a full log stops no answer' "$([ "$(refuse 5000)" = 5000 ]; echo $?)"
timeout 1 cat <&5 >"$work/log"
refuse 1 >/dev/null
timeout 1 cat <&5 >>"$work/log"
dropped=$(sed -n 's/^service: \([0-9]*\) lines of this log were dropped.*/\1/p' "$work/log")
result 'what was dropped is said when it is read again' \
  "$([ "${dropped:-0}" -gt 0 ] && [ $(($(grep -c '^Exceeded concurrency limit\.$' "$work/log") + dropped)) -eq 5001 ]; echo $?)"
refuse 5000 >/dev/null
kill -TERM "$pid"
ends_within 10
result 'SIGTERM ends it all the same' $?
kill -9 "$pid" 2>/dev/null
wait "$pid"
result 'and well' $?
"$bin/service" --port=0 --limit-concurrency=1 >"$work/line" 2>"$work/unread" 5<&- &
pid=$!
services="$services $pid"
read -r line <"$work/line"
url=${line##* }
exec 5<&-
result 'nor does a log whose reader has left' "$([ "$(refuse 100)" = 100 ]; echo $?)"
kill -9 "$pid"
rm "$work/line"
mkfifo "$work/line"
"$bin/service" --port=0 --limit-concurrency=1 >"$work/line" 2>&- <&- &
pid=$!
services="$services $pid"
read -r line <"$work/line"
url=${line##* }
result 'nor one that there is not' "$([ "$(refuse 100)" = 100 ]; echo $?)"
kill -9 "$pid"

echo "1..$n"
