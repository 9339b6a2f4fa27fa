#!/bin/sh
# Faults from outside: the disk, the folders, the streams, signals, the wall clock,
# memory, file descriptors, a server that dies. Whatever happens, a result file is
# whole, old results are intact, the exit status is right, and nothing hangs.
#
# BIN: the programs; CC: a compiler for the helper. What a machine does not allow
# (mounting, tracing, another user) is skipped with the reason.
temporary=$(mktemp -d) || exit 1
chmod 755 "$temporary"
trap 'umount "$temporary/disk" 2>/dev/null; rm -rf "$temporary"' EXIT
BIN=$(cd "$BIN" && pwd)
cd "$temporary" || exit 1
number=0

report () { # WHAT STATUS
  number=$((number + 1))
  [ "$2" -eq 0 ] && echo "ok $number - $1" || echo "not ok $number - $1"
}

skip () { # WHAT WHY
  number=$((number + 1))
  echo "ok $number - $1 # SKIP $2"
}

# Step 5 leaves JSON, CSV and a timeline; "old" and "new" differ in every one of them.
step5 () { # OUT [OPTION...]
  out=$1
  shift
  "$BIN/step05_slowdown" --quiet --capacity=82.7 --out="$out" "$@"
}
files='step05_slowdown.json step05_slowdown.csv step05_slowdown_timeline.csv'
step5 old --duration=6s 2>/dev/null
step5 new --duration=9s 2>/dev/null

intact () { # FOLDER: exactly the old results, and nothing else
  [ "$(ls -A "$1")" = "$(ls -A old)" ] && diff -r old "$1" >&2
}

whole () { # FOLDER: each result is the old one or the new one
  for file in $files; do
    cmp -s "old/$file" "$1/$file" || cmp -s "new/$file" "$1/$file" || { echo "# $1/$file is neither old nor new"; return 1; }
  done
}

document () { # FILE: a whole JSON document, from its first line to its last
  [ "$(head -n 1 "$1" 2>/dev/null)" = '{' ] && [ "$(tail -n 1 "$1")" = '}' ]
}

says () { # STATUS EXPECTED WORD: the exit status, and one sentence with the word
  [ "$1" -eq "$2" ] && [ "$(wc -l <complaint)" -le 2 ] && grep -q "$3" complaint && return
  echo "# exit status $1, not $2 with '$3':"
  sed 's/^/# /' complaint
  return 1
}

# A sanitizer takes terabytes of address space, and bears no library before itself.
limitable=no
(ulimit -v 300000 && exec "$BIN/step03_no_limits" --version) >/dev/null 2>&1 && limitable=yes

for program in old new; do
  for file in $files; do [ -s "$program/$file" ] || { report "step 5 leaves $program/$file" 1; exit 1; }; done
done

# --- The disk ------------------------------------------------------------------

cp -r old full
(ulimit -f 4 && exec "$BIN/step05_slowdown" --quiet --capacity=82.7 --duration=9s --out=full) 2>complaint
says $? 2 'full/step05_slowdown' && intact full
report 'a file that may not grow: exit status 2, the old results intact, nothing left over' $?

