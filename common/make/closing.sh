#!/bin/sh
# closing.sh [--print] OUT PROGRAM...: what the runs printed, in this order, then
# the programs that did not end well, with advice where that helps, then one line that
# says how many checks held.
# Fails when one of them failed.
print=
if [ "$1" = --print ]; then
  print=yes
  shift
fi
out=$1
shift

count () { # true, false or null; the checks of $documents that say so
  # Word splitting is meant: the names of the lab's files have no spaces.
  cat $documents /dev/null 2>/dev/null | grep -o "\"holds\": *$1" | wc -l | tr -d ' '
}

failed=
late=
documents=
for name in "$@"; do
  if [ -n "$print" ] && [ -f "$out/$name.txt" ]; then
    cat "$out/$name.txt"
    echo
  fi
  status=0
  if [ -f "$out/$name.failed" ]; then
    status=$(cat "$out/$name.failed")
    status=${status:-2} # there was no room to write even that
  elif [ ! -f "$out/$name.txt" ] || [ ! -f "$out/$name.json" ]; then
    status=2
  fi
  case $status in
    0 | 1 | 3) documents="$documents $out/$name.json" ;;
  esac
  case $status in
    0) continue ;;
    1) why='a check does not hold' ;;
    2) why='it could not run or could not write its results' ;;
    3)
      why='the load generator missed its own schedule, so the run is not valid'
      late=yes
      ;;
    *) why='it was ended from outside or crashed' ;;
  esac
  failed="$failed$name: $why (exit status $status)
"
done

printf '%s' "$failed"
[ -z "$late" ] || echo 'The machine was busy with something else, so the numbers of such a run are worth nothing: run it again.'
held=$(count true)
broken=$(count false)
skipped=$(count null)
not_judged=
[ "$skipped" -gt 0 ] && not_judged=" ($skipped more could not be judged)"
echo "$held of $((held + broken)) checks held$not_judged; results and charts are in $out/"
[ -z "$failed" ] && [ "$held" -gt 0 ]
