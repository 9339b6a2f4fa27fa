#!/bin/sh
# What the service and the load test promise without being asked for it: limits and
# defaults, and that each option of the load test reaches the service.
cd "$(dirname "$0")/../.." || exit 1
. common/tests/http_common.sh

skip () { # WHAT WHY
  n=$((n + 1))
  echo "ok $n $1 # SKIP $2"
}
peer=$work/http_peer
${CC:-cc} -D_GNU_SOURCE -O1 -o "$peer" common/tests/http_peer.c || exit 1
until_line () { # FILE: waits for its first
  tries=0
  while [ ! -s "$1" ] && [ $tries -lt 500 ]; do
    sleep 0.02
    tries=$((tries + 1))
  done
}

# The probe takes 3 s, so two of them run beside everything else. The first has a service
# with one slot, whose counters tell what the probe did: with N workers N - 1 wait, and
# its reading is what was done over the seconds that it took.
serve --slots=1 --service-time=40ms
probed_url=$url
"$bin/loadtest" --out="$work/probed" --probe-only -t 5s "$url/work" >/dev/null 2>&1 &
probe=$!
serve --slots=4 --service-time=20ms
"$bin/loadtest" --out="$work/swept" -d 100ms "$url/work" >/dev/null 2>&1 &
sweep=$!

# --- The service: where it listens -----------------------------------------------

"$bin/service" >"$work/default" 2>"$work/log" &
pid=$!
services="$services $pid"
tries=0
while [ ! -s "$work/default" ] && [ ! -s "$work/log" ] && [ $tries -lt 500 ]; do
  sleep 0.02
  tries=$((tries + 1))
done
if grep -q 'port 8000' "$work/log"; then
  skip 'it listens on port 8000 when nothing is said' 'somebody else has it'
else
  expect 'it listens on port 8000 when nothing is said' "$(cat "$work/default" "$work/log")" '^listening on http://127.0.0.1:8000$'
fi
kill "$pid"