mkdir disk
if mount -t tmpfs -o size=32k tmpfs disk 2>/dev/null; then
  cp old/* disk && dd if=/dev/zero of=disk/filler bs=1k count=64 2>/dev/null
  step5 disk --duration=9s 2>complaint
  says $? 2 'No space left' && rm disk/filler && intact disk
  report 'a full disk: exit status 2, the old results intact, nothing left over' $?
  mount -o remount,ro disk && step5 disk --duration=9s 2>complaint
  says $? 2 'Read-only' && intact disk
  report 'a read-only disk: exit status 2, the old results intact' $?
  umount disk
else
  skip 'a full disk' 'no file system may be mounted here'
  skip 'a read-only disk' 'no file system may be mounted here'
fi

if [ -w /dev/full ]; then
  "$BIN/step05_slowdown" --capacity=82.7 --out=a >/dev/full 2>complaint
  says $? 2 'standard output'
  report 'standard output on a full disk: exit status 2' $?
  "$BIN/step05_slowdown" --json --capacity=82.7 --out=a >/dev/full 2>complaint
  says $? 2 'standard output'
  report 'the document for --json on a full disk: exit status 2' $?
else
  skip 'standard output on a full disk' 'there is no /dev/full'
  skip 'the document for --json on a full disk' 'there is no /dev/full'
fi

# --- Folders -------------------------------------------------------------------

echo kept >in-the-way
step5 in-the-way 2>complaint
says $? 2 in-the-way && [ "$(cat in-the-way)" = kept ]
report 'a file where the folder should be: exit status 2, the file is left alone' $?
step5 in-the-way/deeper 2>complaint
says $? 2 in-the-way
report 'a file on the way to the folder: exit status 2' $?

mkdir -p taken/step05_slowdown.json/full
step5 taken 2>complaint
says $? 2 taken/step05_slowdown.json && [ "$(ls -A taken/step05_slowdown.json)" = full ]
report 'a folder where the JSON should be: exit status 2' $?

mkdir closed && cp old/* closed && chmod 555 closed
if [ "$(id -u)" -ne 0 ]; then
  step5 closed --duration=9s 2>complaint
elif command -v setpriv >/dev/null && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$BIN/step05_slowdown" 2>/dev/null; then
  setpriv --reuid=65534 --regid=65534 --clear-groups \
    "$BIN/step05_slowdown" --quiet --capacity=82.7 --duration=9s --out=closed 2>complaint
else
  false
fi
case $? in
  1) skip 'an unwritable folder' 'root may write anywhere, and nobody else can run the programs here' ;;
  *)
    says $? 2 closed && intact closed
    report 'an unwritable folder: exit status 2, the old results intact' $?
    ;;
esac

# --- Standard streams ----------------------------------------------------------

"$BIN/step05_slowdown" --capacity=82.7 --out=b >&- 2>complaint
says $? 2 'standard output'
report 'closed standard output: exit status 2' $?
step5 c --duration=9s <&- 2>&- && whole c && diff -r new c
report 'closed standard input and error: all is well' $?
"$BIN/step05_slowdown" --capacity=82.7 --out=d 2>complaint | :
[ -f d/step05_slowdown.json ] || [ -s complaint ]
report 'nobody reads standard output: results or a complaint, no silent death' $?

# --- capacity.json -------------------------------------------------------------

bad=0
for content in '' '{' 'null' '[]' '{"capacity_rps": "many"}' '{"capacity_rps": -1}' '{"capacity_rps": 0}' \
  '{"capacity_rps": 1e999}' '{"capacity_rps": NaN}' "$(printf '\001\377\376')"; do
  mkdir -p broken
  printf '%s' "$content" >broken/capacity.json
  "$BIN/step05_slowdown" --quiet --out=broken 2>complaint
  says $? 2 'broken/capacity.json' && [ "$(ls -A broken)" = capacity.json ] || bad=1
done
"$BIN/step05_slowdown" --quiet --out=missing 2>complaint
says $? 2 'missing/capacity.json' || bad=1
head -c 100000 /dev/urandom >broken/capacity.json
"$BIN/step05_slowdown" --quiet --out=broken 2>complaint
says $? 2 'broken/capacity.json' || bad=1
report 'a missing or broken capacity.json: exit status 2 and its path, no results' $bad

# --- Killed while writing -------------------------------------------------------

# LeakSanitizer does not work in a traced process.
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
source=$OLDPWD/common/tests/kill_at.c
every_moment () { # SIGNAL: killed before every system call that changes a file
  moments=0
  status=0
  while [ $status -ne 99 ] && [ $moments -lt 500 ]; do
    moments=$((moments + 1))
    cp old/* killed/
    ./kill_at "$1" $moments "$BIN/step05_slowdown" --quiet --capacity=82.7 --duration=9s --out=killed 2>complaint
    status=$?
    [ $status -eq 98 ] && return 98
    whole killed || { echo "# signal $1 before call $moments"; return 1; }
    for file in killed/*.interrupted.json; do
      [ ! -e "$file" ] || document "$file" || { echo "# $file is not whole"; return 1; }
    done
    case $status in 99 | $((128 + $1)) | 0) ;; *) echo "# signal $1 before call $moments: exit status $status"; return 1 ;; esac
  done
  [ $moments -gt 15 ] && [ $status -eq 99 ] && cmp new/step05_slowdown.json killed/step05_slowdown.json
}

mkdir killed
if ${CC:-cc} -O1 -o kill_at "$source" 2>/dev/null; then
  for signal in 9 2 15; do
    every_moment $signal
    status=$?
    what="signal $signal at each of $moments moments of writing: every file is an old one or a new one"
    if [ $status -eq 98 ]; then skip "$what" 'a process may not be traced here'; else report "$what" $status; fi
  done
else
  skip 'killed while writing' 'the helper does not build here (it is for Linux 5.3 or newer)'
fi

# --- Signals in the middle of a run on the real clock ----------------------------

# Ends one run at a moment of its own and says what is wrong with what it left.
interrupt () { # SIGNAL MOMENT
  folder=signal-$1-$2
  mkdir "$folder" && echo old >"$folder/step03_no_limits.json" && echo old >"$folder/step03_no_limits.csv"
  "$BIN/step03_no_limits" --clock=real --quiet --capacity=82.7 --duration=400ms --client-timeout=200ms --out="$folder" 2>/dev/null &
  process=$!
  sleep "$2"
  kill -"$1" $process 2>/dev/null
  wait $process
  status=$?
  json=$folder/step03_no_limits
  case $1:$status in
    INT:130 | TERM:143)
      if [ -e "$json.interrupted.json" ]; then
        document "$json.interrupted.json" && grep -q '"interrupted": true' "$json.interrupted.json" && [ "$(cat "$json.json")" = old ] && [ "$(cat "$json.csv")" = old ]
      else # before the run had begun, or after its results were there
        [ "$(cat "$json.json")" = old ] || document "$json.json"
      fi
      ;;
    *:0 | *:1 | *:3) document "$json.json" && ! [ -e "$json.interrupted.json" ] ;;
    *) false ;;
  esac || echo "# SIG$1 after $2 s: exit status $status, left $(ls -A "$folder" | tr '\n' ' ')"
}

moments=$(awk 'BEGIN { srand(); for (i = 0; i < 6; i++) print rand() * 0.7 }')
echo "# moments of this run: " $moments
for signal in INT TERM; do
  for moment in 0 0.01 0.2 0.39 0.6 $moments; do interrupt $signal "$moment" >"wrong-$signal-$moment" & done
done
wait
cat wrong-*
[ "$(cat wrong-* | wc -l)" -eq 0 ]
report 'SIGINT and SIGTERM at random moments of a real run: interrupted results or complete ones, never half' $?
[ "$(find . -path './signal-*interrupted.json' | wc -l)" -ge 1 ]
report 'and some of these runs were interrupted in their middle' $?

# Rows appear as they come, through a pipe, too: the first is read while the run still
# goes on. (Were it held back until the end, the signal would come too late.)
mkfifo rows
"$BIN/step03_no_limits" --clock=real --capacity=82.7 --duration=10s --out=rows-come >rows 2>complaint &
process=$!
exec 9<rows
read -r row <&9
kill -INT $process 2>/dev/null
wait $process
status=$?
exec 9<&-
[ $status -eq 130 ] && [ -n "$row" ]
report "on the real clock a row is written as soon as it is there ($status)" $?

# A visitor of step 8 may then have no answer yet, which is an answer, too.
"$BIN/step08_leak" --clock=real --quiet --out=early 2>complaint &
process=$!
sleep 0.07
kill -INT $process 2>/dev/null
wait $process
status=$?
# (On a busy machine the signal comes before the run, or after it.)
case $status in 0 | 3 | 130) ;; *) false ;; esac && ! grep CRITICAL complaint &&
  { [ ! -e early/step08_leak.interrupted.json ] || document early/step08_leak.interrupted.json; }
report "step 8 interrupted before it has an answer: results without a complaint of GLib ($status)" $?

# --- Somebody else holds the folder ---------------------------------------------------

waiting () { # SIGNAL STATUS: a run that waits for the folder ends, and leaves no half file
  "$BIN/step05_slowdown" --quiet --capacity=82.7 --duration=9s --out=held 2>complaint &
  process=$!
  sleep 0.5
  kill -"$1" $process
  (sleep 5 && kill -9 $process) &
  watcher=$!
  wait $process 2>/dev/null
  status=$?
  kill $watcher 2>/dev/null # before that number is somebody else's
  wait $watcher 2>/dev/null
  [ $status -eq "$2" ] && intact_but_interrupted && return
  echo "# SIG$1: exit status $status, left $(ls -A held | tr '\n' ' ')"
  return 1
}
intact_but_interrupted () {
  [ ! -e held/step05_slowdown.interrupted.json ] || document held/step05_slowdown.interrupted.json || return
  rm -f held/step05_slowdown.interrupted.*
  intact held
}
if command -v flock >/dev/null; then
  cp -r old held
  flock held sh -c 'echo $$ >holder; exec sleep 60' &
  tries=0
  while [ ! -s holder ] && [ $tries -lt 500 ]; do # it is written under the lock
    sleep 0.02
    tries=$((tries + 1))
  done
  waiting INT 130 && waiting TERM 143 && waiting KILL 137
  status=$?
  kill "$(cat holder)"
  report 'a run that waits for another in its folder ends when it is told to, and leaves no half file' $status
else
  skip 'a run that waits for another in its folder' 'flock is not here (Debian: util-linux)'
fi

# --- Stopped in the middle of a run ----------------------------------------------

# A generator that missed its schedule judges itself, not the service: without the stop
# all claims of this run hold, with it the clients' time-outs are the generator's doing.
"$BIN/step04_bounded_line" --clock=real --capacity=82.7 --client-timeout=620ms --duration=2.5s --out=stopped >stopped.txt 2>complaint &
process=$!
sleep 1
kill -STOP $process
sleep 0.4
kill -CONT $process
wait $process
status=$?
grep -E '^(PASS|FAIL|SKIP)' stopped.txt | sed 's/ (.*//' | sort | uniq -c | awk '{ $1 = $1; print }' >judged
[ $status -eq 3 ] && diff - judged <<END
2 FAIL the load generator kept its schedule
1 SKIP behind the capped line no client times out
1 SKIP behind the capped line no work is wasted
1 SKIP the line grows to its cap and no further
1 SKIP without limits the service collapses as in step 3
END
report "a generator that missed its schedule: exit status 3, and nothing is held against the service ($status)" $?

