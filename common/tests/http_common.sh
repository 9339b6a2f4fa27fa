# For the tests of the programs over HTTP, which are several so that they can run at
# once: starts services, counts results. Sourced, from the top.
bin=${BIN:-build/bin}
if [ ! -x "$bin/service" ] || [ ! -x "$bin/loadtest" ]; then
  echo '1..0 # SKIP step 6 is not built here: it wants Linux, libmicrohttpd and libcurl'
  exit 0
fi
work=$(mktemp -d) || exit 1
services=
unset MAX_WAITING MAX_WAIT_S SERVICE_TIME # a service would take them

# However little a test asks of a service at its end, it must not have crashed; nor may
# a sanitizer have found anything in a program whose standard error nobody reads.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$work/sanitizer"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}log_path=$work/sanitizer"
end () {
  for pid in $services; do
    # Where a test has waited for it, its number may be somebody else's by now.
    grep -qs "^PPid:[[:space:]]*$$\$" "/proc/$pid/status" && kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    case $? in
      132 | 133 | 134 | 135 | 136 | 139) echo 'a service crashed' >&2 ;;
    esac
  done
  cat "$work"/sanitizer.* >&2 2>/dev/null
  rm -rf "$work"
}
trap end EXIT

n=0
result () { # WHAT STATUS
  n=$((n + 1))
  if [ "$2" -eq 0 ]; then echo "ok $n $1"; else echo "not ok $n $1"; fi
}
expect () { # WHAT TEXT PATTERN
  printf '%s\n' "$2" | grep -qE -- "$3"
  status=$?
  [ $status -eq 0 ] || printf '%s\n' "$2" | sed 's/^/# /'
  result "$1" $status
}

serve () { # OPTIONS...: sets $pid and $url
  rm -f "$work/line"
  mkfifo "$work/line"
  "$bin/service" --port=0 "$@" >"$work/line" 2>"$work/log" &
  pid=$!
  services="$services $pid"
  read -r line <"$work/line"
  url=${line##* }
}
get () { curl -si "$url$1" | tr -d '\r'; }
stat () { curl -s "$url/stats" | sed "s/.*\"$1\":\\([0-9]*\\).*/\\1/"; }
until_stat () { # KEY VALUE: waits for it
  tries=0
  while [ "$(stat "$1")" != "$2" ] && [ $tries -lt 500 ]; do
    sleep 0.02
    tries=$((tries + 1))
  done
  [ "$(stat "$1")" = "$2" ]
}
until_at_least () { # KEY COUNT: waits for so many
  tries=0
  until [ "$(stat "$1")" -ge "$2" ] 2>/dev/null; do
    [ $tries -lt 500 ] || return
    sleep 0.02
    tries=$((tries + 1))
  done
}
field () { # KEY of the load test's only row
  sed -n "s/.*\"$1\": \\([^,}]*\\).*/\\1/p" "$work/out/loadtest.json" | head -n 1
}

has () { # WHAT TEXT PATTERN COUNT: so many lines of it
  lines=$(printf '%s\n' "$2" | grep -cE -- "$3")
  [ "$lines" -eq "$4" ] || printf '%s\n' "$2" | sed 's/^/# /'
  result "$1" "$([ "$lines" -eq "$4" ]; echo $?)"
}
test_load () { # a run that a busy machine made late judges nothing, so it is made again
  for attempt in 1 2 3 4 5 6; do
    "$bin/loadtest" --out="$work/out" "$@" >"$work/text" 2>"$work/log"
    status=$?
    [ $status -eq 3 ] || break
  done
  return $status
}
verdict () { # WHAT PATTERN: what the last test_load printed; a run that was late each time says nothing
  if grep -q 'the run is not valid)$' "$work/text"; then
    result "$1 # SKIP this machine was too busy to send on time" 0
  else
    expect "$1" "$(cat "$work/text")" "$2"
  fi
}
compile () { # ARGUMENT...: as everything in this build was; what the compiler says is in $work/compiler
  eval "$(cat "$bin/../flags") -w $* '$bin/../libhttp.a' '$bin/../liblab.a' $(pkg-config --libs \
    glib-2.0 gio-2.0 gio-unix-2.0 json-glib-1.0 libcurl libmicrohttpd) -lm" >"$work/compiler" 2>&1
  status=$?
  [ $status -eq 0 ] || sed 's/^/# /' "$work/compiler"
  return $status
}
export no_proxy='*' # whatever else the environment says
