#!/bin/sh
# The judge of the bug zoo: `make zoo` fails when a mutant survives, be it only the
# simulation that misses it. BIN: the programs.
bin=${BIN:-build/bin}
if [ "$bin" != build/bin ]; then
  echo '1..0 # SKIP tried with the first build'
  exit 0
fi
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL # of the check: what is made here has flags of its own
n=0

say () { # STATUS WHAT
  n=$((n + 1))
  [ "$1" -eq 0 ] && echo "ok $n - $2" || { echo "not ok $n - $2"; sed 's/^/# /' "$scratch/said"; }
}
zoo () { command "${MAKE:-make}" zoo ZOO=zoo >"$scratch/said" 2>&1; }

# A copy of the lab, with the times of its files, so that only what changes is built: what
# is of tests, too, which may be half written at this moment. And in it a small zoo.
mkdir "$scratch/lab" "$scratch/lab/build"
cp -Rp Makefile common step* "$scratch/lab"
cp -Rp build/bin build/obj build/gen build/*.a build/flags build/sources build/within "$scratch/lab/build"
rm -rf "$scratch/lab/build/obj/common/tests"
cd "$scratch/lab" || exit 2
mkdir zoo
cp step08_leak/zoo/*.sh step08_leak/zoo/*.awk step08_leak/zoo/fraction_of_a_second.patch zoo

zoo && grep -q '^1 faults, 1 caught$' "$scratch/said"
say $? 'when all are caught, all is well'

{
  echo 'Fault: none'
  echo 'Seen: nothing'
  echo 'Met: here'
  sed -n '/^Test: /p' zoo/fraction_of_a_second.patch
  echo '--- common/admission/retry_after.c'
  echo '+++ harmless.c'
  (cat common/admission/retry_after.c; echo '/* harmless */') | diff -u common/admission/retry_after.c - | sed 1,2d
} >zoo/harmless.patch
zoo
[ $? -ne 0 ] && grep -q '^2 faults, 1 caught, 1 SURVIVED$' "$scratch/said"
say $? 'one that is harmless survives, is counted as such, and make fails'
grep -A 5 '^  harmless: none$' "$scratch/said" | grep -q '^ *caught  *no, by '
say $? 'and it is named'
zoo
[ $? -ne 0 ] && grep -q 'TRY *harmless' "$scratch/said" && ! grep -q 'TRY *fraction_of_a_second' "$scratch/said"
say $? 'it is tried again the next time, and fails again'

# A test that does not pass with the right code either catches nothing.
sed 's/^Test: .*/Test: test_retry_after \/retry_after\/no_such_test/' zoo/fraction_of_a_second.patch >zoo/untested.patch
zoo
[ $? -ne 0 ] && grep -q '^3 faults, 1 caught, 2 SURVIVED$' "$scratch/said"
say $? 'a fault whose test is not there survives'

# Of the controller's mutants the simulation must find every one.
printf 'Name: unseen\nFault: a\nSeen: b\nMet: c\nTest: d /e\nCaught: yes\nSimulation: never\n' >unseen
printf 'Name: seen\nFault: a\nSeen: b\nMet: c\nTest: d /e\nCaught: yes\nSimulation: 7\n' >seen
awk -f zoo/table.awk seen unseen >"$scratch/said"
[ $? -eq 1 ] && grep -q '^2 faults, 1 caught, 1 SURVIVED$' "$scratch/said"
say $? 'one that the simulation never finds survives'
awk -v tap=1 -f zoo/table.awk seen unseen >"$scratch/said"
[ $? -eq 1 ] && grep -q '^ok 1 - zoo/seen$' "$scratch/said" && grep -q '^not ok 2 - zoo/unseen$' "$scratch/said"
say $? 'in the report of the check, too'

echo "1..$n"
