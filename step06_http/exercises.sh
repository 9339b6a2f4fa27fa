# Starts the service on a free port, and stops it when the check ends. Sets $url.
serve () { # OPTION...
  [ -x "$bin/service" ] || could_not 'the service is for Linux, and needs libmicrohttpd; see `make doctor`'
  command -v curl >/dev/null || could_not 'this check needs curl; `make check-deps` installs it'
  : >"$mine/service.txt"
  "$bin/service" --port=0 "$@" >>"$mine/service.txt" 2>&1 &
  service=$!
  trap 'kill $service 2>/dev/null' EXIT
  while url=$(sed -n 's/^listening on //p' "$mine/service.txt"); [ -z "$url" ]; do
    kill -0 $service 2>/dev/null || no "the service does not start: $(cat "$mine/service.txt")"
    sleep 0.1
  done
}

# What the second of two requests is told, while the first is at work.
ask_twice () {
  curl -s "$url/work" >/dev/null &
  first=$!
  until curl -s "$url/stats" | grep -q '"running":1'; do
    kill -0 $first 2>/dev/null || no 'the first request is not worked on'
    sleep 0.1
  done
  curl -si "$url/work" | tr -d '\r' >"$mine/refusal.txt"
  wait $first
}

told () { # WHAT PATTERN
  grep -qi "$2" "$mine/refusal.txt" || no "$1"
}

exercise_1 () {
  [ -f "$mine/06.1" ] || no "write the options down first: echo 'OPTIONS' >$mine/06.1"
  # Word splitting is meant: these are options.
  serve --service-time=1s $(cat "$mine/06.1")
  ask_twice
  told 'the second request is not refused at once' '^HTTP/1.1 503'
  told 'the refusal does not ask for 3 seconds' '^retry-after: 3$'
}

exercise_2 () {
  guess
  serve --service-time=3s --max-waiting=3 # long, so that all have come before the first has ended
  rm -f "$mine"/answer.*
  asked=
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    curl -s -o /dev/null -w '%{http_code}\n' "$url/work" >"$mine/answer.$i" &
    asked="$asked $!"
  done
  wait $asked
  served=$(grep -l 200 "$mine"/answer.* | wc -l)
  [ "$guess" -eq "$served" ] || no "it is not $guess"
}

exercise_3 () {
  serve --service-time=1s --slots=1 --max-waiting=0 --retry-after=7
  ask_twice
  told 'the second request is not refused' '^HTTP/1.1 503'
  told 'the header is gone' '^retry-after: 7$'
  told 'the body does not say when to come back' '^{"error":"overloaded","reason":"line_full","retry_after":7}'
}