# --- The wall clock ---------------------------------------------------------------

step3_under () { # COMMAND...
  "$@" "$BIN/step03_no_limits" --clock=real --quiet --capacity=82.7 --duration=500ms --client-timeout=300ms --out=jump
}
library=$(ls /usr/lib/*/faketime/libfaketime.so.1 /usr/lib/faketime/libfaketime.so.1 /usr/lib64/faketime/libfaketime.so.1 2>/dev/null | head -n 1)
if [ -n "$library" ] && [ $limitable = yes ]; then
  echo '+0' >rc
  (sleep 0.2; echo '-3650d' >rc; sleep 0.2; echo '+3650d' >rc) &
  started=$(date +%s)
  step3_under env LD_PRELOAD="$library" FAKETIME_TIMESTAMP_FILE="$temporary/rc" FAKETIME_NO_CACHE=1 DONT_FAKE_MONOTONIC=1 2>complaint
  status=$?
  wait
  case $status in 0 | 1 | 3) ;; *) false ;; esac && document jump/step03_no_limits.json &&
    grep -q '"offered": 82,' jump/step03_no_limits.json && [ $(($(date +%s) - started)) -le 5 ]
  report 'the wall clock jumps by ten years, back and forth, and the run does not notice' $?
else
  skip 'the wall clock jumps' 'libfaketime is not here (Debian: faketime), or a sanitizer is in its way'
fi
# Beside it: nothing that measures asks for any other clock.
! (cd "$OLDPWD" && grep -nE 'CLOCK_REALTIME|gettimeofday|g_get_real_time|[^_a-z]time \(' common/time/*.c common/loadgen/*.c common/admission/admission.c common/service/*.c)
report 'only the monotonic clock is asked for the time' $?

# --- Memory ------------------------------------------------------------------------

# GLib ends a program that gets no memory (SIGTRAP or SIGABRT); ours allocate through
# it alone, so that is what they do: at once, with a sentence, and no file begun.
if [ $limitable = yes ]; then
  cp -r old memory
  (ulimit -v 80000 && exec "$BIN/step03_no_limits" --quiet --capacity=82.7 --duration=20000s --out=memory) 2>complaint
  status=$?
  [ $status -ge 128 ] && grep -q 'failed to allocate' complaint && intact memory
  report 'out of memory: an end at once, no file begun' $?
else
  skip 'out of memory' 'this build needs more address space than can be limited (sanitizers)'
fi

# --- File descriptors, and a server that dies ----------------------------------------

for descriptors in 4 5 6 8; do
  cp -r old "few-$descriptors"
  (ulimit -n $descriptors && exec "$BIN/step05_slowdown" --quiet --capacity=82.7 --duration=9s --out="few-$descriptors") 2>"complaint-$descriptors"
  echo "$descriptors $?" >>few
  whole "few-$descriptors" || echo broken >>few
done
# Trapped by GLib without a wakeup descriptor, refused with a sentence, or done.
! grep -qvE '^[0-9]+ (0|1|2|133|134)$' few
report "with 4 to 8 file descriptors: a clean end, no half file ($(tr '\n' ',' <few))" $?

# The server of a run under way, once there is one; its first life, in which the
# capacity is measured, lasts a second.
server_of () { # RUN
  for attempt in $(seq 100); do
    pgrep -P "$(pgrep -d, -P "$1" -x step06_http || echo "$1")" -x service && return
    sleep 0.1
  done
}
http_options='--duration=1s --client-timeout=300ms --service-time=20ms' # about 4 s in all

if [ ! -x "$BIN/step06_http" ]; then
  skip 'faults over HTTP' 'the HTTP programs are not built here'
elif ! command -v pgrep >/dev/null; then
  skip 'faults over HTTP' 'pgrep is not here (Debian: procps)'
else
  (ulimit -n 40 && exec timeout 20 "$BIN/step06_http" $http_options --out=starved) >starved.txt 2>complaint
  status=$?
  # (On a busy machine the run may be late as well, which is 3; the claim is there all the
  # same, because it is made only of requests that could not be sent.)
  { [ $status -eq 1 ] || [ $status -eq 3 ]; } && grep -qE '(FAIL|SKIP)  every request could be sent' starved.txt &&
    document starved/step06_http.json
  report "out of file descriptors in a run over HTTP: counted as unsent, and a claim fails ($status)" $?
  (ulimit -n 14 && exec timeout 20 "$BIN/step06_http" $http_options --out=none) >none.txt 2>complaint
  says $? 2 'open files' && [ ! -e none/step06_http.json ]
  report 'no file descriptor for the server: exit status 2, no results' $?

  timeout 20 "$BIN/step06_http" $http_options --out=orphan >orphan.txt 2>complaint &
  run=$!
  server=$(server_of $run)
  sleep 0.4
  [ -n "$server" ] && kill -9 $server
  wait $run
  status=$?
  [ -n "$server" ] && [ $status -eq 2 ] && [ -s complaint ] && [ ! -e orphan/step06_http.json ]
  report "the server killed in the middle of a run: an end with a sentence, no hang ($status)" $?

  "$BIN/step06_http" $http_options --out=orphan >orphan.txt 2>complaint &
  run=$!
  server=$(server_of $run)
  sleep 0.2
  kill -9 $run
  sleep 0.5
  # Where nobody collects orphans a zombie of it may stay.
  [ -n "$server" ] && ! grep -q '^State:.[^Z]' "/proc/$server/status" 2>/dev/null
  report 'the program killed in the middle of a run: its server goes, too' $?

  "$BIN/service" --port=0 >service.txt &
  server=$!
  while [ ! -s service.txt ] && kill -0 $server; do sleep 0.1; done
  (sleep 1 && kill -9 $server) &
  timeout 20 "$BIN/loadtest" --quiet --rate=50 --duration=2s --out=loadtest \
    "$(sed -n 's/^listening on //p' service.txt)/work" >/dev/null 2>complaint
  status=$?
  wait
  row=$(sed -n '/"rows"/,/]/p' loadtest/loadtest.json)
  errors=$(echo "$row" | sed -n 's/.*"error": \([0-9]*\).*/\1/p')
  refused=$(echo "$row" | sed -n 's/.*"connect_refused": \([0-9]*\).*/\1/p')
  [ $status -lt 4 ] && [ "${errors:-0}" -ge "${refused:-0}" ] && [ "${refused:-0}" -gt 0 ] && echo "$row" | grep -q '"offered": 100,'
  report "a service killed under a load test: every request has its outcome, $refused of $errors errors are refused connections" $?
fi

echo "1..$number"
