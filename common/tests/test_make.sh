#!/bin/sh
# What the Makefile and its scripts promise. BIN: the programs.
bin=${BIN:-build/bin}
within=$PWD/$(dirname "$bin")/within
scripts=$PWD/common/make
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL # of the check: what is made here has flags of its own
n=0

make () { command "${MAKE:-make}" "$@"; }

say () { # STATUS WHAT
  n=$((n + 1))
  [ "$1" -eq 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}

gone () { # PID: it has ended, if not at once then soon
  [ -n "$1" ] || return 2
  for moment in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$1" 2>/dev/null || return 0
    [ "$(ps -o stat= -p "$1" | cut -c 1)" != Z ] || return 0 # nobody collects it here
    sleep 0.1
  done
  return 1
}

until_written () { # FILE
  tries=0
  while [ ! -s "$1" ] && [ $tries -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
}

# --- Nothing outlives a test -----------------------------------------------------

run_test () { # COMMAND
  rm -f "$scratch/pid"
  pid=
  sh "$scripts/run-test.sh" "$scratch/test.tap" "$within" sh -c "cd '$scratch' || exit; $1"
  read -r pid <"$scratch/pid"
}
TEST_LIMIT_S=3 # a busy machine has written the number by then
export TEST_LIMIT_S
run_test 'sh -c "sleep 600 & echo \$! >pid; wait"; echo ok 1'
gone "$pid" && grep -q '^# exit 137' "$scratch/test.tap" && grep -q 'its time is over' "$scratch/test.tap"
say $? 'a test whose time is over goes with all that it has started'
TEST_LIMIT_S=60
run_test 'sleep 600 & echo $! >pid; echo ok 1; exit 3'
gone "$pid" && grep -q '^# exit 3' "$scratch/test.tap" && grep -q '^ok 1' "$scratch/test.tap"
say $? 'so does what a test leaves behind'
rm "$scratch/pid"
sh "$scripts/run-test.sh" "$scratch/test.tap" "$within" sh -c "echo \$\$ >'$scratch/pid'; exec sleep 600" &
stopped=$!
until_written "$scratch/pid"
read -r pid <"$scratch/pid"
[ -n "$pid" ] && kill -TERM $stopped
wait $stopped 2>/dev/null
gone "$pid"
say $? 'and a test that somebody stops'

# --- What a run that a busy machine has spoilt says -------------------------------

mkdir "$scratch/out"
printf '#!/bin/sh\necho tried >>%s/tries\necho "{}" >%s/out/busy.json\nexit 3\n' "$scratch" "$scratch" >"$scratch/busy"
chmod +x "$scratch/busy"
sh "$scripts/run-step.sh" "$scratch/out" "$scratch/busy" 2>"$scratch/said"
[ "$(wc -l <"$scratch/tries")" -eq 3 ] && [ "$(wc -l <"$scratch/said")" -eq 2 ]
say $? 'a run whose generator was late is tried three times, with a line before each further one'
sh "$scripts/closing.sh" "$scratch/out" busy >"$scratch/said"
[ $? -eq 1 ] && grep -q 'run it again' "$scratch/said"
say $? 'and then it is said what to do'

# --- The rules, in a copy of the lab -----------------------------------------------

if [ "$bin" != build/bin ]; then
  n=$((n + 1))
  echo "ok $n - the rules of the Makefile # SKIP tried with the first build"
  echo "1..$n"
  exit 0
fi

# The times of files are kept, so that only what changes is built again.
mkdir "$scratch/lab" "$scratch/lab/build"
cp -Rp Makefile common step* "$scratch/lab"
cp -Rp build/bin build/obj build/gen build/*.a build/flags build/sources build/within "$scratch/lab/build"
cd "$scratch/lab" || exit 2

mkdir build/taps build/coverage
touch build/taps/old build/coverage/old.gcda
for goal in check coverage all real report; do
  make -n $goal >"$scratch/would" 2>&1 && [ -f build/taps/old ] && [ -f build/coverage/old.gcda ] && [ ! -e out ] &&
    grep -qE '^sh common/make/(check|coverage|closing)\.sh' "$scratch/would"
  say $? "make -n $goal says what it would do, and does nothing"
done

has_part () { # what else is linked into step 2's program
  make build/bin/step02_queue >"$scratch/made" 2>&1 && nm build/bin/step02_queue | grep -q surplus_part
}
printf 'int surplus_part (void);\nint\nsurplus_part (void)\n{\n  return 1;\n}\n' >step02_queue/surplus.c
has_part
say $? 'a source that is put into a step belongs to its program'
rm step02_queue/surplus.c
has_part
[ $? -eq 1 ] && grep -q 'LD .*step02_queue' "$scratch/made"
say $? 'and does so no longer when it is taken away'
make build >"$scratch/made" 2>&1 && make build >"$scratch/made" 2>&1 && [ ! -s "$scratch/made" ]
status=$?
sed 's/^/# /' "$scratch/made"
say $status 'nothing is made when nothing has changed'

echo 'echo $$ >pid; exec sleep 600' >common/tests/test_long.sh
env "${MAKE:-make}" build/taps/test_long.tap >"$scratch/made" 2>&1 &
stopped=$!
until_written pid
kill -TERM $stopped
wait $stopped
read -r pid <pid
gone "$pid"
say $? 'a make that is stopped leaves no test behind'

for goal in step1 step10 show-step010; do
  make $goal >"$scratch/made" 2>"$scratch/said"
  [ $? -eq 2 ] && grep -q "^$goal: there is no such step here; there are step01 .*make help" "$scratch/said"
  say $? "make $goal says which steps there are"
done

echo "1..$n"
