#!/bin/sh
# The whole table of `theory`, with fewer requests than `make theory` takes: every
# formula within its 99 % interval, Little's law exact. On the virtual clock.
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

"$BIN/theory" --requests=400000 --out="$out" >"$out/printed"
echo "# exit status $?"
sed -n 's/^PASS  /ok - /p; s/^FAIL  /not ok - /p' "$out/printed"
# Six readings against theory, and Little's law of five queues.
echo "1..11"
