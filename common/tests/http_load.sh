#!/bin/sh
# What wants a quiet machine, two cores and some minutes: step 6 twenty times with the
# same verdicts, the flat line, refusals against nginx, the generator's own speed, and
# the service among thousands of clients. `make check-load` runs it.
# $QUICK=1: fewer repetitions, to try it out.
cd "$(dirname "$0")/../.." || exit 1
bin=${BIN:-build/bin}
tests=${TESTS:-build/tests}
work=$(mktemp -d) || exit 1
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
server=

n=0
result () { # WHAT STATUS
  n=$((n + 1))
  if [ "$2" -eq 0 ]; then echo "ok $n $1"; else echo "not ok $n $1"; fi
}
skip () { # WHAT WHY
  n=$((n + 1))
  echo "ok $n $1 # SKIP $2"
}
valid () { # COMMAND...: a run whose generator was late says nothing, so it is made again
  tries=0
  while :; do
    "$@" >"$work/text" 2>"$work/log"
    status=$?
    tries=$((tries + 1))
    [ $status -eq 3 ] && [ $tries -lt 3 ] || return $status
  done
}
first_core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
last_core=$(taskset -cp $$ | sed 's/.*[-, :]//')

serve () { # COMMAND...: on the first core; sets $server and $url
  rm -f "$work/line"
  mkfifo "$work/line"
  taskset -c "$first_core" "$@" >"$work/line" 2>/dev/null &
  server=$!
  read -r line <"$work/line"
  url=${line##* }
}
stop () {
  kill "$server"
  wait "$server"
  server=
}
refusals () { # URL: of wrk, per second
  taskset -c "$last_core" wrk -t1 -c64 -d3s "$1" | sed -n 's/^Requests\/sec: *\([0-9]*\).*/\1/p'
}

echo 1..8

# 1 to 3. Step 6, again and again: it holds, says of each claim the same every time, and
# takes no longer than its page says.
step6 () { # keeps the longest time that a valid one took, in $longest_ms
  begun_ms=$(($(date +%s%N) / 1000000))
  "$bin/step06_http" --out="$work/out"
  status=$?
  took_ms=$(($(date +%s%N) / 1000000 - begun_ms))
  [ $status -eq 3 ] || [ $took_ms -le $longest_ms ] || longest_ms=$took_ms
  return $status
}
verdicts () { grep -E '^(PASS|SKIP|FAIL) ' "$work/text" | sed 's/ (.*//' | sort; }
times=20
[ -n "$QUICK" ] && times=2
failures=0
others=0
longest_ms=0
i=0
while [ $i -lt $times ]; do
  valid step6 || { failures=$((failures + 1)); sed 's/^/# /' "$work/text" "$work/log"; }
  if [ $status -ne 3 ]; then # or it judges nothing
    verdicts >"$work/verdicts"
    [ -e "$work/first" ] || cp "$work/verdicts" "$work/first"
    diff "$work/first" "$work/verdicts" >"$work/difference" || { others=$((others + 1)); sed 's/^/# /' "$work/difference"; }
  fi
  i=$((i + 1))
done
result "step 6 holds $times times of $times" $failures
sed 's/^/# /' "$work/first" 2>/dev/null
grep -qs '^PASS' "$work/first" && ! grep -q '^FAIL' "$work/first"
result 'with the same verdicts, none of them FAIL' $((others + $?))
result "each time in less than 16 s (the longest took $longest_ms ms)" "$([ $longest_ms -gt 0 ] && [ $longest_ms -lt 16000 ]; echo $?)"

# 4. The flat line.
valid "$bin/flat" --out="$work/out"
result 'goodput is flat up to 500 times the capacity' $?
sed 's/^/# /' "$work/text"

# 5. Refusals, against those of nginx, in turns, and the median of the ratios.
nginx=$(command -v nginx || ls /usr/sbin/nginx 2>/dev/null)
if [ -z "$nginx" ] || ! command -v wrk >/dev/null; then
  skip 'refusals against nginx' 'nginx or wrk is not installed'
elif [ "$first_core" = "$last_core" ]; then
  skip 'refusals against nginx' 'there is one core only'
else
  cat >"$work/nginx.conf" <<END
worker_processes 1;
daemon off;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:PORT backlog=4096;
    location / {
      add_header Retry-After 1 always;
      default_type application/json;
      return 503 '{"error":"overloaded","reason":"line_full"}';
    }
  }
}
END
  # A port that is free: the service takes one, and leaves it.
  serve "$bin/service" --port=0
  port=${url##*:}
  stop
  sed -i "s/PORT/$port/" "$work/nginx.conf"
  rm -f "$work/ratios"
  i=0
  while [ $i -lt 3 ]; do
    serve "$bin/service" --port=0 --slots=1 --service-time=10s --max-waiting=0
    ours=$(refusals "$url/work")
    stop
    taskset -c "$first_core" "$nginx" -e stderr -p "$work" -c "$work/nginx.conf" 2>/dev/null &
    server=$!
    sleep 0.5
    theirs=$(refusals "http://127.0.0.1:$port/")
    stop
    echo "# refusals per second: ours $ours, nginx $theirs"
    awk -v ours="$ours" -v theirs="$theirs" 'BEGIN { print (theirs > 0 ? ours / theirs : 0) }' >>"$work/ratios"
    i=$((i + 1))
  done
  median=$(sort -n "$work/ratios" | sed -n 2p)
  result "at least 0.8 of nginx's refusals per second ($median)" \
    "$(awk -v ratio="$median" 'BEGIN { print (ratio >= 0.8 ? 0 : 1) }')"
fi

# 6. The generator: 40,000 requests a second from one core, and a little more to be above it.
serve "$bin/service" --port=0 --max-waiting=41 --max-wait=0.3s
valid taskset -c "$last_core" "$bin/loadtest" --out="$work/out" --rate=40400 -d 3s "$url/work"
status=$?
stop
field () { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$work/out/loadtest.json" | head -n 1; }
[ $status -eq 0 ] && [ "$(field sent_rps)" -ge 40000 ] && [ "$(field lateness_p99_us)" -lt 5000 ] &&
  [ $((100 * ($(field ok) + $(field shed)))) -ge $((99 * $(field offered))) ]
result "the generator sends $(field sent_rps) requests per second, p99 $(field lateness_p99_us) us late, and $(field ok) + $(field shed) of $(field offered) are answered" $?

# 7 and 8. Thousands of clients.
HTTP_IDLE=4000 HTTP_HANG_UPS=1000 "$tests/test_http_crowd" -k >"$work/text" 2>&1
result 'the service among 4,000 idle clients and 1,000 that hang up' $?
grep -v '^ok' "$work/text" | sed 's/^/# /'
for each in service loadtest probe; do
  BIN=$bin sh common/tests/test_http_$each.sh
done >"$work/text" 2>&1
result 'the programs after all that' "$(grep -c '^not ok' "$work/text")"
