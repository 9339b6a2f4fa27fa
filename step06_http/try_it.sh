#!/bin/sh
# The check by hand: four slots, no line, works of a full second, and twenty requests
# at the same moment. Four are answered with 200, sixteen are turned away at once.
cd "$(dirname "$0")/.." || exit 2
service=${BIN:-build/bin}/service
[ -x "$service" ] || { echo "try_it.sh: $PWD/$service is not there; 'make build' makes it" >&2; exit 2; }
command -v curl >/dev/null || { echo "try_it.sh: curl is not installed" >&2; exit 2; }

work=$(mktemp -d) || exit 2
mkfifo "$work/line" || exit 2
SERVICE_TIME=1 MAX_WAITING=0 "$service" --port=0 >"$work/line" &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
read -r line <"$work/line" || exit 2
url=${line##* }/work

echo "20 requests at the same moment; 4 slots, no line, each work takes a full second"
i=0
while [ $i -lt 20 ]; do
  curl -si "$url" >"$work/$i" &
  requests="$requests $!"
  i=$((i + 1))
done
wait $requests
for answer in "$work"/[0-9]*; do
  tr -d '\r' <"$answer"
  echo
done | grep -iE '^(HTTP/|Retry-After|\{)' | sort | uniq -c
