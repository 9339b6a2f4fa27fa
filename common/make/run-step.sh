#!/bin/sh
# run-step.sh OUT PROGRAM [OPTION...]: runs one program of the lab for make.
#
# What it prints is kept in OUT/<program>.txt, to be shown in order once all have
# run. Always ends with 0, so that the other steps go on: a run that did not end
# well leaves its exit status in OUT/<program>.failed for closing.sh.
out=$1
program=$2
shift 2
name=$(basename "$program")
text=$out/$name.txt
part=$text.$$.part # two makes may run at once

mkdir -p "$out" || exit 2
trap 'rm -f "$part"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# What measures the real clock takes its time: a terminal may see how far it is.
run () {
  case "$name $*" in
    step06_http* | *--clock=real*) "$program" --out="$out" "$@" >"$part" ;;
    *) "$program" --out="$out" "$@" >"$part" 2>&1 ;;
  esac
}

# A run whose load generator was late says nothing: it is repeated. One whose
# checks do not hold says something, and is not.
run "$@"
status=$?
for again in second third; do
  [ $status -eq 3 ] || break
  echo "$name: the load generator was late; running it a $again time" >&2
  run "$@"
  status=$?
done

if [ $status -eq 0 ]; then
  rm -f "$out/$name.failed"
else
  echo $status >"$out/$name.failed"
fi
mv "$part" "$text"
