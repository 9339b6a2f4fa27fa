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
  curl --noproxy '*' -si "$url" >"$work/$i" &
  requests="$requests $!"
  i=$((i + 1))
done
wait $requests
for answer in "$work"/[0-9]*; do
  tr -d '\r' <"$answer"
  echo
done | grep -iE '^(HTTP/|Retry-After|\{)' | sort >"$work/answers"
uniq -c "$work/answers"

count () { grep -ciE "$1" "$work/answers"; }
served=$(count '^HTTP/[0-9.]+ 200')
refused=$(count '^HTTP/[0-9.]+ 503')
if [ "$served" -eq 4 ] && [ "$refused" -eq 16 ] && [ "$(count '^Retry-After: 1$')" -eq 16 ]; then
  exit 0
elif [ "$served" -gt 4 ] && [ "$served" -le 6 ] && [ $((served + refused)) -eq 20 ]; then
  echo "(Four are served at once; this machine was slow, and $((served - 4)) came when the first works were done.)"
else
  echo 'try_it.sh: that is not four served and sixteen turned away, each told when to come back' >&2
  exit 1
fi