listeners () { # PORT: their addresses, in hexadecimal
  awk -v port="$(printf ':%04X' "$1")" '$4 == "0A" && $2 ~ port "$" { print $2 }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}
serve --slots=1 --service-time=10ms
port=${url##*:}
result 'on the loopback address only' \
  "$(listeners "$port" | grep -qE '^(0100007F|7F000001):' && [ "$(listeners "$port" | wc -l)" -eq 1 ]; echo $?)"

# --- Its figures --------------------------------------------------------------------

get /work >/dev/null
echo "$(curl -s "$url/stats")" | tr ',' '\n' | sed 's/[{}"]//g; s/:/ /' >"$work/stats"
curl -s "$url/metrics" | sed -n 's/^overload_//p' >"$work/metrics"
result '/metrics has the figures of /stats, all eight of them' \
  "$(diff "$work/stats" "$work/metrics" >&2 && [ "$(grep -cE '^[a-z_]+ [0-9]+$' "$work/metrics")" -eq 8 ]; echo $?)"
has 'each with its type' "$(curl -s "$url/metrics")" '^# TYPE overload_[a-z_]+ (counter|gauge)$' 8

# --- What it lets in -----------------------------------------------------------------

# Some of these a lenient server answers with what stands at /health. A strict one may
# also just close.
strictly () { # WHAT REQUEST, but for its end
  printf "$2\r\nConnection: close\r\n\r\n" | timeout 20 "$peer" say "$port" >"$work/answer" 2>/dev/null
  result "refused: $1" "$([ $? -eq 0 ] && { [ ! -s "$work/answer" ] || grep -q '^HTTP/1.1 4' "$work/answer"; }; echo $?)"
}
printf 'GET /health?a=b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' | timeout 20 "$peer" say "$port" >"$work/answer"
expect 'what is right is answered' "$(tr -d '\r' <"$work/answer")" '^HTTP/1.1 200 OK$'
strictly 'a space in the path' 'GET /health?a b HTTP/1.1\r\nHost: a'
strictly 'a space after it' 'GET /health?a  HTTP/1.1\r\nHost: a'
strictly 'a space before the colon' 'GET /health HTTP/1.1\r\nHost: a\r\nX : b'
strictly 'a space before the first header' 'GET /health HTTP/1.1\r\n X: b\r\nHost: a'
strictly 'a CR alone' 'GET /health HTTP/1.1\r\nHost: a\r\nX: b\rY: c'

# While it stands still, the kernel takes connections for it: as many as its backlog.
kill -STOP "$pid"
timeout 10 "$peer" hold "$port" 100 >"$work/held" 2>/dev/null &
holder=$!
until_line "$work/held"
expect 'a hundred clients at once find room in its backlog' "$(cat "$work/held")" '^100$'
kill -CONT "$pid"
kill "$holder" "$pid"

# Of 200 files it keeps 64 for itself. (Without a limit all 180 connections would fit.)
rm -f "$work/line" "$work/held"
mkfifo "$work/line"
(ulimit -n 200 && exec "$bin/service" --port=0) >"$work/line" 2>"$work/log" &
pid=$!
services="$services $pid"
read -r line <"$work/line"
sockets () { ls -l "/proc/$pid/fd" 2>/dev/null | grep -c 'socket:'; }
"$peer" hold "${line##*:}" 180 >"$work/held" 2>/dev/null &
holder=$!
until_line "$work/held"
tries=0
while [ "$(sockets)" -lt 137 ] && [ $tries -lt 200 ]; do
  sleep 0.02
  tries=$((tries + 1))
done
sleep 0.3 # for more of them to come, if they may
open=$(sockets)
result "there is a limit on connections: 136 here, and the socket that listens ($open)" "$([ "$open" -eq 137 ]; echo $?)"
kill "$holder" "$pid"

# A client that sends half a request and no more. On a clock that runs a hundred times
# as fast, a minute is over soon. A request now and then makes the server look at it.
if grep -q fsanitize "$bin/../flags"; then
  skip 'half a request is not waited for without end' 'a sanitizer has a clock of its own'
elif ! compile -o "$work/swift" common/tests/swift_clock.c step06_http/service.c step06_http/log.c; then
  result 'half a request is not waited for without end' 1
else
  rm -f "$work/line" "$work/held"
  mkfifo "$work/line"
  "$work/swift" --port=0 >"$work/line" 2>"$work/log" &
  pid=$!
  services="$services $pid"
  read -r line <"$work/line"
  url=${line##* }
  ("$peer" hold "${url##*:}" 1 >"$work/held" && echo closed >>"$work/held") &
  until_line "$work/held"
  tries=0
  while ! grep -q closed "$work/held" && [ $tries -lt 200 ]; do
    get /health >"$work/answer"
    sleep 0.02
    tries=$((tries + 1))
  done
  expect 'half a request is not waited for without end' "$(cat "$work/held")" '^closed$'
  result 'but for a while' "$([ $tries -gt 0 ]; echo $?)"
  kill "$pid"
fi

# --- What the load test sends --------------------------------------------------------

"$peer" record >"$work/recorded" 2>/dev/null &
recorder=$!
services="$services $recorder"
until_line "$work/recorded"
read -r port <"$work/recorded"
recorded () { tr -d '\r' <"$work/recorded"; }
test_load -r 10 -d 500ms -m PATCH -H 'X-Lab: first' -H 'X-Other: second' --body='{"a": 1}' "http://127.0.0.1:$port/here"
sent=$(recorded | grep -c '^PATCH /here HTTP/1.1$')
result 'the method and the path reach the service' "$([ "$sent" -ge 5 ]; echo $?)"
has 'so does a header' "$(recorded)" '^X-Lab: first$' "$sent"
has 'and another' "$(recorded)" '^X-Other: second$' "$sent"
has 'and the body' "$(recorded)" '^\{"a": 1\}$' "$sent"
test_load -r 10 -d 200ms --body=b "http://127.0.0.1:$port/there"
result 'with a body it is a POST when nothing is said' "$([ "$(recorded | grep -c '^POST /there HTTP/1.1$')" -ge 2 ]; echo $?)"

load_anew () { # OPTION...: what an earlier run has left is not taken for this one's
  rm -rf "$work/out"
  test_load -r 10 -d 200ms "$@"
}
# This address is not a loopback address, but leads nowhere else.
serve
away=http://0.0.0.0:${url##*:}/health
load_anew "$away"
result 'an address that is not of this machine alone is refused' "$([ $? -eq 2 ]; echo $?)"
load_anew --allow-remote "$away"
expect '--allow-remote lets it' "$(field ok)" '^2$'

if command -v openssl >/dev/null &&
  openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=nobody -keyout "$work/key" -out "$work/certificate" 2>/dev/null; then
  : >"$work/tls"
  openssl s_server -www -accept 127.0.0.1:0 -key "$work/key" -cert "$work/certificate" >"$work/tls" 2>&1 </dev/null &
  services="$services $!"
  tries=0
  until grep -q '^ACCEPT .*:[1-9]' "$work/tls" || [ $tries -ge 500 ]; do
    sleep 0.02
    tries=$((tries + 1))
  done
  secure=https://127.0.0.1:$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' "$work/tls")/
  load_anew "$secure"
  expect 'a certificate that nobody has signed is not taken' "$(field ok) $(cat "$work/out/loadtest.json")" '"tls_certificate": 2'
  load_anew --insecure "$secure"
  expect '--insecure takes it' "$(field ok)" '^2$'
  load_anew -k "$secure"
  expect 'so does -k' "$(field ok)" '^2$'
else
  skip '--insecure' 'openssl is not here'
fi

# The clients hang up: of those that waited, while the load test goes on.
serve --slots=1 --service-time=60s --watch-hangups
"$bin/loadtest" --out="$work/hung-up" -r 20 -d 60s -t 50ms "$url/work" >/dev/null 2>&1 &
load=$!
until_at_least abandoned_in_line 3
result 'a client whose patience is over hangs up' $?
kill -TERM "$load"
wait "$load"

# --- Its defaults ---------------------------------------------------------------------

wait "$probe"
url=$probed_url
found=$(sed -n 's/.*"probe_rps": \([0-9.]*\).*/\1/p' "$work/probed/loadtest.json")
expect 'the probe has 16 workers' "$(stat peak_line)" '^15$'
done=$(stat work_done)
result "and takes 3 s ($done works at $found per second)" \
  "$(awk -v done="$done" -v rate="$found" 'BEGIN { exit !(rate > 0 && done / rate > 2.9 && done / rate < 3.1) }'; echo $?)"
wait "$sweep"
multiples=$(grep -o '"multiple": [0-9.]*' "$work/swept/loadtest.json" | sed 's/.*: //; s/0*$//; s/\.$//' | tr '\n' ' ')
result "the loads are 0.5, 1, 1.5, 2 and 4 times the capacity ($multiples)" "$([ "$multiples" = '0.5 1 1.5 2 4 ' ]; echo $?)"

echo "1..$n"
