#!/bin/sh
# try.sh PATCH TESTS MUTANT: the verdict on one mutant, as "Key: value" lines.
#
# Its test must pass with the right code, whose programs are in TESTS, and fail
# with the mutant's, which is in MUTANT. A crash is a failure, too, and so is going
# round for ever, for which the mutant gets some seconds of the processor. A mutant
# of the controller must also be caught by the simulation alone.
patch=$1
tests=$2
mutant=$3
program=$(sed -n 's/^Test: \([^ ]*\) .*/\1/p' "$patch")
path=$(sed -n 's/^Test: [^ ]* //p' "$patch")

limited () { # SECONDS LOG COMMAND...
  (
    ulimit -c 0
    ulimit -t "$1"
    log=$2
    shift 2
    PATIENCE_S=1 "$tests/../within" 120 "$@" >"$log" 2>&1 || exit 1
  ) 2>/dev/null
}

echo "Name: $(basename "$patch" .patch)"
sed -n 's/^--- /Source: /p' "$patch"
sed '/^--- /,$d' "$patch"

if ! "$tests/$program" -p "$path" 2>&1 | grep -q "^ok [0-9]* $path\$"; then
  echo 'Caught: no, for the test does not pass with the right code either'
elif limited 10 "$mutant/log" "$mutant/$program" -p "$path"; then
  echo 'Caught: no'
else
  echo 'Caught: yes'
fi

[ -x "$mutant/test_simulation" ] || exit 0
limited 60 "$mutant/simulation" "$mutant/test_simulation" --seed=1 --events=1000000
events=$(sed -n 's/^caught after \([0-9]*\) events: .*/\1/p' "$mutant/simulation" | head -n 1)
echo "Simulation: ${events:-never}"
