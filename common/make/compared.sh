#!/bin/sh
# compared.sh [--print] OUT COMPARE: lays the results of both clocks beside each other
# and draws the chart. Without --print only where there are results of the real clock,
# and without a word when they cannot be compared.
print=
if [ "$1" = --print ]; then
  print=yes
  shift
fi
out=$1
compare=$2

draw () {
  for image in svg png; do
    sh "$(dirname "$0")/plot.sh" "$out/compare.$image" "$out/compare" common/report/compare.gp || return 2
  done
}

if [ -n "$print" ]; then
  "$compare" "$out"
  status=$?
  [ $status -le 1 ] || exit $status
  draw || exit
  echo "the table is $out/compare.csv, the chart $out/compare.svg and .png"
  if grep -qx 3 "$out"/*.failed "$out"/real/*.failed 2>/dev/null; then
    echo 'The machine was busy during some of these runs, so their numbers are worth nothing: run it again.'
    exit 1
  fi
  exit $status
fi

[ -d "$out/real" ] || exit 0
"$compare" "$out" >"$out/compare.txt" 2>&1
if [ $? -le 1 ]; then
  draw
else
  # Nothing old may stand beside newer results.
  rm -f "$out"/compare.json "$out"/compare.csv "$out"/compare.svg "$out"/compare.png
fi
rm -f "$out/compare.txt"
